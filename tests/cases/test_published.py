from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

from pytest_redefine.cases.data import DataError
from pytest_redefine.cases.published import CASES_OF_TASK, PREFIX, Cell, Published, counts

PAPER = Published.load()


def test_every_rate_is_a_multiple_of_one_case() -> None:
    for (_, cell), percent in [*PAPER.anchored.items(), *PAPER.controls.items()]:
        n = CASES_OF_TASK[cell.task]
        assert abs(100 * round(percent * n / 100) / n - percent) < 0.0051


def test_every_model_has_a_respondent_of_plain_letters() -> None:
    assert len(PAPER.models) == 19
    for model in PAPER.models.values():
        assert re.fullmatch(re.escape(PREFIX) + r"[a-z0-9.-]+", model.respondent)
        assert PAPER.model_of(model.respondent) is model
    assert PAPER.model_of("sim/adopts") is None


def test_models_of_the_tables_are_those_of_the_list() -> None:
    named = {model for table in (PAPER.anchored, PAPER.controls, PAPER.refusals) for model, _ in table}
    assert named == set(PAPER.models)


def test_tables_are_whole() -> None:
    assert len(PAPER.anchored) == 19 * 2 * 12
    assert len(PAPER.controls) == 19 * 2 * 3
    assert len(PAPER.refusals) == 19 * 3 * 2 * 5 * 3
    assert len(PAPER.correlations) == 3 * (30 + 18)


def test_the_exchanged_cells_say_what_was_printed() -> None:
    exchanged = {key: found for key, found in PAPER.refusal_spread.items() if found.corrected}
    assert {key[2]: found.mean for key, found in exchanged.items()} == {"ff": 0.0, "mc": 3.33}
    assert all("printed as" in found.corrected for found in exchanged.values())


@pytest.mark.parametrize("task", ["constants", "units"])
def test_counts_add_up_and_give_the_printed_shares(task: str) -> None:
    levels = ("nr", "ra1", "ra2", "ra3", "rs1", "rs2")
    for model, *axes in product(PAPER.models, ("zs", "fs", "cot"), ("ff", "mc"), levels, ("q1", "q2", "q3")):
        cell = Cell(task, *axes)
        found = counts(PAPER, model, cell)
        if found is None:
            assert not PAPER.printed(model, cell)
            continue
        assert (found.anchored or 0) + (found.completely_wrong or 0) <= found.n
        if found.completely_wrong:
            assert found.refused is not None
            share = 100 * found.refused / found.completely_wrong
            assert share == pytest.approx(PAPER.refusals[model, cell], abs=0.0051)


def test_impossible_shares_are_told() -> None:
    cell = Cell("constants", "zs", "ff", "ra1", "q1")
    bad = Published({}, {}, {}, {("m", cell): 51.0}, {}, {}, {})
    with pytest.raises(DataError, match="no counts give 51"):
        counts(bad, "m", cell)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"models\.csv"):
        Published.load(tmp_path)
