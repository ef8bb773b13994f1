"""The outcome of one answer, and the words for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

Grader = Literal["numeric", "judge"]

Category = Literal["correct", "anchored", "wrong", "refused", "blank", "hedged"]

CATEGORIES: Final[tuple[Category, ...]] = ("correct", "anchored", "wrong", "refused", "blank", "hedged")
"""In the order of the tables. An infrastructure error is no outcome."""

GRADING_VERSION: Final = 1
"""Raised when an answer may be classed otherwise than before: figures of two versions are not compared."""


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


UNGRADED: Final = "ungraded"
"""The detail of a record whose grader gave no verdict that counts: it has no outcome, and stands in no rate."""


@dataclass(frozen=True, slots=True)
class Graded:
    """What the graders said of one answer."""

    outcome: Outcome | None
    """That of ``grader``; None where it gave no verdict that counts."""
    grader: Grader = "numeric"
    """Whose outcome is the case's."""
    verdicts: Mapping[Grader, Outcome | None] = field(default_factory=dict)
    """By all that were asked; a grader that could not be had is left out."""

    @classmethod
    def by(cls, grader: Grader, verdicts: Mapping[Grader, Outcome | None]) -> Graded:
        """The verdicts, with one of them in front."""
        return cls(verdicts[grader], grader, verdicts)

    def to_json(self) -> dict[str, Any]:
        """The fields of a record that grading fills."""
        names = ("outcome", "detail", "extracted", "span", "rule", "relative_error")
        fields = {**dict.fromkeys(names), "detail": UNGRADED} if self.outcome is None else self.outcome.to_json()
        verdicts = {name: None if given is None else given.category for name, given in self.verdicts.items()}
        return {**fields, "grader": self.grader, "grades": verdicts}
