from __future__ import annotations

import json

import pytest

from pytest_redefine.analysis.comparing import CannotCompare, compare_sides, sides_of
from pytest_redefine.reporting import comparison
from tests.analysis.samples import made, missing, simulated


def test_what_moved_and_which_cases() -> None:
    before, after = simulated("m", -1, 1), simulated("m", 0, 1)
    (sides,) = sides_of(("july", before), ("august", after))
    assert (sides.cases, sides.name_before) == (225, "m @ july")
    assert sum(sides.transitions.values()) == 225
    changed = sum(count for (old, new), count in sides.transitions.items() if old != new)
    assert len(sides.flips) == changed > 0
    (rate,) = [one for one in sides.measures if one.measure.name == "anchored_rate"]
    assert rate.test.effect == pytest.approx(
        (sides.transitions["correct", "anchored"] - sides.transitions.get(("anchored", "correct"), 0)) / 225
    )
    assert set(sides.by_question) == {("constants", question) for question in ("q1", "q2", "q3")}
    json.dumps(sides.to_json(), allow_nan=False)


def test_lines_fit_80_columns() -> None:
    (sides,) = sides_of(("july", simulated("m" * 200, -1, 1)), ("august", simulated("m" * 200, 1, 1)))
    text = comparison.lines(sides)
    assert max(map(len, text)) <= 80
    assert any("-v lists them" in line for line in text)
    assert len(comparison.lines(sides, all_flips=True)) > len(text)
    assert "\x1b[35m" in "".join(comparison.lines(sides, colour=True))  # more anchoring is worse


def test_the_only_model_of_either_run_is_compared() -> None:
    (sides,) = sides_of(("a", simulated("one", 0, 1)), ("b", simulated("other", 0, 2)))
    assert (sides.name_before, sides.name_after) == ("one @ a", "other @ b")


def test_two_arms() -> None:
    rows = [*simulated("m", 0, 1), *simulated("m", 1, 2, prompting="cot")]
    (sides,) = sides_of(("a", rows), ("a", rows), ("prompting", "zs", "cot"))
    assert sides.cases == 225
    assert sides.name_after == "m @ a, cot"


def test_what_one_side_lacks_is_counted() -> None:
    sides = compare_sides("a", [made(), made(question="q2")], "b", [made("wrong"), missing(question="q3")])
    assert (sides.cases, sides.only_before, sides.only_after) == (1, 1, 0)


def test_nothing_in_common_is_told() -> None:
    with pytest.raises(CannotCompare, match="no answered case in common"):
        compare_sides("a", [made()], "b", [made(question="q2")])
    with pytest.raises(CannotCompare, match="a has x, y; b has z"):
        sides_of(("a", [made(model="x"), made(model="y")]), ("b", [made(model="z")]))


def test_printed_counts_are_not_paired() -> None:
    rows = [made(model="sim/published-llama8b")]
    with pytest.raises(CannotCompare, match="nothing to pair"):
        sides_of(("a", rows), ("b", rows))
