"""What every store does, each on the real thing."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import redis
from hypothesis import HealthCheck, given, settings

from pytest_redefine.respondents.exchange import Reply, Request, prompt_digest, stored_request
from tests.respondents.store.conftest import Backend
from tests.respondents.strategies import replies

REQUEST = stored_request(Request("openai/gpt-4o", ({"role": "user", "content": "π, \x00 and \ud800?"},)), {})
REPLY = Reply("4 \x00 and π", usage={"prompt_tokens": 3}, cost_usd=1e-5, model_version="gpt-4o-2024", asked_at="2026")
ROOT = Path(__file__).parents[3]


def put(backend: Backend, items: dict[str, Reply]) -> None:
    async def go() -> None:
        store = backend.open()
        for key, reply in items.items():
            await store.put(key, REQUEST, reply)
        await store.close()

    asyncio.run(go())


def get(backend: Backend, keys: Iterable[str]) -> dict[str, Reply]:
    async def go() -> dict[str, Reply]:
        store = backend.open()
        try:
            return await store.get_many(keys)
        finally:
            await store.close()

    return asyncio.run(go())


def start_writer(backend: Backend, name: str, first: int, last: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.respondents.store.writer", backend.location, name, str(first), str(last)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def let_go(process: subprocess.Popen[str]) -> None:
    """Let a writer write, once all are there."""
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_what_was_put_comes_back_marked(backend: Backend) -> None:
    put(backend, {"a": REPLY, "b": Reply("", finish_reason="length")})
    assert get(backend, ["b", "nobody", "a"]) == {
        "a": dataclasses.replace(REPLY, from_store=True),
        "b": Reply("", finish_reason="length", from_store=True),
    }


def test_nothing_is_asked_of_an_empty_store_in_vain(backend: Backend) -> None:
    assert get(backend, []) == {}
    assert get(backend, ["a"]) == {}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(reply=replies())
def test_any_reply_comes_back_as_it_was(backend: Backend, reply: Reply) -> None:
    put(backend, {"same": reply})
    assert get(backend, ["same"]) == {"same": dataclasses.replace(reply, from_store=True)}


def test_many_keys_at_once(backend: Backend) -> None:
    """More than one SELECT or MGET takes."""
    keys = [f"k{number}" for number in range(1203)]
    put(backend, {key: Reply(key) for key in keys})
    found = get(backend, [*keys, "nobody"])
    assert {key: reply.text for key, reply in found.items()} == {key: key for key in keys}


def test_a_second_put_replaces(backend: Backend) -> None:
    put(backend, {"a": Reply("old")})
    put(backend, {"a": Reply("new")})
    assert get(backend, ["a"])["a"].text == "new"


@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b"[]", b"null", b"7", b'"text"', b"\xff\xfe", b'{"text": null}', b'{"reply": []}', b"[" * 100_000],
    ids=["empty", "torn", "list", "null", "number", "string", "bytes", "no-text", "no-reply", "deep"],
)
def test_a_damaged_reply_is_as_good_as_absent_and_harms_no_other(backend: Backend, damage: bytes) -> None:
    put(backend, {"a": REPLY, "b": REPLY, "c": REPLY})
    backend.overwrite("b", damage)
    assert sorted(get(backend, ["a", "b", "c"])) == ["a", "c"]
    put(backend, {"b": Reply("asked again")})
    assert get(backend, ["b"])["b"].text == "asked again"


def test_two_processes_write_one_store_at_once(backend: Backend) -> None:
    writers = [start_writer(backend, "one", 0, 120), start_writer(backend, "two", 60, 180)]
    assert [line_of(writer) for writer in writers] == ["open", "open"]
    for writer in writers:
        let_go(writer)
    for writer in writers:
        _, _ = writer.communicate()
        assert writer.returncode == 0
    found = get(backend, [f"key{number}" for number in range(180)])
    assert len(found) == 180
    for key, reply in found.items():
        number, _, who = reply.text.partition(" says ")
        assert key == f"key{number}"
        assert who == ("one" if int(number) < 60 else "two" if int(number) >= 120 else who)


def test_a_killed_process_has_lost_nothing_that_it_was_told_is_kept(backend: Backend) -> None:
    writer = start_writer(backend, "one", 0, 1_000_000)
    assert line_of(writer) == "open"
    let_go(writer)
    kept = [line_of(writer) for _ in range(40)]
    writer.kill()
    rest, _ = writer.communicate()
    kept += [line for line in rest.split("\n")[:-1] if line]
    assert sorted(get(backend, kept)) == sorted(kept)


def test_the_request_is_kept_beside_its_reply(backend: Backend) -> None:
    """So that a stored answer can be explained without the run that asked for it."""
    put(backend, {"a": REPLY})
    if backend.location.startswith("/"):
        with closing(sqlite3.connect(backend.location)) as database:
            (request,) = database.execute("SELECT request FROM replies WHERE key='a'").fetchone()
    else:
        with redis.from_url(backend.location) as client:
            value = client.get("pytest-redefine:1:a")
        assert isinstance(value, bytes)
        request = json.dumps(json.loads(value)["request"])
    assert json.loads(request) == REQUEST


def test_requests_of_the_same_prompt_are_found(backend: Backend) -> None:
    question = ({"role": "user", "content": "π?"},)
    same = [stored_request(Request("m", question, {"temperature": number}), {}) for number in range(3)]
    other = stored_request(Request("m", ({"role": "user", "content": "e?"},)), {})

    async def go() -> list[dict[str, Any]]:
        store = backend.open()
        for number, request in enumerate([*same, other]):
            await store.put(f"key{number}", request, REPLY)
        await store.put("key0", same[0], REPLY)  # asked again
        found = await store.similar(prompt_digest(other))
        assert found == [other]
        assert await store.similar("nobody's") == []
        backend.overwrite("key3", b"no json")
        assert len(await store.similar(prompt_digest(other))) <= 1  # Redis keeps both in one value
        found = await store.similar(prompt_digest(same[0]))
        await store.close()
        return found

    assert sorted(asyncio.run(go()), key=str) == sorted(same, key=str)
