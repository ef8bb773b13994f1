from __future__ import annotations

import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from pytest_redefine.analysis.rows import Row
from pytest_redefine.analysis.stability import agreement, churn, position_bias
from tests.analysis.samples import made

OPTIONS = {"A": "500", "B": "3.14159265359", "C": "3", "D": "4"}


def test_churn_counts_unlike_pairs_of_samples() -> None:
    rows = [made(outcome, sample=at) for at, outcome in enumerate(("correct", "correct", "anchored"))]
    found = churn([*rows, made("wrong", quantity="e")])
    assert (found.k, found.n) == (2, 3)


def test_one_sample_has_no_churn() -> None:
    assert churn([made(), made(question="q2")]).value is None


def test_always_the_same_letter() -> None:
    rows = [made("wrong", format="mc", options=OPTIONS, extracted="C", quantity=str(n)) for n in range(12)]
    found = position_bias(rows)
    assert found is not None
    assert (found.n, found.distance) == (12, 0.75)
    assert {one.letter: one.named.value for one in found.positions} == {"A": 0.0, "C": 1.0}
    assert found.same_value is None


def test_each_letter_equally_often() -> None:
    rows = [
        made("wrong", format="mc", options=OPTIONS, extracted=letter, quantity=f"{letter}{n}")
        for n in range(3)
        for letter in "ABCD"
    ]
    found = position_bias(rows)
    assert found is not None
    assert found.distance == pytest.approx(0)


def turned(letter: str, by: int) -> Row:
    letters = "ABCD"
    options = {letters[(at + by) % 4]: OPTIONS[one] for at, one in enumerate(letters)}
    return made("wrong", format="mc", options=options, extracted=letter, rotation=by)


def test_turned_options_tell_a_value_from_a_letter() -> None:
    by_letter = position_bias([turned("C", by) for by in range(4)])
    by_value = position_bias([turned("CDAB"[by], by) for by in range(4)])
    assert by_letter is not None
    assert by_value is not None
    assert by_letter.same_value is not None
    assert by_value.same_value is not None
    assert (by_letter.same_value.k, by_letter.same_value.n) == (0, 6)
    assert (by_value.same_value.k, by_value.same_value.n) == (6, 6)


def test_free_form_has_no_positions() -> None:
    assert position_bias([made()]) is None


def judged(numeric: str, judge: str, quantity: str) -> Row:
    return made(numeric, grades={"numeric": numeric, "judge": judge}, quantity=quantity)


def test_kappa_is_statsmodels_own() -> None:
    counts = {("correct", "correct"): 20, ("correct", "anchored"): 5, ("anchored", "correct"): 10,
              ("anchored", "anchored"): 15}  # fmt: skip
    rows = [judged(*pair, str(n)) for pair, count in counts.items() for n in range(count)]
    found = agreement(rows)
    expected = cohens_kappa([[20, 5], [10, 15]])
    assert found.kappa == pytest.approx(expected.kappa)
    assert (found.agree, found.n) == (35, 50)
    assert found.low < found.kappa < found.high  # type: ignore[operator]


def test_without_a_judge_there_is_no_kappa() -> None:
    found = agreement([made()])
    assert (found.kappa, found.n) == (None, 0)


def test_graders_that_say_one_thing_only() -> None:
    found = agreement([judged("correct", "correct", "pi")])
    assert (found.kappa, found.agree) == (None, 1)
