from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from pytest_redefine.analysis.paired import Pair
from pytest_redefine.gating.evidence import (
    Evidence,
    Side,
    cases_to_hold,
    change_over_cases,
    change_over_quantities,
    effective_n,
    level_against,
    power,
    tango_limit,
)
from tests.analysis.samples import made

ALPHA = 0.05
SIDES: tuple[Side, Side] = ("low", "high")


def pairs_of(differences: list[list[int]]) -> list[Pair]:
    """A list of -1, 0 and 1 for each quantity; each is a sample of one case."""
    return [
        Pair(row, row, float(value < 0), float(value > 0))
        for number, values in enumerate(differences)
        for at, value in enumerate(values)
        for row in (made(quantity=f"k{number}", sample=at),)
    ]


def alike(quantities: int, size: int) -> list[Pair]:
    return pairs_of([[0] * size] * quantities)


def test_where_nothing_changed_few_cases_leave_much_open() -> None:
    found = [change_over_quantities(alike(*shape), ALPHA, worse_when_higher=True) for shape in ((15, 3), (15, 15))]
    assert [one.value for one in found] == [0, 0]
    assert [round(one.high, 3) for one in found] == [0.067, 0.028]
    assert [one.low for one in found] == [-one.high for one in found]
    assert [one.p_worse for one in found] == [1, 1]
    few = change_over_quantities(alike(4, 10), ALPHA, worse_when_higher=True)
    assert few.high == math.inf  # with four quantities no way to flip is as rare as alpha


def test_one_rise_widens_the_limits_by_more_than_itself() -> None:
    nothing = change_over_quantities(alike(15, 15), ALPHA, worse_when_higher=True)
    one = change_over_quantities(pairs_of([[1] + [0] * 14] + [[0] * 15] * 14), ALPHA, worse_when_higher=True)
    assert one.value == pytest.approx(1 / 225)
    # The sign-flip test turned round ends at 2.5 of 225, where four or five are not out of the way.
    assert one.high > nothing.high > 2.5 / 225
    assert one.high - one.value > nothing.high


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.sampled_from([-1, 0, 0, 1]), min_size=2, max_size=5), min_size=7, max_size=11))
def test_a_change_mirrored_is_the_change_mirrored(differences: list[list[int]]) -> None:
    one = change_over_quantities(pairs_of(differences), ALPHA, worse_when_higher=True)
    other = change_over_quantities(
        pairs_of([[-value for value in values] for values in differences]), ALPHA, worse_when_higher=False
    )
    assert other.value == pytest.approx(-one.value)
    assert [other.low, other.high] == pytest.approx([-one.high, -one.low], abs=1e-9)
    assert (other.p_worse, other.p_better) == (one.p_worse, one.p_better)
    assert one.low <= one.value <= one.high
    if one.low > 0:  # the outer of two limits: p may be small before either leaves zero behind
        assert one.p_worse <= ALPHA


def test_tango_s_interval_is_the_published_one() -> None:
    # Airway hyper-responsiveness before and after stem cell transplantation, 21 children (Fagerland et al., 2014).
    found = [round(tango_limit(1, 7, 21, 0.025, side), 3) for side in SIDES]
    assert found == [-0.517, -0.026]


@pytest.mark.parametrize(("rose", "fell", "n"), [(9, 4, 60), (0, 3, 40), (20, 20, 100)])
def test_tango_s_limit_is_where_the_likelihood_puts_it(rose: int, fell: int, n: int) -> None:
    limit = tango_limit(rose, fell, n, ALPHA, "high")

    def unlikelihood(falls: float) -> float:
        rises = falls + limit
        rest = 1 - falls - rises
        return -(rose * math.log(rises) + fell * math.log(falls) + (n - rose - fell) * math.log(rest))

    best = optimize.minimize_scalar(unlikelihood, bounds=(1e-9, (1 - limit) / 2 - 1e-9), method="bounded")
    scatter = n * (2 * best.x + limit * (1 - limit))
    assert (n * limit - rose + fell) / math.sqrt(scatter) == pytest.approx(stats.norm.ppf(1 - ALPHA), abs=1e-3)


def test_of_a_fixed_set_only_repeated_cases_count() -> None:
    repeated = [Pair(row, row, 0.0, 1.0) for sample in range(3) for row in (made(sample=sample),)]
    single = [Pair(row, row, 1.0, 0.0) for row in (made(question="q2"),)]
    found = change_over_cases([*repeated, *single], ALPHA, worse_when_higher=True, min_repeats=3)
    assert found is not None
    assert (found.n, found.value) == (3, 1.0)
    assert found.p_worse == pytest.approx(stats.binomtest(3, 3, 0.5, alternative="greater").pvalue)
    assert found.p_better == 1
    assert change_over_cases(single, ALPHA, worse_when_higher=True, min_repeats=3) is None


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from([0.0, 1.0])), min_size=12, max_size=40))
def test_p_against_a_bound_and_the_limit_agree(scores: list[tuple[str, float]]) -> None:
    if len({name for name, _ in scores}) < 2:
        return
    found = level_against(scores, 0.4, ALPHA, worse_when_higher=True, share=True)
    assert (found.low > 0.4) == (found.p_worse < ALPHA)
    assert (found.high < 0.4) == (found.p_better < ALPHA)


def test_p_against_a_bound_is_the_score_test_s() -> None:
    scores = [(str(at), float(at < 30)) for at in range(100)]
    found = level_against(scores, 0.2, ALPHA, worse_when_higher=True, share=True)
    assert found.p_worse == pytest.approx(stats.norm.sf(0.1 / math.sqrt(0.2 * 0.8 / 100)), rel=1e-3)
    assert found.p_better == 1


def evidence(n: int, se: float) -> Evidence:
    return Evidence(0.0, -se, se, 1.0, 1.0, n, 15, se, n)


def test_power_grows_with_the_change_and_the_cases() -> None:
    assert power(evidence(225, 0.03), 0.10, 0.10, ALPHA) == pytest.approx(0.5, abs=0.01)
    told = [power(evidence(n, 0.5 / math.sqrt(n)), 0.2, 0.1, ALPHA) for n in (45, 225, 1000)]
    assert told == sorted(told)
    assert told[-1] > 0.99
    assert power(evidence(15, math.inf), 0.2, 0.1, ALPHA) == 0


def test_how_many_cases_would_do() -> None:
    se, permitted = 0.04, 0.05
    needed = cases_to_hold(evidence(225, se), permitted, ALPHA)
    assert needed is not None
    there = se * math.sqrt(225 / needed)
    # An unchanged model's upper limit then lies below what is permitted nine times in ten.
    assert stats.norm.cdf((permitted - stats.norm.ppf(1 - ALPHA) * there) / there) == pytest.approx(0.9, abs=0.01)
    assert cases_to_hold(evidence(225, 0.0), permitted, ALPHA) is None


def test_clusters_count_for_less_than_their_cases() -> None:
    assert effective_n([1] * 40) == 40
    assert effective_n([15] * 15) == pytest.approx(225 / 2.4)
