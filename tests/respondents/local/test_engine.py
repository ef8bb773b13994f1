"""The real engine with the real model; about a second a start."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from pytest_redefine.respondents.errors import RespondentUnavailable
from pytest_redefine.respondents.local.engine import CONTEXT, SLOTS, LocalEngine
from pytest_redefine.respondents.local.model_file import ModelFile, find_model


@pytest.fixture(scope="module")
def model() -> ModelFile:
    return find_model("local/smollm2-135m")


async def _ask(engine: LocalEngine, question: str, max_tokens: int = 32) -> dict[str, Any]:
    async with (
        aiohttp.ClientSession(headers={"Authorization": f"Bearer {engine.api_key}"}) as session,
        session.post(
            f"{engine.base_url}/v1/chat/completions",
            json={
                "messages": [{"role": "user", "content": question}],
                "temperature": 0,
                "max_tokens": max_tokens,
            },
        ) as response,
    ):
        response.raise_for_status()
        data: dict[str, Any] = await response.json()
        return data


def _gone(pid: int, within_s: float) -> bool:
    """Whether a process that is no child of ours ends in time; a zombie has ended."""
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.05)
    return False


def test_start_ask_close(model: ModelFile, capfd: pytest.CaptureFixture[str]) -> None:
    async def run() -> None:
        engine = LocalEngine(model)
        assert (engine.pid, engine.returncode, engine.slots) == (None, None, SLOTS)
        await engine.start()
        pid = engine.pid
        assert pid is not None
        assert os.getsid(pid) == pid  # Ctrl-C in the terminal does not reach it
        assert engine.api_key not in Path(f"/proc/{pid}/cmdline").read_text()
        assert engine.base_url.startswith("http://127.0.0.1:")
        data = await _ask(engine, "Name the capital of France.")
        assert "Paris" in data["choices"][0]["message"]["content"]
        assert data["usage"]["completion_tokens"] > 0
        async with aiohttp.ClientSession() as session:
            for path in ("/props", "/v1/chat/completions"):
                async with session.post(engine.base_url + path, json={}) as response:
                    assert response.status == 401
        assert engine.returncode is None
        await engine.aclose()
        assert engine.returncode == 0
        await engine.aclose()

    asyncio.run(run())
    assert capfd.readouterr() == ("", "")


def test_the_identity_is_what_the_engine_uses(model: ModelFile) -> None:
    async def run() -> None:
        engine = LocalEngine(model)
        identity = dict(engine.identity())
        assert engine.pid is None
        assert set(identity) == {"weights", "chat_template", "engine", "settings"}
        await engine.start()
        async with (
            aiohttp.ClientSession(headers={"Authorization": f"Bearer {engine.api_key}"}) as session,
            session.get(f"{engine.base_url}/props") as response,
        ):
            props = await response.json()
        await engine.aclose()
        assert props["chat_template"] == model.chat_template
        assert props["default_generation_settings"]["n_ctx"] == CONTEXT
        assert props["total_slots"] == SLOTS

    asyncio.run(run())


def test_an_answer_hardly_hangs_on_its_neighbours_or_the_prompt_cache(model: ModelFile) -> None:
    questions = [f"Redefine π as {n}. What is π multiplied by 3?\nEnd with: The final answer is:" for n in range(2, 10)]

    async def run() -> tuple[list[str], list[str], list[str]]:
        engine = LocalEngine(model)
        await engine.start()

        async def text(question: str) -> str:
            return str((await _ask(engine, question, 48))["choices"][0]["message"]["content"])

        together = list(await asyncio.gather(*(text(question) for question in questions)))
        cached = list(await asyncio.gather(*(text(question) for question in reversed(questions))))
        await engine.aclose()
        engine = LocalEngine(model, slots=1, settings={"cache_prompt": False})
        await engine.start()
        alone = [await text(question) for question in questions]
        await engine.aclose()
        return alone, together, cached[::-1]

    alone, together, cached = asyncio.run(run())
    for replies in (together, cached):  # one near tie in 60 may still fall the other way
        assert sum(a == b for a, b in zip(replies, alone, strict=True)) >= len(questions) - 1


def test_it_says_why_it_did_not_start(model: ModelFile, small: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.gguf"
    with model.path.open("rb") as file:
        cut.write_bytes(file.read(5_000_000))

    async def run(name: str) -> str:
        engine = LocalEngine(find_model(name))
        with pytest.raises(RespondentUnavailable) as caught:
            await engine.start()
        assert engine.returncode == 1
        await engine.aclose()
        return str(caught.value)

    for path in (cut, small):
        message = asyncio.run(run(f"local/{path}"))
        assert message.startswith(f"local/{path}: llama.cpp did not start (status 1)")
        assert "\n" not in message
        assert len(message) < 1000
    assert "corrupted or incomplete" in asyncio.run(run(f"local/{cut}"))


def test_a_start_that_takes_too_long(model: ModelFile) -> None:
    async def run() -> None:
        engine = LocalEngine(model)
        with pytest.raises(RespondentUnavailable, match=r"not ready after 0\.05 s"):
            await engine.start(timeout_s=0.05)
        assert engine.returncode is not None

    asyncio.run(run())


def test_a_cancelled_start_leaves_nothing_behind(model: ModelFile) -> None:
    async def run() -> None:
        engine = LocalEngine(model)
        task = asyncio.create_task(engine.start())
        while engine.pid is None:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert engine.returncode is not None

    asyncio.run(run())


def test_a_death_while_serving_is_known(model: ModelFile) -> None:
    async def run() -> None:
        engine = LocalEngine(model)
        await engine.start()
        assert engine.pid is not None
        asking = asyncio.create_task(_ask(engine, "Count from one to a thousand.", 1024))
        await asyncio.sleep(0.3)
        os.kill(engine.pid, signal.SIGKILL)
        assert await asyncio.wait_for(engine.wait(), 5) == -signal.SIGKILL
        with pytest.raises(aiohttp.ClientError):
            await asking
        assert engine.returncode == -signal.SIGKILL
        await engine.aclose()

    asyncio.run(run())


PARENT = """
import asyncio, os, sys
from pytest_redefine.respondents.local.engine import LocalEngine
from pytest_redefine.respondents.local.model_file import find_model

async def main():
    engine = LocalEngine(find_model("local/smollm2-135m"))
    task = asyncio.create_task(engine.start())
    while engine.pid is None or not (sys.argv[1] == "loading" or task.done()):
        await asyncio.sleep(0.01)
    if sys.argv[1] == "forked" and os.fork() == 0:  # holds the pipe open
        import time; time.sleep(30); os._exit(0)
    print(engine.pid, flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.mark.parametrize("moment", ["loading", "serving", "forked"])
def test_the_engine_dies_when_its_parent_is_killed(moment: str) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, moment], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert parent.stdout is not None
    try:
        engine = int(parent.stdout.readline())
        assert not _gone(engine, 0)
        parent.kill()
        parent.wait()
        assert _gone(engine, 10)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(parent.pid, signal.SIGKILL)  # the fork that holds the pipe
        parent.stdout.close()


def test_large_models_get_fewer_slots(small: Path) -> None:
    model = find_model(f"local/{small}")
    assert LocalEngine(model).slots == SLOTS
    seven_billion = ModelFile(
        model.name,
        model.path,
        model.parts,
        {
            "general.architecture": "llama",
            "llama.block_count": 32,
            "llama.embedding_length": 4096,
            "llama.attention.head_count": 32,
        },
    )
    assert seven_billion.kv_bytes_per_token() == 2**20
    assert LocalEngine(seven_billion).slots == 1
