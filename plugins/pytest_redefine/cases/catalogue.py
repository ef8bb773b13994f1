"""Everything that can be asked, read from the data files and enumerated. No SymPy or Pint: collection pays for it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from .data import fixtures_folder, read_toml
from .model import CONTROL, NEUTRAL, Case, Quantity, Question
from .tables import read_constants, read_units
from .unit_system import UnitSystem

TASK_FILES: Final = {"constants": "constants.toml", "units": "units.toml"}
"""The data file of each task."""

FORMATS: Final = ("ff", "mc")
PROMPTINGS: Final = ("zs", "fs", "cot")
CONTROLS: Final = (CONTROL, "ns")
"""``nr``: nothing is redefined. ``ns``: the value stands under a name that means nothing."""

ROTATIONS: Final = 4


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The quantities of every task, in the order of their file."""

    tasks: Mapping[str, Mapping[str, Quantity]]
    system: UnitSystem = field(default_factory=lambda: UnitSystem({}))
    """What expressions about units are evaluated in."""

    @classmethod
    def load(cls, folder: Path | None = None) -> Catalogue:
        """Read the tasks' files from ``folder`` (default: the project's own).

        Raises:
            DataError: A file is missing or has a mistake; it names the file, the line and the key.
        """
        folder = folder or fixtures_folder()
        constants = read_constants(read_toml(folder / TASK_FILES["constants"]))
        units, system = read_units(read_toml(folder / TASK_FILES["units"]))
        return cls({"constants": constants, "units": units}, system)

    @staticmethod
    def file(task: str) -> str:
        """The data file of a task, for errors."""
        return TASK_FILES.get(task, task)

    def quantity(self, case: Case) -> Quantity:
        """The quantity that a case is about."""
        return self.tasks[case.task][case.quantity]

    def question(self, case: Case) -> Question:
        """The question that a case asks."""
        return self.quantity(case).questions[case.question]

    def digest(self, task: str) -> str:
        """sha256 over all data of a task: equal digests mean the same questions with the same answers."""
        quantities = self.tasks[task].values()
        data: list[object] = [asdict(quantity) for quantity in quantities]
        if any(quantity.scale for quantity in quantities):
            data.append(self.system.lines())
        return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()

    def cases(
        self,
        task: str,
        *,
        formats: Iterable[str] = FORMATS[:1],
        promptings: Iterable[str] = PROMPTINGS[:1],
        samples: int = 1,
        controls: Iterable[str] = CONTROLS[:1],
        rotate_options: bool = False,
    ) -> tuple[Case, ...]:
        """Every case of a task, by quantity, question and level: a control stands before its redefined cases.

        A case whose answer the redefinition leaves as it is has no multiple choice: two options would coincide.

        Args:
            task: ``constants`` or ``units``.
            formats: Some of :data:`FORMATS`.
            promptings: Some of :data:`PROMPTINGS`.
            samples: How often each is asked.
            controls: Some of :data:`CONTROLS`; neutral ones only where the question can do without the name.
            rotate_options: Ask a case of multiple choice once with each turn of its options.

        Raises:
            ValueError: The task, a format, a prompting or a control is unknown, or ``samples`` is below 1.
        """
        _known("task", [task], self.tasks)
        formats = _known("format", formats, FORMATS)
        promptings = _known("prompting", promptings, PROMPTINGS)
        controls = _known("control", controls, CONTROLS)
        if samples < 1:
            raise ValueError(f"samples must be at least 1, not {samples}")
        return tuple(
            Case(
                task=task,
                quantity=quantity.key,
                word=quantity.word,
                redefinition=level,
                question=question.name,
                format=format_,
                prompting=prompting,
                sample=sample,
                contested=question.contested,
                rotation=rotation,
            )
            for quantity in self.tasks[task].values()
            for question in quantity.questions.values()
            for level, same in _levels(quantity, question, controls)
            for format_ in formats
            if format_ != "mc" or not same
            for prompting in promptings
            for sample in range(samples)
            for rotation in range(ROTATIONS if rotate_options and format_ == "mc" else 1)
        )


def _levels(quantity: Quantity, question: Question, controls: tuple[str, ...]) -> Iterator[tuple[str, bool]]:
    """The levels of a question, each with whether its answer is the ordinary one for all the redefinition."""
    if CONTROL in controls:
        yield CONTROL, False
    if "ns" in controls and question.neutral:
        for level in quantity.redefinitions:
            if level.startswith("ra"):
                yield level.replace("ra", NEUTRAL), level in question.indistinct
    for level in quantity.redefinitions:
        yield level, level in question.indistinct


def _known(what: str, names: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    known = tuple(known)
    wanted = tuple(dict.fromkeys(names))
    for name in wanted:
        if name not in known:
            raise ValueError(f"unknown {what} {name!r}; known: {', '.join(known)}")
    return wanted
