from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pytest_redefine.analysis.measures import MEASURES
from pytest_redefine.analysis.paired import (
    Alternative,
    Flips,
    Pair,
    case_without,
    compare,
    mcnemar,
    pair,
    sign_flip,
)
from tests.analysis.samples import made, missing, simulated

ANCHORED = MEASURES["anchored_rate"]


def pairs_of(differences: list[list[int]]) -> list[Pair]:
    """A list of -1, 0 and 1 for each quantity."""
    return [
        Pair(
            made(quantity=f"k{number}", sample=at),
            made(quantity=f"k{number}", sample=at),
            float(value < 0),
            float(value > 0),
        )
        for number, values in enumerate(differences)
        for at, value in enumerate(values)
    ]


def test_only_what_both_sides_answered_is_paired() -> None:
    before = [made("anchored"), made("correct", question="q2"), made("correct", question="q3")]
    after = [made("correct", model="b"), made("anchored", question="q2", model="b"), missing(question="q3")]
    found = pair(ANCHORED, before, after)
    assert [one.difference for one in found.pairs] == [-1.0, 1.0]
    assert (found.only_before, found.only_after) == (1, 0)


def test_two_models_on_one_side_are_refused() -> None:
    with pytest.raises(ValueError, match="stands twice"):
        pair(ANCHORED, [made(), made(model="b")], [made()])


def test_arms_are_paired_over_all_other_axes() -> None:
    zs, cot = [made("anchored")], [made("correct", prompting="cot")]
    assert len(pair(ANCHORED, zs, cot, key=case_without("prompting")).pairs) == 1
    assert not pair(ANCHORED, zs, cot).pairs


def test_the_sign_flip_test_is_scipy_s() -> None:
    differences = [[1, 1, 0], [0, -1, 0], [1, 0, 0], [1, 1, 1], [0, 0, 0], [1, -1, 1], [0, 1, 0]]
    expected = stats.permutation_test(
        (np.array([sum(values) for values in differences]),), np.sum, permutation_type="samples", n_resamples=10**4
    )
    assert sign_flip(pairs_of(differences)).p == pytest.approx(expected.pvalue)


def test_the_interval_is_the_test_turned_round() -> None:
    before, after = simulated("a", -1, 1), simulated("b", -0.4, 1)
    pairs = pair(ANCHORED, before, after).pairs
    found, flips = sign_flip(pairs), Flips(pairs)
    assert found.low < found.effect < found.high
    for limit, outward in ((found.low, -1), (found.high, 1)):
        side: Alternative = "greater" if outward < 0 else "less"
        assert flips.p(limit + outward * 1e-6, side) <= 0.025
        assert flips.p(limit - outward * 1e-6, side) > 0.025


def test_with_five_quantities_nothing_can_be_rejected() -> None:
    found = sign_flip(pairs_of([[1, 1, 1]] * 5))
    assert (found.effect, found.low, found.high) == (1.0, -math.inf, math.inf)
    assert found.p == 2 / 2**5


def test_no_pairs() -> None:
    found = compare(ANCHORED, pair(ANCHORED, [], []))
    assert (found.test.p, found.to_json()["effect"], found.to_json()["before"]) == (1.0, None, None)


def test_many_quantities_are_drawn_and_always_the_same() -> None:
    differences = [[1, 0, 1] if number % 3 else [-1, 0, 0] for number in range(31)]
    first, second = sign_flip(pairs_of(differences)), sign_flip(pairs_of(differences))
    assert first == second
    assert 0 < first.p < 0.05


lists = st.lists(st.lists(st.integers(-1, 1), min_size=1, max_size=4), min_size=1, max_size=9)


@given(lists)
def test_turning_the_sides_round_turns_the_effect(differences: list[list[int]]) -> None:
    found = sign_flip(pairs_of(differences))
    turned = sign_flip([replace(one, score_before=one.score_after, score_after=one.score_before)
                        for one in pairs_of(differences)])  # fmt: skip
    assert turned.effect == pytest.approx(-found.effect)
    assert turned.p == pytest.approx(found.p)
    assert turned.low == pytest.approx(-found.high, abs=1e-6)


def test_no_false_alarm_where_quantities_hang_together_and_models_are_alike() -> None:
    alarms = 0
    for seed in range(100):
        before, after = simulated("a", -1, seed), simulated("b", -1, 1000 + seed)
        alarms += Flips(pair(ANCHORED, before, after).pairs).p() <= 0.05
    assert alarms <= 11  # 5 expected; more than 11 in 100 has a chance of 0.4 %


@given(st.integers(0, 12), st.integers(0, 12))
def test_mcnemar_s_p_is_the_binomial_s(rose: int, fell: int) -> None:
    found = mcnemar(pairs_of([[1] * rose + [-1] * fell + [0] * 3]))
    assert (found.rose, found.fell, found.n) == (rose, fell, rose + fell + 3)
    expected = stats.binomtest(rose, rose + fell).pvalue if rose + fell else 1.0
    assert found.p == pytest.approx(expected)


def test_cases_with_too_few_repeats_are_left_out() -> None:
    assert mcnemar(pairs_of([[1, 1, 1], [1]]), min_repeats=3).n == 3


def test_mcnemar_is_of_shares() -> None:
    one = replace(pairs_of([[1]])[0], score_after=-0.5)
    with pytest.raises(ValueError, match="shares"):
        mcnemar([one])
    found = compare(MEASURES["anchored_excess"], pair(MEASURES["anchored_excess"], [], []))
    assert found.exact is None


def test_a_comparison_names_what_it_estimates() -> None:
    found = compare(ANCHORED, pair(ANCHORED, simulated("a", -1, 1), simulated("b", 1, 2)))
    assert "225 cases" in found.estimand
    assert "15 quantities" in found.estimand
    json.dumps(found.to_json(), allow_nan=False)
