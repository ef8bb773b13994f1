"""Anchoring against size inside a family of models."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_redefine.analysis.estimates import t_quantile
from pytest_redefine.analysis.measures import Context, Measure
from pytest_redefine.analysis.rows import Row


@dataclass(frozen=True, slots=True)
class Trend:
    """The change of a measure for a tenfold number of parameters, among the models given.

    The estimand: the least-squares slope over these models, averaged over quantities; the interval is Student's t over
    quantities. It says what other quantities would show of these models, not what other models would show: with
    three models nothing can say that.
    """

    slope: float | None
    """None for fewer than three sizes: a family of two is shown, not fitted."""
    low: float
    high: float
    models: int
    sizes: int
    n: int
    """Cases that all of the models answered, times models."""
    quantities: int


def trend(measure: Measure, rows: Mapping[str, Sequence[Row]], sizes: Mapping[str, float], context: Context) -> Trend:
    """Fit one family.

    Args:
        measure: What is scored.
        rows: By model.
        sizes: In billions of parameters, by model; models without one are left out.
        context: What the controls show.
    """
    models = [model for model in rows if model in sizes]
    scores = {
        model: {row.case_id: (row.cluster, score) for row, score in measure.scores(rows[model], context)}
        for model in models
    }
    # Of cases that only some models answered the slope would show which cases those were.
    common = set.intersection(*(set(found) for found in scores.values())) if scores else set()
    distinct = len({sizes[model] for model in models})
    n = len(common) * len(models)
    quantities: defaultdict[str, list[float]] = defaultdict(list)
    if distinct >= 3 and common:
        logs = {model: math.log10(sizes[model]) for model in models}
        centre = sum(logs.values()) / len(logs)
        weight = sum((log - centre) ** 2 for log in logs.values())
        for case_id in sorted(common):
            cluster = scores[models[0]][case_id][0]
            slope = sum((logs[model] - centre) * scores[model][case_id][1] for model in models) / weight
            quantities[cluster].append(slope)
    clusters = len({scores[models[0]][case_id][0] for case_id in common}) if common else 0
    if not quantities:
        return Trend(None, -math.inf, math.inf, len(models), distinct, n, clusters)
    cases = sum(map(len, quantities.values()))
    mean = sum(map(sum, quantities.values())) / cases
    if clusters < 2:
        return Trend(mean, -math.inf, math.inf, len(models), distinct, n, clusters)
    spread = sum((sum(slopes) - mean * len(slopes)) ** 2 for slopes in quantities.values())
    half = t_quantile(clusters - 1) * math.sqrt(spread * clusters / (clusters - 1)) / cases
    return Trend(mean, mean - half, mean + half, len(models), distinct, n, clusters)
