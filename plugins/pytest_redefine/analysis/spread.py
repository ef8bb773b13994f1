"""How much the way of prompting matters, beside how much it would seem to matter if it did not."""

from __future__ import annotations

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
    import numpy as np  # 0.2 s of import, for those who asked in several ways

    # A case whose arms agree is dealt the same whatever the draw.
    varying = np.array([scores for scores in table if len(set(scores)) > 1], dtype=float)
    constant = sum(scores[0] for scores in table if len(set(scores)) == 1)
    if not varying.size:
        return [0.0] * PERMUTATIONS
    source = np.random.default_rng(seed)
    dealt = source.permuted(np.broadcast_to(varying, (PERMUTATIONS, *varying.shape)), axis=2)
    totals = dealt.sum(axis=1) + constant
    return [float(value) for value in (totals.max(axis=1) - totals.min(axis=1)) / len(table)]
