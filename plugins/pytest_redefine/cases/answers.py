"""All answers of a catalogue, derived once a task and kept on disk, so that SymPy and Pint are seldom imported."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from . import decimals
from .catalogue import Catalogue
from .data import DataError
from .derive import AnswerKey, Derived, derive_all
from .model import CONTROL, Question
from .truth import DEFAULT_TOLERANCE

_CODE = ("derive.py", "constant_answers.py", "unit_answers.py", "unit_system.py", "expressions.py", "decimals.py")
"""What answers are derived by: a change in it makes the cached ones stale."""


class Answers:
    """The derived answers of one catalogue.

    Args:
        catalogue: What is asked.
        cache: A folder for derived answers, made if need be. Without one, or where it cannot be written, each
            object derives for itself.
    """

    def __init__(self, catalogue: Catalogue, cache: Path | None = None) -> None:
        self.catalogue = catalogue
        self._cache = cache
        self._tasks: dict[str, dict[AnswerKey, Derived]] = {}

    def of(self, task: str, quantity: str, level: str, question: str) -> Derived:
        """One answer.

        Raises:
            DataError: An answer of the task cannot be derived from the data, or contradicts them.
        """
        if task not in self._tasks:
            self._tasks[task] = self._read(task) or self._derive(task)
        return self._tasks[task][quantity, level, question]

    def _derive(self, task: str) -> dict[AnswerKey, Derived]:
        file = self.catalogue.file(task)
        answers = derive_all(self.catalogue.tasks[task], self.catalogue.system, file=file)
        _check_indistinct(self.catalogue, task, answers)
        if self._cache:
            rows = [{"case": list(case), **asdict(found)} for case, found in answers.items()]
            # The answers are at hand: a full or read-only disk costs the next run a second and no more.
            with contextlib.suppress(OSError):
                _write(self._file(task), {"key": self._key(task), "answers": rows})
        return answers

    def _read(self, task: str) -> dict[AnswerKey, Derived] | None:
        """The answers on disk; None where they are not there, not whole, or of other data or code."""
        if not self._cache:
            return None
        try:
            data = json.loads(self._file(task).read_text(encoding="utf-8"))
            if data["key"] != self._key(task):
                return None
            answers = {_case(row): _derived(row) for row in data["answers"]}
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        wanted = {
            (quantity.key, level, question)
            for quantity in self.catalogue.tasks[task].values()
            for level in (CONTROL, *quantity.redefinitions)
            for question in quantity.questions
        }
        return answers if answers.keys() == wanted else None

    def _file(self, task: str) -> Path:
        assert self._cache is not None
        return self._cache / f"answers-{task}-{self._key(task)[:16]}.json"

    def _key(self, task: str) -> str:
        """sha256 over all that the answers follow from: the data, the deriving code, the libraries' versions."""
        digest = hashlib.sha256(self.catalogue.digest(task).encode())
        for module in _CODE:
            digest.update(Path(__file__).with_name(module).read_bytes())
        digest.update(_versions().encode())
        return digest.hexdigest()


def near(question: Question, first: str, second: str, tolerance: float) -> bool:
    """Whether two answers to a question count as one: digits exactly, numbers within a relative tolerance."""
    if question.kind == "digit":
        return first == second
    return decimals.within(first, second, max(tolerance, question.min_tolerance))


def _check_indistinct(catalogue: Catalogue, task: str, answers: dict[AnswerKey, Derived]) -> None:
    """The data say which levels leave an answer as it is; here it is seen whether they are right."""
    for quantity in catalogue.tasks[task].values():
        for question in quantity.questions.values():
            ordinary = answers[quantity.key, CONTROL, question.name].expected
            for level in quantity.redefinitions:
                expected = answers[quantity.key, level, question.name].expected
                found = near(question, expected, ordinary, DEFAULT_TOLERANCE)
                if found is not (level in question.indistinct):
                    problem = f"{expected} and {ordinary} are {'' if found else 'not '}within tolerance: "
                    problem += f"{level} must {'' if found else 'not '}be named here"
                    key = f"{quantity.key}.{question.name}.indistinct"
                    raise DataError(catalogue.file(task), key, problem)


def _versions() -> str:
    """From the metadata: importing the libraries to ask them is what the cache is to spare."""
    found = []
    for name in ("sympy", "pint"):
        try:
            found.append(version(name))
        except PackageNotFoundError:
            found.append("unknown")
    return " ".join(found)


def _case(row: Any) -> AnswerKey:
    quantity, level, question = (_string(part) for part in row["case"])
    return quantity, level, question


def _derived(row: Any) -> Derived:
    slips = tuple((_string(name), _number(text)) for name, text in row["slips"])
    return Derived(
        expected=_number(row["expected"]),
        value=_string(row["value"]),
        also=tuple(_number(text) for text in row["also"]),
        also_units=tuple(_string(unit) for unit in row["also_units"]),
        slips=slips,
    )


def _number(value: Any) -> str:
    decimals.parse(_string(value))
    return str(value)


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no string")
    return value


def _write(path: Path, data: object) -> None:
    """Whole or not at all: another process may read the file at any moment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=path.name, suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(data, file)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
