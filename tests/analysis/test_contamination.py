from __future__ import annotations

import math
from typing import Any

import pytest

from pytest_redefine.analysis.contamination import Gap, Measured
from pytest_redefine.analysis.contamination import gap as gap_of_rows
from pytest_redefine.analysis.rows import rows
from tests.records.samples import answered, unanswered


def gap(records: list[Any], measured: Measured = "correct") -> Gap:
    return gap_of_rows(rows(records), measured)


QUANTITIES = [f"q{at}" for at in range(12)]


def pair(quantity: str, fixed: Any, fresh: Any, *, known: Any = ("correct", "correct"), **changes: Any) -> list[Any]:
    """One published case with its control, and the same with another value with its own."""
    draw = {"family": "fresh", "kind": "ra2", "index": int(quantity[1:]), "seed": "7"}
    common = {"quantity": quantity, "question": "q2", **changes}
    return [
        answered(fixed, redefinition="ra2", **common),
        answered(known[0], redefinition="nr", **common),
        answered(fresh, redefinition="fresh", draw=draw, **common),
        answered(known[1], redefinition="nr", draw=draw, **common),
    ]


def test_whoever_knows_the_tables_has_a_gap() -> None:
    records = [one for name in QUANTITIES[:8] for one in pair(name, "correct", "anchored")]
    records += [one for name in QUANTITIES[8:] for one in pair(name, "correct", "correct")]
    found = gap(records)
    assert found.value == pytest.approx(8 / 12)
    assert (found.pairs, found.quantities, found.fixed) == (12, 12, 1.0)
    assert found.fresh == pytest.approx(4 / 12)
    assert 0 < found.low < 8 / 12 < found.high < 1.01
    # Student's t with 11 degrees of freedom: 2.201 · √(8/12 · 4/12 / 11).
    assert found.high - found.low == pytest.approx(2 * 2.20099 * math.sqrt(8 / 12 * 4 / 12 / 11), rel=1e-4)
    assert gap(records, "anchored").value == pytest.approx(-8 / 12)


def test_what_the_controls_show_is_subtracted() -> None:
    # Fresh cases that were answered in a worse hour: their controls are wrong as well.
    records = [one for name in QUANTITIES for one in pair(name, "correct", "wrong", known=("correct", "wrong"))]
    assert gap(records).value == 0


def test_no_difference_anywhere_is_still_uncertain() -> None:
    found = gap([one for name in QUANTITIES for one in pair(name, "correct", "correct")])
    assert found.value == 0
    assert found.high == -found.low == pytest.approx(0.2425, abs=1e-4)  # Wilson's upper end of 0 of 12


def test_pairs_of_one_quantity_hang_together() -> None:
    def some(quantities: int) -> Any:
        records = []
        for at in range(12):
            name = f"q{at}"
            outcome = "anchored" if at % quantities < quantities / 2 else "correct"
            for record in pair(name, "correct", outcome):
                records.append(record | {"quantity": f"k{at % quantities}", "question": f"q{at}"})
        return gap(records)

    alone, together = some(12), some(4)
    assert alone.value == together.value == 0.5
    assert together.high - together.low > 1.3 * (alone.high - alone.low)


@pytest.mark.parametrize(
    ("records", "reason"),
    [
        ([], "no fresh case"),
        (pair("q1", "correct", "correct")[:2], "no fresh case"),
        (pair("q1", "correct", "correct")[2:], "leave out -k fresh"),
        (pair("q1", "correct", "correct")[:3], "leave out -k fresh"),
        (pair("q1", "correct", "correct"), "one quantity"),
    ],
)
def test_without_pairs_the_reason_is_given(records: list[Any], reason: str) -> None:
    found = gap(records)
    assert reason in found.reason
    assert not math.isfinite(found.low)
    assert found.to_json()["low"] is None


def test_other_arms_errors_and_composed_cases_make_no_pair() -> None:
    good = [one for name in QUANTITIES for one in pair(name, "correct", "correct")]
    other = pair("q0", "wrong", "anchored", format="mc")
    broken = [*other[:2], unanswered("server", redefinition="fresh", **{"draw": other[2]["draw"], "quantity": "q0"})]
    composed = [answered("anchored", redefinition="fresh", quantity="q0", draw={"family": "fresh", "kind": "near"})]
    found = gap([*good, *broken, *composed])
    assert (found.pairs, found.value) == (12, 0)
