"""Correlation over models, trend over sizes, spread over promptings, and the mixed model."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pytest_redefine.analysis import mixed_model
from pytest_redefine.analysis.correlation import pearson
from pytest_redefine.analysis.measures import MEASURES, Context
from pytest_redefine.analysis.rows import Row
from pytest_redefine.analysis.spread import spread
from pytest_redefine.analysis.trend import trend
from tests.analysis.samples import made, simulated

ANCHORED = MEASURES["anchored_rate"]
NOTHING = Context()


@given(st.lists(st.tuples(st.integers(0, 15), st.integers(0, 15)), min_size=4, max_size=19))
def test_pearson_is_scipy_s(counts: list[tuple[int, int]]) -> None:
    found = pearson([(x / 15, y / 15) for x, y in counts])
    xs, ys = zip(*counts, strict=True)
    if len(set(xs)) < 2 or len(set(ys)) < 2:
        assert found.r is None
        return
    expected = stats.pearsonr(xs, ys)
    interval = expected.confidence_interval()
    assert found.r == pytest.approx(expected.statistic, abs=1e-9)
    if abs(expected.statistic) < 0.999999:
        assert (found.low, found.high) == pytest.approx((interval.low, interval.high), abs=1e-6)


def test_three_models_have_no_interval() -> None:
    found = pearson([(0, 0), (1, 2), (2, 1)])
    assert (found.n, found.low, found.high) == (3, -1.0, 1.0)


def test_a_slope_is_the_least_squares_one() -> None:
    sizes = {"s": 7.0, "m": 47.0, "l": 123.0}
    rows = {name: simulated(name, shift, 3) for name, shift in zip(sizes, (-1, -0.5, 0.5), strict=True)}
    found = trend(ANCHORED, rows, sizes, NOTHING)
    points = [(size, sum(row.outcome == "anchored" for row in rows[name]) / 225) for name, size in sizes.items()]
    xs = [math.log10(size) for size, _ in points]
    expected = stats.linregress(xs, [share for _, share in points]).slope
    assert found.slope == pytest.approx(expected)
    assert (found.models, found.n, found.quantities) == (3, 675, 15)
    assert found.low < expected < found.high


def test_a_family_of_two_is_not_fitted() -> None:
    rows = {name: simulated(name, 0, 1) for name in ("s", "l", "unsized")}
    found = trend(ANCHORED, rows, {"s": 7.0, "l": 70.0}, NOTHING)
    assert (found.slope, found.models, found.sizes, found.n) == (None, 2, 2, 450)


def test_only_cases_that_all_sizes_answered_count() -> None:
    rows = {name: simulated(name, 0, 1)[: 225 - 10 * at] for at, name in enumerate(("s", "m", "l"))}
    assert trend(ANCHORED, rows, {"s": 1.0, "m": 10.0, "l": 100.0}, NOTHING).n == 3 * 205


def test_nobody_to_fit() -> None:
    assert trend(ANCHORED, {}, {}, NOTHING).slope is None


def arms(shifts: dict[str, float], seed: int) -> list[Row]:
    return [
        row
        for number, (name, shift) in enumerate(shifts.items())
        for row in simulated("m", shift, 10 * seed + number, prompting=name, questions=("q3",), levels=("ra2",))
    ]


def test_three_equal_arms_of_15_cases_differ_by_20_points() -> None:
    found = [spread(ANCHORED, arms({"zs": 0, "fs": 0, "cot": 0}, seed), NOTHING) for seed in range(40)]
    assert 0.15 < sum(one.expected for one in found if one) / 40 < 0.25
    assert sum(one.p <= 0.05 for one in found if one) <= 6


def test_arms_that_differ_are_told() -> None:
    found = spread(ANCHORED, arms({"zs": -4, "fs": 4}, 1), NOTHING)
    assert found is not None
    assert found.n == 15
    assert found.p <= 0.01
    assert found.spread > found.expected


def test_cases_that_agree_leave_no_room_for_chance() -> None:
    rows = [
        made(outcome, quantity=str(n), prompting=prompting)
        for (n, outcome), prompting in itertools.product(
            [(1, "anchored"), (2, "correct"), (3, "anchored")], ("zs", "cot")
        )
    ]
    found = spread(ANCHORED, rows, NOTHING)
    assert found is not None
    assert (found.spread, found.expected, found.p) == (0, 0, 1)


def test_one_arm_has_no_spread() -> None:
    assert spread(ANCHORED, [made()], NOTHING) is None
    assert spread(ANCHORED, [made(), made(prompting="cot", quantity="e")], NOTHING) is None


def test_too_few_cases_for_a_mixed_model() -> None:
    with pytest.raises(mixed_model.NoFit, match="200 cases"):
        mixed_model.fit(ANCHORED, [made()], NOTHING)


def test_the_mixed_model_finds_what_was_put_in() -> None:
    pytest.importorskip("statsmodels")
    rows = [*simulated("a", -1, 5, spread=0.7), *simulated("b", 1, 6, spread=0.7)]
    found = mixed_model.fit(ANCHORED, rows, NOTHING)
    (term,) = [one for one in found.terms if one.name == "model=b"]
    assert term.low < 2 < term.high
    assert term.low > 0
    assert (found.n, found.quantities, found.bases["model"]) == (450, 15, "a")
    assert found == mixed_model.fit(ANCHORED, rows, NOTHING)
