"""Answers by floating point: enough to tell whether two of them can be told apart, a hundred times as fast as SymPy.

Nothing is graded by an estimate. A draw is taken or left by it; the answer that is graded by is derived by SymPy or
Pint when the case is asked.
"""

from __future__ import annotations

import ast
import cmath
import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from . import decimals
from .expressions import CONSTANTS, FOUR, ExpressionError, Language, check
from .model import Quantity, Question
from .unit_system import Affine, UnitSystem, plain, read_value

Number = float | complex

_NAMES: Final[Mapping[str, Number]] = {"pi": math.pi, "E": math.e, "I": 1j, "oo": math.inf}
_ASIDE: Final = 1e-9
"""How far beside a point without a value a limit is looked for."""
_FAR: Final = 1e18
"""Where a limit at infinity is looked for."""


class NoEstimate(ValueError):
    """An expression has no value there, or none that floating point can hold."""


class Estimator:
    """Estimates answers to the questions of one system of units."""

    def __init__(self, system: UnitSystem) -> None:
        self._system = system
        # All other units are 1: an answer is a product of powers of units, so that of two answers the ratio is right.
        self._others: dict[str, Number] = dict.fromkeys(system.canonical, 1.0)

    def value(self, number: str) -> Number:
        """A constant's value.

        Raises:
            NoEstimate: It has none.
        """
        return _estimate(number, CONSTANTS, {})

    def answer(self, quantity: Quantity, question: Question, value: str, text: str | None = None) -> Number:
        """The answer where a quantity has a value; of units in a unit of its own that is the same for all values.

        Args:
            quantity: What is asked about.
            question: What is asked.
            value: As the data state it.
            text: Another expression than the question's answer.

        Raises:
            NoEstimate: It has none.
        """
        text = question.answer if text is None else text
        if not quantity.scale:
            return _estimate(text, CONSTANTS, {"x": self.value(value)})
        worth = read_value(value)
        if isinstance(worth, Affine):
            degrees = _estimate(text, self._system.language, self._others)
            return float(worth.scale) * degrees + float(worth.offset)
        names = self._others | dict.fromkeys(self._spellings(quantity.word), float(worth))
        found = _estimate(text, self._system.language, names)
        return found / _estimate(question.unit or "1", self._system.language, names)

    def _spellings(self, word: str) -> tuple[str, ...]:
        return self._system.units[word].names


def _estimate(text: str, language: Language, names: Mapping[str, Number]) -> Number:
    try:
        found = _walk(_parsed(text, language), {**_NAMES, **names})
    except (ZeroDivisionError, OverflowError, ValueError) as error:
        raise NoEstimate(f"{text!r}: {error}") from None
    if cmath.isnan(found):
        raise NoEstimate(f"{text!r} has no value")
    return found


# The same few questions are asked of thousands of values; a question with drawn operands is asked of two.
@lru_cache(maxsize=512)
def _parsed_as(text: str, names: frozenset[str], functions: tuple[tuple[str, int], ...]) -> ast.expr:
    return check(plain(text), with_x=True, language=Language(names, dict(functions)))


def _parsed(text: str, language: Language) -> ast.expr:
    try:
        return _parsed_as(text, language.names, tuple(language.functions.items()))
    except ExpressionError as error:
        raise NoEstimate(str(error)) from None


def _walk(node: ast.expr, names: Mapping[str, Number]) -> Number:
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name():
            return names[node.id]
        case ast.UnaryOp():
            value = _walk(node.operand, names)
            return -value if isinstance(node.op, ast.USub) else value
        case ast.BinOp():
            left, right = _walk(node.left, names), _walk(node.right, names)
            result: Number = FOUR[type(node.op)](left, right) if type(node.op) in FOUR else left**right
            return result
        case ast.Call(func=ast.Name(id="limit"), args=[function, _, point]):
            return _limit(function, _walk(point, names), names)
        case ast.Call(func=ast.Name(id=function), args=[first, *rest]):
            value = _walk(first, names)
            if function == "number":
                return value / _walk(rest[0], names)
            if function == "abs":
                return abs(value)
            if function == "first_digit":
                return _first_digit(value)
            root = cmath.sqrt(value) if function == "sqrt" else cmath.sin(value)
            return root.real if not root.imag else root
    raise NoEstimate(f"{ast.unparse(node)!r} is outside the language of expressions")


def _limit(function: ast.expr, point: Number, names: Mapping[str, Number]) -> Number:
    if cmath.isinf(point):
        return _walk(function, {**names, "t": math.copysign(_FAR, point.real)})
    try:
        return _walk(function, {**names, "t": point})
    except ZeroDivisionError:
        return _walk(function, {**names, "t": point + _ASIDE})


def _first_digit(value: Number) -> float:
    if isinstance(value, complex) or math.isinf(value) or not value:
        raise NoEstimate(f"{value} has no first non-zero digit")
    return float(f"{abs(value):.{decimals.DIGITS - 3}e}"[0])
