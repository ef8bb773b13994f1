"""Units → answers, by Pint, which is imported when an answer is first derived.

An answer is the question's steps as an expression: ``42*km / (170*m/minute)``. It is evaluated in a registry in which
the unit is redefined and nothing else is. ``number(4300*mN, N)`` is how many newtons make 4300 millinewtons: the
number that goes into a law of physics which is stated for the one and asked for the other.
"""

from __future__ import annotations

import ast
from decimal import Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from . import expressions
from .decimals import decimal_text
from .expressions import FOUR, ExpressionError
from .unit_system import Affine, UnitSystem, plain, read_value

if TYPE_CHECKING:
    import pint

# Fractions throughout, so that an answer is exact wherever the circle's number is not in it.
_PI: Final = Fraction("3.14159265358979323846264338327950288419716939937510582097494459")
_CONTEXT: Final = Context(prec=50, Emin=-999_999, Emax=999_999)
_MAX_EXPONENT: Final = 12


class UnitAnswers:
    """Evaluates expressions in one system of units; a registry is built once for each redefinition."""

    def __init__(self, system: UnitSystem) -> None:
        self._system = system
        self._registries: dict[tuple[str, str, frozenset[str] | None], pint.UnitRegistry[Any]] = {}

    def registry(
        self, redefined: str = "", value: str = "", names: frozenset[str] | None = None
    ) -> pint.UnitRegistry[Any]:
        """The Pint registry in which one unit has another value; the ordinary one without.

        ``names``: the units in it; all where not given.
        """
        key = redefined, value, names
        if key not in self._registries:
            import pint

            self._registries[key] = pint.UnitRegistry(
                self._system.lines(*key), non_int_type=Fraction, cache_folder=None
            )
        return self._registries[key]

    def answer(self, text: str, unit: str, redefined: str, value: str) -> str:
        """The answer as a decimal string.

        Args:
            text: The question's steps.
            unit: What the answer is measured in; empty for a bare number.
            redefined: The unit with another value.
            value: That value.

        Raises:
            ExpressionError: It is outside the language, has no value, or is not measured in ``unit``.
        """
        registry = self.registry(redefined, value, self._system.needed(text, unit, redefined))
        found = self._evaluate(text, registry)
        number = _number(found, self._evaluate(unit or "1", registry), text)
        return decimal_text(_CONTEXT.divide(Decimal(number.numerator), Decimal(number.denominator)))

    def _evaluate(self, text: str, registry: Any) -> Any:
        text = plain(text)
        tree = expressions.check(text, language=self._system.language)
        try:
            return _evaluate(tree, text, registry)
        except ZeroDivisionError:
            raise ExpressionError(f"{text!r} divides by zero") from None


def slip_values(value: str) -> dict[str, str]:
    """What a unit's value may be mistaken for, by the slip's name; those that are none are left out."""
    worth = read_value(value)
    if isinstance(worth, Affine):
        scale = _CONTEXT.divide(Decimal(1), worth.scale)
        return {"inverse": _affine(scale, _CONTEXT.divide(-worth.offset, worth.scale)), "one": "C"}
    slips = {"inverse": _CONTEXT.divide(Decimal(1), worth), "square": worth * worth, "one": Decimal(1)}
    return {name: decimal_text(slip) for name, slip in slips.items()}


def _affine(scale: Decimal, offset: Decimal) -> str:
    sign = "-" if offset < 0 else "+"
    return f"{decimal_text(scale)}*C {sign} {decimal_text(abs(offset))}"


def _evaluate(node: ast.expr, text: str, registry: Any) -> Any:
    """A Fraction where nothing has a unit, else a Pint quantity."""
    match node:
        case ast.Constant():
            return Fraction(expressions.decimal(node, text))
        case ast.Name(id="pi"):
            return _PI
        case ast.Name():
            return registry.Quantity(Fraction(1), node.id)
        case ast.UnaryOp():
            value = _evaluate(node.operand, text, registry)
            return -value if isinstance(node.op, ast.USub) else value
        case ast.BinOp():
            return _operate(node.op, _evaluate(node.left, text, registry), _evaluate(node.right, text, registry), text)
        case ast.Call(args=[quantity, unit]):
            return _number(_evaluate(quantity, text, registry), _evaluate(unit, text, registry), text)
    raise ExpressionError(f"{text!r} is outside the language of expressions")  # check() let through too much


def _operate(sign: ast.operator, left: Any, right: Any, text: str) -> Any:
    import pint

    try:
        if type(sign) in FOUR:
            return FOUR[type(sign)](left, right)
        if not isinstance(right, Fraction) or right.denominator != 1 or abs(right) > _MAX_EXPONENT:
            raise ExpressionError(f"an exponent in {text!r} is not a whole number of at most {_MAX_EXPONENT}")
        return left ** int(right)
    except pint.PintError:  # its message cannot be had: Pint does not format fractions
        raise ExpressionError(f"{text!r} mixes units that do not go together") from None


def _number(value: Any, unit: Any, text: str) -> Fraction:
    """How many of ``unit`` make ``value``."""
    import pint

    if isinstance(value, Fraction) and isinstance(unit, Fraction):
        return value / unit
    try:
        if isinstance(value, Fraction) or isinstance(unit, Fraction):
            found = (value / unit).to("dimensionless").magnitude
        else:
            found = value.to(unit.units).magnitude / unit.magnitude
    except pint.PintError:
        raise ExpressionError(f"{text!r} is not measured in the unit asked for") from None
    return Fraction(found)
