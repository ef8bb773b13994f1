"""Fifteen constants, five redefinitions and a control each, three questions: 270 cases.

Select with ``-k`` by quantity, level and question: ``pytest evals -k "constants and pi and ra2"``.
"""

from __future__ import annotations

import pytest

from pytest_redefine.plugin.collection import AskedCase
from pytest_redefine.plugin.fixtures import Ask, Grade, RecordOutcome


@pytest.mark.redefine(task="constants")
def test_constants(asked: AskedCase, ask: Ask, grade: Grade, record: RecordOutcome) -> None:
    """Passes whatever the outcome; fails only where no answer could be had."""
    transcript = ask(asked)
    record(transcript, grade(asked, transcript))
