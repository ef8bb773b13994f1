"""Ctrl-C: what has arrived is kept, the rest is not asked, and the same command goes on from there."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from pytest_redefine.records.reading import read_records
from tests.plugin.conftest import SIX, Gate, Suite, asking, lines, living, until
from tests.servers import ChatServer


@pytest.mark.skipif(sys.platform != "linux", reason="looks for left-over processes in /proc")
def test_control_c(suite: Suite, mode: tuple[str, ...]) -> None:
    gate = Gate(3)
    path = suite.path / "reports" / "stopped" / "records.jsonl"
    with ChatServer(gate) as server:
        # One at a time: with the fourth question under way, three replies have been stored.
        command = (*SIX, *mode, "--run=stopped", "--max-in-flight=1", *asking(server))
        with (suite.path / "output").open("wb") as output:
            process = suite.start(*command, stdout=output, stderr=output)
        until(lambda: server.received == 4 and lines(path) >= 1, process)
        os.killpg(process.pid, signal.SIGINT)  # a terminal sends it to every process of the group
        assert process.wait() == pytest.ExitCode.INTERRUPTED
        until(lambda: not living(process.pid))
        until(lambda: not server.in_flight)
        assert server.received == 4
        records = suite.records("stopped")
        assert len({record["nodeid"] for record in records}) == len(records) == 6
        stored = suite.stored()
        assert len(stored) == 3
        answered = [record for record in records if record["status"] == "answered"]
        assert 1 <= len(answered) <= 3
        assert {record["key"] for record in answered} <= stored.keys()
        assert {record["status"] for record in records} == {"answered", "not_asked"}
        assert {record["error"]["kind"] for record in records if record["error"]} <= {"interrupted", "not_asked"}
        run = suite.run_json("stopped")
        assert (run["state"], run["exit_status"], run["complete"]) == ("finished", 2, False)
        text = (suite.path / "output").read_text()
        assert "not asked: " in text
        assert "INTERNALERROR" not in text
        assert "Traceback" not in text

        gate.open = True
        server.reset()
        assert suite.run(*command).ret == 0
        assert server.received == 3
    assert [record["status"] for record in read_records(path)] == ["answered"] * 6
