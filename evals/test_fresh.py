"""Cases that no table has, drawn anew: ``--fresh=50`` makes 50 of each task, each beside its control.

Half of them are cases of the benchmark with another value of the same level, the rest are put together from templates.
``pytest evals -k fresh --fresh=50``; docs/fresh.md tells how to draw the same ones again.
"""

from __future__ import annotations

import pytest

from pytest_redefine.plugin.collection import AskedCase
from pytest_redefine.plugin.fixtures import Ask, Grade, RecordOutcome


@pytest.mark.redefine(family="fresh")
def test_fresh(asked: AskedCase, ask: Ask, grade: Grade, record: RecordOutcome) -> None:
    """Passes whatever the outcome; fails only where no answer could be had."""
    transcript = ask(asked)
    record(transcript, grade(asked, transcript))
