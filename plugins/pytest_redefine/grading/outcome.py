"""The outcome of one answer, and the words for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

Category = Literal["correct", "anchored", "wrong", "refused", "blank", "hedged"]

CATEGORIES: Final[tuple[Category, ...]] = ("correct", "anchored", "wrong", "refused", "blank", "hedged")
"""In the order of the tables. An infrastructure error is no outcome."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one answer was classed, and by what."""

    category: Category
    detail: str = ""
    """Why, where the category alone does not say: ``sign``, ``truncated``, ``symbolic``, ``range``, ``unit`` ..."""
    extracted: str | None = None
    """The answer as it was read (a decimal string, a letter, ``oo``), None where none was found."""
    span: tuple[int, int] | None = None
    """Where in the reply it stands, as [start, end) in characters."""
    rule: str = ""
    """Which extraction rule fired."""
    relative_error: float | None = None
    """|answer - reference| / |reference| of the match, or of the nearer reference where none matched."""

    def to_json(self) -> dict[str, Any]:
        """The fields of a record that the grader fills; the category is called ``outcome`` there."""
        return {
            "outcome": self.category,
            "detail": self.detail,
            "extracted": self.extracted,
            "span": list(self.span) if self.span else None,
            "rule": self.rule,
            "relative_error": self.relative_error,
        }
