"""--tolerance: how far an answer may lie from a reference, without asking anybody again."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import Suite, asking, two_ways
from tests.servers import Behaviour, ChatServer

ONE = ("-k", "pi and q2 and ra2")  # 500 times 3


@pytest.mark.parametrize(
    ("typed", "outcome"),
    [
        ((), "wrong"),
        (("--tolerance=0.05",), "correct"),
        (("--tolerance=0.039",), "wrong"),
        (("--tolerance=0",), "wrong"),
    ],
)
def test_an_answer_four_percent_off(suite: Suite, typed: tuple[str, ...], outcome: str) -> None:
    with ChatServer(Behaviour(text="The final answer is: 1560")) as server:
        assert suite.run(*ONE, "-n0", *typed, *asking(server)).ret == 0
    (record,) = suite.records()
    assert record["outcome"] == outcome
    assert record["truth"].get("tolerance", 0.02) == (float(typed[0].partition("=")[2]) if typed else 0.02)
    assert suite.run_json()["parameters"]["tolerance"] == (record["truth"]["tolerance"] if typed else None)


@two_ways
def test_every_way_to_run_grades_anew_without_asking(suite: Suite, mode: tuple[str, ...]) -> None:
    with ChatServer(Behaviour(text="The final answer is: 1560")) as server:
        assert suite.run(*ONE, *mode, *asking(server), "--run=strict").ret == 0
        assert suite.run(*ONE, *mode, *asking(server), "--run=lenient", "--tolerance=0.05").ret == 0
        assert server.received == 1
    assert [record["outcome"] for record in suite.records("strict") + suite.records("lenient")] == ["wrong", "correct"]


@pytest.mark.parametrize("value", ["-0.1", "1", "nan", "5%"])
def test_what_is_no_share_is_refused(suite: Suite, value: str) -> None:
    result = suite.refused(*ONE, "--model=sim/adopts", f"--tolerance={value}")
    result.stderr.fnmatch_lines(["*--tolerance*"])
