"""A checkout of the suite in miniature: evals/ and a conftest.py that loads the plugin, in a folder of its own."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.prompts import Prompts
from pytest_redefine.cases.truths import TruthTable
from tests.parts import missing, need
from tests.servers import Behaviour, ChatServer, Seen

if TYPE_CHECKING:
    from playwright.sync_api import Browser

REPOSITORY = Path(__file__).parents[2]

MODES = {"n0": ("-n", "0"), "n2": ("-n", "2"), "no-xdist": ("-p", "no:xdist")}
"""The three ways every option must work in."""

PATIENCE_S: Final = 60.0
"""How long a process that the test started may take to get somewhere; it is over at once on an idle machine."""

SIX = ("-k", "pi and q2")
"""One control and five redefinitions of one question: enough for most tests."""

KILLS_ITS_WORKER: Final = """
import os
import signal


def pytest_runtest_setup(item):
    at = os.environ.get("KILL_AT", "pi-ra2-q2")
    if at and f"[{at}-" in item.name and "PYTEST_XDIST_WORKER" in os.environ:
        os.kill(os.getpid(), signal.SIGKILL)
"""
"""For the checkout's conftest.py: one case ends its worker, unless KILL_AT is empty."""

Start = Callable[..., "subprocess.Popen[bytes]"]

HELD: Final = Behaviour(way="held")


@pytest.fixture(params=list(MODES))
def mode(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """The options of each way to run in turn."""
    return MODES[request.param]


with_workers = pytest.mark.parametrize("mode", ["n2"], indirect=True)
"""Where the other ways are shown by another test of the same option."""

two_ways = pytest.mark.parametrize("mode", ["n2", "no-xdist"], indirect=True)
"""One process and several, for what pytest-xdist cannot change by merely being there; spares a third of the time."""


def asking(server: ChatServer) -> tuple[str, str]:
    """The options that send every question to a server of the test's own."""
    return "--model=openai/x", f"--api-base={server.url}"


class Suite:
    """Runs ``pytest evals`` in processes of its own and reads what they leave behind."""

    def __init__(self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, derived: Path, start: Start) -> None:
        self.pytester = pytester
        self._start = start
        self.path = pytester.path
        for name in ("CI", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
            monkeypatch.delenv(name, raising=False)
        # Without byte code every process would compile pytest and the plugin anew: twice the time.
        monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        shutil.copytree(REPOSITORY / "evals", self.path / "evals", ignore=shutil.ignore_patterns("__pycache__"))
        # What a user's second run finds; deriving the answers takes a second in each process.
        shutil.copytree(derived, self.path / ".pytest_cache" / "d" / "redefine")
        (self.path / "conftest.py").write_text((REPOSITORY / "conftest.py").read_text())
        # Plugins of other packages that have nothing to do here; they cost half a second a process.
        (self.path / "pytest.ini").write_text(
            "[pytest]\naddopts = --strict-markers -p no:hypothesispytest -p no:anyio\n"
        )

    def run(self, *args: str, timeout: float = 120) -> pytest.RunResult:
        """Run ``pytest evals`` with options."""
        return self.pytester.runpytest_subprocess("evals", *args, timeout=timeout)

    def command(self, *args: str) -> pytest.RunResult:
        """Run ``pytest-redefine`` in a process of its own: pytester undoes imports, and NumPy cannot come twice."""
        return self.pytester.run(sys.executable, "-m", "pytest_redefine.cli", *args, timeout=120)

    def refused(self, *args: str) -> pytest.RunResult:
        """Run ``pytest evals`` with options that it must refuse, in this process: nothing is started for them."""
        result = self.pytester.runpytest_inprocess("evals", *args)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        return result

    def start(self, *args: str, **options: Any) -> subprocess.Popen[bytes]:
        """Start ``pytest evals`` and do not wait for it."""
        return self._start("evals", *args, **options)

    def conftest(self, code: str) -> None:
        """Add hooks to the checkout's conftest.py."""
        with (self.path / "conftest.py").open("a") as file:
            file.write("\n" + code)

    def records(self, run: str = "latest") -> list[dict[str, Any]]:
        """The raw records of a run, in the order in which they were written."""
        path = self.path / "reports" / run / "records.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()]

    def run_json(self, run: str = "latest") -> dict[str, Any]:
        """The run's run.json."""
        data = json.loads((self.path / "reports" / run / "run.json").read_text())
        assert isinstance(data, dict)
        return data

    def runs(self) -> list[str]:
        """The names of all runs."""
        folder = self.path / "reports"
        return (
            sorted(entry.name for entry in folder.iterdir() if not entry.is_symlink() and entry.is_dir())
            if folder.exists()
            else []
        )

    def stored(self, store: str = "reports/store.sqlite") -> dict[str, str]:
        """The texts of the replies in the store, by key."""
        with contextlib.closing(sqlite3.connect(self.path / store)) as db:
            return {key: json.loads(reply)["text"] for key, reply in db.execute("SELECT key, reply FROM replies")}


@pytest.fixture(scope="session")
def derived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the derived answers, as the first run of a checkout leaves it."""
    folder = tmp_path_factory.mktemp("derived")
    catalogue = Catalogue.load()
    table = TruthTable(catalogue, Prompts.load(), folder)
    for task in catalogue.tasks:
        table.truth(next(iter(catalogue.cases(task))))
    return folder


def heed_ctrl_c() -> None:
    """A suite that was started in the background ignores Ctrl-C, and so would every process that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def start(pytester: pytest.Pytester) -> Iterator[Start]:
    """Starts pytest in the test's folder, in a process group of its own as a shell would; options are ``Popen``'s."""
    started: list[subprocess.Popen[bytes]] = []

    def begin(*args: str, **options: Any) -> subprocess.Popen[bytes]:
        quiet = {
            "cwd": pytester.path,
            "stdout": subprocess.DEVNULL,
            "stderr": subprocess.DEVNULL,
            "start_new_session": True,
            "preexec_fn": heed_ctrl_c,
        }
        command = [sys.executable, "-m", "pytest", *args]
        started.append(subprocess.Popen(command, **{**quiet, **options}))
        return started[-1]

    yield begin
    for process in started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, derived: Path, start: Start) -> Suite:
    """The miniature checkout."""
    return Suite(pytester, monkeypatch, derived, start)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A real Chromium; without it the test is skipped, and fails in CI."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("playwright is not installed (make setup)")
    program = need("chromium", "chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


class Gate:
    """Answers the first requests at once and holds the rest back until the test opens it."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.open = False

    def __call__(self, seen: Seen) -> Behaviour:
        return Behaviour() if self.open or seen.number < self.first else HELD


def until(condition: Callable[[], object], process: subprocess.Popen[bytes] | None = None) -> None:
    """Wait until something is so, and fail if it never is or the process that should bring it about has ended."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, "it never came to pass"
        assert process is None or process.poll() is None, f"the run ended before with status {process.returncode}"
        time.sleep(0.01)


def lines(path: Path) -> int:
    """How many whole lines a file has so far."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


def living(group: int) -> list[int]:
    """The processes of a group that have not ended; those that nobody has waited for yet do not count."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, group_of = stat.read_text().rpartition(")")[2].split()[:3]
            if int(group_of) == group and state not in "ZX":
                found.append(int(stat.parent.name))
    return found


def selected(result: pytest.RunResult) -> list[str]:
    """The ids that ``--collect-only -q`` printed."""
    return [line for line in result.outlines if "::" in line]


def outcomes(records: list[dict[str, Any]]) -> Mapping[str, int]:
    """How many records have each outcome, errors and cases not asked by their status."""
    counts: dict[str, int] = {}
    for record in records:
        word = record["outcome"] or record["status"]
        counts[word] = counts.get(word, 0) + 1
    return counts


def timeless(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record without what differs from run to run: its name and the clock."""
    return {name: value for name, value in record.items() if name not in ("run", "asked_at", "latency_s")}
