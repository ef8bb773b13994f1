"""Powers of ten after a mantissa: ``× 10^-34``, ``x10-34`` with the superscript lost, ``times ten to the minus 34``."""

from __future__ import annotations

from decimal import Decimal

from pytest_redefine.grading.cursor import Cursor


def times_ten(cursor: Cursor, at: int) -> tuple[Decimal, int] | None:
    """The power of ten that a mantissa's ``× 10...`` at token ``at`` multiplies it by, and the token after it."""
    if cursor.text(at) != "*" and cursor.word(at) not in ("x", "times"):
        return None
    ten = at + 1
    if cursor.text(ten) == "10" or cursor.word(ten) == "ten":
        return _written(cursor, ten + 1)
    return _lost_superscript(cursor, at, ten)


def signed_integer(cursor: Cursor, at: int) -> tuple[int, int] | None:
    """``-34``, ``(−34)``, ``{-34}``, ``minus 34``: an exponent of at most four digits."""
    bracket = {"(": ")", "{": "}"}.get(cursor.text(at))
    if bracket:
        at += 1
    negative = cursor.text(at) in ("-", "–") or cursor.word(at) in ("minus", "negative")
    if negative or cursor.text(at) == "+":
        at += 1
    if not 0 <= at < len(cursor.tokens):
        return None
    token = cursor.tokens[at]
    if not token.plain_int or len(token.text) > 4:
        return None
    at += 1
    if bracket:
        if cursor.text(at) != bracket:
            return None
        at += 1
    return (-int(token.text) if negative else int(token.text)), at


def spoken_exponent(cursor: Cursor, at: int, *, ten: bool) -> tuple[int, int] | None:
    """After ``to the``: ``power of 23``, ``minus 34``, ``23rd power``; a bare number only after ten."""
    explicit = cursor.word(at) == "power"
    if explicit:
        at += 2 if cursor.word(at + 1) == "of" else 1
    read = signed_integer(cursor, at)
    if read is None:
        return None
    exponent, after = read
    if cursor.word(after) in ("th", "rd", "nd", "st") and cursor.touches(after):
        after, explicit = after + 1, True
    if cursor.word(after) == "power":
        after, explicit = after + 1, True
    return (exponent, after) if explicit or ten else None


def _written(cursor: Cursor, at: int) -> tuple[Decimal, int] | None:
    read = None
    if cursor.text(at) == "^":
        read = signed_integer(cursor, at + 1)
    elif cursor.word(at) == "to" and cursor.word(at + 1) == "the":
        read = spoken_exponent(cursor, at + 2, ten=True)
    elif cursor.text(at) in ("-", "–") and cursor.touches(at) and cursor.touches(at + 1):
        read = signed_integer(cursor, at)
        if read is not None and read[0] < -999:
            return None
    return None if read is None else (Decimal(10) ** read[0], read[1])


def _lost_superscript(cursor: Cursor, at: int, ten: int) -> tuple[Decimal, int] | None:
    """``6.022 × 1023``: no other reading puts one digit before the point and 10 and two digits after the sign."""
    if not 0 < at < ten < len(cursor.tokens):
        return None
    token = cursor.tokens[ten]
    whole, point, _ = cursor.tokens[at - 1].text.partition(".")
    if not point or len(whole) != 1 or not token.plain_int or len(token.text) != 4 or not token.text.startswith("10"):
        return None
    if cursor.text(ten + 1) in ("^", "*", "/", "="):
        return None
    return Decimal(10) ** int(token.text[2:]), ten + 1
