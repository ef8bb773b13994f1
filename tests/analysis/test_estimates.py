from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pytest_redefine.analysis.estimates import Estimate, estimate, estimate_mean, estimate_share, estimates, group
from pytest_redefine.analysis.measures import MEASURES, Context
from pytest_redefine.analysis.rates import wilson
from tests.analysis.samples import made, simulated

ANCHORED = MEASURES["anchored_rate"]
NOTHING = Context()


def test_one_case_a_quantity_is_wilson_s() -> None:
    found = estimate_share((f"q{n}", float(n < 4)) for n in range(15))
    plain = wilson(4, 15)
    assert (found.k, found.n, found.low, found.high, found.method) == (4, 15, plain.low, plain.high, "wilson")


def test_a_lower_level_is_a_narrower_interval() -> None:
    scores = [(f"q{n % 5}", float(n % 3 == 0)) for n in range(40)]
    wide, narrow = estimate_share(scores), estimate_share(scores, 0.9)
    assert wide.low < narrow.low < narrow.high < wide.high
    apart = [(f"q{n}", float(n < 4)) for n in range(15)]
    assert estimate_share(apart, 0.9).high == wilson(4, 15, 0.9).high
    assert estimate_mean(scores, 0.9).high < estimate_mean(scores).high


def test_what_is_assumed_where_all_but_a_handful_agree() -> None:
    none, two, many = ([(f"q{n % 5}", float(n < k)) for n in range(40)] for k in (0, 2, 20))
    assert estimate_share(none).high == pytest.approx(wilson(0, 5).high)  # each quantity once
    assert estimate_share(none, if_alike=20).high == pytest.approx(wilson(0, 20).high)
    assert estimate_share(two, if_alike=10).high > estimate_share(two).high
    assert estimate_share(many, if_alike=10) == estimate_share(many)


def test_nothing_is_no_figure() -> None:
    found = estimate_share([])
    assert (found.value, found.n, found.to_json()["value"]) == (None, 0, None)
    assert estimate_mean([]).value is None


def test_one_quantity_tells_nothing_of_others() -> None:
    found = estimate_share([("pi", 1.0), ("pi", 0.0)])
    assert (found.value, found.low, found.high) == (0.5, 0.0, 1.0)


def test_repeats_of_a_case_that_agree_add_nothing() -> None:
    once = estimate_share((f"q{n}", float(n < 5)) for n in range(15))
    thrice = estimate_share((f"q{n}", float(n < 5)) for n in range(15) for _ in range(3))
    assert thrice.value == once.value
    assert thrice.high - thrice.low > once.high - once.low  # Student's t for the spread it had to estimate
    assert thrice.n == 45


def test_independent_repeats_narrow_it() -> None:
    once = estimate_share((f"q{n}", float(n % 2)) for n in range(16))
    many = estimate_share((f"q{n}", float(at % 2)) for n in range(16) for at in range(10))
    assert many.high - many.low < (once.high - once.low) / 2


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_where_all_agree_a_quantity_counts_once(value: float) -> None:
    found = estimate_share((f"q{n}", value) for n in range(15) for _ in range(9))
    plain = wilson(round(15 * value), 15)
    assert found.low == pytest.approx(plain.low)
    assert found.high == pytest.approx(plain.high)


def test_it_covers_where_quantities_hang_together_and_plain_wilson_does_not() -> None:
    runs = [simulated("m", -1, seed) for seed in range(150)]
    truth = 0.3033  # E of 1/(1 + e^(1 - u)) for a standard normal u
    found = [estimate(ANCHORED, run, NOTHING) for run in runs]
    plain = [wilson(one.k or 0, one.n) for one in found]
    assert sum(one.low <= truth <= one.high for one in found) >= 136
    assert sum(one.low <= truth <= one.high for one in plain) < 125


scores = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 1)), min_size=1, max_size=60)


@given(scores)
def test_the_interval_holds_the_share(drawn: list[tuple[str, int]]) -> None:
    found = estimate_share((name, float(score)) for name, score in drawn)
    assert found.value is not None
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_the_mean_of_one_score_a_quantity_is_student_s() -> None:
    values = [1.0, -0.5, 0.0, 1.0, 1.0, -0.5, 0.0]
    found = estimate_mean((f"q{n}", value) for n, value in enumerate(values))
    expected = stats.ttest_1samp(values, 0).confidence_interval()
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize(("n", "quantities", "small"), [(9, 9, True), (15, 15, False), (60, 4, True), (0, 0, True)])
def test_small_cells_say_so(n: int, quantities: int, small: bool) -> None:
    assert Estimate(0.5, n, 0, 1, quantities).small is small


def test_groups() -> None:
    rows = [made("anchored"), made("correct", question="q2"), made("anchored", question="q2", quantity="e")]
    assert list(group(rows, ["question"])) == [("q1",), ("q2",)]
    found = estimates(ANCHORED, rows, NOTHING, ["question"])
    assert (found["q1",].value, found["q2",].value) == (1.0, 0.5)


def test_what_is_infinite_is_not_written() -> None:
    assert estimate_mean([("pi", 1.0)]).to_json()["low"] is None
    assert math.isinf(estimate_mean([("pi", 1.0)]).low)
