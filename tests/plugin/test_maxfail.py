"""-x and --maxfail: the rest is not asked, has its record, and was hardly paid for."""

from __future__ import annotations

import pytest

from pytest_redefine.plugin.state import AHEAD_WITH_MAXFAIL
from pytest_redefine.records.reading import read_records
from tests.plugin.conftest import Suite, asking, outcomes, two_ways
from tests.servers import Behaviour, ChatServer, failure

PI = ("-k", "constants and pi")  # 18 cases


@two_ways
def test_the_first_error_ends_the_run(suite: Suite, mode: tuple[str, ...]) -> None:
    with ChatServer(failure(500, "out of order")) as server:
        command = (*PI, *mode, "--run=x", "--retries=0", *asking(server))
        result = suite.run(*command, "-x")
        # What the tests themselves wait for, and a window ahead of them; a worker is through with a test or two
        # before it hears of the end.
        asked = server.received
        assert asked <= AHEAD_WITH_MAXFAIL + (8 if "2" in mode else 2)
        assert result.ret == pytest.ExitCode.TESTS_FAILED
        records = suite.records("x")
        counts = outcomes(records)
        assert len(records) == 18
        assert len({record["nodeid"] for record in records}) == 18
        assert counts["not_asked"] == 18 - counts["error"]
        assert 1 <= counts["error"] <= asked
        result.stdout.fnmatch_lines([f"*not asked: {counts['not_asked']}; the same command asks only for what*"])
        assert not suite.run_json("x")["complete"]
        assert suite.run_json("x")["exit_status"] == 1

        server.answer_with(Behaviour())
        assert suite.run(*command).ret == 0
    records = read_records(suite.path / "reports" / "x" / "records.jsonl")
    assert [record["status"] for record in records] == ["answered"] * 18


def test_so_many_errors_and_no_more(suite: Suite) -> None:
    with ChatServer(failure(500, "out of order")) as server:
        assert suite.run(*PI, "-n0", "--maxfail=3", "--retries=0", *asking(server)).ret == pytest.ExitCode.TESTS_FAILED
        assert server.received <= AHEAD_WITH_MAXFAIL + 4
    assert outcomes(suite.records()) == {"error": 3, "not_asked": 15}


@two_ways
def test_without_errors_everything_is_asked(suite: Suite, mode: tuple[str, ...]) -> None:
    with ChatServer() as server:
        assert suite.run("-k", "pi and q2", *mode, "-x", *asking(server)).ret == 0
        assert server.received == 6
    assert suite.run_json()["complete"]
