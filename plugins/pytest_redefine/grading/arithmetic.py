"""Complex numbers of Decimals: exact where answers are (1e-34, 1e24), bounded where text is hostile."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Final, NamedTuple

MAX_ADJUSTED: Final = 20_000
"""Magnitudes beyond 10**±MAX_ADJUSTED are not read."""
MAX_POWER: Final = 6_000
"""Exponents beyond ±MAX_POWER are not read."""

ZERO: Final = Decimal(0)
ONE: Final = Decimal(1)
HALF: Final = Decimal("0.5")
THIRD: Final = Decimal(1) / Decimal(3)


class UnreadableError(ValueError):
    """An expression that has no value within the bounds."""


class Z(NamedTuple):
    """A complex number."""

    re: Decimal
    im: Decimal = ZERO


INFINITE: Final = Z(Decimal("Infinity"))
NONE: Final = Z(Decimal("NaN"))
"""No value under this reading."""
I: Final = Z(ZERO, ONE)  # noqa: E741 -- it is the imaginary unit


def context() -> Context:
    """40 digits, and no signals: what does not fit is found by looking at the result."""
    return Context(prec=40, rounding=ROUND_HALF_EVEN, Emin=-999_999, Emax=999_999, traps=[])


def finite(z: Z) -> bool:
    return z.re.is_finite() and z.im.is_finite()


def checked(z: Z, *operands: Z) -> Z:
    """``z``, if it is within the bounds or infinite for the reason that an operand is.

    Raises:
        UnreadableError: Otherwise.
    """
    if finite(z):
        # 1/∞ is a zero whose exponent is at its limit.
        if (z.re and abs(z.re.adjusted()) > MAX_ADJUSTED) or (z.im and abs(z.im.adjusted()) > MAX_ADJUSTED):
            raise UnreadableError("out of bounds")
        return z
    if all(finite(operand) for operand in operands):
        raise UnreadableError("out of bounds")
    return z


def add(a: Z, b: Z) -> Z:
    return checked(Z(a.re + b.re, a.im + b.im), a, b)


def negate(a: Z) -> Z:
    return Z(-a.re, -a.im if a.im else a.im)


def multiply(a: Z, b: Z) -> Z:
    if not a.im and not b.im:
        return checked(Z(a.re * b.re), a, b)
    return checked(Z(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re), a, b)


def divide(a: Z, b: Z) -> Z:
    if not b.im:
        return checked(Z(a.re / b.re, a.im / b.re if a.im else ZERO), a, b)
    norm = b.re * b.re + b.im * b.im
    return checked(Z((a.re * b.re + a.im * b.im) / norm, (a.im * b.re - a.re * b.im) / norm), a, b)


def modulus(a: Z) -> Decimal:
    if not a.im:
        return abs(a.re)
    return (a.re * a.re + a.im * a.im).sqrt()


def square_root(a: Z) -> Z:
    """The principal root."""
    if not a.im:
        return Z(a.re.sqrt()) if not a.re < 0 else Z(ZERO, (-a.re).sqrt())
    r = modulus(a)
    im = ((r - a.re) / 2).sqrt()
    return checked(Z(((r + a.re) / 2).sqrt(), im.copy_sign(a.im)), a)


def power(a: Z, b: Z) -> Z:
    """``a ** b`` for a real exponent.

    Raises:
        UnreadableError: A complex or too large exponent, or a result out of bounds.
    """
    if b.im:
        raise UnreadableError("complex exponent")
    n = b.re
    if not n.is_finite():
        raise UnreadableError("infinite exponent")
    if abs(n) > MAX_POWER:
        raise UnreadableError("exponent out of bounds")
    if n == HALF:
        return square_root(a)
    whole = n == n.to_integral_value()
    if not a.im:
        if a.re == 0 and n == 0:
            return Z(ONE)
        if a.re < 0 and not whole:
            raise UnreadableError("root of a negative number")
        return checked(Z(a.re**n), a)
    if not whole or abs(n) > 64:
        raise UnreadableError("power of a complex number")
    result = Z(ONE)
    for _ in range(abs(int(n))):
        result = multiply(result, a)
    return divide(Z(ONE), result) if n < 0 else result


def text(z: Z) -> str:
    """As records write values: a decimal string, ``a+b*I``, ``oo``, ``-oo``."""
    if z.re.is_nan() or z.im.is_nan():
        return "nan"
    if z.re.is_infinite():
        return "oo" if z.re > 0 else "-oo"
    real = decimal_text(z.re)
    if not z.im:
        return real
    imaginary = decimal_text(abs(z.im))
    return f"{real}{'-' if z.im < 0 else '+'}{imaginary}*I"


def decimal_text(value: Decimal) -> str:
    """At most 15 significant digits, positional where that is short."""
    short = Context(prec=15).plus(value)
    if short == 0:
        return "0"
    short = short.normalize(Context(prec=15))
    if -5 <= short.adjusted() <= 15:
        return format(short, "f")
    mantissa, _, exponent = format(short, "e").partition("e")
    if not exponent:
        return mantissa
    return f"{mantissa}e{int(exponent)}"
