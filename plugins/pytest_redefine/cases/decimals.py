"""Answers as decimal strings: ``1500``, ``-4.14e-34``, ``0+1.5*I``, ``oo``. No SymPy."""

from __future__ import annotations

import re
from decimal import Context, Decimal
from typing import Final

DIGITS: Final = 15
"""Significant digits of an answer."""

_CONTEXT: Final = Context(prec=60, Emin=-999_999, Emax=999_999)
_NUMBER: Final = r"\d+(?:\.\d+)?(?:e-?\d+)?"
_VALUE: Final = re.compile(rf"(?P<re>-?{_NUMBER})(?:(?P<im>[+-]{_NUMBER})\*I)?", re.ASCII)
_INFINITE: Final = ("oo", "-oo")


def decimal_text(value: Decimal) -> str:
    """A number with at most :data:`DIGITS` significant digits, in the notation of the records."""
    rounded = Context(prec=DIGITS, Emin=-999_999, Emax=999_999).plus(value)
    if not rounded:
        return "0"
    rounded = rounded.normalize()
    exponent = rounded.adjusted()
    if -5 <= exponent < DIGITS:
        return f"{rounded:f}"
    mantissa = rounded.scaleb(-exponent, _CONTEXT)
    return f"{mantissa:f}e{exponent}"


def complex_text(real: Decimal, imaginary: Decimal) -> str:
    """``a+b*I``; ``a`` alone where the number is real."""
    if not imaginary:
        return decimal_text(real)
    sign = "-" if imaginary < 0 else "+"
    return f"{decimal_text(real)}{sign}{decimal_text(abs(imaginary))}*I"


def parse(text: str) -> tuple[Decimal, Decimal] | None:
    """Real and imaginary part of a decimal string; None for an infinite one.

    Raises:
        ValueError: It is not in the notation of this module.
    """
    if text in _INFINITE:
        return None
    found = _VALUE.fullmatch(text)
    if not found:
        raise ValueError(f"{text!r} is no decimal string")
    return Decimal(found["re"]), Decimal(found["im"] or 0)


def negated(text: str) -> str:
    """The same with the other sign."""
    if text in _INFINITE:
        return "oo" if text == "-oo" else "-oo"
    real, imaginary = _finite(text)
    return complex_text(-real, -imaginary)


def shifted(text: str, places: int) -> str:
    """The same times ten to the power of ``places``; an infinite one stays."""
    if text in _INFINITE:
        return text
    real, imaginary = (part.scaleb(places, _CONTEXT) for part in _finite(text))
    return complex_text(real, imaginary)


def is_infinite(text: str) -> bool:
    """Whether a decimal string stands for no finite number."""
    return text in _INFINITE


def is_negative(text: str) -> bool:
    """Whether a real decimal string has a minus sign; a complex one has none that could be told."""
    return text.startswith("-") and not text.endswith("*I")


def roundness(text: str, digits: int = 4) -> int:
    """How many of the first few significant digits a finite number needs: one for 3000, four for 0.9549."""
    rounding = Context(prec=digits, Emin=-999_999, Emax=999_999)
    return max(len(rounding.plus(part).normalize(rounding).as_tuple().digits) for part in _finite(text))


def _finite(text: str) -> tuple[Decimal, Decimal]:
    parts = parse(text)
    assert parts is not None
    return parts


def within(first: str, second: str, tolerance: float) -> bool:
    """Whether two decimal strings lie within a relative tolerance of each other; zero only of zero."""
    one, other = parse(first), parse(second)
    if one is None or other is None:
        return first == second
    size = max(_magnitude(one), _magnitude(other))
    apart = _CONTEXT.subtract(one[0], other[0]), _CONTEXT.subtract(one[1], other[1])
    return _magnitude(apart) <= _CONTEXT.multiply(Decimal(str(tolerance)), size)


def _magnitude(value: tuple[Decimal, Decimal]) -> Decimal:
    squares = (_CONTEXT.multiply(part, part) for part in value)
    return _CONTEXT.add(*squares).sqrt(_CONTEXT)
