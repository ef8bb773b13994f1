"""Whole-process cost of asking many questions at once: python benchmarks/throughput.py [--latency S] [--peers PYTHON].

Every contender puts the same prompts (the 270 free-form prompts of the constants, `--samples` times) to the same local
OpenAI-compatible server, a process of its own with a fixed latency, with the same number in flight. Each run is a fresh
process with nothing stored; the contenders take turns, so that a busy machine slows all alike; figures are medians.

Peers are not needed otherwise: install them into an environment of their own (`pip install inspect-ai deepeval
lm-eval[api]`) and name its interpreter with --peers. A peer that is not installed there is left out, and said so.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.prompts import Prompts
from pytest_redefine.cases.wording import messages

HERE = Path(__file__).parent
ROOT = HERE.parent
MODEL = "bench"


@dataclass(frozen=True)
class Contender:
    """One row: how its process is started."""

    name: str
    command: list[str]
    needs: str = ""
    """What must be importable for it, by the peers' interpreter."""


@dataclass(frozen=True)
class Measured:
    """One run of one contender."""

    wall_s: float
    cpu_s: float
    peak_mb: float
    received: int
    most_in_flight: int


def contenders(url: str, prompts: Path, count: int, in_flight: int, samples: int, peers: str) -> list[Contender]:
    """All rows of the table."""
    suite = [
        *(sys.executable, "-m", "pytest", "evals", "-q", "--rootdir=.", "-k", "constants"),
        *(f"--api-base={url}", f"--max-in-flight={in_flight}", f"--samples={samples}"),
    ]
    script = [str(prompts), url, str(in_flight)]
    return [
        Contender("this suite, -n 0", [*suite, f"--model=openai/{MODEL}", "-n", "0"]),
        Contender("this suite, -n 2", [*suite, f"--model=openai/{MODEL}", "-n", "2"]),
        Contender("this suite, -n 2, through LiteLLM", [*suite, f"--model=together_ai/{MODEL}", "-n", "2"]),
        Contender("aiohttp, a bare loop", [sys.executable, str(HERE / "peers/bare_aiohttp.py"), *script]),
        Contender("LiteLLM, a bare loop", [sys.executable, str(HERE / "peers/bare_litellm.py"), *script]),
        Contender("Inspect", [peers, str(HERE / "peers/inspect_run.py"), *script], "inspect_ai"),
        Contender("lm-eval, local-chat-completions", [peers, str(HERE / "peers/lm_eval_run.py"), *script], "lm_eval"),
        Contender("DeepEval", [peers, str(HERE / "peers/deepeval_run.py"), *script], "deepeval"),
    ]


@contextmanager
def server(latency: float, rate_429: float) -> Iterator[str]:
    """The local server, in a process of its own; gives its address."""
    command = [sys.executable, "-m", "tests.servers", f"--latency={latency}", f"--rate-429={rate_429}"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


def measure(contender: Contender, base: str, environment: Mapping[str, str]) -> Measured:
    """Run it once in an empty folder.

    Raises:
        RuntimeError: it failed.
    """
    post(f"{base}/reset")
    with tempfile.TemporaryDirectory() as folder, open(Path(folder) / "output", "wb") as output:  # noqa: PTH123 - its fd is handed on
        # A checkout in miniature: every run begins without store, cache and reports.
        shutil.copytree(ROOT / "evals", Path(folder) / "evals", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "conftest.py", folder)
        start = time.monotonic()
        process = subprocess.Popen(
            contender.command, cwd=folder, stdout=output, stderr=subprocess.STDOUT, env=dict(environment)
        )
        # wait4 gives the CPU time of the process and of all its children that it has waited for.
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            tail = (Path(folder) / "output").read_text(errors="replace")[-600:]
            raise RuntimeError(f"{contender.name} ended with {process.returncode}: {tail}")
    stats = json.loads(urllib.request.urlopen(f"{base}/stats").read())  # noqa: S310 - our own server
    return Measured(
        wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, stats["received"], stats["most_in_flight"]
    )


def post(url: str) -> None:
    """POST nothing."""
    urllib.request.urlopen(urllib.request.Request(url, data=b"", method="POST")).close()  # noqa: S310 - our own server


def write_prompts(path: Path, samples: int) -> int:
    """One JSON string a line; the number of lines."""
    catalogue, wording = Catalogue.load(), Prompts.load()
    lines = [
        json.dumps(messages(case, catalogue, wording)[0]["content"] + (f" [{sample}]" if sample else ""))
        for sample in range(samples)
        for case in catalogue.cases("constants")
    ]
    path.write_text("\n".join(lines) + "\n")
    return len(lines)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds the server takes [0.2]")
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--samples", type=int, default=4, help="times the 270 prompts [4: 1,080 requests]")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rate-429", type=float, default=0.0, metavar="SHARE")
    parser.add_argument("--peers", default=sys.executable, metavar="PYTHON", help="interpreter that has the peers")
    parser.add_argument(
        "--only", default="", metavar="PART", help="contenders whose name holds PART, e.g. --only=suite"
    )
    arguments = parser.parse_args()
    environment = {
        **os.environ,
        "OPENAI_API_KEY": "unused",
        "TOGETHERAI_API_KEY": "unused",
        "TOGETHER_AI_API_KEY": "unused",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }
    with tempfile.TemporaryDirectory() as folder, server(arguments.latency, arguments.rate_429) as url:
        prompts = Path(folder) / "prompts.jsonl"
        count = write_prompts(prompts, arguments.samples)
        ideal = count * arguments.latency / arguments.in_flight
        rows = [
            row
            for row in contenders(url, prompts, count, arguments.in_flight, arguments.samples, arguments.peers)
            if arguments.only in row.name
        ]
        present = [row for row in rows if not row.needs or _importable(arguments.peers, row.needs)]
        for row in rows:
            if row not in present:
                print(f"left out: {row.name} ({row.needs} is not installed for {arguments.peers})")
        found: dict[str, list[Measured]] = {row.name: [] for row in present}
        base = url.removesuffix("/v1")
        for _ in range(arguments.rounds):
            for row in present:
                try:
                    found[row.name].append(measure(row, base, environment))
                except RuntimeError as error:
                    print(error)
        print(
            f"{count} requests, {arguments.latency:g} s latency, {arguments.in_flight} in flight: ideal {ideal:.1f} s"
        )
        print(f"{'':<36}{'wall s':>8}{'/ ideal':>9}{'CPU ms/request':>16}{'peak MB':>9}{'in flight':>11}{'runs':>6}")
        for name, runs in found.items():
            if runs:
                print(_row(name, runs, count, ideal))


def _importable(python: str, module: str) -> bool:
    done = subprocess.run([python, "-c", f"import importlib.util as u, sys; sys.exit(u.find_spec('{module}') is None)"])
    return done.returncode == 0


def _row(name: str, runs: list[Measured], count: int, ideal: float) -> str:
    wall = statistics.median(run.wall_s for run in runs)
    cpu = statistics.median(run.cpu_s for run in runs)
    peak = statistics.median(run.peak_mb for run in runs)
    width = max(run.most_in_flight for run in runs)
    return f"{name:<36}{wall:>8.1f}{wall / ideal:>9.2f}{1000 * cpu / count:>16.1f}{peak:>9.0f}{width:>11}{len(runs):>6}"


if __name__ == "__main__":
    main()
