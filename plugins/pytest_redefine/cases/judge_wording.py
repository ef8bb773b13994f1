"""The templates that a judge is asked with, and the words it may reply; see :mod:`pytest_redefine.grading.judge`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .data import fixtures_folder, read_toml
from .prompts import Needed, read_templates

JUDGE_FILE: Final = "judge.toml"

MATCH: Final = "MATCH {number}"
NO_MATCH: Final = "NO MATCH"
REST: Final = {"WRONG": "wrong", "BLANK": "blank", "REFUSED": "refused", "HEDGED": "hedged"}
"""The words of the second question, and the outcome each stands for."""

QUOTE: Final = "> "
"""Begins each line of a quoted answer, and no line that is ours."""

_FRAME: Final = (("fence",), ("answer",))

_NEEDED: Final[Needed] = {
    "reference.ff": (("number",), ("value",)),
    "reference.mc": (("number",), ("letter",), ("value",)),
    "reference.infinite": (("value",),),
    "closeness.number": (("tolerance",),),
    "closeness.digit": (),
    "quote.nothing": (),
    "quote.cut": (),
    "quote.left_out": (("count",),),
    "question.match": (("references",), ("closeness",), *_FRAME, ("match",), ("no_match",)),
    "question.rest": (*_FRAME, *((outcome,) for outcome in REST.values())),
    "question.again": (("question",), ("words",)),
}


@dataclass(frozen=True, slots=True)
class JudgeWording:
    """The templates, by what they word."""

    reference: dict[str, str]
    """One line, by format; ``infinite``: the value of one that is no number."""
    closeness: dict[str, str]
    """By the kind of truth."""
    quote: dict[str, str]
    """What stands in a quotation beside the answer."""
    question: dict[str, str]
    """``match``, ``rest``, and either of them ``again``."""

    @classmethod
    def load(cls, path: Path | None = None) -> JudgeWording:
        """Read a file of templates (default: the project's own).

        Raises:
            DataError: It cannot be read or lacks a key, or a template lacks a placeholder or has an unknown
                one; it names the file, the line, the key and the placeholder.
        """
        file = read_toml(path or fixtures_folder() / JUDGE_FILE)
        templates = read_templates(file, _NEEDED)
        file.string("canary")
        for name in ("match", "rest"):
            if "{fence}\n{answer}\n{fence}" not in templates["question"][name]:
                raise file.table("question").error(name, "{answer} stands on a line between two lines of {fence}")
        return cls(
            **{section: {name: text.strip() for name, text in found.items()} for section, found in templates.items()}
        )
