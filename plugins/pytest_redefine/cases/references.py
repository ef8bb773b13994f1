"""What an answer may match, in the order in which a judge is told of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, cast

from . import decimals
from .judge_wording import JudgeWording
from .options import letter_of
from .slips import order
from .truth import Truth
from .wording import answer_text, option_texts

ReferenceRole = Literal["expected", "default", "undecidable"]


@dataclass(frozen=True, slots=True)
class Reference:
    """One value that an answer may match."""

    role: ReferenceRole
    """What a match is: ``correct``, ``anchored``, or ``hedged`` where the value follows from either reading."""
    value: str
    """The decimal string of the truth."""
    letter: str
    """Multiple choice: under which it stands."""
    text: str
    """As the judge reads it."""

    def to_json(self) -> dict[str, Any]:
        """Plain builtins."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Reference:
        """The inverse of :meth:`to_json`."""
        return cls(cast(ReferenceRole, data["role"]), data["value"], data["letter"], data["text"])


def references(truth: Truth, case_id: str, wording: JudgeWording) -> tuple[Reference, ...]:
    """The values that an answer may match; which of them comes first is dealt by a hash of the case's id.

    Where both references lie within tolerance there is only the expected one: a match with either is correct. Nor is a
    second memorised answer named that lies within tolerance of the first: two values that nearly agree beside one that
    does not would tell which is which.
    """
    roles: dict[str, ReferenceRole] = {truth.expected: "expected"}
    if not truth.indistinct:
        for value in (truth.default, *truth.also_default):
            role: ReferenceRole = "undecidable" if value in truth.undecidable else "default"
            if value is not None and not any(
                named == role and decimals.within(value, other, truth.tolerance) for other, named in roles.items()
            ):
                roles.setdefault(value, role)
    options = dict(truth.options or {})
    printed = dict(zip(options, option_texts(list(options.values()), truth.kind, truth.unit), strict=True))
    letters = {value: letter_of(options, value) for value in roles}
    asked = [value for value in roles if letters[value] or not options]
    return tuple(
        Reference(roles[value], value, letters[value], printed.get(letters[value]) or _text(value, truth, wording))
        for value in order(f"judge/{case_id}", asked)
    )


def _text(value: str, truth: Truth, wording: JudgeWording) -> str:
    if truth.kind == "digit":
        return value
    text = answer_text(value, truth.unit)
    return wording.reference["infinite"].format(value=text) if decimals.is_infinite(value) else text
