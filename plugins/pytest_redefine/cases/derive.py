"""Quantities → answers, under every level, with the answers that follow from a slip."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from . import constant_answers
from .data import DataError
from .expressions import ExpressionError
from .model import CONTROL, Quantity, Question
from .unit_answers import UnitAnswers, slip_values
from .unit_system import UnitSystem

AnswerKey = tuple[str, str, str]
"""Quantity, level, question."""


@dataclass(frozen=True, slots=True)
class Derived:
    """What follows from the data for one quantity, level and question; all values are decimal strings."""

    expected: str
    value: str
    """Of the redefined quantity; of a unit as the data state it."""
    also: tuple[str, ...] = ()
    """By the other readings of ``also_default``."""
    also_units: tuple[str, ...] = ()
    """Swap only: the units that the other constant carries over into the answer."""
    slips: tuple[tuple[str, str], ...] = ()
    """By name, what a slip in the use of the value leads to; those without a value are left out."""


def derive_all(quantities: Mapping[str, Quantity], system: UnitSystem, *, file: str) -> dict[AnswerKey, Derived]:
    """Every answer of a task; a second or so.

    Args:
        quantities: Those of the task: a swap looks up the other constant.
        system: The units.
        file: The data file, for errors.

    Raises:
        DataError: An expression has no value somewhere.
    """
    units = UnitAnswers(system)
    return {
        (key, level, question.name): derive_one(quantities, quantity, level, question, units, file=file)
        for key, quantity in quantities.items()
        for level in (CONTROL, *quantity.redefinitions)
        for question in quantity.questions.values()
    }


def derive_one(
    quantities: Mapping[str, Quantity],
    quantity: Quantity,
    level: str,
    question: Question,
    units: UnitAnswers,
    *,
    file: str,
    slips: bool = True,
) -> Derived:
    """One answer; a millisecond of a constant, two of a unit.

    Args:
        quantities: Those of the task: a swap looks up the other constant.
        quantity: What is asked about.
        level: One of its redefinitions, or the control.
        question: What is asked.
        units: What evaluates expressions in units.
        file: The data file, for errors.
        slips: Whether what slips lead to is derived too, which takes four times as long.

    Raises:
        DataError: An expression has no value.
    """
    if quantity.scale:
        return _of_unit(quantity, level, question, units, file, slips=slips)
    return _of_constant(quantities, quantity, level, question, file, slips=slips)


def _of_constant(
    quantities: Mapping[str, Quantity], quantity: Quantity, level: str, question: Question, file: str, *, slips: bool
) -> Derived:
    redefinition = None if level == CONTROL else quantity.redefinitions[level]
    other = quantities[redefinition.other] if redefinition and redefinition.other else None
    number = (other or quantity).number if other or not redefinition else redefinition.value
    place = f"{quantity.key}.{question.name}"
    with _named(file, place, level):
        value = constant_answers.value(number)
    with _named(file, f"{place}.answer", level):
        expected = constant_answers.answer(question.answer, number)
    with _named(file, f"{place}.also_default", level):
        also = tuple(constant_answers.answer(text, number) for text in question.also_default)
    return Derived(
        expected,
        value,
        also,
        also_units=constant_answers.carried_units(quantity, question, other) if other else (),
        slips=tuple(constant_answers.slips(question.answer, number).items()) if slips else (),
    )


def _of_unit(
    quantity: Quantity, level: str, question: Question, units: UnitAnswers, file: str, *, slips: bool
) -> Derived:
    value = quantity.default if level == CONTROL else quantity.redefinitions[level].value

    def answer(text: str, worth: str) -> str:
        return units.answer(text, question.unit, quantity.word, worth)

    place = f"{quantity.key}.{question.name}"
    with _named(file, f"{place}.answer", level):
        expected = answer(question.answer, value)
        mistaken = slip_values(value) if slips else {}
        wrong = tuple((name, answer(question.answer, slip)) for name, slip in mistaken.items())
    with _named(file, f"{place}.also_default", level):
        also = tuple(answer(text, value) for text in question.also_default)
    return Derived(expected, value, also, slips=wrong)


@contextmanager
def _named(file: str, key: str, level: str) -> Iterator[None]:
    """Say of an expression without a value where it stands."""
    try:
        yield
    except ExpressionError as error:
        raise DataError(file, key, f"under {level}: {error}") from error
