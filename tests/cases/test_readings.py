from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.readings import page

COMMITTED = Path(__file__).resolve().parents[2] / "docs" / "readings.md"


def test_the_committed_page_is_the_one_that_the_data_give(catalogue: Catalogue) -> None:
    written = COMMITTED.read_text(encoding="utf-8")
    assert written == page(catalogue), "run python -m pytest_redefine.cases.readings > docs/readings.md"


def test_every_question_is_there_with_its_reading_and_marks(catalogue: Catalogue) -> None:
    text = page(catalogue)
    questions = [
        question
        for task in catalogue.tasks.values()
        for quantity in task.values()
        for question in quantity.questions.values()
    ]
    assert len(questions) == 93
    for question in questions:
        assert question.text in text
        assert question.reading in text
        assert question.answer in text
        assert all(other in text for other in (*question.others, question.why))
    assert text.count("Marks: contested") == sum(question.contested for question in questions) == 8 + 5
    for quantity in catalogue.tasks["units"].values():
        assert quantity.scale
        assert quantity.scale.relatives in text


def test_the_command_writes_it_whatever_the_terminal_speaks() -> None:
    environment = {"PYTHONPATH": ":".join(sys.path), "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest_redefine.cases.readings"],
        env=environment,
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.decode("utf-8") == COMMITTED.read_text(encoding="utf-8")
