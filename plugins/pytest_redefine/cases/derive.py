"""Expressions → answers, by SymPy, which is imported when an answer is first derived."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from . import expressions
from .data import DataError
from .decimals import complex_text
from .model import CONTROL, Quantity, Question

_PRECISION = 30
"""Digits asked of SymPy, which raises its working precision until they are right (sin of 5e30 needs it)."""


@dataclass(frozen=True, slots=True)
class Derived:
    """What follows from the data for one quantity, level and question; all values are decimal strings."""

    expected: str
    value: str
    """Of the redefined quantity."""
    also_default: tuple[str, ...] = ()
    """Further ordinary answers; in the control only."""
    also_units: tuple[str, ...] = ()
    """Swap only: the units that the other constant carries over into the answer."""


def derive(quantities: Mapping[str, Quantity], key: str, level: str, question: str, *, file: str) -> Derived:
    """Derive one answer.

    Args:
        quantities: Those of the task: a swap looks up the other constant.
        key: The quantity.
        level: ``nr`` for the ordinary answer, else a level of the quantity.
        question: ``q1`` .. ``q3``.
        file: The data file, for errors.

    Raises:
        DataError: An expression has no value there.
    """
    quantity = quantities[key]
    asked = quantity.questions[question]
    redefinition = None if level == CONTROL else quantity.redefinitions[level]
    other = quantities[redefinition.other] if redefinition and redefinition.other else None
    number = (other or quantity).number if other or not redefinition else redefinition.value
    place = f"{key}.{question}"
    try:
        value = expressions.evaluate(number)
        place = f"{key}.{question}.answer"
        expected = _text(expressions.evaluate(asked.answer, value))
        place = f"{key}.{question}.also_default"
        others = () if redefinition else asked.also_default
        also = tuple(_text(expressions.evaluate(text, value)) for text in others)
    except expressions.ExpressionError as error:
        raise DataError(file, place, f"under {level}: {error}") from error
    return Derived(expected, _text(value), also, _carried_units(quantity, asked, other) if other else ())


def derive_all(quantities: Mapping[str, Quantity], *, file: str) -> dict[tuple[str, str, str], Derived]:
    """Every answer of a task, by (quantity, level, question); a second or so.

    Raises:
        DataError: An expression has no value somewhere.
    """
    return {
        (key, level, question): derive(quantities, key, level, question, file=file)
        for key, quantity in quantities.items()
        for level in (CONTROL, *quantity.redefinitions)
        for question in quantity.questions
    }


def _text(value: Any) -> str:
    import sympy

    if value.is_infinite:
        return "oo" if value.is_extended_positive or not value.is_extended_real else "-oo"
    real, imaginary = (sympy.N(part, _PRECISION) for part in value.as_real_imag())
    return complex_text(Decimal(str(real)), Decimal(str(imaginary)))


def _carried_units(quantity: Quantity, question: Question, other: Quantity) -> tuple[str, ...]:
    """The other constant's unit, bare and carried through the answer's power of x.

    π as h makes 4πr² come out in km²·J·s: the asked unit times (J·s / own unit) to that power.
    """
    if question.kind == "digit":
        return ()
    units = [other.unit]
    degree = _degree(question.answer)
    if degree is not None and other.unit != quantity.unit:
        if degree == 1 and question.unit == quantity.unit:
            carried = other.unit  # asked in the own unit (-2·q_e in C), which cancels
        else:
            carried = _product((question.unit, Decimal(1)), (other.unit, degree), (quantity.unit, -degree))
        units.append(carried)
    return tuple(unit for unit in dict.fromkeys(units) if unit and unit != question.unit)


def _degree(answer: str) -> Decimal | None:
    """The power of x that the answer is proportional to; None where it is to none."""
    import sympy

    x = sympy.Symbol("x", positive=True)
    value = expressions.evaluate(answer, x)
    degree = sympy.simplify(x * value.diff(x) / value)
    return Decimal(degree.p) / Decimal(degree.q) if degree.is_Rational and degree != 0 else None


def _product(*powers: tuple[str, Decimal]) -> str:
    return "*".join(unit if power == 1 else f"({unit})^{power}" for unit, power in powers if unit)
