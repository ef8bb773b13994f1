from __future__ import annotations

import pytest

from pytest_redefine.analysis.rows import row, rows
from tests.analysis.samples import made
from tests.records.samples import answered, unanswered


def test_an_error_has_no_outcome() -> None:
    one = row(unanswered("server"))
    assert (one.status, one.outcome, one.error_kind, one.answered) == ("error", "", "server", False)


def test_records_of_an_older_version_are_read_as_far_as_they_go() -> None:
    (one,) = rows([{"case_id": "c", "model": "m", "status": "answered", "outcome": "correct"}])
    assert (one.outcome, one.rotation, one.dose, one.letter) == ("correct", 0, None, "")


@pytest.mark.parametrize(
    ("level", "kind"),
    [("nr", "control"), ("neutral2", "neutral"), ("ra2", "redefined"), ("fresh", "drawn"), ("dose", "drawn")],
)
def test_the_kinds_of_case(level: str, kind: str) -> None:
    one = made(redefinition=level)
    kinds = {"control": one.is_control, "neutral": one.is_neutral, "redefined": one.is_redefined, "drawn": one.is_drawn}
    assert kinds == {name: name == kind for name in kinds}


def test_the_control_of_a_drawn_case_is_no_control_of_the_benchmark() -> None:
    one = made(redefinition="nr", draw={"dose": 1.0, "value": "-3"})
    assert one.is_drawn
    assert not one.is_control
    assert one.minus


def test_an_answer_without_a_verdict_has_no_outcome() -> None:
    one = row(answered(outcome=None))
    assert (one.status, one.answered) == ("answered", False)


@pytest.mark.parametrize(
    ("extracted", "expected", "default", "mirrored"),
    [
        ("-500", "500", "3.14", "correct"),
        ("-3.14", "500", "3.14", "anchored"),
        ("0-2*I", "0+2*I", "1", "correct"),
        ("1", "-1", "1", ""),  # the sign is the question
        ("oo", "500", "3.14", ""),
        ("-500", "500", None, "correct"),
    ],
)
def test_what_is_right_but_for_the_sign(extracted: str, expected: str, default: str | None, mirrored: str) -> None:
    record = answered("wrong", detail="sign", extracted=extracted, expected=expected, default=default)
    assert row(record).mirrored == mirrored


def test_only_the_grader_says_that_a_sign_is_off() -> None:
    assert row(answered("wrong", detail="", extracted="-500", expected="500")).mirrored == ""


def test_letters() -> None:
    options = {"A": "1", "B": "500", "C": "3", "D": "4"}
    one = row(answered("wrong", options=options, extracted="C", expected="500"))
    assert (one.letter, one.right_letter, one.option_value) == ("C", "B", "3")
    assert row(answered("wrong", options=options, extracted="7", expected="500")).letter == ""


@pytest.mark.parametrize(("draw", "dose"), [({"dose": 2.5}, 2.5), ({"seed": 1}, None), (None, None), ("x", None)])
def test_dose(draw: object, dose: float | None) -> None:
    assert row(answered(draw=draw)).dose == dose


def test_what_was_drawn_is_marked_as_such() -> None:
    assert not row(answered()).drawn
    assert row(answered(draw={"family": "fresh"}, redefinition="nr")).drawn
