"""Units out of tokens: ``m^3/(kg s^2)``, ``J·s``, ``square kilometres``, ``metres per second squared``, ``kg m^-1``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from pytest_redefine.grading.cursor import Cursor
from pytest_redefine.grading.normalise import normalise
from pytest_redefine.grading.tokens import Token, tokenise
from pytest_redefine.grading.units import Factor, Unit, spelled
from pytest_redefine.grading.vocabulary import words

_MAX_FACTORS: Final = 12
_POWER_WORDS: Final = {"squared": 2, "cubed": 3}
_POWERS_BEFORE: Final = {"square": 2, "sq": 2, "squares": 2, "cubic": 3, "cu": 3}
_COUNTS: Final = words(
    "atom atoms molecule molecules particle particles photon photons unit units charge charges electron "
    "electrons "
    "ion ions entity entities time times individual people fold"
)
_COUNT_ADJECTIVES: Final = frozenset(("elementary", "water", "individual", "hydrogen", "carbon"))


def read_unit(tokens: Sequence[Token], at: int) -> tuple[Unit | None, int]:
    """The unit that begins at token ``at`` and the token after it.

    Returns:
        (None, ``at``) where none begins there. A unit of nothing (``atoms``) has no factors.
    """
    return _Units(tokens).read(at)


@lru_cache(maxsize=2048)
def unit_of(text: str) -> Unit | None:
    """The unit that a whole text names, None where it names none."""
    tokens = tokenise(normalise(text).text)
    unit, after = read_unit(tokens, 0)
    return unit if unit is not None and after == len(tokens) else None


class _Units(Cursor):
    __slots__ = ("_groups",)

    def __init__(self, tokens: Sequence[Token]) -> None:
        super().__init__(tokens)
        self._groups = 0

    def read(self, at: int) -> tuple[Unit | None, int]:
        start = at
        if self.text(at) == "1" and self.text(at + 1) == "/":  # 5e14 1/s
            at += 1
        upper: list[Factor] = []
        strict: list[Factor] = []
        loose: list[Factor] = []
        below = False
        found = False
        after_stroke = 0
        while len(upper) + len(strict) < _MAX_FACTORS:
            sign, operand = self._separator(at, found)
            if sign is None:
                break
            factors, after = self._factor(operand)
            if factors is None:
                break
            if sign < 0:
                below = True
                after_stroke = 0
            if below:
                inverse = [(prefix, name, -power) for prefix, name, power in factors]
                loose.extend(inverse)
                strict.extend(inverse if after_stroke == 0 else factors)
                after_stroke += 1
            else:
                upper.extend(factors)
            found = True
            at = after
        if not found:
            return None, start
        plain = tuple(upper + strict)
        other = tuple(upper + loose)
        return Unit(plain, other if other != plain else ()), at

    def _separator(self, at: int, found: bool) -> tuple[int | None, int]:
        """+1 or -1 for what follows ``*``, a space, ``/`` or ``per``; None where no unit can go on."""
        text = self.text(at)
        if text == "/" or text.lower() == "per":
            return -1, at + 1
        if not found:
            return 1, at
        if text in ("*", "."):
            if text == "." and not (self.touches(at) and self.touches(at + 1)):
                return None, at
            return 1, at + 1
        if text == "-" and self.touches(at) and self.touches(at + 1) and self.tokens[at + 1].kind == "word":
            return 1, at + 1
        if at < len(self.tokens) and (self.tokens[at].kind == "word" or (text == "(" and self.touches(at))):
            return 1, at
        return None, at

    def _factor(self, at: int) -> tuple[list[Factor] | None, int]:
        text = self.text(at)
        word = text.lower()
        if text in ("(", "{"):
            return self._group(at)
        if word in _POWERS_BEFORE:
            after = at + 1
            if self.text(after) == "." and word in ("sq", "cu"):
                after += 1
            factors, after = self._factor(after)
            if factors is None:
                return None, at
            power = _POWERS_BEFORE[word]
            return [(prefix, name, p * power) for prefix, name, p in factors], after
        name, after = self._name(at)
        if name is None:
            return None, at
        power, after = self._power(after)
        return [(prefix, unit, p * power) for prefix, unit, p in name], after

    def _group(self, at: int) -> tuple[list[Factor] | None, int]:
        self._groups += 1
        if self._groups > 4:
            return None, at
        inner, after = self.read(at + 1)
        if inner is None or self.text(after) not in (")", "}"):
            return None, at
        power, after = self._power(after + 1)
        return [(prefix, unit, p * power) for prefix, unit, p in inner.factors], after

    def _name(self, at: int) -> tuple[tuple[Factor, ...] | None, int]:
        text = self.text(at)
        if not text:
            return None, at
        if text == "°":
            following = self.text(at + 1)
            if following in ("C", "F", "K") or following.lower() in ("celsius", "fahrenheit"):
                return spelled("°" + following[0].upper()), at + 2
            return spelled("°"), at + 1
        if self.tokens[at].kind != "word":
            return None, at
        word = text.lower()
        following = self.text(at + 1).lower()
        if word in ("degree", "degrees", "deg") and following in ("celsius", "fahrenheit", "kelvin", "c", "f", "k"):
            return spelled("°" + following[0].upper()), at + 2
        if word == "light" and (following.startswith("year") or self.text(at + 2).lower().startswith("year")):
            if following in ("year", "years"):
                return spelled("lightyear"), at + 2
            if following == "-" and self.text(at + 2).lower() in ("year", "years"):
                return spelled("lightyear"), at + 3
        if word == "electron" and following.startswith("volt"):
            return spelled("eV"), at + 2
        if word == "astronomical" and following.startswith("unit"):
            return spelled("au"), at + 2
        if word == "standard" and following.startswith("atmosphere"):
            return spelled("atm"), at + 2
        if word in _COUNT_ADJECTIVES and following in _COUNTS:
            return (), at + 2
        if word in _COUNTS:
            return (), at + 1
        return spelled(text), at + 1

    def _power(self, at: int) -> tuple[int, int]:
        text = self.text(at)
        if text == "^":
            return self._written_power(at)
        if text.lower() in _POWER_WORDS:
            return _POWER_WORDS[text.lower()], at + 1
        token = self.tokens[at] if at < len(self.tokens) else None
        if token is None or not self.touches(at):
            return 1, at
        if token.kind == "num" and token.text in ("2", "3", "4"):
            return int(token.text), at + 1
        if text in ("-", "–") and self.touches(at + 1) and self.text(at + 1) in ("1", "2", "3", "4"):
            return -int(self.text(at + 1)), at + 2
        return 1, at

    def _written_power(self, at: int) -> tuple[int, int]:
        start = at
        at += 1
        bracket = self.text(at) in ("(", "{")
        if bracket:
            at += 1
        negative = self.text(at) in ("-", "–")
        if negative or self.text(at) == "+":
            at += 1
        token = self.tokens[at] if at < len(self.tokens) else None
        if token is None or not token.plain_int or len(token.text) > 2:
            return 1, start
        at += 1
        if bracket:
            if self.text(at) not in (")", "}"):
                return 1, start
            at += 1
        return (-int(token.text) if negative else int(token.text)), at
