from __future__ import annotations

from pytest_redefine.analysis.rows import rows
from pytest_redefine.analysis.summary import Data, RunRows, summarise
from pytest_redefine.cases.published import Published
from tests.records.samples import answered

FIXED = [answered("anchored"), answered(redefinition="nr")]
DRAWN = [
    answered("correct", redefinition="fresh", draw={"family": "fresh"}),
    answered("wrong", redefinition="nr", draw={"family": "fresh"}),
    answered("anchored", redefinition="dose", draw={"family": "dose", "dose": 2.5}),
]


def test_drawn_cases_move_no_figure_of_the_benchmark() -> None:
    alone, both = (summarise([RunRows("r", rows(one))], Data(Published.load())) for one in (FIXED, FIXED + DRAWN))
    for name in ("measures", "arms", "redefined", "controls"):
        assert both["models"][0][name] == alone["models"][0][name]
    assert both["cells"] == alone["cells"]
    assert both["models"][0]["fresh"]["correct"] == 1
    assert both["models"][0]["dose"]["anchored"] == 1
    assert [one["n"] for one in both["dose_response"]] == [1]
    assert both["totals"]["records"] == 5


def test_a_run_of_drawn_cases_alone_has_a_summary() -> None:
    (model,) = summarise([RunRows("r", rows(DRAWN))], Data(Published.load()))["models"]
    assert model["fresh"]["correct"] == 1
    assert not model["measures"]
