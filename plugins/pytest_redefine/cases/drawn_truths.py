"""Truths and messages of fresh cases: each draw has a catalogue of its own, in which its value holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from .answers import Answers
from .catalogue import Catalogue
from .derive import Derived, derive_one
from .drawn import Draw, Drawn
from .examples import Examples
from .model import CONTROL, Case
from .prompts import Prompts
from .templates import FRESH_FILE, Templates
from .truth import DEFAULT_TOLERANCE, Truth
from .truths import TruthTable
from .unit_answers import UnitAnswers
from .wording import Message

_Cell = tuple[str, str, str, str]
_Name = tuple[str, str, str]


class DrawnAnswers(Answers):
    """Derives the answers of one draw when they are asked for, and leaves all others to the benchmark's."""

    def __init__(self, drawn: Drawn, benchmark: Answers, ordinary: dict[_Cell, Derived], *, slips: bool) -> None:
        super().__init__(drawn.catalogue)
        self._drawn = drawn
        self._benchmark = benchmark
        self._ordinary = ordinary
        self._slips = slips
        self._found: dict[str, Derived] = {}

    def of(self, task: str, quantity: str, level: str, question: str) -> Derived:
        """One answer.

        Raises:
            DataError: It cannot be derived.
        """
        drawn = self._drawn
        if (task, quantity, question) != (drawn.draw.task, drawn.quantity.key, drawn.question.name):
            return self._benchmark.of(task, quantity, level, question)
        if level == CONTROL:
            # Hundreds of draws ask the same question of the ordinary value.
            cell = (task, quantity, drawn.question.answer, drawn.question.unit)
            if cell not in self._ordinary:
                self._ordinary[cell] = self._one(level)
            return self._ordinary[cell]
        if level not in self._found:
            self._found[level] = self._one(level)
        return self._found[level]

    def _one(self, level: str) -> Derived:
        drawn, catalogue = self._drawn, self.catalogue
        return derive_one(
            catalogue.tasks[drawn.draw.task],
            drawn.quantity,
            level,
            drawn.question,
            # One registry a redefinition is kept by it: it goes with this call, and thousands of them with it.
            UnitAnswers(catalogue.system),
            file=FRESH_FILE,
            slips=self._slips,
        )


class DrawnTruths:
    """The truths and the messages of drawn cases.

    Args:
        catalogue: The benchmark's.
        templates: What their questions are made of.
        prompts: How they are put.
        cache: The folder of the benchmark's derived answers.
        tolerance: Relative; a draw may ask for less.
        slips: Whether options of multiple choice are asked for.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        templates: Templates,
        prompts: Prompts,
        cache: Path | None = None,
        *,
        tolerance: float = DEFAULT_TOLERANCE,
        slips: bool = True,
    ) -> None:
        self.catalogue = catalogue
        self.templates = templates
        self._prompts = prompts
        self._benchmark = Answers(catalogue, cache)
        self._tolerance = tolerance
        self._slips = slips
        self._examples: Examples | None = None
        self._ordinary: dict[_Cell, Derived] = {}
        # By the question too, whose name ends in the draw's digest: shrinking makes many draws of one tag.
        self._drawn: dict[_Name, Drawn] = {}
        self._tables: dict[tuple[_Name, bool], TruthTable] = {}

    def add(self, draws: Iterable[Draw]) -> Iterator[Drawn]:
        """Take draws in, and give what is made of each.

        Raises:
            DrawError: The data files have nothing of a name in one of them.
        """
        for draw in draws:
            drawn = Drawn.build(draw, self.catalogue, self.templates)
            self._drawn[draw.task, draw.tag, drawn.question.name] = drawn
            yield drawn

    def draw(self, case: Case) -> Draw:
        """The parameters of a case."""
        return self._drawn[_name(case)].draw

    def catalogue_of(self, case: Case) -> Catalogue:
        """The catalogue in which the case's value holds."""
        return self._drawn[_name(case)].catalogue

    def messages(self, case: Case) -> list[Message]:
        """The messages of a case's first request.

        Raises:
            DataError: Something in the data keeps the case from being put.
        """
        return self._table(case).messages(case)

    def truth(self, case: Case) -> Truth:
        """What an answer to ``case`` is compared with.

        Raises:
            DataError: An answer cannot be derived from the data.
        """
        return self._table(case).truth(case)

    def _table(self, case: Case) -> TruthTable:
        # Worked examples are read by those who are shown some.
        shown = case.prompting == "fs"
        key = _name(case), shown
        if key not in self._tables:
            drawn = self._drawn[_name(case)]
            tolerance = float(drawn.draw.tolerance or self._tolerance)
            self._tables[key] = TruthTable(
                drawn.catalogue,
                self._prompts,
                tolerance=min(tolerance, self._tolerance),
                examples=self._worked(drawn.catalogue) if shown else None,
                answers=DrawnAnswers(drawn, self._benchmark, self._ordinary, slips=self._slips),
            )
        return self._tables[key]

    def _worked(self, catalogue: Catalogue) -> Examples:
        if self._examples is None:
            self._examples = Examples.load(self.catalogue)
        return replace(self._examples, catalogue=catalogue)


def _name(case: Case) -> _Name:
    return case.task, case.drawn, case.question
