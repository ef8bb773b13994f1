"""Constants → answers, by SymPy, which is imported when an answer is first derived."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from typing import Any

from . import expressions
from .decimals import complex_text
from .model import Quantity, Question

_PRECISION = 30
"""Digits asked of SymPy, which raises its working precision until they are right (sin of 5e30 needs it)."""


def answer(text: str, number: str) -> str:
    """The value of an answer's expression where the constant has the value ``number``, as a decimal string.

    Raises:
        ExpressionError: It is outside the language, or has no value there.
    """
    return _text(expressions.evaluate(text, expressions.evaluate(number)))


def value(number: str) -> str:
    """A constant's value as a decimal string.

    Raises:
        ExpressionError: It is outside the language, or has no value.
    """
    return _text(expressions.evaluate(number))


def slips(text: str, number: str) -> dict[str, str]:
    """What a slip in the use of the value leads to, by the slip's name; those that lead nowhere are left out."""
    import sympy

    x = expressions.evaluate(number)
    mistaken = {"square": x**2, "one": sympy.Integer(1)}
    if not x.is_zero:
        mistaken["inverse"] = 1 / x
    found: dict[str, str] = {}
    for name, wrong in mistaken.items():
        try:
            found[name] = _text(expressions.evaluate(text, wrong))
        except expressions.ExpressionError:
            continue
    return found


def carried_units(quantity: Quantity, question: Question, other: Quantity) -> tuple[str, ...]:
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


def _text(value: Any) -> str:
    import sympy

    if value.is_infinite:
        return "oo" if value.is_extended_positive or not value.is_extended_real else "-oo"
    real, imaginary = (sympy.N(part, _PRECISION) for part in value.as_real_imag())
    return complex_text(Decimal(str(real)), Decimal(str(imaginary)))


@lru_cache(maxsize=256)  # SymPy's simplify takes 10 ms, and the same questions are asked of many values
def _degree(answer: str) -> Decimal | None:
    """The power of x that the answer is proportional to; None where it is to none."""
    import sympy

    x = sympy.Symbol("x", positive=True)
    value = expressions.evaluate(answer, x)
    degree = sympy.simplify(x * value.diff(x) / value)
    return Decimal(degree.p) / Decimal(degree.q) if degree.is_Rational and degree != 0 else None


def _product(*powers: tuple[str, Decimal]) -> str:
    return "*".join(unit if power == 1 else f"({unit})^{power}" for unit, power in powers if unit)
