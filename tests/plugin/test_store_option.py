"""--store, --refresh, --offline: what is asked again and what is not."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import SIX, Suite, asking, outcomes, two_ways
from tests.servers import Behaviour, ChatServer


def test_the_same_command_again_asks_nothing(suite: Suite, mode: tuple[str, ...]) -> None:
    with ChatServer() as server:
        command = (*SIX, *mode, *asking(server))
        assert suite.run(*command, "--run=one").ret == 0
        assert server.received == 6
        server.reset()
        assert suite.run(*command, "--run=two").ret == 0
        assert server.received == 0
    one, two = suite.records("one"), suite.records("two")
    assert not any(record["from_store"] for record in one)
    assert all(record["from_store"] for record in two)
    assert {record["key"]: record["reply"] for record in one} == {record["key"]: record["reply"] for record in two}
    requests = suite.run_json("two")["requests"]
    assert (requests["asked"], requests["from_store"]) == (0, 6)


def test_a_store_serves_every_way_to_run(suite: Suite) -> None:
    with ChatServer() as server:
        command = (*SIX, "--store=elsewhere/replies.db", *asking(server))
        assert suite.run(*command, "-n2").ret == 0
        assert suite.run(*command, "-p", "no:xdist").ret == 0
        assert server.received == 6
    assert len(suite.stored("elsewhere/replies.db")) == 6
    assert not (suite.path / "reports" / "store.sqlite").exists()


def test_refresh_asks_all_and_replaces(suite: Suite) -> None:
    with ChatServer(Behaviour(text="The final answer is: 4")) as server:
        assert suite.run(*SIX, "-n0", "--store=replies.db", *asking(server)).ret == 0
        assert set(suite.stored("replies.db").values()) == {"The final answer is: 4"}
        server.answer_with(Behaviour(text="The final answer is: 13.5"))
        assert suite.run(*SIX, "-n2", "--store=replies.db", "--refresh", *asking(server)).ret == 0
        assert server.received == 12
    assert set(suite.stored("replies.db").values()) == {"The final answer is: 13.5"}
    assert not any(record["from_store"] for record in suite.records())


@two_ways
def test_offline_grades_what_the_store_has_and_skips_the_rest(suite: Suite, mode: tuple[str, ...]) -> None:
    with ChatServer() as server:
        assert suite.run("-k", "pi and q2 and ra1", "-n0", *asking(server)).ret == 0
        assert server.received == 1
        result = suite.run(*SIX, *mode, "--offline", "-rs", "--run=offline", *asking(server))
        assert server.received == 1
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(skipped=5)
    result.stdout.fnmatch_lines(["SKIPPED * offline: not in the store, and --offline asks nobody"])
    records = suite.records("offline")
    assert outcomes(records) == {"wrong": 1, "not_asked": 5}
    assert {record["error"]["kind"] for record in records if record["error"]} == {"offline"}
    assert not suite.run_json("offline")["complete"]


@two_ways
def test_a_store_that_cannot_be_used_is_one_line(suite: Suite, mode: tuple[str, ...]) -> None:
    with ChatServer() as server:
        result = suite.run(*SIX, *mode, "--store=conftest.py", *asking(server))
        assert server.received == 0
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = [line for line in result.outlines + result.errlines if "file is not a database" in line]
    assert len(told) == 1, "\n".join(result.outlines + result.errlines)
    assert "give another file with --store=PATH" in told[0]
    assert suite.runs() == []


def test_asking_nobody_and_asking_all_exclude_each_other(suite: Suite) -> None:
    result = suite.run(*SIX, "--model=sim/adopts", "--offline", "--refresh")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--offline*--refresh*give one of them"])
