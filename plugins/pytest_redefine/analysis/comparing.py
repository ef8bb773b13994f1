"""What moved between two sides that were asked the same cases: measures, outcomes, the cases themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_redefine.analysis.estimates import group
from pytest_redefine.analysis.measures import MEASURES, Context
from pytest_redefine.analysis.paired import Comparison, case_of, case_without, compare, pair
from pytest_redefine.analysis.rows import Row
from pytest_redefine.cases.published import PREFIX

COMPARE_SCHEMA: Final = 1

COMPARED: Final = ("anchored_rate", "anchored_given_known", "correct_rate", "refused_rate", "blank_rate", "hedged_rate",
                   "control_correct_rate", "neutral_correct_rate", "anchored_excess")  # fmt: skip


class CannotCompare(Exception):
    """The two sides have nothing in common; one line that says what they have."""


@dataclass(frozen=True, slots=True)
class Flip:
    """A case that ended differently."""

    before: Row
    after: Row


@dataclass(frozen=True, slots=True)
class Sides:
    """Two sides, compared."""

    name_before: str
    name_after: str
    measures: tuple[Comparison, ...]
    by_question: Mapping[tuple[str, str], Comparison]
    """The anchored rate by task and question: looks into where, and is not corrected for looking often."""
    transitions: Mapping[tuple[str, str], int]
    """(outcome before, outcome after) → cases, unchanged ones included."""
    flips: tuple[Flip, ...]
    cases: int
    """Answered on both sides."""
    only_before: int
    only_after: int

    def to_json(self) -> dict[str, Any]:
        """Plain builtins."""
        return {
            "schema": COMPARE_SCHEMA,
            "before": self.name_before,
            "after": self.name_after,
            "cases": self.cases,
            "only_before": self.only_before,
            "only_after": self.only_after,
            "measures": [one.to_json() for one in self.measures],
            "by_question": [{"task": task, "question": question, **one.to_json()}
                            for (task, question), one in self.by_question.items()],
            "transitions": [[*pair, count] for pair, count in sorted(self.transitions.items())],
            "flips": [{"case_id": flip.after.case_id, "before": flip.before.outcome, "after": flip.after.outcome}
                      for flip in self.flips],
        }  # fmt: skip


def compare_sides(
    name_before: str,
    before: Sequence[Row],
    name_after: str,
    after: Sequence[Row],
    *,
    key: Callable[[Row], Hashable] = case_of,
) -> Sides:
    """Compare the rows of one model (or arm) with those of another.

    Raises:
        CannotCompare: no case was answered on both sides.
    """
    contexts = Context.of(before), Context.of(after)
    answered = [{key(row): row for row in rows if row.answered} for rows in (before, after)]
    common = [name for name in answered[0] if name in answered[1]]
    if not common:
        raise CannotCompare(
            f"{name_before} and {name_after} have no answered case in common "
            f"({len(answered[0])} and {len(answered[1])} answered)"
        )

    def tested(measure: str, one: Sequence[Row], other: Sequence[Row]) -> Comparison:
        chosen = MEASURES[measure]
        pairing = pair(chosen, one, other, key=key, context_before=contexts[0], context_after=contexts[1])
        return compare(chosen, pairing)

    measures = tuple(found for name in COMPARED if (found := tested(name, before, after)).test.n)
    parts = [group([row for row in rows if row.is_redefined], ("task", "question")) for rows in (before, after)]
    flips = [Flip(answered[0][name], answered[1][name]) for name in common]
    return Sides(
        name_before,
        name_after,
        measures,
        {
            (str(task), str(question)): tested("anchored_rate", members, parts[1][task, question])
            for (task, question), members in parts[0].items()
            if (task, question) in parts[1]
        },
        Counter((flip.before.outcome, flip.after.outcome) for flip in flips),
        tuple(flip for flip in flips if flip.before.outcome != flip.after.outcome),
        len(common),
        len(answered[0]) - len(common),
        len(answered[1]) - len(common),
    )


def sides_of(
    before: tuple[str, Sequence[Row]], after: tuple[str, Sequence[Row]], arms: tuple[str, str, str] | None = None
) -> list[Sides]:
    """Compare two runs: each model that stands in both, or the only one of each.

    Args:
        before: A run's name and rows.
        after: Likewise.
        arms: (axis, value before, value after): two arms instead of all, e.g. ("prompting", "zs", "cot").

    Raises:
        CannotCompare: nothing can be laid side by side; one line.
    """
    models = [{str(model): rows for (model,), rows in group(run[1], ["model"]).items()} for run in (before, after)]
    pairs = [(model, model) for model in models[0] if model in models[1]]
    if not pairs and len(models[0]) == len(models[1]) == 1:
        pairs = [(next(iter(models[0])), next(iter(models[1])))]
    if not pairs:
        raise CannotCompare(
            f"no model stands in both runs: {before[0]} has {', '.join(models[0])}; "
            f"{after[0]} has {', '.join(models[1])}"
        )
    for model in {name for one in pairs for name in one}:
        if model.startswith(PREFIX):
            raise CannotCompare(f"{model} repeats printed counts, dealt to cases by chance: it has nothing to pair")
    key: Callable[[Row], Hashable] = case_of
    if arms is not None:
        key = case_without(arms[0])
    found: list[Sides] = []
    for old, new in pairs:
        names = [f"{old} @ {before[0]}", f"{new} @ {after[0]}"]
        chosen = [models[0][old], models[1][new]]
        if arms is not None:
            names = [f"{name}, {value}" for name, value in zip(names, arms[1:], strict=True)]
            chosen = [
                [row for row in rows if str(getattr(row, arms[0])) == value]
                for rows, value in zip(chosen, arms[1:], strict=True)
            ]
        found.append(compare_sides(names[0], chosen[0], names[1], chosen[1], key=key))
    return found
