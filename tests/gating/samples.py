"""Runs as the gate sees them: every case of constants, answered as a test says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pytest_redefine.analysis.rows import Row
from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.model import Case
from pytest_redefine.gating.baseline import Baseline, baseline_of
from pytest_redefine.gating.rules import Gate, read_gate
from pytest_redefine.gating.subject import Subject, subject_of
from pytest_redefine.records.record import Record
from tests.records.samples import answered, unanswered

Says = Callable[[Case], str]

AXES = ("case_id", "task", "quantity", "redefinition", "question", "format", "prompting", "sample", "rotation",
        "contested")  # fmt: skip


@cache
def catalogue() -> Catalogue:
    return Catalogue.load()


def cases(*, tasks: Sequence[str] = ("constants",), samples: int = 1) -> list[Case]:
    return [case for task in tasks for case in catalogue().cases(task, samples=samples)]


def mixed(case: Case) -> str:
    """A third of what is redefined is anchored, the same third each time; controls are right."""
    return "anchored" if not case.is_control and sum(case.case_id.encode()) % 3 == 0 else "correct"


def worse(share: int) -> Says:
    """The same, and of a hundred correct answers so many are anchored too."""

    def says(case: Case) -> str:
        said = mixed(case)
        turned = not case.is_control and said == "correct" and sum(case.case_id.encode()) * 37 % 100 < share
        return "anchored" if turned else said

    return says


def record(case: Case, outcome: str, model: str = "a/model", **changes: Any) -> Record:
    """An answer; ``error`` and ``not_asked`` are none."""
    axes = {name: getattr(case, name) for name in AXES} | {
        "model": model,
        "truth": {"expected": "500", "default": "3.14159"},
        "messages": [{"role": "user", "content": case.case_id}],
        "nodeid": case.id_stem,
    }
    if outcome in ("error", "not_asked"):
        return unanswered("server" if outcome == "error" else "not_asked") | axes | changes
    return answered(outcome) | axes | changes


def facts(count: int = 0, **changes: Any) -> dict[str, Any]:
    """What run.json says of a run that came to its end."""
    return {
        "run": "now",
        "state": "finished",
        "started_at": "2026-01-02T03:04:05+00:00",
        "announced": count,
        "case_set": {"deselected": 0},
        "versions": {"pytest-redefine": "0.1.0", "grading": "1"},
        "parameters": {"models": {"a/model": {"temperature": 0.0}}, "formats": ["ff"], "grading": "numeric"},
        **changes,
    }


def run(says: Says = mixed, asked: Iterable[Case] | None = None, model: str = "a/model", **changes: Any) -> Subject:
    """A run of one model."""
    records = [record(case, says(case), model) for case in (cases() if asked is None else asked)]
    return subject_of(records, facts(len(records), **changes), "now")


def base(says: Says = mixed, asked: Iterable[Case] | None = None, **changes: Any) -> Baseline:
    """What such a run is accepted as."""
    subject = run(says, asked, **changes)
    (only,) = subject.models.values()
    return baseline_of(subject, only, "main")


def gate(folder: Path, text: str) -> Gate:
    """A gate file with its head left out."""
    path = folder / "gate.toml"
    path.write_text(f"schema = 1\n{text}")
    return read_gate(path, catalogue())


def rows(subject: Subject) -> Sequence[Row]:
    (only,) = subject.models.values()
    return only.rows
