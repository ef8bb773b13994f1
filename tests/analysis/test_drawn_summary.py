from __future__ import annotations

from pytest_redefine.analysis.rows import rows
from pytest_redefine.analysis.summary import Data, RunRows, labelled, summarise
from pytest_redefine.cases.published import Published
from tests.records.samples import answered
from tests.reporting.runs import drawn, example

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


def test_published_cases_of_another_run_are_taken_for_the_gap() -> None:
    every = list(drawn())
    published = [record for record in every if not record["draw"]]
    fresh = [record for record in every if record["draw"]]
    runs = labelled([RunRows("july", rows(published)), RunRows("august", rows(fresh))])
    (apart,) = summarise(runs, Data(Published.load()))["contamination"]
    (together,) = summarise([RunRows("both", rows(every))], Data(Published.load()))["contamination"]
    assert apart["model"] == "vendor/m @ august"
    assert {**apart, "model": ""} == {**together, "model": ""}
    assert together["n"] == 12
    (alone,) = summarise([RunRows("august", rows(fresh))], Data(Published.load()))["contamination"]
    assert alone["value"] is None
    assert "leave out -k fresh" in alone["reason"]


def test_examples_are_told_of_the_model_in_its_run() -> None:
    runs = labelled([RunRows(name, rows(drawn()), shrunk=[example()]) for name in ("july", "august")])
    found = summarise(runs, Data(Published.load()))["shrunk"]
    assert [one["model"] for one in found] == ["vendor/m @ july", "vendor/m @ august"]


def test_neutral_controls_of_drawn_cases_stand_apart() -> None:
    neutral = answered("correct", redefinition="neutral", draw={"family": "fresh"})
    (model,) = summarise([RunRows("r", rows([*DRAWN, neutral]))], Data(Published.load()))["models"]
    assert model["drawn_neutral"]["correct"] == 1
    assert model["neutral"]["correct"] == 0
    assert not model["measures"]
