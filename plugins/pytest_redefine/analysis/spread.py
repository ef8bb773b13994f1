"""How much the way of prompting matters, beside how much it would seem to matter if it did not."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_redefine.analysis.measures import Context, Measure
from pytest_redefine.analysis.paired import case_without
from pytest_redefine.analysis.rows import Row

PERMUTATIONS: Final = 999


@dataclass(frozen=True, slots=True)
class Spread:
    """Highest minus lowest rate over the arms of one model, on the cases that every arm answered."""

    rates: Mapping[str, float]
    n: int
    """Cases in each arm."""
    spread: float
    expected: float
    """Mean spread were the arms alike: each case's scores dealt anew among the arms."""
    p: float
    """Share of those deals with at least this spread; never 0."""


def spread(
    measure: Measure, rows: Iterable[Row], context: Context, *, axis: str = "prompting", seed: int = 0
) -> Spread | None:
    """The spread of one model over an axis, with its permutation null; None for fewer than two arms in common.

    With 15 cases an arm, three equal arms of independent cases differ by about 20 points. Cases are matched, so
    scores are dealt within a case: what makes one case harder than another stays where it is.
    """
    key = case_without(axis)
    arms: dict[str, dict[object, float]] = {}
    for row, score in measure.scores(rows, context):
        arms.setdefault(str(getattr(row, axis)), {})[key(row)] = score
    common = list(set.intersection(*(set(arm) for arm in arms.values()))) if len(arms) > 1 else []
    if not common:
        return None
    table = [[arm[case] for arm in arms.values()] for case in common]
    totals = [sum(column) for column in zip(*table, strict=True)]
    n = len(table)
    seen = (max(totals) - min(totals)) / n
    drawn = _null(table, seed)
    return Spread(
        {name: total / n for name, total in zip(arms, totals, strict=True)},
        n,
        seen,
        sum(drawn) / len(drawn),
        (1 + sum(one >= seen - 1e-12 for one in drawn)) / (1 + len(drawn)),
    )


def _null(table: Sequence[Sequence[float]], seed: int) -> list[float]:
    source = random.Random(seed)  # noqa: S311 - a permutation test, no secret
    # A case whose arms agree is dealt the same whatever the draw.
    constant = [0.0] * len(table[0])
    varying: list[list[float]] = []
    for scores in table:
        if len(set(scores)) > 1:
            varying.append(list(scores))
        else:
            constant = [total + score for total, score in zip(constant, scores, strict=True)]
    drawn = []
    for _ in range(PERMUTATIONS):
        totals = constant.copy()
        for scores in varying:
            source.shuffle(scores)
            for at, score in enumerate(scores):
                totals[at] += score
        drawn.append((max(totals) - min(totals)) / len(table))
    return drawn
