"""Ctrl-C, once and twice; a worker that dies and is not replaced; and the same command finishing the rest."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pytest_redefine.respondents.store import SqliteStore
from tests.plugin.conftest import Suite, heed_ctrl_c, lines, until
from tests.servers import Behaviour, ChatServer, Seen

WAIT_S = 60.0
ANSWERED = 6


class Stalling:
    """Answers a few questions and hangs on the rest; says when the rest has come."""

    def __init__(self) -> None:
        self.stalled = threading.Event()

    def __call__(self, seen: Seen) -> Behaviour:
        if seen.number < ANSWERED:
            return Behaviour()
        if seen.number == ANSWERED + 3:
            self.stalled.set()
        return Behaviour(way="hang")


def start(suite: Suite, url: str, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", "evals", *asking(url), *options],
        cwd=suite.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=heed_ctrl_c,
        start_new_session=True,  # a terminal sends Ctrl-C to the whole group, and not to ours
    )


def asking(url: str) -> tuple[str, ...]:
    return ("-k", "constants and pi", "--model=hosted_vllm/m", f"--api-base={url}")


def under_way(suite: Suite) -> bool:
    """Whether the answers that were sent have also been read and kept, and a test has got one of them."""
    return stored(suite) == ANSWERED and any(map(lines, (suite.path / "reports").glob("*/records.jsonl")))


def stored(suite: Suite) -> int:
    store = SqliteStore(suite.path / "reports" / "store.sqlite")
    count = store._db.execute("SELECT count(*) FROM replies").fetchone()[0]
    store._db.close()
    return int(count)


@pytest.mark.parametrize(("workers", "times"), [("0", 2), ("2", 1)])
def test_ctrl_c_keeps_what_has_arrived_and_the_same_command_finishes_the_rest(
    suite: Suite, workers: str, times: int
) -> None:
    stalling = Stalling()
    with ChatServer(stalling) as server:
        process = start(suite, server.url, "-n", workers)
        assert stalling.stalled.wait(WAIT_S)
        until(lambda: under_way(suite))
        for _ in range(times):
            os.killpg(process.pid, signal.SIGINT)
        output, _ = process.communicate(timeout=WAIT_S)
        url = server.url
        assert process.returncode != 0
        if times == 1:
            assert process.returncode == 2, output
            assert suite.run_json()["complete"] is False
            assert "not_asked" in {record["status"] for record in suite.records()} <= {"answered", "not_asked"}
        assert stored(suite) == ANSWERED
    with ChatServer(port=int(url.rsplit(":", 1)[1].partition("/")[0])) as server:
        assert suite.run(*asking(url), "-n0").ret == 0
        assert server.received == 18 - ANSWERED


def test_a_dead_worker_that_is_not_replaced_leaves_an_incomplete_run(suite: Suite) -> None:
    stalling = Stalling()
    with ChatServer(stalling) as server:
        process = start(suite, server.url, "-n", "1", "--max-worker-restart=0", "--attempt-timeout=20")
        assert stalling.stalled.wait(WAIT_S)
        until(lambda: under_way(suite))
        os.kill(child_of(process.pid), signal.SIGKILL)
        output, _ = process.communicate(timeout=WAIT_S)
        url = server.url
    assert process.returncode == 1, output
    statuses = [record["status"] for record in suite.records()]
    assert len(statuses) == 18
    kinds = {record["error"]["kind"] for record in suite.records() if record["error"]}
    # Killed between two tests it leaves no test that it died in.
    assert "not_asked" in kinds <= {"worker_died", "not_asked"}, output
    assert suite.run_json()["complete"] is False
    assert stored(suite) == ANSWERED
    with ChatServer(port=int(url.rsplit(":", 1)[1].partition("/")[0])) as server:
        assert suite.run(*asking(url), "-n0").ret == 0
        assert server.received == 18 - ANSWERED


def child_of(pid: int) -> int:
    """The only worker: execnet starts it as a child of the controller."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    assert len(children) == 1
    return int(children[0])
