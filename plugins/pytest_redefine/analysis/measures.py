"""What is measured: each measure gives an answered case a score, or says that the case is not in its denominator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from pytest_redefine.analysis.rows import Row
from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.model import FRESH

CaseKey = tuple[str, str, str, str, str, str, int]


@dataclass(frozen=True, slots=True)
class Context:
    """What a score needs to know beside its own case."""

    known: Mapping[CaseKey, bool] = field(default_factory=dict)
    """Whether the control of a case was answered correctly; absent where it was not asked or not answered."""
    swap_partners: Mapping[tuple[str, str, str], str] = field(default_factory=dict)
    """(task, quantity, level) → the other constant of a swap."""

    @classmethod
    def of(cls, rows: Iterable[Row], swap_partners: Mapping[tuple[str, str, str], str] | None = None) -> Context:
        """What the controls among some rows show; rows of several models may be mixed."""
        known = {_control_key(row): row.outcome == "correct" for row in rows if row.is_control and row.answered}
        return cls(known, swap_partners or {})

    def knows(self, row: Row) -> bool | None:
        """Whether the model answered the same question rightly with nothing redefined, put in the same way."""
        return self.known.get(_control_key(row))

    def knows_other(self, row: Row) -> bool | None:
        """Whether the model recalls the other constant of a swap, by that one's own q1 control; None for no swap."""
        other = self.swap_partners.get((row.task, row.quantity, row.redefinition))
        if other is None:
            return None
        return self.known.get((row.model, row.task, other, "q1", row.format, row.prompting, row.sample))


def swap_partners(catalogue: Catalogue) -> dict[tuple[str, str, str], str]:
    """(task, quantity, level) → the other constant of a swap."""
    return {
        (task, key, level): redefinition.other
        for task, quantities in catalogue.tasks.items()
        for key, quantity in quantities.items()
        for level, redefinition in quantity.redefinitions.items()
        if redefinition.other
    }


def _control_key(row: Row) -> CaseKey:
    return row.model, row.task, row.quantity, row.question, row.format, row.prompting, row.sample


Score = Callable[[Row, Context], float | None]


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure: the mean of its scores over the cases that have one."""

    name: str
    title: str
    meaning: str
    """What stands over what, for whoever reads the figure."""
    score: Score
    """Of an answered case; None where it is not in the denominator."""
    share: bool = True
    """Scores are 0 and 1, so that the mean is a share with a Wilson interval."""

    def scores(self, rows: Iterable[Row], context: Context) -> list[tuple[Row, float]]:
        """The answered cases in the denominator, each with its score."""
        return [
            (row, score) for row in rows if row.answered and (score := self.score(row, context)) is not None
        ]  # fmt: skip


def _distinct(row: Row) -> bool:
    return row.is_redefined and not row.indistinct


def _outcome(name: str) -> Score:
    return lambda row, context: float(row.outcome == name) if _distinct(row) else None


def _blind(name: str) -> Score:
    return lambda row, context: float(name in (row.outcome, row.mirrored)) if _distinct(row) else None


def _control(row: Row, context: Context) -> float | None:
    return float(row.outcome == "correct") if row.is_control else None


def _fresh(name: str) -> Score:
    return lambda row, context: float(row.outcome == name) if row.redefinition == FRESH and not row.indistinct else None


def _neutral(row: Row, context: Context) -> float | None:
    return float(row.outcome == "correct") if row.is_neutral and not row.indistinct else None


def _given_known(name: str) -> Score:
    return lambda row, context: float(row.outcome == name) if _distinct(row) and context.knows(row) else None


def _given_other_known(row: Row, context: Context) -> float | None:
    return float(row.outcome == "anchored") if _distinct(row) and context.knows_other(row) else None


def _without_refusals(row: Row, context: Context) -> float | None:
    return float(row.outcome == "anchored") if _distinct(row) and row.outcome != "refused" else None


def _refusal(row: Row, context: Context) -> float | None:
    return float(row.outcome == "refused") if row.is_redefined and row.completely_wrong else None


def _excess(row: Row, context: Context) -> float | None:
    """Anchored counts 1, each of the two distractors -1/2: guessing comes to 0, anchoring throughout to 1."""
    if not _distinct(row) or row.format != "mc":
        return None
    if row.outcome == "anchored":
        return 1.0
    return -0.5 if row.outcome == "wrong" and row.letter and row.letter != row.right_letter else 0.0


MEASURES: Final[Mapping[str, Measure]] = {
    measure.name: measure
    for measure in (
        Measure(
            "anchored_rate", "anchored", "anchored / redefined cases whose references differ", _outcome("anchored")
        ),
        Measure("correct_rate", "correct", "correct / redefined cases whose references differ", _outcome("correct")),
        Measure("wrong_rate", "wrong", "wrong / redefined cases whose references differ", _outcome("wrong")),
        Measure("refused_rate", "refused", "refused / redefined cases whose references differ", _outcome("refused")),
        Measure("blank_rate", "blank", "blank / redefined cases whose references differ", _outcome("blank")),
        Measure("hedged_rate", "hedged", "hedged / redefined cases whose references differ", _outcome("hedged")),
        Measure("control_correct_rate", "known", "correct / controls (nothing redefined)", _control),
        *(
            Measure(
                f"fresh_{name}_rate", f"{name}, values drawn", f"{name} / cases whose value was drawn", _fresh(name)
            )
            for name in ("anchored", "correct")
        ),
        Measure("neutral_correct_rate", "adopted under a neutral name", "correct / neutral controls", _neutral),
        Measure(
            "anchored_given_known",
            "anchored, given known",
            "anchored / redefined cases whose control was correct",
            _given_known("anchored"),
        ),
        Measure(
            "correct_given_known",
            "correct, given known",
            "correct / redefined cases whose control was correct",
            _given_known("correct"),
        ),
        Measure(
            "anchored_given_other_known",
            "anchored, given the other constant known",
            "anchored / swaps whose other constant the model recalls (its q1 control was correct)",
            _given_other_known,
        ),
        Measure(
            "anchored_without_refusals",
            "anchored, without refusals",
            "anchored / redefined cases that were not refused",
            _without_refusals,
        ),
        Measure(
            "refusal_rate",
            "refusals among the completely wrong",
            "refused / wrong + refused + blank + hedged, of redefined cases",
            _refusal,
        ),
        Measure(
            "anchored_blind",
            "anchored, blind to the sign",
            "anchored but for the sign / redefined cases whose references differ",
            _blind("anchored"),
        ),
        Measure(
            "correct_blind",
            "correct, blind to the sign",
            "correct but for the sign / redefined cases whose references differ",
            _blind("correct"),
        ),
        Measure(
            "anchored_excess",
            "anchored above chance",
            "multiple choice: anchored minus the mean share of a distractor",
            _excess,
            share=False,
        ),
    )
}
"""By name; every one is a figure of a summary and can stand in a rule or a comparison."""
