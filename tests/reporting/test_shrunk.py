from __future__ import annotations

from pytest_redefine.reporting.shrunk import SHOWN, answered, effort, lines
from tests.reporting.runs import example

HOSTILE = "\x1b[2J</td><script>alert(1)</script>\u202e"


def test_both_cases_stand_one_above_the_other_in_80_columns() -> None:
    told = list(lines([example(), example(case_id="x" * 200, reason="server: HTTP 503 " * 20)], ()))
    assert max(map(len, told)) <= 80
    text = " ".join(" ".join(told).split())
    assert "constants-pi-fresh3-op1, 7 requests drawn Redefine π as 9.54. How much is π times 12?" in text
    assert "anchored: 37.699; redefined: 114.48 simplest Redefine π as 1. What is the value of π?" in text


def test_what_a_model_says_moves_no_cursor() -> None:
    side = {**example()["drawn"], "answer": HOSTILE, "expected": HOSTILE}
    text = "\n".join(lines([example(model=HOSTILE, drawn=side, simplest=side)], ()))
    assert not any(sign in text for sign in ("\x1b", "\u202e"))


def test_only_some_are_told_of_each_model() -> None:
    many = [example(model, case_id=f"c{at}") for model in ("a", "b") for at in range(SHOWN + 2)]
    told = list(lines(many, ()))
    assert told.count("  and 2 more in the report") == 2
    assert sum("7 requests" in line for line in told) == 2 * SHOWN
    (nothing,) = lines([], ("wrong", "blank"))
    assert nothing == "nothing to shrink: no drawn case is wrong or blank; --shrink-outcomes takes others"


def test_of_multiple_choice_the_option_is_told() -> None:
    assert answered({"answer": "B", "options": {"A": "1", "B": "3.14"}}) == "B: 3.14"
    assert answered({"answer": None, "options": None}) == "no answer"
    assert effort(example(requests=1, reason="stopped")) == "1 request; stopped"
