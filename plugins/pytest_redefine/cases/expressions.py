"""The little languages in which the data state values and answers.

Of constants: ``x`` is the value of the quantity; ``t`` the variable that ``limit(f, t, point)`` binds. Beside them:
``pi``, ``E``, ``I``, ``oo``; ``sqrt``, ``sin``, ``abs``, ``first_digit``; ``+ - * / **``. Of units: their names,
``pi``, ``number(a quantity, a unit)``; see :mod:`.unit_answers`. Decimals are exact. SymPy's own parser calls ``eval``,
and users may bring data files of their own: so text is checked and walked here, and the libraries get only numbers and
known units.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

MAX_LENGTH: Final = 200
MAX_EXPONENT: Final = 1000

_DECIMAL: Final = re.compile(r"\d{1,30}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?", re.ASCII)
FOUR: Final[Mapping[type[ast.operator], Callable[[Any, Any], Any]]] = MappingProxyType({
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
})  # fmt: skip
"""The operations that are the same for numbers of every kind; each evaluator bounds powers in its own way."""
_OPERATORS: Final = (*FOUR, ast.Pow)


class ExpressionError(ValueError):
    """An expression is outside the language, or has no value."""


@dataclass(frozen=True, slots=True)
class Language:
    """What expressions may use."""

    names: frozenset[str]
    functions: Mapping[str, int]
    """With the number of their arguments."""


CONSTANTS: Final = Language(
    frozenset({"pi", "E", "I", "oo"}),
    MappingProxyType({"sqrt": 1, "sin": 1, "abs": 1, "first_digit": 1, "limit": 3}),
)


def check(text: str, *, with_x: bool = False, language: Language = CONSTANTS) -> ast.expr:
    """Parse an expression without evaluating it; cheap, and without SymPy or Pint.

    Args:
        text: The expression.
        with_x: Whether it may speak of ``x``.
        language: What else it may speak of.

    Raises:
        ExpressionError: It is too long, no expression, or uses something outside the language.
    """
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"longer than {MAX_LENGTH} characters")
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ExpressionError(f"{text!r} is no expression") from None
    _check(tree, text, language.names | ({"x"} if with_x else set()), language.functions)
    return tree


def _check(node: ast.expr, text: str, names: frozenset[str], functions: Mapping[str, int]) -> None:
    match node:
        case ast.Constant():
            if not _DECIMAL.fullmatch(decimal(node, text)):
                raise ExpressionError(f"{ast.unparse(node)} is no plain decimal number")
        case ast.Name():
            if node.id not in names:
                raise ExpressionError(f"unknown name {node.id!r}; known are {', '.join(sorted(names))}")
        case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
            _check(node.operand, text, names, functions)
        case ast.BinOp() if isinstance(node.op, _OPERATORS):
            if isinstance(node.op, ast.Pow) and any(
                isinstance(inner, ast.Pow) for side in (node.left, node.right) for inner in ast.walk(side)
            ):
                raise ExpressionError("a power inside a power is refused: its size has no bound")
            _check(node.left, text, names, functions)
            _check(node.right, text, names, functions)
        case ast.Call(func=ast.Name(id=function), keywords=[]) if function in functions:
            if len(node.args) != functions[function]:
                raise ExpressionError(f"{function} takes {functions[function]} argument(s)")
            if function == "limit":
                if not (isinstance(node.args[1], ast.Name) and node.args[1].id == "t"):
                    raise ExpressionError("limit binds t: limit(f, t, point)")
                _check(node.args[0], text, names | {"t"}, functions)
                _check(node.args[2], text, names, functions)
            else:
                for argument in node.args:
                    _check(argument, text, names, functions)
        case ast.Call():
            raise ExpressionError(f"unknown call {ast.unparse(node)!r}; known are {', '.join(functions)}")
        case _:
            raise ExpressionError(f"{ast.unparse(node)!r} is outside the language of expressions")


def decimal(node: ast.Constant, text: str) -> str:
    """A number as it is written in ``text``: the text decides, not the float that Python made of it."""
    return ast.get_source_segment(text, node) or ""


def evaluate(text: str, x: Any = None) -> Any:
    """The exact value of an expression, as a SymPy object.

    Args:
        text: The expression.
        x: What ``x`` stands for (a SymPy object); None where the expression must not speak of it.

    Raises:
        ExpressionError: It is outside the language, or has no value (``1/x`` at 0).
    """
    import sympy  # costs 0.4 s: only here, never when cases are collected

    tree = check(text, with_x=x is not None)
    names = {"pi": sympy.pi, "E": sympy.E, "I": sympy.I, "oo": sympy.oo, "t": sympy.Symbol("t"), "x": x}
    value = _evaluate(tree, text, names)
    if value.has(sympy.nan, sympy.zoo):
        raise ExpressionError(f"{text!r} has no value at x = {x}")
    return value


def _evaluate(node: ast.expr, text: str, names: dict[str, Any]) -> Any:
    import sympy

    match node:
        case ast.Constant():
            return sympy.Rational(decimal(node, text))
        case ast.Name():
            return names[node.id]
        case ast.UnaryOp():
            value = _evaluate(node.operand, text, names)
            return -value if isinstance(node.op, ast.USub) else value
        case ast.BinOp():
            return _operate(node.op, _evaluate(node.left, text, names), _evaluate(node.right, text, names))
        case ast.Call(func=ast.Name(id=function)):
            arguments = [_evaluate(argument, text, names) for argument in node.args]
            if function == "first_digit":
                return first_digit(arguments[0])
            functions = {"sqrt": sympy.sqrt, "sin": sympy.sin, "abs": sympy.Abs, "limit": sympy.limit}
            return functions[function](*arguments)
    raise ExpressionError(f"{text!r} is outside the language of expressions")  # check() let through too much


def _operate(sign: ast.operator, left: Any, right: Any) -> Any:
    if type(sign) in FOUR:
        return FOUR[type(sign)](left, right)
    if right.is_number and not (right.is_real and abs(right) <= MAX_EXPONENT):
        raise ExpressionError(f"exponent {right} is not a real number of at most {MAX_EXPONENT}")
    return left**right


def first_digit(value: Any) -> Any:
    """The first non-zero digit of a real number's decimal notation; sign and leading zeros are passed over.

    Raises:
        ExpressionError: The number is zero, infinite or not real.
    """
    import sympy

    if not (value.is_real and value.is_finite) or value.is_zero:
        raise ExpressionError(f"{value} has no first non-zero digit")
    value = abs(value)
    # floor() is exact on rationals and raises its precision on the others, so 9.99... does not become 10.
    exponent = sympy.floor(sympy.log(value, 10).evalf(30))
    digit = sympy.floor(value / sympy.Integer(10) ** exponent)
    if digit == 0 or digit == 10:  # the logarithm was rounded across a power of ten
        digit = sympy.Integer(9) if digit == 0 else sympy.Integer(1)
    return digit
