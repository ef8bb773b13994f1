from __future__ import annotations

from pytest_redefine.reporting import breakdown
from tests.reporting.runs import records


def test_rates_by_question_in_80_columns() -> None:
    found = list(records({"sim/mixed": "sim/mixed", "a" * 90: "sim/anchors"}, formats=("ff", "mc")))
    text = list(breakdown.lines(found))
    assert max(map(len, text)) <= 80
    assert any("q1" in line and "q3" in line for line in text)
    anchored = [line for line in text if line.strip().startswith("anchored")]
    assert len(anchored) == 4  # two models, two formats
    assert "100% " in anchored[-1]


def test_nothing_asked() -> None:
    assert len(list(breakdown.lines([]))) == 1
