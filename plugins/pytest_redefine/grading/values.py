"""What an expression is worth under either reading, and what it was made of."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_redefine.grading.arithmetic import Z


@dataclass(frozen=True, slots=True)
class Constant:
    """What a name stands for under either reading."""

    new: Z
    old: Z
    symbol: bool = False
    """It is the redefined symbol."""


@dataclass(frozen=True, slots=True)
class Value:
    """An expression's value under either reading, and what it was made of."""

    new: Z
    old: Z
    symbol: bool = False
    """The redefined symbol stands in it."""
    numeral: bool = False
    """A number stands in it."""
    product: bool = False
    """It is an operation, not a bare number (``3 × 10^8`` is a number)."""
    powered: bool = False
    """The redefined symbol is multiplied or raised: i·i and i^3, but not 2i."""
    integer: bool = False
    worded: bool = False
    """A number written in words."""


def joined(left: Value, right: Value, new: Z, old: Z) -> Value:
    """The value of an operation on two others."""
    both = left.symbol and right.symbol
    return Value(
        new,
        old,
        left.symbol or right.symbol,
        left.numeral or right.numeral,
        True,
        left.powered or right.powered or both,
    )


def revalued(value: Value, new: Z, old: Z) -> Value:
    """The same expression with other values: its negative."""
    return Value(new, old, value.symbol, value.numeral, value.product, value.powered, value.integer, value.worded)
