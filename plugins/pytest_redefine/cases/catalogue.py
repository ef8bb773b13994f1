"""Everything that can be asked, read from the data files and enumerated. No SymPy: collection pays for it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, cast

from . import expressions
from .data import Table, fixtures_folder, read_toml
from .model import CONTROL, Case, Quantity, Question, Redefinition
from .truth import Kind

TASK_FILES: Final = {"constants": "constants.toml"}
"""The data file of each task."""

FORMATS: Final = ("ff",)
PROMPTINGS: Final = ("zs",)
CONTROLS: Final = (CONTROL,)

_ASSIGNMENTS: Final = ("ra1", "ra2", "ra3")
_SWAPS: Final = ("rs1", "rs2")
_QUESTIONS: Final = ("q1", "q2", "q3")
_KINDS: Final = ("number", "digit")

_KEY: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)
_WORD: Final = re.compile(r"[a-z][a-z0-9]+", re.ASCII)
_VALUE: Final = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?|sqrt\(-?\d+(?:\.\d+)?\)", re.ASCII)
_UNIT: Final = re.compile(r"[A-Za-z0-9_^*/()\-]*", re.ASCII)

_QUANTITY_KEYS: Final = (
    *("word", "symbol", "name", "noun", "default", "exact", "unit"),
    *_ASSIGNMENTS,
    *_SWAPS,
    *_QUESTIONS,
)
_QUESTION_KEYS: Final = (
    *("text", "answer", "kind", "unit", "reading", "others"),
    *("contested", "also_default", "min_tolerance"),
)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The quantities of every task, in the order of their file."""

    tasks: Mapping[str, Mapping[str, Quantity]]

    @classmethod
    def load(cls, folder: Path | None = None) -> Catalogue:
        """Read the tasks' files from ``folder`` (default: the project's own).

        Raises:
            DataError: A file is missing or has a mistake; it names the file, the line and the key.
        """
        folder = folder or fixtures_folder()
        return cls({task: _quantities(read_toml(folder / file)) for task, file in TASK_FILES.items()})

    def quantity(self, case: Case) -> Quantity:
        """The quantity that a case is about."""
        return self.tasks[case.task][case.quantity]

    def question(self, case: Case) -> Question:
        """The question that a case asks."""
        return self.quantity(case).questions[case.question]

    def digest(self, task: str) -> str:
        """sha256 over all data of a task: equal digests mean the same questions with the same answers."""
        data = [asdict(quantity) for quantity in self.tasks[task].values()]
        return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()

    def cases(
        self,
        task: str,
        *,
        formats: Iterable[str] = FORMATS[:1],
        promptings: Iterable[str] = PROMPTINGS[:1],
        samples: int = 1,
        controls: Iterable[str] = CONTROLS,
    ) -> tuple[Case, ...]:
        """Every case of a task, by quantity, question and level: a control stands before its redefined cases.

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
            )
            for quantity in self.tasks[task].values()
            for question in quantity.questions.values()
            for level in (*controls, *quantity.redefinitions)
            for format_ in formats
            for prompting in promptings
            for sample in range(samples)
        )


def _known(what: str, names: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    known = tuple(known)
    wanted = tuple(dict.fromkeys(names))
    for name in wanted:
        if name not in known:
            raise ValueError(f"unknown {what} {name!r}; known: {', '.join(known)}")
    return wanted


def _quantities(file: Table) -> dict[str, Quantity]:
    file.string("canary")
    keys = [key for key in file.values if key not in ("schema", "canary")]
    found = {key: _quantity(file.table(key), key, keys) for key in keys}
    for key, quantity in found.items():
        for other in found.values():
            # -k matches parts of words: a word inside another could not be selected alone.
            if other.key != key and quantity.word in other.word:
                raise file.table(key).error("word", f"{quantity.word!r} is part of the word of {other.key}")
    return found


def _quantity(table: Table, key: str, keys: list[str]) -> Quantity:
    table.only(_QUANTITY_KEYS)
    if not _KEY.fullmatch(key):
        raise table.error("", "a key is a letter followed by letters, digits and _")
    word = table.string("word")
    if not _WORD.fullmatch(word):
        raise table.error("word", f"{word!r} is not of small letters and digits, so it would not do in an id")
    redefinitions: dict[str, Redefinition] = {}
    for level in _ASSIGNMENTS:
        value = table.string(level)
        if not _VALUE.fullmatch(value):
            raise table.error(level, f"{value!r} is neither a decimal number nor sqrt of one")
        redefinitions[level] = Redefinition(level, value=value)
    for level in _SWAPS:
        other = table.string(level)
        if other not in keys or other == key:
            raise table.error(level, f"{other!r} is no other constant of this file")
        redefinitions[level] = Redefinition(level, other=other)
    return Quantity(
        key=key,
        word=word,
        symbol=table.string("symbol"),
        name=table.string("name"),
        noun=table.string("noun"),
        default=_expression(table, "default"),
        exact=_expression(table, "exact") if "exact" in table.values else "",
        unit=_unit(table),
        redefinitions=redefinitions,
        questions={name: _question(table.table(name), name) for name in _QUESTIONS},
    )


def _question(table: Table, name: str) -> Question:
    table.only(_QUESTION_KEYS)
    kind = table.string("kind", "number")
    if kind not in _KINDS:
        raise table.error("kind", f"{kind!r} is none of {', '.join(_KINDS)}")
    also_default = table.strings("also_default")
    for text in also_default:
        _check(table, "also_default", text, with_x=True)
    return Question(
        name=name,
        text=table.string("text"),
        answer=_expression(table, "answer", with_x=True),
        kind=cast(Kind, kind),
        unit=_unit(table),
        reading=table.string("reading"),
        others=table.strings("others"),
        contested=table.flag("contested"),
        also_default=also_default,
        min_tolerance=table.fraction("min_tolerance"),
    )


def _expression(table: Table, name: str, *, with_x: bool = False) -> str:
    text = table.string(name)
    _check(table, name, text, with_x=with_x)
    return text


def _check(table: Table, name: str, text: str, *, with_x: bool) -> None:
    try:
        expressions.check(text, with_x=with_x)
    except expressions.ExpressionError as error:
        raise table.error(name, str(error)) from error


def _unit(table: Table) -> str:
    unit = table.string("unit", "")
    if not _UNIT.fullmatch(unit):
        raise table.error("unit", f"{unit!r} is not written as Pint reads it (m^3/(kg*s^2))")
    return unit
