"""The values that stand in a text: expressions with their units, and words for what has no value."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from pytest_redefine.cases.truth import Truth
from pytest_redefine.grading import arithmetic as ar
from pytest_redefine.grading.compare import Part, Readings, References, Verdict, judge, readings
from pytest_redefine.grading.constants import constants
from pytest_redefine.grading.conversion import conversion
from pytest_redefine.grading.dress import FRACTION
from pytest_redefine.grading.normalise import Plain
from pytest_redefine.grading.reader import Reader
from pytest_redefine.grading.tokens import Token, tokenise
from pytest_redefine.grading.unit_reader import read_unit
from pytest_redefine.grading.units import Unit, spelled
from pytest_redefine.grading.values import Value
from pytest_redefine.grading.vocabulary import words
from pytest_redefine.grading.words import STARTERS, is_half_of_something, scale

INFINITE_WORDS: Final = re.compile(
    r"(?P<minus>(?:-|minus |negative )\s?)?\b(?:infinit(?:y|e|ely)\b|oo\b|unbounded|undefined|indeterminate|"
    r"limitless|"
    r"boundless|endless|nan\b|"
    r"(?:no|without(?: a)?|(?:not|\w{2,5}n't|never) have (?:a|an|any)|not (?:have )?(?:a|an)?|isn't an?|not have) ?"
    r"(?:(?:finite|specific|numerical|numeric|definite|single|real|fixed|actual|particular|exact|defined|"
    r"set|true|"
    r"concrete|ordinary|standard|assigned)[, ]{1,2}){0,3}"
    r"(?:value|number|limit|bounds?|finite|bounded|defined|quantifiable|end)\b|does(?: not|n't) exist|"
    r"can(?:not|'t) be (?:assigned|given|expressed as|represented (?:as|by)) a (?:\w+ ){0,2}(?:value|"
    r"number))",
    re.IGNORECASE,
)
_LABELS: Final = words(
    "step steps part question option options note example figure table equation eq case method level q "
    "problem "
    "item line chapter section choice no answer page version reason point"
) - {"answer", "point", "no"}
_ORDINALS: Final = ("st", "nd", "rd", "th")
MAX_ITEMS: Final = 700
"""Values of one stretch of text; an ordinary chain of thought has 50."""
_OPERATORS: Final = ("+", "-", "*", "/", "^")
_STARTS: Final = ("(", "{", "√", "∛", "∞", "-", "+", FRACTION)


@dataclass(frozen=True, slots=True)
class Item:
    """A value in the text."""

    start: int
    end: int
    first: int
    after: int
    """Its tokens, [first, after)."""
    parts: tuple[Part, ...]
    value: Value

    @property
    def unit(self) -> Unit | None:
        return self.parts[0].unit


class Scanner:
    """Finds the values of one reply and judges them; its reader's step budget is the whole reply's."""

    def __init__(self, plain: Plain, truth: Truth, refs: References) -> None:
        self.plain = plain
        self.text = plain.text
        self.truth = truth
        self.refs = refs
        self.tokens: list[Token] = tokenise(plain.text)
        names = constants(truth.symbol, truth.symbol_value, truth.symbol_default, "planck" in truth.prompt.lower())
        self.symbol = names.symbol
        self.names = names.names
        self.reader = Reader(self.tokens, names.names, names.root2)
        self._verdicts: dict[tuple[int, int], Verdict] = {}
        self._items: dict[tuple[int, bool], Item | None] = {}
        self._formulas: dict[int, int] = {}

    @cached_property
    def _starts(self) -> list[int]:
        return [token.start for token in self.tokens]

    def token_at(self, offset: int) -> int:
        """The first token that begins at or after ``offset``."""
        return bisect_left(self._starts, offset)

    def verdict(self, item: Item) -> Verdict:
        found = self._verdicts.get((item.start, item.end))
        if found is None:
            imaginary = self.symbol == "i" and item.value.symbol and not item.value.powered
            symbol = item.value.symbol
            found = judge(self.readings(item), self.refs, imaginary=imaginary, symbol=symbol)
            self._verdicts[item.start, item.end] = found
        return found

    def readings(self, item: Item) -> Readings:
        return readings(item.parts, self.truth)

    def is_digit(self, item: Item) -> bool:
        value = item.value.new
        return not value.im and value.re == value.re.to_integral_value() and abs(value.re) < 10

    def items(self, first: int, last: int, *, bare: bool = False, most: int = MAX_ITEMS) -> list[Item]:
        """Values in tokens [first, last), from left to right, ``most`` at most."""
        found: list[Item] = []
        at = first
        while at < last and len(found) < most and not self.reader.exhausted:
            if not self._may_start(at, bare):
                at += 1
                continue
            item = self.item(at, bare=bare)
            if item is None:
                at = self._skip(at)
                continue
            if item.after > last:
                break
            found.append(item)
            at = item.after
        return found

    def _skip(self, at: int) -> int:
        """Past what was no value: a run of opening brackets is not read again from each of them."""
        if at in self._formulas:
            return max(at + 1, self._past_formula(self._formulas[at]))
        if self.tokens[at].text in ("(", "{", "-", "+", "√"):
            start = at
            while at < len(self.tokens) and self.tokens[at].text in ("(", "{", "-", "+", "√"):
                at += 1
            return at if at - start > 8 else start + 1
        return at + 1

    def _may_start(self, at: int, bare: bool) -> bool:
        tokens = self.tokens
        token = tokens[at]
        before = tokens[at - 1] if at else None
        touching = before is not None and before.end == token.start
        if token.kind == "num":
            return not self._is_label(at, before, touching)
        if token.text in ("-", "+"):
            following = tokens[at + 1] if at + 1 < len(tokens) else None
            if following is None or (touching and before is not None and before.kind != "op"):
                return False
            bullet = (before is None or before.text == "\n") and following.start > token.end
            return not bullet
        if token.text in _STARTS:
            return True
        if token.kind != "word":
            return False
        word = token.text.lower()
        if word in STARTERS:
            hyphenated = touching and before is not None and before.text == "-"  # "non-zero"
            scaled = at + 1 < len(tokens) and scale(tokens[at + 1].text) is not None
            if word == "half" and is_half_of_something(tokens, at + 1):
                return not hyphenated
            return not hyphenated and (bare or scaled or word not in ("one", "half"))
        if word in ("minus", "negative", "sqrt", "square", "cube", "squared"):
            return True
        if touching and before is not None and before.kind == "word":
            return False
        if token.text in self.names or (len(word) > 1 and word in self.names):
            single = len(token.text) == 1 and token.text.isascii()
            following_text = tokens[at + 1].text if at + 1 < len(tokens) else ""
            return bare or not single or following_text in ("^", "*", "/") or self._is_stated(at)
        return False

    def _is_label(self, at: int, before: Token | None, touching: bool) -> bool:
        tokens = self.tokens
        token = tokens[at]
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        if following is not None and following.start == token.end and following.text.lower() in _ORDINALS:
            return True
        if before is None or before.text == "\n":
            return (
                token.plain_int
                and len(token.text) <= 2
                and following is not None
                and following.text in (".", ")")
                and following.start == token.end
                and at + 2 < len(tokens)
                and tokens[at + 2].text != "\n"
            )
        if touching and (before.kind == "word" or before.text in ("_", "#")):
            return True
        if touching and before.text == "-" and at >= 2:
            earlier = tokens[at - 2]
            return earlier.end == before.start and earlier.kind == "word" and len(earlier.text) > 1
        return before.kind == "word" and before.text.lower() in _LABELS and token.plain_int

    def item(self, at: int, *, bare: bool = False) -> Item | None:
        """The value that begins at token ``at``; read once, however often it is looked at."""
        key = (at, bare)
        if key not in self._items:
            self._items[key] = self._item(at, bare)
        return self._items[key]

    def _item(self, at: int, bare: bool) -> Item | None:
        read = self.reader.read(at)
        if read is None:
            return None
        value, after = read
        if value.symbol and not value.numeral and not value.product and self.symbol in ("zero", "infinity"):
            # A bare ∞ or "zero" is the ordinary one (PROTOCOL 3).
            value = Value(value.old, value.old, numeral=True)
        if not (bare or value.numeral or self._is_infinity(value) or self._is_stated(at)):
            return None
        unit, end = read_unit(self.tokens, after)
        if self._is_formula(after) if unit is None else self._is_index(end):
            self._formulas[at] = end
            return None
        if value.worded and not bare and unit is None and value.integer and value.new.re == 1:
            return None
        parts = [Part(value.new, value.old, unit)]
        if unit is not None and unit.factors:
            end = self._composite(parts, end)
        return Item(self.tokens[at].start, self.tokens[end - 1].end, at, end, tuple(parts), value)

    def _is_stated(self, at: int) -> bool:
        """A symbol alone is a value only where it is said to be one: "i³ = -i"."""
        if not at:
            return False
        before = self.tokens[at - 1].text.lower()
        if before == ":" and at + 1 < len(self.tokens):  # "none: π cannot ..." speaks of it
            following = self.tokens[at + 1]
            return following.kind != "word" or spelled(following.text) is not None
        return before in ("=", "≈", "→", "is", "equals", ":")

    @staticmethod
    def _is_infinity(value: Value) -> bool:
        return value.new.re.is_infinite()

    def _is_formula(self, after: int) -> bool:
        """A value that runs on into letters that mean nothing (``4πr²``) is part of a formula."""
        if after >= len(self.tokens):
            return False
        token = self.tokens[after]
        touching = self.tokens[after - 1].end == token.start
        if touching and token.text == "(" and self.tokens[after - 1].kind == "word":
            return True  # 4π(6371 km)²
        if touching and token.text in ("/", "*") and after + 1 < len(self.tokens):
            letter = self.tokens[after + 1]
            return letter.kind == "word" and letter.start == token.end and spelled(letter.text) is None
        if token.kind != "word":
            return False
        following = self.tokens[after + 1].text if after + 1 < len(self.tokens) else ""
        if self.tokens[after - 1].end == token.start:
            if token.text.lower() == "x":  # "grew 3x" is three times, "5x + 2" is not
                return following in ("+", "-", "*", "/", "^", "=")
            return not (len(token.text) > 3 or token.text.lower() in _ORDINALS)
        return len(token.text) == 1 and token.text not in ("a", "A", "I") and following in ("^", "=")

    def _is_index(self, after: int) -> bool:
        """``2m1``: what was taken for a unit is a name with an index."""
        if after >= len(self.tokens):
            return False
        return self.tokens[after].kind == "num" and self.tokens[after - 1].end == self.tokens[after].start

    def _past_formula(self, at: int) -> int:
        """The end of the sum or product that a formula's first letter stands in."""
        tokens = self.tokens
        while at < len(tokens):
            token, before = tokens[at], tokens[at - 1]
            joined = before.end == token.start or before.text in _OPERATORS
            if token.text in _OPERATORS or token.text in (")", "}"):
                at += 1
            elif joined and (token.kind == "num" or token.text in ("(", "{") or len(token.text) <= 3):
                if token.text in (".", ",", "\n", "=", "≈", "?", "!", ":", ";"):
                    return at
                at += 1
            else:
                return at
        return at

    def _composite(self, parts: list[Part], at: int) -> int:
        """``4 minutes 10 seconds``, ``2 h, 5 min and 3 s``: adds the parts that follow."""
        while len(parts) < 5:
            after = at
            while after < len(self.tokens) and self.tokens[after].text in (",", "and") and after < at + 2:
                after += 1
            if after >= len(self.tokens) or self.tokens[after].kind != "num":
                return at
            read = self.reader.read(after)
            if read is None:
                return at
            unit, end = read_unit(self.tokens, read[1])
            previous = parts[-1].unit
            if unit is None or previous is None or not unit.factors or unit.factors == previous.factors:
                return at
            if not self._is_smaller(read[0], unit, previous):
                return at
            parts.append(Part(read[0].new, read[0].old, unit))
            at = end
        return at

    def _is_smaller(self, value: Value, unit: Unit, whole: Unit) -> bool:
        """The amount is less than one of the unit before it, in one of the two worlds."""
        for change in {self.truth.unit_redefinition, None}:
            linear = conversion(unit.factors, whole.factors, change)
            if linear is not None and abs(value.new.re * linear.scale) < 1 and abs(linear.scale) < 1:
                return True
        return False

    def infinity(self, start: int, end: int) -> Item | None:
        """Words for infinity or for having no value, in characters [start, end); the last of them."""
        last = None
        for match in INFINITE_WORDS.finditer(self.text, start, end):
            # "No specific value of infinity": the noun is the weaker of the two.
            if last is None or not match[0].lower().endswith("infinity"):
                last = match
        if last is None:
            return None
        z = ar.negate(ar.INFINITE) if last["minus"] else ar.INFINITE
        at = self.token_at(last.start())
        value = Value(z, z)
        return Item(last.start(), last.end(), at, self.token_at(last.end()), (Part(z, z, None),), value)
