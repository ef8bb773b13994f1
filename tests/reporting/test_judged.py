"""What is shown of a judge, in the terminal and on the page."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_redefine.analysis.agreement import agreement_by_model
from pytest_redefine.analysis.rates import tally_by_model
from pytest_redefine.reporting import columns, header, letters
from pytest_redefine.reporting.summary import agreement_line
from pytest_redefine.respondents.names import parse_models
from tests.records.samples import JUDGE, answered, judged
from tests.reporting.test_summary import written


def line(*records: dict[str, Any]) -> str:
    (found,) = agreement_by_model(records).values()
    return agreement_line(found)


def test_agreement_kappa_and_what_was_not_graded_in_a_line() -> None:
    both = [judged("correct", "correct"), judged("wrong", "wrong"), judged("wrong", "correct"), judged("wrong", None)]
    assert line(*both, judged("wrong", error="server"), judged("wrong", error="server")) == (
        "agrees in 66.7 % [20.8, 93.9] n=3, Cohen's kappa 0.400; 1 ungraded; 2 without a verdict (server)"
    )
    assert line(judged("wrong", "wrong")) == "agrees in 100.0 % [20.7, 100.0] n=1, Cohen's kappa -"
    assert line(judged("wrong", "wrong", alone=True)) == ""


def test_the_terminal_lists_disagreements_up_to_a_bound() -> None:
    records = [judged("wrong", "correct", case_id=f"case{index}", model="\x1b[2J" * 40) for index in range(13)]
    lines = written(records).text.splitlines()
    assert "judged by openai/judge" in lines
    assert "      case9: wrong, judge: correct" in lines
    assert "      and 3 more: grades in records.jsonl" in lines
    assert not any("case10" in one for one in lines)
    assert "\x1b" not in "".join(lines)
    assert max(map(len, lines)) <= 80


def test_a_simulated_judge_is_called_one() -> None:
    record = judged("wrong", "wrong") | {"judge": {**JUDGE, "model": "sim/judge-exact", "error": None}}
    text = written([record]).text
    assert "judged by sim/judge-exact (simulated)" in text


def test_without_a_judge_nothing_is_said_of_one() -> None:
    assert "judge" not in written([answered()]).text


def test_ungraded_answers_are_counted_and_stand_in_no_rate() -> None:
    records = [judged("wrong", None, alone=True), *[judged("wrong", "anchored", alone=True) for _ in range(3)]]
    text = written(records).text
    assert "  ungraded: 1; the judge gave no verdict that counts" in text
    assert "anchored rate  100.0 % [43.9, 100.0] n=3" in text
    tally = tally_by_model(records)["openai/gpt-4o"].redefined
    assert (tally.asked, tally.answered, tally.ungraded) == (4, 3, 1)


def report(record: dict[str, Any]) -> pytest.TestReport:
    made = pytest.TestReport("t", ("f.py", 1, "t"), {}, "passed", None, "call")
    made.redefine = record  # type: ignore[attr-defined]  # reports take extra attributes
    return made


def test_an_ungraded_answer_has_a_letter_of_its_own() -> None:
    assert letters.status(report(judged("wrong", None, alone=True))) == (
        "ungraded",
        "U",
        ("UNGRADED", {"yellow": True}),
    )
    assert letters.status(report(judged("wrong", None))) == ("wrong", "W", ("WRONG", {"red": True}))


def test_the_page_shows_both_verdicts() -> None:
    cells: list[str] = ["", ""]
    columns.row(judged("wrong", None, alone=True), cells)
    assert '<td class="col-redefineoutcome">ungraded</td>' in cells
    assert "judge openai/judge: correct" in columns.details(judged("wrong", "correct"))["content"]
    assert "judge openai/judge: ungraded" in columns.details(judged("wrong", None))["content"]
    ill = columns.details(judged("wrong", error="server"))["content"]
    assert "judge openai/judge: no verdict, server: the judge is ill" in ill


def test_the_page_s_table_says_how_far_they_agree() -> None:
    table = columns.summary_table("july", [judged("wrong", "correct"), judged("wrong", None, alone=True)])
    assert "agrees in 0.0 % [0.0, 79.3] n=1" in table
    assert "Ungraded, in no rate: 1." in table


def test_the_header_names_the_judge() -> None:
    models = parse_models(["sim/adopts"])
    assert header.lines(models, "s.sqlite", "sim/judge-exact, --grading=both") == [
        "redefine: asks sim/adopts; judge: sim/judge-exact, --grading=both; store: s.sqlite"
    ]
