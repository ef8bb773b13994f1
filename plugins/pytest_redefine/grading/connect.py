"""How the values of a sentence hang together: restated, a range, a list, both references."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from pytest_redefine.grading import arithmetic as ar
from pytest_redefine.grading.compare import Part
from pytest_redefine.grading.dress import BOX_CLOSE, BOX_OPEN
from pytest_redefine.grading.items import Item, Scanner
from pytest_redefine.grading.tokens import Token
from pytest_redefine.grading.unit_reader import read_unit, unit_of
from pytest_redefine.grading.values import Value
from pytest_redefine.grading.vocabulary import words
from pytest_redefine.grading.words import scale

_FILLERS: Final = words(
    "approximately about roughly around exactly approx circa ca nearly almost precisely simply just equal "
    "equals to is be "
    "the a value of then therefore so thus now still would only indeed factor by number it's it that which"
)
_FILLER_SIGNS: Final = frozenset(
    ("≈", "=", "~", ":", '"', "'", "→", "\n", ">", BOX_OPEN, BOX_CLOSE, "[", "|", ",", "'")
)
_FOLLOWING: Final = 24
"""Values after an answer that may still say something about it."""
_BOUNDS: Final = frozenset(("between", "from", "<", "≤", "≥", "<=", ">="))

_ABOUT: Final = r"(?:about|approximately|roughly|around|exactly|simply|just|nearly|some)"
_CHAIN: Final = re.compile(
    rf"[\s,;:.)]*(?:=+|≈|~|→|\bi\.?\s?e\b\.?,?|that is,?|which is|which equals|(?:is )?equal to|equals|is|"
    rf"(?:which is )?"
    rf"equivalent(?:ly)?(?: to)?|or,? (?:{_ABOUT}|equivalently|more precisely|in \w+ (?:notation|form))|"
    rf"{_ABOUT}|or so|"
    r"rounded to|which rounds to|also known as|\()"
    rf"[\s,:=≈~(]*(?:{_ABOUT})?[\s=≈~]*",
    re.IGNORECASE,
)
_EQUALS: Final = re.compile(r"(?:(?!\b(?:or|and)\b)[^,;\n=≈]){0,120}[=≈]", re.IGNORECASE)
_RANGE: Final = re.compile(r"\s*(?:-|–|—|~|to|through|up to|\.\.\.?)\s*", re.IGNORECASE)
_LIST: Final = re.compile(
    rf"[\s{BOX_CLOSE}]*(?:,|;|and|&|,\s?and|/|\||,?\s?or(?: else| perhaps| maybe| possibly)?|,?\s?as well as)"
    rf"\s*(?:also\s|{_ABOUT}\s)?[\s\"'{BOX_OPEN}≈~]*",
    re.IGNORECASE,
)
_OR: Final = re.compile(
    r"\b(?:or|otherwise|unless|depending|either|alternatively|respectively)\b|\bif\b", re.IGNORECASE
)
CONTRAST: Final = re.compile(
    r"\b(?:instead of|rather than|not|normal(?:ly)?|usual(?:ly)?|ordinar(?:y|ily)|typical(?:ly)?|unlike|"
    r"as opposed to|"
    r"compared (?:to|with)|versus|vs|original(?:ly)?|used to be|no longer|previous(?:ly)?|without|"
    r"standard|real|actual|"
    r"true|conventional(?:ly)?|traditional(?:ly)?|well-known|accepted|memori[sz]ed|in reality|default|old|"
    r"up from|"
    r"down from|against|note)\b|n't\b",
    re.IGNORECASE,
)


def skip_fillers(tokens: Sequence[Token], at: int, end: int) -> tuple[int, bool]:
    """Past ``approximately``, ``=``, ``E =`` before a value.

    Returns:
        The token where the value should begin, and whether a bound stood before it (``less than``).
    """
    bound = False
    for _ in range(12):
        if at >= len(tokens) or tokens[at].start >= end:
            break
        text = tokens[at].text
        word = text.lower()
        following = tokens[at + 1].text.lower() if at + 1 < len(tokens) else ""
        if (word in ("less", "more", "greater", "smaller", "fewer", "larger", "higher") and following == "than") or (
            word == "at" and following in ("least", "most")
        ):
            bound, at = True, at + 2
        elif word in _BOUNDS:
            bound, at = True, at + 1
        elif tokens[at].kind == "word" and following in ("=", "≈"):
            at += 2
        elif text in _FILLER_SIGNS or (tokens[at].kind == "word" and word in _FILLERS):
            at += 1
        else:
            break
    return at, bound


def outer_unit(scanner: Scanner, item: Item, end: int, *, json: bool) -> Item:
    """The item with a unit that stands after its box or in another key of its object."""
    unit = None
    factor = ar.Z(ar.ONE)
    if json:
        match = re.compile(r'"units?"\s{0,4}:\s{0,4}"([^"\n]{1,40})"').search(scanner.text, end, end + 200)
        first, _, rest = match[1].partition(" ") if match else ("", "", "")
        power = scale(first)
        if power is not None:  # "unit": "million km^2"
            factor = ar.Z(Decimal(10) ** power)
        unit = unit_of(rest if power is not None else match[1]) if match else None
    elif scanner.text.startswith(BOX_CLOSE, end):
        at = scanner.token_at(end + 1)
        if at < len(scanner.tokens) and scanner.tokens[at].start <= end + 3:
            unit, _ = read_unit(scanner.tokens, at)
    if unit is None:
        return item
    part = Part(ar.multiply(item.parts[0].new, factor), ar.multiply(item.parts[0].old, factor), unit)
    return Item(item.start, item.end, item.first, item.after, (part,), item.value)


def resolve(scanner: Scanner, item: Item, end: int) -> tuple[Item, str]:
    """The answer among ``item`` and the values after it up to ``end``, and why it is hedged, if it is."""
    text = scanner.text
    if text[max(0, item.start - 2) : item.start].strip() == "±":
        return item, "list"
    if _is_stroke(scanner, item):
        return item, "both"
    following = scanner.items(item.after, scanner.token_at(end), most=_FOLLOWING)
    infinite = scanner.infinity(item.end, end) if scanner.refs.infinite else None
    if infinite is not None and _LIST.fullmatch(text[item.end : infinite.start][:60]):
        return item, "both" if _opposite(scanner, item, infinite) else "list"
    chosen, previous = item, item
    in_note = False
    listing = True
    for number, other in enumerate(following):
        between = text[previous.end : other.start]
        opened = between.count("(") - between.count(")")
        note = in_note or opened > 0
        if opened < 0:
            in_note = False
        elif opened > 0 and other.end < len(text) and ")" not in text[previous.end : other.start]:
            in_note = True
        linked = len(between) <= 60
        if _same(scanner, chosen, other):
            previous = other
            continue
        if linked and _CHAIN.fullmatch(between):
            chosen = _restated(scanner, chosen, other, between, note)
        elif (linked and _RANGE.fullmatch(between) and number == 0) or (
            number == 0 and between.strip().lower() == "and" and _between_before(scanner, item)
        ):
            return item, "range"
        elif _divides(text, between, other, following[number + 1 :]) and not _opposite(scanner, chosen, other):
            listing = False
        elif linked and listing and not note and _LIST.fullmatch(between) and _comparable(scanner, chosen, other):
            return item, "both" if _opposite(scanner, chosen, other) else "list"
        elif _opposite(scanner, chosen, other) and not _is_note(text, previous, other, end, note):
            return item, "both"
        else:
            listing = False
        previous = other
    return chosen, ""


def _divides(text: str, between: str, divisor: Item, following: Sequence[Item]) -> bool:
    """``100 V / 20 Ω = 5 A``: a stroke before an equals sign and a value offers no alternatives."""
    return (
        between.strip(" (") == "/"
        and bool(following)
        and _EQUALS.match(text, divisor.end, following[-1].start) is not None
    )


def _is_stroke(scanner: Scanner, item: Item) -> bool:
    """``9.42 / 1500`` names both references and divides nothing."""
    tokens = scanner.tokens[item.first : item.after]
    if len(tokens) != 3 or tokens[1].text != "/":
        return False
    upper, lower = scanner.item(item.first + 2), scanner.items(item.first, item.first + 1)
    if upper is None or tokens[0].value is None:
        return False
    z = ar.Z(tokens[0].value)
    value = Value(z, z, numeral=True)
    first = Item(tokens[0].start, tokens[0].end, item.first, item.first + 1, (Part(z, z, item.unit),), value)
    return not lower and _opposite(scanner, first, upper)


def head(scanner: Scanner, item: Item) -> Item:
    """The first of a list or range that ``item`` is the last of; ``item`` itself where it stands alone."""
    text = scanner.text
    start = max(text.rfind("\n", 0, item.start) + 1, item.start - 120)
    before = scanner.items(scanner.token_at(start), item.first)
    for other in reversed(before[-6:]):
        between = text[other.end : item.start]
        if not (_LIST.fullmatch(between) or _RANGE.fullmatch(between)) or not _comparable(scanner, other, item):
            break
        if scanner.refs.digit and not scanner.is_digit(other):
            break
        item = other
    return item


def _between_before(scanner: Scanner, item: Item) -> bool:
    return scanner.text[max(0, item.start - 24) : item.start].lower().rstrip().endswith("between")


def _same(scanner: Scanner, one: Item, other: Item) -> bool:
    """They say the same, as "1500 m or 1.5 km" does."""
    a, b = scanner.readings(one), scanner.readings(other)
    if (
        a.mismatch
        or b.mismatch
        or not (ar.finite(a.new) and ar.finite(b.new) and ar.finite(a.old) and ar.finite(b.old))
    ):
        return a == b
    return _close(a.new, b.new) and _close(a.old, b.old)


def _close(a: ar.Z, b: ar.Z) -> bool:
    size = max(ar.modulus(a), ar.modulus(b))
    return ar.modulus(ar.Z(a.re - b.re, a.im - b.im)) <= size / 100


def _restated(scanner: Scanner, chosen: Item, other: Item, between: str, note: bool) -> Item:
    """The later member of a chain, unless it only takes something away: a symbol left in, digits rounded off."""
    verdict = scanner.verdict(other)
    if verdict.detail in ("symbolic", "unit") or (other.value.symbol and not verdict.matches):
        return chosen
    if scanner.verdict(chosen).detail == "symbolic":
        return other
    if note and scanner.verdict(chosen).matches:
        return chosen
    rough = "≈" in between or "~" in between or "round" in between or "about" in between or "approx" in between
    if rough and scanner.verdict(chosen).matches and not scanner.verdict(other).matches:
        return chosen
    return other


def _comparable(scanner: Scanner, one: Item, other: Item) -> bool:
    """They could be two answers to the same question: not "10 m, 1 s"."""
    a, b = scanner.readings(one), scanner.readings(other)
    return a.mismatch == b.mismatch


def _opposite(scanner: Scanner, one: Item, other: Item) -> bool:
    a, b = scanner.verdict(one), scanner.verdict(other)
    return a.matches and b.matches and a.category != b.category


def _is_note(text: str, previous: Item, other: Item, end: int, note: bool) -> bool:
    """Whether the other reference is only mentioned: "1500 (not 9.42)", "1500, the usual value being 9.42"."""
    between = text[previous.end : other.start]
    after = text[other.end : min(end, other.end + 60)].partition(";")[0]
    if _OR.search(between):
        return False
    return CONTRAST.search(between) is not None or (CONTRAST.search(after) is not None and (note or "," in between))
