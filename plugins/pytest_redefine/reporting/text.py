"""Hostile text made harmless for the place where it is shown."""

from __future__ import annotations

import html
import unicodedata
from typing import Final

SHOWN_LIMIT: Final = 20_000
"""Characters of one text on a page; the records hold all of it."""

_INVISIBLE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


def visible(text: str, limit: int = SHOWN_LIMIT) -> str:
    r"""The text with control, format and direction characters spelt out (``\x1b``, ``\u202e``), and bounded.

    New lines and tabs stay: they are what a reply is laid out with.
    """
    shown = text[:limit]
    out = (
        shown
        if _plain(shown)
        else "".join(
            character
            if character in "\n\t" or not _invisible(character)
            else character.encode("unicode_escape").decode("ascii")
            for character in shown
        )
    )
    left = len(text) - limit
    return out if left <= 0 else f"{out}\n[... {left} more characters in records.jsonl]"


def one_line(text: str, limit: int = 80) -> str:
    """For a table's cell or a terminal's line."""
    text = text.strip()
    head = text[: 4 * limit]
    flat = visible(" ".join(head.split()), 4 * limit)
    return flat if len(flat) <= limit and head == text else flat[: limit - 1] + "…"


def escaped(text: str, limit: int = SHOWN_LIMIT) -> str:
    """For the body or an attribute of an HTML element."""
    return html.escape(visible(text, limit), quote=True)


def code(text: object, limit: int = 80) -> str:
    """Text of others as a code span that cannot be left: no backtick, no line break, no bar that ends a cell."""
    return "`" + one_line(str(text), limit).replace("`", "'").replace("|", "\\|") + "`"


def _plain(text: str) -> bool:
    """Whether nothing needs spelling out: a hundred times faster to see than to go through the characters."""
    return text.replace("\n", "").replace("\t", "").isprintable()


def _invisible(character: str) -> bool:
    # U+FFFE, U+FFFF and their like in each plane are for ever unassigned, and XML forbids them.
    return unicodedata.category(character) in _INVISIBLE or ord(character) & 0xFFFE == 0xFFFE
