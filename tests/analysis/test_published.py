"""The published respondents go through the whole pipeline and come out as the printed tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from pytest_redefine.analysis.published import Line, PaperTable, PaperTables
from pytest_redefine.analysis.rows import Row
from pytest_redefine.cases.catalogue import FORMATS, PROMPTINGS, Catalogue
from pytest_redefine.cases.prompts import Prompts
from pytest_redefine.cases.published import Published
from pytest_redefine.cases.truths import TruthTable
from pytest_redefine.grading.grader import grade
from pytest_redefine.respondents.callers import published
from tests.analysis.samples import made, simulated

PAPER = Published.load()


def answered_by_the_paper() -> Iterator[Row]:
    """Every printed case of all 19 models, asked, answered and graded: 31,000."""
    catalogue = Catalogue.load()
    truths = TruthTable(catalogue, Prompts.load())
    blank = made()
    for task in catalogue.tasks:
        for case in catalogue.cases(task, formats=FORMATS, promptings=PROMPTINGS):
            axes = {name: getattr(case, name) for name in ("task", "quantity", "redefinition", "question", "format",
                                                          "prompting")}  # fmt: skip
            truth = truths.truth(case)
            asked = axes | {"truth": truth.to_json(), "options": truth.options}
            graded: dict[str, str] = {}  # 19 models share few replies
            for model in PAPER.models.values():
                if not published.is_printed(model.respondent, asked):
                    continue
                said = published.reply(model.name, asked)
                if said not in graded:
                    graded[said] = grade(said, truth).category
                yield replace(
                    blank,
                    **axes,
                    case_id=case.case_id,
                    model=model.respondent,
                    outcome=graded[said],
                    simulated=True,
                    indistinct=truth.indistinct,
                )


@pytest.fixture(scope="module")
def tables() -> dict[int, PaperTable]:
    return {table.number: table for table in PaperTables(answered_by_the_paper(), PAPER).build()}


def both(table: PaperTable) -> Iterator[tuple[str, Line, Line]]:
    """Each model's rebuilt line and its printed one."""
    printed = {line.model: line for line in table.lines if line.origin == "paper"}
    for line in table.lines:
        if line.origin == "run":
            model = PAPER.model_of(line.model)
            assert model is not None
            if model.name in printed:
                yield model.name, line, printed.pop(model.name)
    assert not printed


def test_all_of_the_tables_come_back(tables: dict[int, PaperTable]) -> None:
    assert sorted(tables) == [6, 7, 8, 9, 13, 14, 15, 16, 17, 18, 19, 20]


@pytest.mark.parametrize(
    ("number", "models"), [(6, 19), (8, 6), (13, 19), (14, 19), (15, 19), (16, 19), (18, 19), (19, 19)]
)
def test_counts_come_back_exactly(tables: dict[int, PaperTable], number: int, models: int) -> None:
    compared = list(both(tables[number]))
    assert len(compared) == models
    for model, line, printed in compared:
        for column, ours, theirs in zip(tables[number].columns, line.values, printed.values, strict=True):
            assert ours is not None, (model, column)
            assert theirs is not None
            # Nothing completely wrong is a dash here and 0 in the paper.
            assert abs((ours.percent or 0) - (theirs.percent or 0)) < 0.0051, (model, column, ours, theirs)


def test_table_17_comes_back_within_a_hundredth(tables: dict[int, PaperTable]) -> None:
    compared = list(both(tables[17]))
    assert len(compared) == 8
    for model, line, printed in compared:
        for ours, theirs in zip(line.values, printed.values, strict=True):
            assert ours is not None and theirs is not None, model  # noqa: PT018 - one statement narrows both
            assert ours.percent == pytest.approx(theirs.percent, abs=0.0101), (model, ours, theirs)


def test_table_9_is_the_mean_of_tables_14_to_16(tables: dict[int, PaperTable]) -> None:
    compared = list(both(tables[9]))
    assert len(compared) == 12
    for model, line, printed in compared:
        for ours, theirs in zip(line.values, printed.values, strict=True):
            assert ours is not None and theirs is not None, model  # noqa: PT018 - one statement narrows both
            assert ours.percent == pytest.approx(theirs.percent, abs=0.0101), (model, ours, theirs)
            assert ours.deviation == pytest.approx(theirs.deviation, abs=0.0101), (model, ours, theirs)


@pytest.mark.parametrize(("number", "cells"), [(7, 12), (20, 12)])
def test_correlations_come_back_to_three_digits_but_for_one(
    tables: dict[int, PaperTable], number: int, cells: int
) -> None:
    ours, printed = tables[number].lines
    compared = [
        (column, value.r, other.r)
        for column, value, other in zip(tables[number].columns, ours.values, printed.values, strict=True)
        if value is not None and other is not None
    ]
    assert len(compared) == cells
    off = []
    for column, mine, theirs in compared:
        assert mine is not None and theirs is not None  # noqa: PT018 - one statement narrows both
        assert mine.r is not None and theirs.r is not None  # noqa: PT018
        assert mine.n == 18
        if abs(mine.r - theirs.r) > 0.00051:
            off.append((column.title, round(mine.r, 3), theirs.r))
    assert off == ([("mc rs2 q2", 0.123, 0.151)] if number == 7 else [])


def test_a_new_model_stands_beside_the_printed_rows_and_unasked_cells_stay_empty() -> None:
    rows = [*simulated("new/model", 0, 1), made("correct", redefinition="nr", model="new/model")]
    tables = {table.number: table for table in PaperTables(rows, PAPER).build()}
    first, *others = tables[6].lines
    assert (first.model, first.origin, len(others)) == ("new/model", "run", 19)
    values = dict(zip((column.title for column in tables[6].columns), first.values, strict=True))
    ours = values["ff ra3 q1"]
    assert ours is not None
    assert ours.n == 15
    assert ours.text == f"{ours.percent:.2f}"
    assert values["mc ra3 q1"] is None
    assert 18 not in tables
    assert 7 not in tables  # of one model there is no correlation


def test_nothing_is_drawn_from_filler() -> None:
    rows = [
        row
        for row in answered_by_the_paper()
        if row.model == "sim/published-llama8b" and row.prompting == "cot" and row.format == "ff"
    ]
    built = PaperTables(rows, PAPER).build()
    assert 6 not in {table.number for table in built}
    assert {column.measure for table in built for column in table.columns} == {"refusal_rate"}


def test_nothing_of_nothing_is_a_dash() -> None:
    rows = [made("correct", redefinition="ra3", question=question) for question in ("q1", "q2", "q3")]
    (table,) = [one for one in PaperTables(rows, PAPER).build() if one.number == 14]
    values = [value for value in table.lines[0].values if value is not None]
    assert [value.text for value in values] == ["-"]
