"""Processes killed in mid-run: nothing that was answered is lost, nothing is asked twice."""

from __future__ import annotations

import json
import os
import signal
import sys

import pytest

from pytest_redefine.records.reading import read_records
from tests.plugin.conftest import KILLS_ITS_WORKER, SIX, Gate, Suite, asking, lines, living, outcomes, until
from tests.servers import ChatServer


def test_a_killed_worker_costs_one_record_and_no_request(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    suite.conftest(KILLS_ITS_WORKER)
    with ChatServer() as server:
        command = (*SIX, "-n2", "--run=crash", *asking(server))
        assert suite.run(*command).ret == 1
        records = suite.records("crash")
        assert len(records) == 6
        (dead,) = (record for record in records if record["status"] != "answered")
        assert (dead["status"], dead["error"]["kind"]) == ("error", "worker_died")
        assert dead["case_id"] == "constants-pi-ra2-q2-ff-zs-s0"
        assert (dead["expected"], dead["outcome"], dead["reply"]) == ("1500", None, None)
        assert "Redefine π as 500." in dead["messages"][-1]["content"]
        assert server.received == 6
        assert len(suite.stored()) == 6

        server.reset()
        monkeypatch.setenv("KILL_AT", "")
        assert suite.run(*command).ret == 0
        assert server.received == 0
    records = read_records(suite.path / "reports" / "crash" / "records.jsonl")
    assert [record["status"] for record in records] == ["answered"] * 6
    assert suite.run_json("crash")["complete"]


def test_without_a_new_worker_the_run_ends_early_and_says_so(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    suite.conftest(KILLS_ITS_WORKER)
    monkeypatch.setenv("KILL_AT", "pi-nr-q1")
    result = suite.run("-k", "constants and pi", "-n1", "--max-worker-restart=0", "--run=crash", "--model=sim/adopts")
    assert result.ret == 1
    records = suite.records("crash")
    assert len(records) == 18
    counts = outcomes(records)
    assert counts["error"] == 1
    assert counts["not_asked"] == 18 - 1 - counts.get("correct", 0) > 0
    assert not suite.run_json("crash")["complete"]
    monkeypatch.setenv("KILL_AT", "")
    assert suite.run("-k", "constants and pi", "-n1", "--run=crash", "--model=sim/adopts").ret == 0
    assert outcomes(read_records(suite.path / "reports" / "crash" / "records.jsonl")) == {"correct": 18}


@pytest.mark.skipif(sys.platform != "linux", reason="looks for left-over processes in /proc")
def test_a_killed_run_is_continued_where_it_was(suite: Suite, mode: tuple[str, ...]) -> None:
    gate = Gate(3)
    path = suite.path / "reports" / "killed" / "records.jsonl"
    with ChatServer(gate) as server:
        # One at a time: with the fourth question under way, three replies have been stored.
        command = (*SIX, *mode, "--run=killed", "--max-in-flight=1", *asking(server))
        process = suite.start(*command)
        until(lambda: server.received == 4 and lines(path) >= 1, process)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        until(lambda: not living(process.pid))
        assert all(record["status"] == "answered" for record in read_records(path))
        assert len(suite.stored()) == 3

        gate.open = True
        server.reset()
        assert suite.run(*command).ret == 0
        assert server.received == 3
    assert [record["status"] for record in read_records(path)] == ["answered"] * 6
    assert suite.run_json("killed")["complete"]


def test_a_line_torn_by_the_kill_harms_no_other(suite: Suite) -> None:
    command = (*SIX, "-n0", "--run=torn", "--model=sim/adopts")
    assert suite.run(*command).ret == 0
    path = suite.path / "reports" / "torn" / "records.jsonl"
    whole = path.read_bytes()
    last = whole.splitlines()[-1]
    path.write_bytes(whole[: -len(last) // 2])
    assert len(read_records(path)) == 5
    # Only the torn one again: a record written to the end of its line would be lost with it.
    assert suite.run("-k", f"pi and q2 and {json.loads(last)['redefinition']}", *command[2:]).ret == 0
    assert outcomes(read_records(path)) == {"correct": 6}
