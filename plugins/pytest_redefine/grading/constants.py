"""The names a reply may use for constants, and what they are worth when one of them is redefined."""

from __future__ import annotations

import re
from decimal import Decimal, localcontext
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from pytest_redefine.grading import arithmetic as ar
from pytest_redefine.grading.arithmetic import Z
from pytest_redefine.grading.normalise import normalise
from pytest_redefine.grading.reader import Reader
from pytest_redefine.grading.tokens import tokenise
from pytest_redefine.grading.values import Constant

# The values the benchmark takes for the ordinary ones: exact for mathematics, Table 1 for physics.
_ORDINARY: Final = MappingProxyType(
    {
        "pi": "3.141592653589793238462643383279502884197",
        "phi": "1.618033988749894848204586834365638117720",
        "e": "2.718281828459045235360287471352662497757",
        "c": "299792458",
        "G": "6.674e-11",
        "h": "6.626e-34",
        "q_e": "1.602e-19",
        "N_A": "6.022e23",
        "k_B": "1.380649e-23",
        "R": "8.314",
        "epsilon_0": "8.854e-12",
    }
)
_NAMES: Final = MappingProxyType(
    {
        "pi": ("π", "pi"),
        "phi": ("φ", "phi"),
        "e": ("e",),
        "c": ("c",),
        "G": ("G",),
        "h": ("h",),
        "q_e": ("q_e", "qe", "e"),
        "N_A": ("N_A", "NA", "N_a"),
        "k_B": ("k_B", "k_b", "kB", "K_B", "k"),
        "R": ("R",),
        "i": ("i", "I", "j"),
        "sqrt2": ("√2",),
        "infinity": ("∞",),
        "epsilon_0": ("ε_0", "ε0", "epsilon_0", "epsilon0", "ε"),
        "zero": ("zero",),
    }
)
SPOKEN: Final = MappingProxyType(
    {
        "pi": ("pi",),
        "phi": ("phi", "golden ratio"),
        "e": ("euler's number",),
        "c": ("speed of light(?: in (?:a )?vacuum)?",),
        "G": ("gravitational constant",),
        "h": ("planck(?:'s)? constant",),
        "q_e": ("elementary charge",),
        "N_A": ("avogadro(?:'s)? (?:number|constant)",),
        "k_B": ("boltzmann(?:'s)? constant",),
        "R": ("gas constant",),
        "sqrt2": ("square root of (?:2|two)", r"√\s?\{?\(?2\)?\}?"),
        "infinity": ("infinity",),
        "epsilon_0": ("permittivity(?: of (?:free space|vacuum|the vacuum))?",),
        "zero": ("zero",),
        "i": ("imaginary unit",),
    }
)
"""What the constants are called in prose, as patterns."""
_ALWAYS: Final = ("pi", "phi", "e", "N_A", "k_B", "epsilon_0", "q_e")
_LETTERS: Final = ("c", "G", "R")


_DECIMAL: Final = re.compile(r"[+-]?(?:\d{1,400}\.?\d{0,400}|\.\d{1,400})(?:[eE][+-]?\d{1,5})?")


class Constants(NamedTuple):
    """Name → value under either reading."""

    names: MappingProxyType[str, Constant]
    root2: Constant | None
    symbol: str
    """The key of the redefined constant (``pi``), or the bare name of another symbol, or nothing."""


def symbol_key(symbol: str) -> str:
    """``π`` → ``pi``, ``ε₀`` → ``epsilon_0``; a name that is nobody's stays itself."""
    plain = normalise(symbol).text.strip()
    if plain in ("0", "zero"):
        return "zero"
    if plain in _NAMES:
        return plain
    compact = plain.replace("{", "").replace("}", "").replace("(", "").replace(")", "").replace(" ", "")
    if compact in ("sqrt2", "√2"):
        return "sqrt2"
    for key, names in _NAMES.items():
        if compact in names or compact.lower() in names:
            return key
    return compact


@lru_cache(maxsize=1024)
def constants(symbol: str, new: str, old: str, planck: bool) -> Constants:
    """Names a reply may use when ``symbol`` stands for ``new`` instead of ``old``.

    ``h`` is an hour unless the question is about Planck's constant (``planck``).
    """
    names: dict[str, Constant] = {}
    for key in (*_ALWAYS, *_LETTERS, *(("h",) if planck else ())):
        value = Z(Decimal(_ORDINARY[key]))
        for name in _NAMES[key]:
            if (name in ("e", "k", "ε") and key != "e") or name in ("kB", "NA"):
                continue  # too many other things are called so
            names[name] = Constant(value, value)
    for name in ("i", "I"):
        names[name] = Constant(ar.I, ar.I)
    key = symbol_key(symbol) if symbol else ""
    root2 = None
    if key:
        ordinary = reference(old or _ORDINARY.get(key, "nan")) or ar.NONE
        redefined = reference(new) or ar.NONE
        constant = Constant(redefined, ordinary, symbol=True)
        if key == "sqrt2":
            root2 = constant
        for name in _NAMES.get(key, (key,)):
            names[name] = constant
    return Constants(MappingProxyType(names), root2, key)


@lru_cache(maxsize=8192)
def reference(text: str) -> Z | None:
    """The value of a reference (``1500``, ``-4.14e-34``, ``0+1.5*I``, ``oo``, ``sqrt(-2)``), None where it has none."""
    text = text.strip()
    if text.lower() in ("oo", "+oo", "inf", "infinity", "∞", "zoo"):
        return ar.INFINITE
    if text.lower() in ("-oo", "-inf", "-infinity"):
        return ar.negate(ar.INFINITE)
    if _DECIMAL.fullmatch(text):
        return Z(Decimal(text))
    with localcontext(ar.context()):
        imaginary = Constant(ar.I, ar.I)
        tokens = tokenise(normalise(text).text)
        names = {name: Constant(Z(Decimal(v)), Z(Decimal(v))) for name, v in _ORDINARY.items()}
        read = Reader(tokens, {**names, "I": imaginary, "i": imaginary, "j": imaginary}).read(0)
    if read is None or read[1] != len(tokens):
        return None
    return read[0].new
