"""A case → what it is asked with and what its answer is compared with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal, cast

from .answers import Answers, near
from .catalogue import Catalogue
from .derive import Derived
from .examples import Examples
from .model import CONTROL, Case, Quantity, Question
from .prompts import Prompts
from .script import Script
from .truth import DEFAULT_TOLERANCE, Truth, UnitRedefinition
from .wording import Message, asked_unit


class TruthTable:
    """The truths and the messages of one catalogue under one wording.

    Args:
        catalogue: What is asked.
        prompts: How; the prompt is part of the truth.
        cache: A folder for derived answers, see :class:`.answers.Answers`.
        tolerance: Relative; a question's own minimum may raise it.
        examples: Those of few-shot prompting (default: the project's own, read when first needed).
        answers: Those of the catalogue, where others derive them.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        prompts: Prompts,
        cache: Path | None = None,
        *,
        tolerance: float = DEFAULT_TOLERANCE,
        examples: Examples | None = None,
        answers: Answers | None = None,
    ) -> None:
        self._catalogue = catalogue
        self._tolerance = tolerance
        self._answers = answers or Answers(catalogue, cache)
        self._script = Script(self._answers, prompts, examples)
        # Models and samples share their cases' truths: of 52,000 tests there are 2,763.
        self._truths: dict[Case, Truth] = {}
        self._contents: dict[Case, str] = {}

    def messages(self, case: Case) -> list[Message]:
        """The messages of a case's first request: one of the user, no system prompt.

        Raises:
            DataError: Something in the data keeps the case from being put.
        """
        return [{"role": "user", "content": self._content(replace(case, sample=0))}]

    def truth(self, case: Case) -> Truth:
        """What an answer to ``case`` is compared with.

        Raises:
            DataError: An answer cannot be derived from the data.
        """
        one = replace(case, sample=0)
        if one not in self._truths:
            self._truths[one] = self._truth(one)
        return self._truths[one]

    def _content(self, case: Case) -> str:
        if case not in self._contents:
            self._contents[case] = "\n\n".join(message["content"] for message in self._script.messages(case))
        return self._contents[case]

    def _truth(self, case: Case) -> Truth:
        quantity = self._catalogue.quantity(case)
        question = self._catalogue.question(case)
        found = self._answers.of(case.task, case.quantity, case.level, case.question)
        ordinary = self._answers.of(case.task, case.quantity, CONTROL, case.question)
        # A control, whether plain or neutral, has nothing that could be memorised instead.
        default = None if case.is_control or case.is_neutral else ordinary.expected
        unit = asked_unit(case, self._catalogue)
        truth = Truth(
            expected=found.expected,
            default=default,
            kind=question.kind,
            unit=unit if unit == question.unit else "",
            also_units=found.also_units,
            tolerance=max(self._tolerance, question.min_tolerance),
            format=cast(Literal["ff", "mc"], case.format),
            options=self._script.options(case),
            # "The final answer is: B" repeats a worked example word for word and is no echo of the question.
            prompt=self._content(replace(case, prompting="zs") if case.prompting == "fs" else case),
            contested=question.contested,
        )
        if default is not None:
            truth = replace(
                truth,
                also_default=ordinary.also,
                undecidable=_undecidable(question, found, ordinary, self._tolerance),
                indistinct=near(question, found.expected, default, self._tolerance),
            )
        if quantity.scale:
            return replace(truth, unit_redefinition=_unit_redefinition(case, quantity))
        return replace(
            truth,
            symbol=quantity.neutral if case.is_neutral else quantity.symbol,
            symbol_value=found.value,
            symbol_default=found.value if case.is_neutral else ordinary.value,
        )


def _undecidable(question: Question, found: Derived, ordinary: Derived, tolerance: float) -> tuple[str, ...]:
    """The ordinary answers that are the redefined one by another reading: they tell nothing of the respondent."""
    redefined = [new for new, old in zip(found.also, ordinary.also, strict=True) if new != old]
    references = (ordinary.expected, *ordinary.also)
    return tuple(
        reference
        for reference in references
        if any(near(question, reading, reference, tolerance) for reading in redefined)
    )


def _unit_redefinition(case: Case, quantity: Quantity) -> UnitRedefinition | None:
    if case.is_control or quantity.scale is None:
        return None
    unit = quantity.neutral if case.is_neutral else quantity.word
    return UnitRedefinition(unit, quantity.scale.derived, quantity.redefinitions[case.level].value)
