"""Few-shot prompting: which worked examples a case is shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from .catalogue import FORMATS, Catalogue
from .data import DataError, Table, fixtures_folder, read_toml
from .model import CONTROL, NEUTRAL, Case, Quantity
from .options import LETTERS
from .slips import order

EXAMPLES_FILE: Final = "examples.toml"

_KINDS: Final = ("constants", "units")
_PREFIX: Final = re.compile(r"kilo|mega|milli|centi")
_MOST: Final = 10


@dataclass(frozen=True, slots=True)
class _Example:
    quantity: str
    question: str
    assignment: str
    swap: str


@dataclass(frozen=True, slots=True)
class Examples:
    """The sets of examples, by format and kind of quantity."""

    catalogue: Catalogue
    count: int
    sets: Mapping[tuple[str, str], tuple[_Example, ...]]

    @classmethod
    def load(cls, catalogue: Catalogue, path: Path | None = None) -> Examples:
        """Read the sets (default: the project's own).

        Raises:
            DataError: The file is missing or has a mistake, or an example is no case of the catalogue.
        """
        file = read_toml(path or fixtures_folder() / EXAMPLES_FILE)
        file.only(("schema", "canary", "count", *FORMATS))
        file.string("canary")
        count = file.values.get("count")
        if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= _MOST:
            raise file.error("count", f"a number from 1 to {_MOST} is needed, not {count!r}")
        sets: dict[tuple[str, str], tuple[_Example, ...]] = {}
        for format_ in FORMATS:
            table = file.table(format_)
            table.only(_KINDS)
            for kind in _KINDS:
                sets[format_, kind] = tuple(
                    _example(row, table, kind, catalogue.tasks[kind]) for row in table.tables(kind)
                )
        return cls(catalogue, count, sets)

    def pick(self, case: Case) -> tuple[Case, ...]:
        """The examples of a case, as cases of their own that are put without examples.

        Raises:
            DataError: Too few examples have nothing to do with the case.
        """
        asked = self.catalogue.quantity(case)
        kind = "units" if asked.scale else "constants"
        redefinition = asked.redefinitions.get(case.level)
        partner = redefinition.other if redefinition else ""
        picked: list[Case] = []
        for example in self.sets[case.format, kind]:
            shown = self.catalogue.tasks[kind][example.quantity]
            level = CONTROL if case.is_control else example.swap if partner else example.assignment
            if self._unrelated(asked, partner, shown, example.question, level):
                named = level.replace("ra", NEUTRAL) if case.is_neutral else level
                picked.append(
                    replace(
                        case,
                        task=kind,
                        quantity=shown.key,
                        word=shown.word,
                        redefinition=named,
                        question=example.question,
                        prompting="zs",
                        sample=0,
                        contested=False,
                        rotation=0,
                        drawn="",
                    )
                )
            if len(picked) == self.count:
                return tuple(picked)
        raise DataError(EXAMPLES_FILE, f"{case.format}.{kind}", f"too few examples that {case.word} is not part of")

    def letters(self, case: Case) -> tuple[str, ...]:
        """Under which letter the right answer of each example stands: as often A as B, in no order to be guessed."""
        letters = order(f"{case.task}/{case.quantity}/{case.level}/{case.question}", LETTERS)
        return tuple(letters[at % len(letters)] for at in range(self.count))

    def _unrelated(self, asked: Quantity, partner: str, shown: Quantity, question: str, level: str) -> bool:
        if shown.key == asked.key:  # a fresh one has none of the benchmark's questions
            return False
        if asked.scale and shown.scale:
            theirs = shown.questions[question]
            return not self._units(asked.word, asked.scale.derived) & self._units(
                shown.word, shown.scale.derived, theirs.answer, theirs.unit
            )
        redefinition = shown.redefinitions.get(level)
        about = {shown.key, redefinition.other if redefinition else ""} - {""}
        # Beside the constant that it is swapped with here, those that it is swapped with elsewhere.
        partners = {redefinition.other for redefinition in asked.redefinitions.values()}
        return shown.key not in partners and not about & {asked.key, partner}

    def _units(self, *texts: str) -> set[str]:
        """The units that expressions speak of, without their prefixes: kilowatt and watt are one here."""
        return {_PREFIX.sub("", name) for text in texts for name in self.catalogue.system.mentioned(text)}


def _example(row: Table, table: Table, kind: str, quantities: Mapping[str, Quantity]) -> _Example:
    row.only(("quantity", "question", "assignment", "swap"))
    example = _Example(
        quantity=row.string("quantity"),
        question=row.string("question"),
        assignment=row.string("assignment"),
        swap=row.string("swap") if kind == "constants" else row.string("swap", ""),
    )
    quantity = quantities.get(example.quantity)
    question = quantity.questions.get(example.question) if quantity else None
    if quantity is None or question is None:
        raise table.error(kind, f"{example.quantity} {example.question} is no question of the {kind}")
    for name, level in (("assignment", example.assignment), ("swap", example.swap)):
        if level and (
            level not in quantity.redefinitions or bool(quantity.redefinitions[level].other) != (name == "swap")
        ):
            raise table.error(kind, f"{level} is no {name} of {example.quantity}")
        if level in question.indistinct:
            raise table.error(kind, f"{example.quantity} {example.question} {level} is indistinct, and no example")
    if question.contested or not question.neutral:
        raise table.error(kind, f"{example.quantity} {example.question} is contested, or has no neutral text")
    return example
