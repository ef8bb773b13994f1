"""Every answer about units once more, in fractions, from numbers and formulas written independently of the data files.

``r`` is how many derived units make one; of kelvin it is the map from degrees Celsius. No Pint, no registry: a formula
says by hand what the unit's value does to the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

F = Fraction

PI = F("3.14159265358979323846264338327950288419716939937510")

# Table 4, retyped: ordinary value, then ra1, ra2, ra3.
LEVELS: dict[str, tuple[Any, ...]] = {
    "min": (F(60), F(100), F("5e8"), F(-50)),
    "kg": (F(1000), F(900), F("1e-14"), F(-100)),
    "m": (F(100), F(60), F("3e10"), F(-200)),
    "K": (
        lambda c: c + F("273.15"),
        lambda c: c + 300,
        lambda c: c + 1,
        lambda c: 100 * c + 500,
    ),
    "mL": (F(1), F(2), F(10_000), F(-10)),
    "cal": (F("4.184"), F(9), F(1500), F(-5)),
    "atm": (F(101_325), F(215_000), F("0.55"), F(-5000)),
    "V": (F(1000), F(500), F(4 * 10**9), F(-10)),
    "MHz": (F(10**6), F(10**5), F(2), F(-1000)),
    "N": (F(1000), F(900), F(2 * 10**15), F(-3000)),
    "kW": (F(1000), F(1500), F(5, 100_000), F(-30)),
    "T": (F(1000), F(600), F(10**23), F(-90)),
    "ha": (F(10_000), F(10_500), F(3, 10_000), F(-25)),
    "lx": (F(1), F(1, 2), F(1000), F(-19)),
    "ly": (F(9461 * 10**9), F(9461 * 10**6), F(1, 100), F(-2 * 10**12)),
    "B": (F(8), F(10), F(6 * 10**8), F(-4)),
}

_Formula = Callable[[Any], Any]
FORMULAS: dict[str, tuple[_Formula, _Formula, _Formula]] = {
    "min": (lambda r: 2 * r, lambda r: F(7, 2) * r, lambda r: F(42_000, 170) * r),
    "kg": (lambda r: 2 * r, lambda r: 72 * r, lambda r: F("97.5") * r),
    "m": (lambda r: 2 * r, lambda r: 400 * r / PI, lambda r: 1500 * r * r),
    "K": (lambda r: r(F(0)), lambda r: r(F(100)), lambda r: r(F(14))),
    "mL": (lambda r: 1 / r, lambda r: 1250 * r, lambda r: F(4000, 3) * PI / r),
    "cal": (lambda r: 3 * r, lambda r: 200 / r, lambda r: 408_000 / r),
    "atm": (lambda r: 2 * r, lambda r: 152_300 / r, lambda r: 300_000 / r),
    "V": (lambda r: 5 * r, lambda r: 30_000 / r, lambda r: 5000 / r),
    "MHz": (lambda r: 2 * r, lambda r: 1 / (4 * r), lambda r: 5 * 10**7 / r),
    "N": (lambda r: 2 * r, lambda r: 24 * r, lambda r: 430 / r),
    "kW": (lambda r: 2 * r, lambda r: 900 / r, lambda r: 3600 * r),
    "T": (lambda r: 3 * r, lambda r: 300 / r, lambda r: 720 / r),
    "ha": (lambda r: 2 * r, lambda r: 86_000 / r, lambda r: 52_500 / r),
    "lx": (lambda r: 4 / r, lambda r: 6 * r, lambda r: 3 / PI / r),
    "ly": (lambda r: 2 * r, lambda r: 23 * r, lambda r: r / 2_000_000),
    "B": (lambda r: 3 * r, lambda r: 8000 / r, lambda r: 480_000_000 * r),
}


def answer(key: str, level: str, question: str) -> Fraction:
    """The answer under a level."""
    value = LEVELS[key][0 if level == "nr" else int(level[2])]
    return F(FORMULAS[key][int(question[1]) - 1](value))


def same(text: str, wanted: Fraction) -> bool:
    """Whether a decimal string is ``wanted`` to twelve significant digits."""
    return abs(F(text) - wanted) <= F(1, 10**12) * abs(wanted)
