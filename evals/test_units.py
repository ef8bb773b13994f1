"""Sixteen units, three redefinitions and a control each, three questions: 192 cases.

Select with ``-k`` by quantity, level and question: ``pytest evals -k "units and lightyear and q1"``.
"""

from __future__ import annotations

import pytest

from pytest_redefine.plugin.collection import AskedCase
from pytest_redefine.plugin.fixtures import Ask, Grade, RecordOutcome


@pytest.mark.redefine(task="units")
def test_units(asked: AskedCase, ask: Ask, grade: Grade, record: RecordOutcome) -> None:
    """Passes whatever the outcome; fails only where no answer could be had."""
    transcript = ask(asked)
    record(transcript, grade(asked, transcript))
