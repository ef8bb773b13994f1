"""Units: the table of them, and what their spellings mean.

Every unit is defined apart, from base units of our own, so that a redefinition moves that unit and no relative of it:
with 1 min = 100 s an hour stays 3600 s, and 1 kg = 900 g leaves the joule alone. Pint only ever sees names from this
table, never a model's text.
"""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from pytest_redefine.grading.vocabulary import words

# name: definition over the base units, symbols, words (singular), whether prefixes apply
TABLE: Final[tuple[tuple[str, str, str, str, bool], ...]] = (
    ("second", "xs", "s", "second sec", True),
    ("minute", "60 * xs", "min", "minute", False),
    ("hour", "3600 * xs", "h hr", "hour", False),
    ("day", "86400 * xs", "d", "day", False),
    ("week", "604800 * xs", "wk", "week", False),
    ("year", "31557600 * xs", "yr", "year annum", False),
    ("metre", "xm", "m", "metre meter", True),
    ("micron", "1e-6 * xm", "", "micron", False),
    ("angstrom", "1e-10 * xm", "Å", "angstrom", False),
    ("inch", "0.0254 * xm", "", "inch inche", False),
    ("foot", "0.3048 * xm", "ft", "foot feet", False),
    ("yard", "0.9144 * xm", "yd", "yard", False),
    ("mile", "1609.344 * xm", "mi", "mile", False),
    ("light_year", "9.461e15 * xm", "ly", "lightyear light_year", False),
    ("parsec", "3.0857e16 * xm", "pc", "parsec", True),
    ("astronomical_unit", "1.495978707e11 * xm", "au AU", "astronomical_unit", False),
    ("gram", "xg", "g gr", "gram gramme", True),
    ("tonne", "1e6 * xg", "t", "tonne ton", True),
    ("pound", "453.59237 * xg", "lb lbs", "pound", False),
    ("ounce", "28.349523125 * xg", "oz", "ounce", False),
    ("litre", "1e-3 * xm**3", "L l ℓ", "litre liter", True),
    ("cubic_centimetre", "1e-6 * xm**3", "cc ccm", "", False),
    ("gallon", "3.785411784e-3 * xm**3", "gal", "gallon", False),
    ("hectare", "1e4 * xm**2", "ha", "hectare", False),
    ("are", "100 * xm**2", "", "", False),
    ("acre", "4046.8564224 * xm**2", "ac", "acre", False),
    ("joule", "1e3 * xg * xm**2 / xs**2", "J", "joule", True),
    ("calorie", "4184 * xg * xm**2 / xs**2", "cal", "calorie", True),
    ("electronvolt", "1.602e-16 * xg * xm**2 / xs**2", "eV", "electronvolt electron_volt", True),
    ("erg", "1e-4 * xg * xm**2 / xs**2", "erg", "erg", False),
    ("british_thermal_unit", "1055056 * xg * xm**2 / xs**2", "BTU Btu", "", False),
    ("watt", "1e3 * xg * xm**2 / xs**3", "W", "watt", True),
    ("horsepower", "745699.872 * xg * xm**2 / xs**3", "hp", "horsepower", False),
    ("pascal", "1e3 * xg / xm / xs**2", "Pa", "pascal", True),
    ("bar", "1e8 * xg / xm / xs**2", "bar", "bar", True),
    ("atmosphere", "101325e3 * xg / xm / xs**2", "atm", "atmosphere", False),
    ("torr", "133322.368 * xg / xm / xs**2", "Torr torr mmHg", "torr", False),
    ("psi", "6894757.293 * xg / xm / xs**2", "psi", "psi", False),
    ("newton", "1e3 * xg * xm / xs**2", "N", "newton", True),
    ("dyne", "1e-2 * xg * xm / xs**2", "dyn", "dyne", False),
    ("pound_force", "4448.22162 * xg * xm / xs**2", "lbf", "", False),
    ("hertz", "1 / xs", "Hz", "hertz", True),
    ("ampere", "xA", "A", "ampere amp", True),
    ("coulomb", "xA * xs", "C", "coulomb", True),
    ("volt", "1e3 * xg * xm**2 / xs**3 / xA", "V", "volt", True),
    ("ohm", "1e3 * xg * xm**2 / xs**3 / xA**2", "Ω Ohm", "ohm", True),
    ("siemens", "1e-3 * xs**3 * xA**2 / xg / xm**2", "S", "siemens", True),
    ("farad", "1e-3 * xs**4 * xA**2 / xg / xm**2", "F", "farad", True),
    ("henry", "1e3 * xg * xm**2 / xs**2 / xA**2", "H", "henry henrie", True),
    ("weber", "1e3 * xg * xm**2 / xs**2 / xA", "Wb", "weber", True),
    ("tesla", "1e3 * xg / xs**2 / xA", "T", "tesla", True),
    ("gauss", "1e-1 * xg / xs**2 / xA", "Gs", "gauss", True),
    ("kelvin", "xK", "K °K", "kelvin", True),
    ("degree_celsius", "xK; offset: 273.15", "°C degC ℃", "celsius", False),
    ("degree_fahrenheit", "0.5555555555555555555555555555555555555556 * xK; "
     "offset: 255.3722222222222222222222222222222222222", "°F degF", "fahrenheit", False),
    ("mole", "xmol", "mol", "mole mol", True),
    ("candela", "xcd", "cd", "candela", True),
    ("lumen", "xcd", "lm", "lumen", True),
    ("lux", "xcd / xm**2", "lx", "lux luxe", True),
    ("bit", "xbit", "b bit bits", "bit", True),
    ("byte", "8 * xbit", "B byte bytes", "byte", True),
    ("kibibit", "1024 * xbit", "Kib Kibit", "kibibit", False),
    ("mebibit", "1048576 * xbit", "Mib Mibit", "mebibit", False),
    ("gibibit", "1073741824 * xbit", "Gib Gibit", "gibibit", False),
    ("kibibyte", "8192 * xbit", "KiB kiB", "kibibyte", False),
    ("mebibyte", "8388608 * xbit", "MiB", "mebibyte", False),
    ("gibibyte", "8589934592 * xbit", "GiB", "gibibyte", False),
    ("radian", "1", "rad", "radian", True),
    ("degree", "0.01745329251994329576923690768488612713443", "° deg", "degree", False),
)  # fmt: skip
BASES: Final = (
    "xs = [time]", "xm = [length]", "xg = [mass]", "xA = [current]", "xK = [temperature]",
    "xmol = [substance]", "xcd = [luminous_flux]", "xbit = [information]",
)  # fmt: skip
_PREFIXES: Final = MappingProxyType({
    "Q": 30, "R": 27, "Y": 24, "Z": 21, "E": 18, "P": 15, "T": 12, "G": 9, "M": 6, "k": 3, "K": 3, "h": 2, "da": 1,
    "d": -1, "c": -2, "m": -3, "μ": -6, "u": -6, "n": -9, "p": -12, "f": -15, "a": -18, "z": -21, "y": -24,
})  # fmt: skip
_PREFIX_WORDS: Final = MappingProxyType({
    "yotta": 24, "zetta": 21, "exa": 18, "peta": 15, "tera": 12, "giga": 9, "mega": 6, "kilo": 3, "hecto": 2,
    "deca": 1, "deci": -1, "centi": -2, "milli": -3, "micro": -6, "nano": -9, "pico": -12, "femto": -15,
    "atto": -18, "zepto": -21, "yocto": -24,
})  # fmt: skip
# Joined without a sign between, and lower-case spellings that people write
_COMPOUNDS: Final = MappingProxyType({
    "Wh": ((0, "watt", 1), (0, "hour", 1)), "kWh": ((3, "watt", 1), (0, "hour", 1)),
    "kwh": ((3, "watt", 1), (0, "hour", 1)), "KWh": ((3, "watt", 1), (0, "hour", 1)),
    "KWH": ((3, "watt", 1), (0, "hour", 1)), "MWh": ((6, "watt", 1), (0, "hour", 1)),
    "GWh": ((9, "watt", 1), (0, "hour", 1)), "mWh": ((-3, "watt", 1), (0, "hour", 1)),
    "μWh": ((-6, "watt", 1), (0, "hour", 1)), "TWh": ((12, "watt", 1), (0, "hour", 1)),
    "wh": ((0, "watt", 1), (0, "hour", 1)), "WH": ((0, "watt", 1), (0, "hour", 1)),
    "Js": ((0, "joule", 1), (0, "second", 1)), "Nm": ((0, "newton", 1), (0, "metre", 1)),
    "Ns": ((0, "newton", 1), (0, "second", 1)), "Vs": ((0, "volt", 1), (0, "second", 1)),
    "mps": ((0, "metre", 1), (0, "second", -1)), "kph": ((3, "metre", 1), (0, "hour", -1)),
    "kmh": ((3, "metre", 1), (0, "hour", -1)), "mph": ((0, "mile", 1), (0, "hour", -1)),
    "sqkm": ((3, "metre", 2),), "sqm": ((0, "metre", 2),), "ccs": ((0, "cubic_centimetre", 1),),
    "Mhz": ((6, "hertz", 1),), "mhz": ((6, "hertz", 1),), "MHZ": ((6, "hertz", 1),), "hz": ((0, "hertz", 1),),
    "HZ": ((0, "hertz", 1),), "khz": ((3, "hertz", 1),), "ghz": ((9, "hertz", 1),), "kw": ((3, "watt", 1),),
    "KW": ((3, "watt", 1),), "kpa": ((3, "pascal", 1),), "KPa": ((3, "pascal", 1),), "pa": ((0, "pascal", 1),),
    "kj": ((3, "joule", 1),), "KM": ((3, "metre", 1),), "ev": ((0, "electronvolt", 1),),
    "kg": ((3, "gram", 1),), "KG": ((3, "gram", 1),), "Kg": ((3, "gram", 1),),
    "ml": ((-3, "litre", 1),), "ATM": ((0, "atmosphere", 1),), "kms": ((3, "metre", 1),),
    "kgs": ((3, "gram", 1),), "grs": ((0, "gram", 1),), "secs": ((0, "second", 1),), "mins": ((0, "minute", 1),),
    "hrs": ((0, "hour", 1),), "kilo": ((3, "gram", 1),), "kilos": ((3, "gram", 1),), "Bytes": ((0, "byte", 1),),
    "kcal": ((3, "calorie", 1),), "Kcal": ((3, "calorie", 1),), "mls": ((-3, "litre", 1),),
    "watthour": ((0, "watt", 1), (0, "hour", 1)), "kilowatthour": ((3, "watt", 1), (0, "hour", 1)),
})  # fmt: skip
_ENGLISH: Final = words(
    "a am an as at are be by do do d in is it of on or so to us we he me my no if go the pm mas has had "
    "can may gas "
    "had ad T's per and fat cat hat pat"
)
"""Words of the language first: ``at`` is no attotonne."""

Factor = tuple[int, str, int]
"""Power of ten of the prefix, unit, power."""


class Unit(NamedTuple):
    """A unit as written: a product of prefixed units with powers."""

    factors: tuple[Factor, ...]
    loose: tuple[Factor, ...] = ()
    """The other reading of ``J/mol·K``: everything after the stroke below it."""


@lru_cache(maxsize=1)
def _spellings() -> tuple[MappingProxyType[str, tuple[str, bool]], MappingProxyType[str, tuple[str, bool]]]:
    symbols: dict[str, tuple[str, bool]] = {}
    full: dict[str, tuple[str, bool]] = {}
    for name, _, symbol_list, word_list, prefixable in TABLE:
        symbols.update(dict.fromkeys(symbol_list.split(), (name, prefixable)))
        full.update(dict.fromkeys(word_list.split(), (name, prefixable)))
    return MappingProxyType(symbols), MappingProxyType(full)


@lru_cache(maxsize=4096)
def spelled(word: str) -> tuple[Factor, ...] | None:
    """What a word or a symbol means as a unit, None where it is none."""
    if word in _ENGLISH or len(word) > 32:
        return None
    if word in _COMPOUNDS:
        return _COMPOUNDS[word]
    symbols, full = _spellings()
    if word in symbols:
        return ((0, symbols[word][0], 1),)
    for cut in (1, 2):
        found = symbols.get(word[cut:])
        if found is not None and found[1] and word[:cut] in _PREFIXES:
            return ((_PREFIXES[word[:cut]], found[0], 1),)
    return _spelled_word(word.lower(), full)


def _spelled_word(word: str, full: MappingProxyType[str, tuple[str, bool]]) -> tuple[Factor, ...] | None:
    if len(word) < 3 or word in _ENGLISH:
        return None
    for form in (word, word[:-1] if word.endswith("s") else word):
        if form in full:
            return ((0, full[form][0], 1),)
        for prefix, power in _PREFIX_WORDS.items():
            if form.startswith(prefix):
                found = full.get(form[len(prefix) :])
                if found is not None and found[1]:
                    return ((power, found[0], 1),)
        if form in _COMPOUNDS and len(form) > 5:
            return _COMPOUNDS[form]
    return None
