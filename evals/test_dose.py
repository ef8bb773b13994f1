"""How far off must a value be? ``--dose=9`` redefines each quantity at 9 distances, larger and smaller, either sign.

``pytest evals -k dose --dose=9``; docs/fresh.md tells how the curve is read.
"""

from __future__ import annotations

import pytest

from pytest_redefine.plugin.collection import AskedCase
from pytest_redefine.plugin.fixtures import Ask, Grade, RecordOutcome


@pytest.mark.redefine(family="dose")
def test_dose(asked: AskedCase, ask: Ask, grade: Grade, record: RecordOutcome) -> None:
    """Passes whatever the outcome; fails only where no answer could be had."""
    transcript = ask(asked)
    record(transcript, grade(asked, transcript))
