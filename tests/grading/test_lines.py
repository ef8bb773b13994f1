"""``pytest-redefine grade``: lines in, lines out, one clear line for a bad one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_redefine.grading.lines import LineError, grade_line, grade_lines


def test_fields_are_handed_through_and_the_outcome_added() -> None:
    line = {"id": 7, "answer": "The final answer is: 1,500", "expected": "1500", "default": "9.42477796077"}
    out = grade_line(line)
    assert out["id"] == 7
    assert out["answer"] == line["answer"]
    assert (out["outcome"], out["detail"], out["extracted"], out["rule"]) == ("correct", "", "1500", "marker")


def test_order_is_kept_and_empty_lines_are_left_out() -> None:
    lines = [json.dumps({"answer": str(n), "expected": "2"}) for n in (1, 2, 3)]
    out = [json.loads(text) for text in grade_lines([lines[0], "", lines[1], "\n", lines[2]])]
    assert [line["outcome"] for line in out] == ["wrong", "correct", "wrong"]


def test_numbers_may_stand_where_texts_are_asked() -> None:
    assert grade_line({"answer": "3", "expected": 3, "default": None})["outcome"] == "correct"


def test_no_answer_is_an_empty_one() -> None:
    assert grade_line({"answer": None, "expected": "3"})["outcome"] == "blank"


def test_a_lone_surrogate_survives() -> None:
    (out,) = grade_lines(['{"answer": "\\ud800 5", "expected": "5"}'])
    assert json.loads(out)["outcome"] == "correct"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2 is no JSON"),
        ("[" * 100_000, "line 2 is no JSON"),
        ("[]", "line 2 is a JSON object with 'answer' and 'expected', not a list"),
        ('{"expected": "5"}', "line 2 has no 'answer'"),
        ('{"answer": 5, "expected": "5"}', "line 2: 'answer' is a text, not a number"),
        ('{"answer": "5"}', "line 2 has no 'expected'"),
        ('{"answer": "5", "expected": "five-ish"}', "line 2: 'expected' is no number ('five-ish')"),
        ('{"answer": "5", "expected": "5", "kind": "word"}', "line 2: 'kind' is number or digit, not 'word'"),
        ('{"answer": "5", "expected": "5", "format": "mc"}', "line 2 has 'format' mc but no 'options'"),
        (
            '{"answer": "5", "expected": "5", "options": [1]}',
            "line 2: 'options' is an object letter → value, not a list",
        ),
        (
            '{"answer": "5", "expected": "5", "tolerance": 2}',
            "line 2: 'tolerance' is a number from 0 to below 1, not 2",
        ),
        ('{"answer": "5", "expected": "5", "also_units": 3}', "line 2: 'also_units' is a list of texts, not a number"),
        ('{"answer": "5", "expected": "5", "unit_redefinition": {}}', "line 2: 'unit_redefinition' is an object with"),
    ],
)
def test_a_bad_line_is_named(line: str, message: str) -> None:
    with pytest.raises(LineError) as caught:
        list(grade_lines(['{"answer": "5", "expected": "5"}', line]))
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_every_field_of_a_truth_is_read() -> None:
    line: dict[str, Any] = {
        "answer": "3.5 min",
        "expected": "350",
        "default": "210",
        "unit": "s",
        "unit_redefinition": {"unit": "minute", "derived": "second", "ratio": 100},
    }
    assert grade_line(line)["outcome"] == "hedged"
    line |= {"answer": "b", "format": "mc", "options": {"A": "210 s", "B": "350 s"}}
    assert grade_line(line)["outcome"] == "correct"
    assert grade_line({"answer": "", "expected": "1", "finish_reason": "length"})["detail"] == "truncated"
