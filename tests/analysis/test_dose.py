from __future__ import annotations

import math
import random
from typing import Any

import pytest

from pytest_redefine.analysis.dose import MIN_POINTS, Curve, Point, curve, curves, points
from pytest_redefine.analysis.rows import rows
from tests.records.samples import answered, unanswered

DISTANCES = [0.02, 0.05, 0.1, 0.2, 0.5, 1.1, 2.4, 5.4, 11.9]


def drawn(d50: float, slope: float = 2.0, *, quantities: int = 20, repeats: int = 2, seed: int = 0) -> list[Point]:
    """Points of a respondent whose curve is known."""
    chance = random.Random(seed)
    found = []
    for at in range(quantities):
        shift = chance.gauss(0, 0.5)
        for distance in DISTANCES * repeats:
            odds = shift - slope * math.log(distance / d50)
            found.append(Point(f"q{at}", distance, False, chance.random() < 1 / (1 + math.exp(-odds))))
    return found


def flat(share: float) -> list[Point]:
    return [Point(f"q{at}", one, False, at < 20 * share) for at in range(20) for one in DISTANCES]


@pytest.mark.parametrize("d50", [0.3, 1.0, 4.0])
def test_d50_is_found_with_an_interval(d50: float) -> None:
    found = curve(drawn(d50))
    assert found.d50 is not None
    assert found.low < found.d50 < found.high
    assert 0.6 * d50 < found.d50 < 1.6 * d50
    assert found.low < d50 * 1.05
    assert found.high > d50 * 0.95
    assert found.high < 4 * found.low
    assert found.slope == pytest.approx(2.0, abs=0.8)
    assert not found.reason


def test_the_interval_s_ends_are_where_the_profile_has_fallen() -> None:
    from pytest_redefine.analysis.dose import _Fit

    members = drawn(1.0, quantities=12)
    found, fit = curve(members), _Fit(members)
    for end in (found.low, found.high):
        value = min(
            -fit._likelihood(math.log(end), slope, spread)
            for slope in [at / 20 for at in range(0, 30)]
            for spread in [at / 10 for at in range(-40, 10)]
        )
        assert 2 * (fit._top + value) == pytest.approx(3.8415, abs=0.05)


def test_the_integral_over_quantities_is_right() -> None:
    """Against a sum over a fine grid of shifts."""
    from pytest_redefine.analysis.dose import _Fit

    members = drawn(1.0, quantities=6)
    fit = _Fit(members)
    slope, spread = 2.0, 0.8
    total = 0.0
    for name in {one.quantity for one in members}:
        area = 0.0
        for step in range(-600, 601):
            shift = step / 100
            density = math.exp(-(shift**2) / 2) / math.sqrt(2 * math.pi) / 100
            chance = 1.0
            for one in members:
                if one.quantity == name:
                    anchored = 1 / (1 + math.exp(slope * math.log(one.dose / 1.3) - spread * shift))
                    chance *= anchored if one.anchored else 1 - anchored
            area += density * chance
        total += math.log(area)
    assert fit._likelihood(math.log(1.3), math.log(slope), math.log(spread)) == pytest.approx(total, abs=1e-3)


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ([], "too few"),
        (drawn(1.0)[: MIN_POINTS - 1], "too few"),
        (drawn(1.0, quantities=4, repeats=4), "too few"),
        (flat(0.5), "do not fall"),
        (flat(0.0), "do not fall"),
        (flat(1.0), "do not fall"),
        ([Point(f"q{at}", one, False, one > 1) for at in range(20) for one in DISTANCES], "do not fall monotonely"),
        (drawn(40.0, 1.0, repeats=4), "above one half"),
        (drawn(0.0015, 1.0, quantities=40), "below one half"),
    ],
)
def test_where_there_is_no_d50_the_reason_is_given(members: list[Point], reason: str) -> None:
    found = curve(members)
    assert found.d50 is None
    assert reason in found.reason
    assert found.n == len(members) == sum(one.rate.n for one in found.bins)
    assert found.to_json()["low"] is None


def test_a_step_without_a_slope_has_its_d50_between_the_points() -> None:
    found = curve([Point(f"q{at}", one, False, one < 1) for at in range(20) for one in DISTANCES])
    assert found.d50 is not None
    assert 0.5 <= found.low < found.d50 < found.high <= 1.1


def test_bins_carry_their_n_and_interval() -> None:
    found = curve(flat(0.5))
    assert [one.rate.n for one in found.bins] == [20] * len(DISTANCES)
    assert all(one.low <= one.mean < one.high == 2 * one.low for one in found.bins)
    assert all(one.rate.low < 0.5 < one.rate.high for one in found.bins)
    assert found.bins[0].quantities == 20


def test_signs_have_a_curve_each() -> None:
    one, other = drawn(0.5), [Point(p.quantity, p.dose, True, p.anchored) for p in drawn(3.0, seed=1)]
    found = curves([*one, *other])
    assert list(found) == ["same", "minus"]
    same, minus = found["same"].d50, found["minus"].d50
    assert same is not None
    assert minus is not None
    assert same < 1 < minus


def test_points_are_the_answered_ones_that_can_be_told_apart() -> None:
    def record(**changes: Any) -> dict[str, Any]:
        draw = {"family": "dose", "dose": 0.5, "value": "-3", "task": "constants", "quantity": "pi"}
        return answered("anchored", redefinition="dose", draw=draw) | changes

    records = [
        record(),
        record(indistinct=True),
        record(redefinition="nr"),
        unanswered("server", redefinition="dose", draw={"dose": 1.0, "value": "3"}),
        answered(),
    ]
    found = points(rows(records))
    assert found == [Point("constants/pi", 0.5, True, True)]


def test_an_empty_curve_is_plain_data() -> None:
    assert Curve((), 0, 0, reason="none").to_json()["bins"] == []
