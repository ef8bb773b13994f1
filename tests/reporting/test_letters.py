from __future__ import annotations

from typing import Any, Literal

import pytest

from pytest_redefine.grading.outcome import CATEGORIES
from pytest_redefine.reporting.letters import COLOURS, LETTERS, status
from tests.records.samples import answered, unanswered


def report(
    record: dict[str, Any] | None,
    when: Literal["setup", "call", "teardown"] = "call",
    outcome: Literal["passed", "failed", "skipped"] = "passed",
) -> pytest.TestReport:
    made = pytest.TestReport("t", ("f.py", 1, "t"), {}, outcome, None, when)
    if record is not None:
        made.redefine = record  # type: ignore[attr-defined]  # reports take extra attributes
    return made


@pytest.mark.parametrize("category", CATEGORIES)
def test_each_outcome_has_its_letter_word_and_colour(category: Any) -> None:
    assert status(report(answered(category))) == (
        category,
        LETTERS[category],
        (category.upper(), {COLOURS[category]: True}),
    )


def test_the_letters_are_told_apart_from_each_other_and_from_pytest_s() -> None:
    assert set(LETTERS) == set(COLOURS) == set(CATEGORIES)
    assert len(set(LETTERS.values())) == len(LETTERS)
    assert not set(LETTERS.values()) & set(".FEsxX")


def test_the_detail_stands_behind_the_word() -> None:
    found = status(report(answered("wrong", detail="sign")))
    assert found is not None
    assert found[2][0] == "WRONG (SIGN)"


@pytest.mark.parametrize(
    "other",
    [
        report(None),
        report(answered(), when="setup"),
        report(answered(), when="teardown"),
        report(answered(), outcome="failed"),
        report(unanswered("server"), outcome="failed"),
        report(unanswered("offline"), outcome="skipped"),
        report(answered(outcome="unheard-of")),
    ],
)
def test_all_else_is_left_to_pytest(other: pytest.TestReport) -> None:
    assert status(other) is None
