"""Plain text → tokens: numbers in every notation, words, operators."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final, Literal, NamedTuple

from pytest_redefine.grading.dress import THIN

TokenKind = Literal["num", "word", "op"]

MAX_DIGITS: Final = 60
"""Digits of a literal beyond these only move its exponent."""
MAX_LITERAL_EXPONENT: Final = 9_999

_TOKEN: Final = re.compile(
    r"""
    (?P<num>
        [1-9]\d{0,2}(?:[ THIN]\d{3})+(?![\d])(?:[.,]\d+)?      # 1 500 000
      | \d{1,3}\.\d{3}(?:THIN\d{3})*THIN\d{1,3}(?!\d)           # 6.626 070 15 in thin spaces
      | \d{1,3}\.\d{3}(?:[ ]\d{3})+(?:[ ]\d{1,2})?(?!\d)
      | \d+(?:[.,'_THIN]\d+)*
      | (?<![\d.])\.\d+
    )
    (?:\(\d{1,3}\)(?=[eE][+-]?\d|\s?[*x]\s?10))?                # 6.626(15)e-34: an uncertainty
    (?P<exp>[eE][+-]?\d{1,8}(?![\d]))?
  | (?P<word>[A-Za-zμΩħÅ]{1,64}(?:_[A-Za-z0-9]{1,8})?|[πφ]|ε(?:_?[0oO])?|[α-ωΑ-Ω](?:_[A-Za-z0-9]{1,8})?)
  | (?P<space>[ THIN]+)
  | (?P<op>\.\.\.|[<>]=|.|\n)
    """.replace("THIN", THIN),
    re.VERBOSE,
)


class Token(NamedTuple):
    """One token of the plain text, [start, end)."""

    kind: TokenKind
    text: str
    start: int
    end: int
    value: Decimal | None = None
    """Of a number."""
    plain_int: bool = False
    """A number written with digits alone."""


def tokenise(text: str, start: int = 0, end: int | None = None) -> list[Token]:
    """Tokens of ``text[start:end]``; offsets are those of ``text``."""
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text, start, len(text) if end is None else end):
        kind = match.lastgroup
        if kind == "space":
            continue
        if kind == "word":
            tokens.append(Token("word", match[0], match.start(), match.end()))
        elif kind == "op":
            tokens.append(Token("op", match[0], match.start(), match.end()))
        else:
            _number(match, tokens)
    return tokens


def _number(match: re.Match[str], tokens: list[Token]) -> None:
    run = match["num"]
    exponent = match["exp"]
    start, end = match.span()
    scale = 0
    if exponent:
        scale = int(exponent[1:])
        if abs(scale) > MAX_LITERAL_EXPONENT:
            tokens.append(Token("op", "?", start, end))
            return
    if run.isdigit():
        tokens.append(Token("num", match[0], start, end, literal(run, scale), exponent is None))
        return
    scientific = bool(exponent) or _scientific_follows(match.string, match.end())
    cleaned = ungroup(run, scientific)
    if cleaned is not None:
        tokens.append(Token("num", match[0], start, end, literal(cleaned, scale)))
        return
    # Not one number but several: 1,2,3 or 1.2.3
    position = match.start("num")
    for part in re.findall(r"\d+|\D", run)[:400]:
        if part.isdigit():
            tokens.append(Token("num", part, position, position + len(part), literal(part, 0), True))
        else:
            tokens.append(Token("op", part, position, position + 1))
        position += len(part)


_TIMES_TEN: Final = re.compile(r"\s?[*x]\s?10\^|\s?[*x]\s?10-\d")


def _scientific_follows(text: str, at: int) -> bool:
    return _TIMES_TEN.match(text, at) is not None


def literal(digits: str, scale: int) -> Decimal:
    """A digit string with at most one point, times 10**scale."""
    if len(digits) > MAX_DIGITS:
        whole, _, fraction = digits.partition(".")
        whole = whole.lstrip("0")
        if len(whole) > MAX_DIGITS:
            return Decimal(f"{whole[:MAX_DIGITS]}e{len(whole) - MAX_DIGITS + scale}")
        if not whole:
            zeros = len(fraction) - len(fraction.lstrip("0"))
            rest = fraction[zeros : zeros + MAX_DIGITS] or "0"
            return Decimal(f"{rest}e{scale - zeros - len(rest)}")
        digits = f"{whole}.{fraction[:MAX_DIGITS]}"
    return Decimal(f"{digits}e{scale}") if scale else Decimal(digits)


def ungroup(run: str, scientific: bool = False) -> str | None:
    """A literal with its thousands separators off and a point for its decimal mark, None where it is not one number.

    ``1,500`` is 1500; ``4,5`` and ``0,500`` have a decimal comma; ``6,626`` has one too where a power of ten follows.
    """
    for space in (" ", THIN):
        if space in run:
            head, point, tail = run.partition(".")
            if space in tail or not point:
                return ungroup(head.replace(space, "") + point + tail.replace(space, ""), scientific)
            return head.replace(space, "") + point + tail
    if "_" in run:
        return ungroup(run.replace("_", ""), scientific)
    if "'" in run:
        head, point, tail = run.partition(".")
        groups = head.split("'")
        if _thousands(groups) and "'" not in tail and "," not in tail:
            return "".join(groups) + point + tail
        return None
    commas, points = run.count(","), run.count(".")
    if not commas:
        if points <= 1:
            return run
        return "".join(run.split(".")) if _thousands(run.split(".")) else None
    if not points:
        return _commas(run, commas, scientific)
    whole, _, fraction = run.partition(".")
    if points == 1 and "," in whole and "," in fraction and _thousands(whole.split(",")):
        # 1,234.567,8: the decimals in groups too
        parts = fraction.split(",")
        grouped = all(len(part) == 3 for part in parts[:-1]) and len(parts[-1]) <= 3
        return whole.replace(",", "") + "." + "".join(parts) if grouped else None
    if run.rfind(".") > run.rfind(","):
        head, _, tail = run.rpartition(".")
        groups = head.split(",")
        return "".join(groups) + "." + tail if points == 1 and _thousands(groups) else None
    head, _, tail = run.rpartition(",")
    groups = head.split(".")
    return "".join(groups) + "." + tail if commas == 1 and _thousands(groups) else None


def _commas(run: str, commas: int, scientific: bool) -> str | None:
    groups = run.split(",")
    decimal = commas == 1 and (len(groups[1]) != 3 or groups[0] in ("0", "00") or len(groups[0]) > 3)
    if decimal or (scientific and commas == 1 and len(groups[0]) == 1):
        return groups[0] + "." + groups[1]
    if _thousands(groups) or _indian(groups):
        return "".join(groups)
    return None


def _thousands(groups: list[str]) -> bool:
    head = groups[0]
    return 1 <= len(head) <= 3 and head[0] != "0" and all(len(group) == 3 for group in groups[1:])


def _indian(groups: list[str]) -> bool:
    """12,34,567."""
    head = groups[0]
    middle = all(len(group) == 2 for group in groups[1:-1])
    return 1 <= len(head) <= 2 and head[0] != "0" and middle and len(groups[-1]) == 3
