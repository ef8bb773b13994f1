"""What the same question asked again tells: churn over samples, bias towards a letter, two graders on one answer."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from pytest_redefine.analysis.agreement import cohen_kappa
from pytest_redefine.analysis.estimates import Estimate, estimate_share, t_quantile
from pytest_redefine.analysis.paired import case_without
from pytest_redefine.analysis.rows import Row


def churn(rows: Iterable[Row]) -> Estimate:
    """How often two samples of one case end differently: the share of unlike pairs, clustered by quantity.

    Of a case with s samples each of the s(s-1)/2 pairs counts; n is the number of pairs. Rows of one model.
    """
    cases: defaultdict[Hashable, list[Row]] = defaultdict(list)
    key = case_without("sample")
    for row in rows:
        if row.answered:
            cases[key(row)].append(row)
    return estimate_share(
        (one.cluster, float(one.outcome != other.outcome))
        for members in cases.values()
        for at, one in enumerate(members)
        for other in members[at + 1 :]
    )


@dataclass(frozen=True, slots=True)
class Position:
    """How often one letter was named, beside how often it was right."""

    letter: str
    named: Estimate
    right: float
    """Share of the same cases whose expected answer stood there."""


@dataclass(frozen=True, slots=True)
class PositionBias:
    """Bias towards a letter in multiple choice."""

    positions: tuple[Position, ...]
    n: int
    """Answers that named a letter."""
    distance: float
    """Half the sum of |named - 1/4|: 0 without bias, 3/4 where one letter is always named."""
    same_value: Estimate | None
    """With turned options: the share of pairs of turns in which the same value was chosen."""


def position_bias(rows: Iterable[Row]) -> PositionBias | None:
    """The bias of one model; None without answers that name a letter.

    Positions are dealt evenly over a cell, so every letter holds each kind of option equally often there, and with
    ``--rotate-options`` exactly equally often in every case.
    """
    named = [row for row in rows if row.answered and row.format == "mc" and row.letter]
    if not named:
        return None
    letters = sorted({row.letter for row in named} | {row.right_letter for row in named if row.right_letter})
    right = Counter(row.right_letter for row in named)
    n = len(named)
    positions = tuple(
        Position(
            letter,
            estimate_share((row.cluster, float(row.letter == letter)) for row in named),
            right[letter] / n,
        )
        for letter in letters
    )
    distance = sum(abs((one.named.value or 0.0) - 0.25) for one in positions) + 0.25 * (4 - len(positions))
    return PositionBias(positions, n, distance / 2, _same_value(named))


def _same_value(named: Sequence[Row]) -> Estimate | None:
    turns: defaultdict[Hashable, list[Row]] = defaultdict(list)
    key = case_without("rotation")
    for row in named:
        turns[key(row)].append(row)
    if all(len(members) < 2 for members in turns.values()):
        return None
    return estimate_share(
        (one.cluster, float(one.option_value == other.option_value))
        for members in turns.values()
        for at, one in enumerate(members)
        for other in members[at + 1 :]
    )


@dataclass(frozen=True, slots=True)
class Agreement:
    """Cohen's kappa of two graders on the same answers."""

    kappa: float | None
    """None where chance alone would make them agree throughout."""
    low: float
    high: float
    agree: int
    n: int
    table: dict[tuple[str, str], int]
    """(numeric, judge) → answers."""


def agreement(rows: Iterable[Row]) -> Agreement:
    """Of the numeric grader with the judge, over all six outcomes.

    The interval is a jackknife over quantities: statsmodels' own takes the answers to one quantity for independent.
    """
    judged = [row for row in rows if row.judged and row.measured]
    table = Counter((row.measured, row.judged) for row in judged)
    kappa = cohen_kappa(table)
    clusters: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for row in judged:
        clusters[row.cluster][row.measured, row.judged] += 1
    without = [value for part in clusters.values() if (value := cohen_kappa(table - part)) is not None]
    low, high = -1.0, 1.0
    if kappa is not None and len(without) == len(clusters) > 1:
        groups = len(without)
        mean = sum(without) / groups
        error = math.sqrt((groups - 1) / groups * sum((value - mean) ** 2 for value in without))
        half = t_quantile(groups - 1) * error
        low, high = max(-1.0, kappa - half), min(1.0, kappa + half)
    agree = sum(count for (one, other), count in table.items() if one == other)
    return Agreement(kappa, low, high, agree, len(judged), dict(table))
