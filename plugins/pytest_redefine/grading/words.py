"""Numbers in words: "minus thirty", "two hundred and fifty million", "four point five"."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from pytest_redefine.grading.tokens import Token
from pytest_redefine.grading.units import spelled
from pytest_redefine.grading.vocabulary import word_list

_UNITS: Final = {
    word: value
    for value, word in enumerate(
        word_list(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
            "sixteen seventeen eighteen nineteen"
        )
    )
}
_TENS: Final = {
    word: 10 * value
    for value, word in enumerate(word_list("twenty thirty forty fifty sixty seventy eighty ninety"), start=2)
} | {"fourty": 40}
SCALES: Final = {
    "hundred": 2, "thousand": 3, "lakh": 5, "million": 6, "crore": 7, "billion": 9, "trillion": 12,
    "quadrillion": 15, "quintillion": 18, "sextillion": 21, "septillion": 24, "octillion": 27, "nonillion": 30,
    "decillion": 33,
}  # fmt: skip
"""Word → power of ten."""
_FRACTIONS: Final = {"half": Decimal("0.5"), "quarter": Decimal("0.25"), "third": Decimal(1) / Decimal(3)}

STARTERS: Final = frozenset({*_UNITS, *_TENS, "half"})
"""Words that a number in words may begin with."""


def scale(word: str) -> int | None:
    """The power of ten of ``million``, ``millions`` ..., None for another word."""
    word = word.lower()
    power = SCALES.get(word)
    if power is None and word.endswith("s"):
        power = SCALES.get(word[:-1])
    return power


def read_words(tokens: Sequence[Token], at: int) -> tuple[Decimal, int] | None:
    """The number in words that begins at token ``at``, and the token after it.

    Returns:
        None where no number begins there.
    """
    start = at
    total = Decimal(0)
    current = Decimal(0)
    last = ""
    if _word(tokens, at) == "half":
        return _half(tokens, at + 1)
    while at < len(tokens) and at - start < 40:
        word = _word(tokens, at)
        if tokens[at].text == "," and last in SCALES and _word(tokens, at + 1) in _UNITS | _TENS:
            at += 1
            continue
        if word == "and" and last and _word(tokens, at + 1) in _UNITS | _TENS and last in SCALES:
            at += 1
            continue
        if tokens[at].text == "-" and _word(tokens, at + 1) in _UNITS and last in _TENS:
            at += 1
            continue
        if word in _UNITS:
            if last in _UNITS or (last in _TENS and not 0 < _UNITS[word] < 10):
                break
            current += _UNITS[word]
        elif word in _TENS:
            if last in _UNITS or last in _TENS:
                break
            current += _TENS[word]
        elif word in SCALES and last:
            power = Decimal(10) ** SCALES[word]
            if word == "hundred":
                current = (current or 1) * power
            else:
                # "million million": the second multiplies what is there
                total = total + current * power if current else (total or 1) * power
                current = Decimal(0)
        elif word == "point" and last and _word(tokens, at + 1) in _UNITS:
            digits, at = _point(tokens, at + 1)
            return total + current + Decimal(f"0.{digits}"), at
        else:
            break
        last = word
        at += 1
    if at == start:
        return None
    value = total + current
    half, after = and_a_half(tokens, at)
    return value + half, after


def _half(tokens: Sequence[Token], at: int) -> tuple[Decimal, int]:
    """After ``half``: ``a million``, ``a tesla``, ``of a second``, or nothing."""
    after = at + 1 if _word(tokens, at) == "of" else at
    if _word(tokens, after) in ("a", "an", "one"):
        power = scale(_word(tokens, after + 1))
        if power is not None:
            return Decimal("0.5") * Decimal(10) ** power, after + 2
        if is_half_of_something(tokens, at):
            return Decimal("0.5"), after + 1
    return Decimal("0.5"), at


def is_half_of_something(tokens: Sequence[Token], at: int) -> bool:
    """At the token after ``half``: ``a tesla``, ``of a million``, and not ``a loaf``."""
    if _word(tokens, at) == "of":
        at += 1
    if _word(tokens, at) not in ("a", "an", "one"):
        return False
    noun = tokens[at + 1].text if at + 1 < len(tokens) else ""
    return scale(noun) is not None or spelled(noun) is not None


def _point(tokens: Sequence[Token], at: int) -> tuple[str, int]:
    digits = ""
    while _word(tokens, at) in _UNITS and len(digits) < 20:
        digits += str(_UNITS[_word(tokens, at)] % 10)
        at += 1
    return digits, at


def and_a_half(tokens: Sequence[Token], at: int) -> tuple[Decimal, int]:
    """``and a half``: what it adds, and the token after it."""
    if _word(tokens, at) == "and" and _word(tokens, at + 1) in ("a", "one"):
        value = _FRACTIONS.get(_word(tokens, at + 2))
        if value is not None:
            return value, at + 3
    return Decimal(0), at


def _word(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].text.lower() if 0 <= at < len(tokens) and tokens[at].kind == "word" else ""
