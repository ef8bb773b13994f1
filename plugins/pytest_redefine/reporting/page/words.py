"""Words and numbers as the page says them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

LEVELS: Final[Mapping[str, str]] = {
    "nr": "nothing redefined",
    "ra1": "assigned, near",
    "ra2": "assigned, orders of magnitude off",
    "ra3": "assigned, unrealistic",
    "rs1": "swapped, near",
    "rs2": "swapped, far",
}
QUESTIONS: Final[Mapping[str, str]] = {"q1": "recall", "q2": "one operation", "q3": "several steps"}
FORMATS: Final[Mapping[str, str]] = {"ff": "free form", "mc": "multiple choice"}
PROMPTINGS: Final[Mapping[str, str]] = {"zs": "zero shot", "fs": "few shot", "cot": "chain of thought"}

_ORDER: Final = ("nr", "ra1", "ra2", "ra3", "rs1", "rs2")


def level_order(level: str) -> tuple[int, str]:
    """Controls, assignments, swaps, then neutral controls and drawn levels."""
    return (_ORDER.index(level), "") if level in _ORDER else (len(_ORDER), level)


def percent(share: float | None, digits: int = 0) -> str:
    """``33 %``; a dash for 0/0."""
    return "–" if share is None else f"{100 * share:.{digits}f} %"


def rate(figure: Mapping[str, Any] | None, digits: int = 0) -> str:
    """``33 % [18, 53] n=15``, with a word where there is little to go by."""
    if not figure or not figure.get("n"):
        return "–"
    low, high = figure["low"], figure["high"]
    ends = "" if low is None or high is None else f" [{100 * low:.{digits}f}, {100 * high:.{digits}f}]"
    return f"{percent(figure['value'], digits)}{ends} n={figure['n']}{' (few)' if figure.get('small') else ''}"


def arm(entry: Mapping[str, Any]) -> str:
    """``constants, free form, zero shot``."""
    return ", ".join((
        str(entry["task"]),
        FORMATS.get(entry["format"], str(entry["format"])),
        PROMPTINGS.get(entry["prompting"], str(entry["prompting"])),
    ))  # fmt: skip


def listed(words: Sequence[str], most: int = 4) -> str:
    """``a, b and c``; ``a, b, c, d and 15 more``."""
    if len(words) > most:
        return f"{', '.join(words[:most])} and {len(words) - most} more"
    return " and ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)


def count(number: int, noun: str) -> str:
    """``1 case``, ``2,763 cases``, ``15 quantities``."""
    several = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else several}"


def duration(seconds: float | None) -> str:
    """``8 min 32 s``."""
    if seconds is None:
        return "–"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    parts = [f"{hours} h" if hours else "", f"{minutes} min" if minutes else "", f"{rest} s" if not hours else ""]
    return " ".join(part for part in parts if part)


def dollars(amount: float | None) -> str:
    """``$1.23``; what costs less than a cent keeps four digits."""
    if amount is None:
        return "no price known"
    return f"${amount:,.2f}" if amount >= 0.01 or not amount else f"${amount:.4f}"
