"""Outcomes in the terminal: a letter each instead of a dot, a colour, a word with -v."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pytest

from pytest_redefine.grading.outcome import UNGRADED

LETTERS: Final[Mapping[str, str]] = {
    "correct": "C",
    "anchored": "A",
    "wrong": "W",
    "refused": "R",
    "blank": "B",
    "hedged": "H",
}
"""pytest keeps its own F for a case without an answer, and s for one nobody was asked about."""

COLOURS: Final[Mapping[str, str]] = {
    "correct": "green",
    "anchored": "purple",
    "wrong": "red",
    "refused": "yellow",
    "blank": "blue",
    "hedged": "cyan",
}


def status(report: pytest.TestReport) -> tuple[str, str, Any] | None:
    """What ``pytest_report_teststatus`` returns for a case that was answered, None for all else."""
    record = getattr(report, "redefine", None)
    if record is None or report.when != "call" or not report.passed:
        return None
    if record["detail"] == UNGRADED and record["outcome"] is None:
        return UNGRADED, "U", (UNGRADED.upper(), {"yellow": True})
    if record["outcome"] not in LETTERS:
        return None
    outcome = record["outcome"]
    word = outcome if not record["detail"] else f"{outcome} ({record['detail']})"
    return outcome, LETTERS[outcome], (word.upper(), {COLOURS[outcome]: True})
