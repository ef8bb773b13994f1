"""A case → its truth. Answers are derived once a task and kept on disk, so that SymPy is seldom imported."""

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
from .catalogue import TASK_FILES, Catalogue
from .derive import Derived, derive_all
from .model import CONTROL, Case
from .prompts import Prompts
from .truth import DEFAULT_TOLERANCE, Truth
from .wording import messages

_Answers = dict[tuple[str, str, str], Derived]

_CODE = ("derive.py", "expressions.py", "decimals.py")
"""What answers are derived by: a change in it makes the cached ones stale."""


class TruthTable:
    """The truths of one catalogue under one wording.

    Args:
        catalogue: What is asked.
        prompts: How; the prompt is part of the truth.
        cache: A folder for derived answers, made if need be. Without one, or where it cannot be written, each
            table derives for itself.
        tolerance: Relative; a question's own minimum may raise it.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        prompts: Prompts,
        cache: Path | None = None,
        *,
        tolerance: float = DEFAULT_TOLERANCE,
    ) -> None:
        self._catalogue = catalogue
        self._prompts = prompts
        self._cache = cache
        self._tolerance = tolerance
        self._answers: dict[str, _Answers] = {}

    def truth(self, case: Case) -> Truth:
        """What an answer to ``case`` is compared with.

        Raises:
            DataError: An answer cannot be derived from the data.
        """
        answers = self._task(case.task)
        quantity = self._catalogue.quantity(case)
        question = self._catalogue.question(case)
        found = answers[case.quantity, case.redefinition, case.question]
        ordinary = answers[case.quantity, CONTROL, case.question]
        default = None if case.is_control else ordinary.expected
        tolerance = max(self._tolerance, question.min_tolerance)
        asked = messages(case, self._catalogue, self._prompts)
        return Truth(
            expected=found.expected,
            default=default,
            kind=question.kind,
            unit=question.unit,
            also_units=found.also_units,
            also_default=() if case.is_control else ordinary.also_default,
            tolerance=tolerance,
            format="ff",
            symbol=quantity.symbol,
            symbol_value=found.value,
            symbol_default=ordinary.value,
            prompt="\n\n".join(message["content"] for message in asked),
            indistinct=default is not None and _indistinct(question.kind, found.expected, default, tolerance),
            contested=question.contested,
        )

    def _task(self, task: str) -> _Answers:
        if task not in self._answers:
            self._answers[task] = self._read(task) or self._derive(task)
        return self._answers[task]

    def _derive(self, task: str) -> _Answers:
        answers = derive_all(self._catalogue.tasks[task], file=TASK_FILES[task])
        if self._cache:
            rows = [{"case": list(case), **asdict(found)} for case, found in answers.items()]
            # The answers are at hand: a full or read-only disk costs the next run a second and no more.
            with contextlib.suppress(OSError):
                _write(self._file(task), {"key": self._key(task), "answers": rows})
        return answers

    def _read(self, task: str) -> _Answers | None:
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
            for quantity in self._catalogue.tasks[task].values()
            for level in (CONTROL, *quantity.redefinitions)
            for question in quantity.questions
        }
        return answers if answers.keys() == wanted else None

    def _file(self, task: str) -> Path:
        assert self._cache is not None
        return self._cache / f"truths-{task}-{self._key(task)[:16]}.json"

    def _key(self, task: str) -> str:
        """sha256 over all that the answers follow from: the data, the deriving code, SymPy's version."""
        digest = hashlib.sha256(self._catalogue.digest(task).encode())
        for module in _CODE:
            digest.update(Path(__file__).with_name(module).read_bytes())
        digest.update(_sympy_version().encode())
        return digest.hexdigest()


def _indistinct(kind: str, expected: str, default: str, tolerance: float) -> bool:
    return expected == default if kind == "digit" else decimals.within(expected, default, tolerance)


def _sympy_version() -> str:
    """From the metadata: importing SymPy to ask it is what the cache is to spare."""
    try:
        return version("sympy")
    except PackageNotFoundError:
        return "unknown"


def _case(row: Any) -> tuple[str, str, str]:
    quantity, level, question = (_string(part) for part in row["case"])
    return quantity, level, question


def _derived(row: Any) -> Derived:
    for text in (row["expected"], row["value"], *row["also_default"]):
        decimals.parse(_string(text))
    return Derived(
        expected=row["expected"],
        value=row["value"],
        also_default=tuple(row["also_default"]),
        also_units=tuple(_string(unit) for unit in row["also_units"]),
    )


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
