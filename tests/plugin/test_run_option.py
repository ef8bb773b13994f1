"""--run: a name of one's own, a run that is continued, a run that must not be."""

from __future__ import annotations

import re

import pytest

from pytest_redefine.records.reading import read_records
from tests.plugin.conftest import SIX, Suite, outcomes, two_ways

QUICK = (*SIX, "-n0")


def test_by_default_a_run_is_named_by_the_clock_and_latest_points_to_it(suite: Suite) -> None:
    assert suite.run(*QUICK, "--model=sim/adopts").ret == 0
    (name,) = suite.runs()
    assert re.fullmatch(r"\d{8}-\d{6}", name)
    latest = suite.path / "reports" / "latest"
    assert latest.is_symlink()
    assert latest.resolve().name == name == suite.run_json()["run"]
    assert suite.run(*QUICK, "--model=sim/adopts", "--run=mine").ret == 0
    assert latest.resolve().name == "mine"


def test_a_name_of_one_s_own(suite: Suite, mode: tuple[str, ...]) -> None:
    result = suite.run(*SIX, *mode, "--model=sim/mixed", "--run=gpt-4o.july_1")
    assert result.ret == 0
    assert suite.runs() == ["gpt-4o.july_1"]
    records = suite.records("gpt-4o.july_1")
    assert len(records) == 6
    assert {record["run"] for record in records} == {"gpt-4o.july_1"}
    run = suite.run_json("gpt-4o.july_1")
    assert (run["run"], run["state"], run["exit_status"]) == ("gpt-4o.july_1", "finished", 0)
    assert run["case_set"]["cases"] == run["announced"] == 6
    assert run["case_set"]["deselected"] == 456
    result.stdout.fnmatch_lines(["records: reports/gpt-4o.july_1/records.jsonl"])


COUNTS_LOOKS = """
from pytest_redefine.respondents.gateway.dispatcher import Dispatcher

looks = []
whole = Dispatcher.interviews


def counted(self):
    looks.append(1)
    return whole(self)


Dispatcher.interviews = counted


def pytest_unconfigure():
    with open("looks", "w") as file:
        file.write(str(len(looks)))
"""


def test_closing_a_run_does_not_go_through_all_cases_for_each_of_them(suite: Suite) -> None:
    suite.conftest(COUNTS_LOOKS)
    looks = []
    for selected in ("pi and q2", "pi"):
        assert suite.run("-k", selected, "-n0", "--model=sim/adopts").ret == 0
        looks.append(int((suite.path / "looks").read_text()))
    assert looks[0] == looks[1] > 0


@two_ways
def test_an_existing_run_continues(suite: Suite, mode: tuple[str, ...]) -> None:
    command = (*mode, "--model=sim/adopts", "--run=mine")
    assert suite.run("-k", "pi and q2 and ra1", *command).ret == 0
    assert suite.run(*SIX, *command).ret == 0
    records = read_records(suite.path / "reports" / "mine" / "records.jsonl")
    assert outcomes(records) == {"correct": 6}


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ("--model=sim/anchors", ["models", "sim/adopts", "sim/anchors"]),
        ("--max-tokens=5", ["models", "'max_tokens': 1024", "'max_tokens': 5"]),
        ("--samples=2", ["samples: 1, now 2"]),
        ("--tolerance=0.5", ["tolerance: None, now 0.5"]),
        ("--api-base=http://127.0.0.1:9/v1", ["api_base: None, now 'http://127.0.0.1:9/v1'"]),
    ],
)
def test_other_parameters_are_refused_by_name(suite: Suite, changed: str, named: list[str]) -> None:
    model = () if changed.startswith("--model") else ("--model=sim/adopts",)
    assert suite.run(*QUICK, "--model=sim/adopts", "--run=mine").ret == 0
    before = (suite.path / "reports" / "mine" / "records.jsonl").read_bytes()
    result = suite.refused(*QUICK, *model, changed, "--run=mine")
    (line,) = [line for line in result.errlines if "--run=mine" in line]
    for part in [*named, "give another --run=NAME"]:
        assert part in line
    assert (suite.path / "reports" / "mine" / "records.jsonl").read_bytes() == before


@two_ways
def test_every_way_to_run_refuses(suite: Suite, mode: tuple[str, ...]) -> None:
    assert suite.run(*QUICK, "--model=sim/adopts", "--run=mine").ret == 0
    result = suite.run(*SIX, *mode, "--model=sim/anchors", "--run=mine")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    shown = [line for line in result.outlines + result.errlines if "--run=mine exists" in line]
    assert len(shown) == 1
    assert len(suite.records("mine")) == 6


@pytest.mark.parametrize("name", ["../up", "a/b", ".hidden", "latest", "", "two words", "x" * 101])
def test_a_name_that_is_no_folder_s_name_is_refused(suite: Suite, name: str) -> None:
    result = suite.refused(*QUICK, "--model=sim/adopts", f"--run={name}")
    result.stderr.fnmatch_lines([f"*--run={name}: write up to 100 letters*"])
    assert suite.runs() == []
    assert not (suite.path / "up").exists()
