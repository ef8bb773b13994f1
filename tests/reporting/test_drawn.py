from __future__ import annotations

from typing import Any

from pytest_redefine.reporting.drawn import lines
from tests.records.samples import answered


def dose(at: int, distance: float, outcome: Any) -> dict[str, Any]:
    draw = {"family": "dose", "dose": distance, "value": "3", "task": "constants", "quantity": f"q{at}"}
    return answered(outcome, redefinition="dose", draw=draw, quantity=f"q{at}")


def test_nothing_drawn_nothing_said() -> None:
    assert list(lines([answered(), answered(redefinition="nr")])) == []


def test_a_gap_that_cannot_be_told_says_why() -> None:
    records = [answered(redefinition="fresh", draw={"family": "fresh", "kind": "ra1"})]
    told = " ".join(line.strip() for line in lines(records))
    assert told.startswith("openai/gpt-4o contamination gap  -: the published cases were not asked too")


def test_a_curve_shows_its_points_and_its_d50_or_the_reason_in_80_columns() -> None:
    good = [dose(at, one, "anchored" if one < 1 else "correct") for at in range(20) for one in (0.1, 0.5, 2.0, 8.0)]
    told = list(lines(good))
    assert told[2].startswith("    d50 ")
    assert len(told) == 3 + 4
    assert "100.0 % anchored [83.9, 100.0] n=20" in told[3]
    flat = [dose(at, one, "correct") for at in range(20) for one in (0.1, 0.5, 2.0, 8.0)]
    told = list(lines(flat))
    assert "no d50: the points do not fall" in " ".join(told)
    assert max(map(len, told)) <= 80
