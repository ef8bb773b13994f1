"""Every labelled answer gets its label."""

from __future__ import annotations

import pytest

from pytest_redefine.grading.grader import grade

from .conftest import Row, rows, truths


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.label)
def test_corpus(row: Row) -> None:
    outcome = grade(row.answer, truths()[row.truth], finish_reason=row.finish_reason)
    assert outcome.category == row.outcome, (row.why, row.answer, outcome)
    if row.detail:
        assert outcome.detail == row.detail, (row.why, row.answer, outcome)
    if outcome.span is not None:
        assert 0 <= outcome.span[0] < outcome.span[1] <= len(row.answer)
