from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_redefine.analysis.rates import Tally, tally_by_model, wilson
from pytest_redefine.grading.outcome import CATEGORIES
from tests.records.samples import answered, unanswered


# Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_published_intervals(k: int, n: int, low: float, high: float) -> None:
    rate = wilson(k, n)
    assert (round(rate.low, 4), round(rate.high, 4)) == (low, high)
    assert (rate.k, rate.n) == (k, n)
    assert rate.share == k / n


def test_another_level() -> None:
    # The roots of (p - 1/2)² = z² p(1 - p)/10 with z = 2.5758: 1/2 ± z / (2 √(10 + z²)).
    rate = wilson(5, 10, level=0.99)
    assert rate.low == pytest.approx(0.5 - 2.5758293 / (2 * (10 + 2.5758293**2) ** 0.5), abs=1e-7)
    assert rate.high == pytest.approx(1 - rate.low)


counts = st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counts)
def test_the_interval_holds_the_share_and_lies_in_0_to_1(pair: tuple[int, int]) -> None:
    rate = wilson(*pair)
    assert 0 <= rate.low <= rate.share <= rate.high <= 1
    assert rate.low < rate.high


@given(counts)
def test_the_interval_s_ends_are_where_the_score_test_turns(pair: tuple[int, int]) -> None:
    """Its definition: |share - p| = z √(p(1 - p)/n) at both ends."""
    rate = wilson(*pair)
    for p in (rate.low, rate.high):
        if 0 < p < 1:
            assert abs(rate.share - p) == pytest.approx(1.959964 * (p * (1 - p) / rate.n) ** 0.5, rel=1e-5)


@given(counts)
def test_what_is_not_k_mirrors_it(pair: tuple[int, int]) -> None:
    k, n = pair
    rate, other = wilson(k, n), wilson(n - k, n)
    assert other.low == pytest.approx(1 - rate.high, abs=1e-12)
    assert other.high == pytest.approx(1 - rate.low, abs=1e-12)


@given(counts, st.integers(2, 50))
def test_more_cases_narrow_it(pair: tuple[int, int], factor: int) -> None:
    k, n = pair
    few, many = wilson(k, n), wilson(factor * k, factor * n)
    assert many.high - many.low < few.high - few.low


@pytest.mark.parametrize("n", [1, 20, 270])
def test_none_and_all_touch_the_ends(n: int) -> None:
    assert wilson(0, n).low == 0.0
    assert wilson(n, n).high == 1.0


def test_nothing_of_nothing_is_no_rate() -> None:
    rate = wilson(0, 0)
    assert (rate.low, rate.high) == (0.0, 1.0)
    with pytest.raises(ZeroDivisionError):
        _ = rate.share


@pytest.mark.parametrize(("k", "n"), [(-1, 5), (6, 5), (1, 0), (0, -1)])
def test_impossible_counts(k: int, n: int) -> None:
    with pytest.raises(ValueError, match="of"):
        wilson(k, n)


def tally(*records: dict[str, Any]) -> Tally:
    counted = Tally()
    for record in records:
        counted.add(record)
    return counted


def test_an_empty_tally() -> None:
    empty = Tally()
    assert (empty.answered, empty.asked, empty.anchored_rate.n) == (0, 0, 0)
    assert tuple(empty.outcomes) == CATEGORIES


def test_each_outcome_is_counted() -> None:
    counted = tally(*(answered(category) for category in CATEGORIES), answered("anchored"))
    assert counted.outcomes == dict.fromkeys(CATEGORIES, 1) | {"anchored": 2}
    assert (counted.answered, counted.asked) == (7, 7)
    assert (counted.anchored_rate.k, counted.anchored_rate.n) == (2, 7)


def test_errors_and_what_was_not_asked_stand_in_no_denominator() -> None:
    counted = tally(answered("anchored"), answered("correct"), unanswered("server"), unanswered("offline"))
    assert (counted.errors, counted.not_asked, counted.asked, counted.answered) == (1, 1, 3, 2)
    assert (counted.anchored_rate.k, counted.anchored_rate.n) == (1, 2)


def test_indistinct_cases_are_counted_but_stand_not_in_the_anchored_rate() -> None:
    counted = tally(
        answered("anchored", indistinct=True), answered("correct", indistinct=True), answered("anchored"), answered()
    )
    assert counted.answered == 4
    assert counted.outcomes["anchored"] == 2
    assert (counted.anchored_rate.k, counted.anchored_rate.n) == (1, 2)


events = st.sampled_from([*CATEGORIES, "server", "offline"])


@given(st.lists(st.tuples(events, st.booleans()), max_size=40))
def test_every_record_is_counted_once(drawn: list[tuple[str, bool]]) -> None:
    counted = tally(
        *(
            answered(event, indistinct=indistinct) if event in CATEGORIES else unanswered(event, indistinct=indistinct)
            for event, indistinct in drawn
        )
    )
    assert counted.answered + counted.errors + counted.not_asked == len(drawn)
    assert 0 <= counted.anchored <= counted.distinct <= counted.answered
    assert counted.anchored <= counted.outcomes["anchored"]


def test_controls_stand_apart_and_models_in_the_order_of_their_coming() -> None:
    tallies = tally_by_model(
        [
            answered(model="b"),
            answered("wrong", model="a", redefinition="nr"),
            answered("anchored", model="b", redefinition="rs2"),
            unanswered("server", model="b", redefinition="nr"),
            answered(model="b", redefinition="neutral2"),
        ]
    )
    assert list(tallies) == ["b", "a"]
    assert tallies["b"].redefined.answered == 2
    assert tallies["b"].controls.errors == 1
    assert tallies["b"].neutral.answered == 1
    assert tallies["a"].redefined.asked == 0
    assert tallies["a"].controls.outcomes["wrong"] == 1
