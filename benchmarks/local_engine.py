"""Speed and steadiness of the embedded engine: python benchmarks/local_engine.py [--rounds N] [--prompts N] [NAME ...].

Each configuration answers the same prompts of the benchmark at temperature 0. *Same* counts the replies that equal
those of its reference: the same arithmetic with one slot, one request at a time, no prompt cache. Rounds are
interleaved, so that a busy machine slows all configurations alike; figures are medians over the rounds. On a busy
machine compare CPU seconds, not wall seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.prompts import Prompts
from pytest_redefine.cases.wording import messages
from pytest_redefine.respondents.local.engine import LocalEngine
from pytest_redefine.respondents.local.model_file import ModelFile, find_model

FLASH, F16 = {"flash_attn_type": 1}, {"cache_type_k": 1, "cache_type_v": 1}
TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Setup:
    """One row of the table."""

    slots: int = 8
    threads: int = 2
    width: int | None = None
    """Requests in flight; None: as many as slots."""
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def reference(self) -> str:
        """The name of what its replies are compared with."""
        flash, f16 = (all(item in self.settings.items() for item in part.items()) for part in (FLASH, F16))
        return "reference" + ", f16" * f16 + ", flash" * flash


NO_CACHE = {"cache_prompt": False}
SETUPS = {
    "reference": Setup(1, settings=NO_CACHE),
    "reference, f16": Setup(1, settings={**F16, **NO_CACHE}),
    "reference, f16, flash": Setup(1, settings={**F16, **FLASH, **NO_CACHE}),
    "1 slot": Setup(1),
    "2 slots": Setup(2),
    "4 slots": Setup(4),
    "8 slots": Setup(8),
    "16 slots": Setup(16),
    "1 slot, 1 thread": Setup(1, 1),
    "8 slots, 1 thread": Setup(8, 1),
    "8 slots, no prompt cache": Setup(8, settings=NO_CACHE),
    "8 slots, f16": Setup(8, settings=F16),
    "8 slots, f16, flash": Setup(8, settings={**F16, **FLASH}),
    "8 slots, f16, flash, no prompt cache": Setup(8, settings={**F16, **FLASH, **NO_CACHE}),
    "8 slots, f16, flash, one kv": Setup(8, settings={**F16, **FLASH, "kv_unified": True}),
    "8 slots, one kv": Setup(8, settings={"kv_unified": True}),
}


@dataclass
class Round:
    """What one configuration did in one round."""

    replies: list[str]
    start_s: float
    wall_s: float
    cpu_s: float
    prompt_tokens: int
    tokens: int
    peak_mb: int


def all_prompts(count: int) -> list[list[dict[str, str]]]:
    """``count`` of the constants' cases, spread evenly."""
    catalogue, prompts = Catalogue.load(), Prompts.load()
    cases = list(catalogue.cases("constants"))
    return [
        [dict(message) for message in messages(cases[i * len(cases) // count], catalogue, prompts)]
        for i in range(count)
    ]


async def play(model: ModelFile, setup: Setup, prompts: list[list[dict[str, str]]], max_tokens: int) -> Round:
    """Start an engine, ask everything, stop it."""
    engine = LocalEngine(model, slots=setup.slots, threads=setup.threads, settings=setup.settings)
    begin = time.perf_counter()
    await engine.start()
    start_s = time.perf_counter() - begin
    gate = asyncio.Semaphore(setup.width or setup.slots)
    before = _cpu(engine.pid)

    async def ask(session: aiohttp.ClientSession, prompt: list[dict[str, str]]) -> Any:
        body = {"messages": prompt, "temperature": 0, "max_tokens": max_tokens}
        async with gate, session.post(f"{engine.base_url}/v1/chat/completions", json=body) as response:
            response.raise_for_status()
            return await response.json()

    try:
        timeout = aiohttp.ClientTimeout(total=600)
        async with aiohttp.ClientSession(
            headers={"Authorization": f"Bearer {engine.api_key}"}, timeout=timeout
        ) as session:
            begin = time.perf_counter()
            answers = await asyncio.gather(*(ask(session, prompt) for prompt in prompts))
            wall_s = time.perf_counter() - begin
        status = Path(f"/proc/{engine.pid}/status").read_text()
        return Round(
            [answer["choices"][0]["message"]["content"] for answer in answers],
            start_s,
            wall_s,
            _cpu(engine.pid) - before,
            sum(answer["usage"]["prompt_tokens"] for answer in answers),
            sum(answer["usage"]["completion_tokens"] for answer in answers),
            int(status.split("VmHWM:")[1].split()[0]) >> 10,
        )
    finally:
        await engine.aclose()


def _cpu(pid: int | None) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


async def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="configurations; default: all of " + ", ".join(SETUPS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--prompts", type=int, default=60)
    parser.add_argument("--max-tokens", type=int, default=256)
    parser.add_argument("--model", default="local/smollm2-135m")
    options = parser.parse_args()
    model, prompts = find_model(options.model), all_prompts(options.prompts)
    names = list(options.names or SETUPS)
    chosen = list(dict.fromkeys([*(SETUPS[name].reference for name in names), *names]))
    done: dict[str, list[Round]] = defaultdict(list)
    for _ in range(options.rounds):
        for name in chosen:
            done[name].append(await play(model, SETUPS[name], prompts, options.max_tokens))
    first = done[chosen[0]][0]
    print(
        f"{model.short}, {len(prompts)} prompts ({first.prompt_tokens} tokens), {first.tokens} tokens answered "
        f"by the first reference, {options.rounds} rounds, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n"
    )
    print("| configuration | start s | wall s | CPU s | questions/s | same (worst round) | peak MB |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name in chosen:
        rounds, reference = done[name], done[SETUPS[name].reference][0]
        wall = statistics.median(r.wall_s for r in rounds)
        same = min(sum(a == b for a, b in zip(r.replies, reference.replies, strict=True)) for r in rounds)
        print(
            f"| {name} | {statistics.median(r.start_s for r in rounds):.2f} | {wall:.1f} "
            f"| {statistics.median(r.cpu_s for r in rounds):.1f} | {len(prompts) / wall:.2f} "
            f"| {same}/{len(prompts)} | {max(r.peak_mb for r in rounds)} |"
        )


if __name__ == "__main__":
    asyncio.run(main())
