"""Figures that lay models side by side: size, trend, correlation; and the dose-response curve of each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_redefine.analysis.contamination import gap
from pytest_redefine.analysis.correlation import pearson
from pytest_redefine.analysis.dose import curves, points
from pytest_redefine.analysis.estimates import estimate, group
from pytest_redefine.analysis.measures import MEASURES, Context
from pytest_redefine.analysis.rates import wilson
from pytest_redefine.analysis.rows import Row
from pytest_redefine.analysis.sizes import ModelFacts
from pytest_redefine.analysis.trend import trend
from pytest_redefine.cases.model import FRESH
from pytest_redefine.cases.published import CASES_OF_TASK, Cell, Published

Json = dict[str, Any]

LEVELS_OF_SCALE: Final = {"constants": ("ra3", "rs2"), "units": ("ra2", "ra3")}
"""The levels that the paper prints anchored rates of: a new model is laid beside the old ones on the same cells."""

_ANCHORED: Final = MEASURES["anchored_rate"]


def scale(
    rows: Mapping[str, Sequence[Row]], facts: Mapping[str, ModelFacts], context: Context, published: Published
) -> list[Json]:
    """Anchored rate against size, by task, format, prompting and question, for models of known size.

    Points of the paper's models are added to arms that it printed; they have counts but no clustering.
    """
    out: list[Json] = []
    arms: dict[tuple[Any, ...], dict[str, list[Row]]] = {}
    for model, members in rows.items():
        if facts[model].size_b is None or published.model_of(model.split(" @ ")[0]) is not None:
            continue
        for arm, of_arm in group(members, ("task", "format", "prompting", "question")).items():
            arms.setdefault(arm, {})[model] = [
                row for row in of_arm if row.redefinition in LEVELS_OF_SCALE.get(arm[0], ())
            ]
    for arm, found in arms.items():
        task, format_, prompting, question = arm
        points = [
            {
                "model": model,
                "family": facts[model].family,
                "size_b": facts[model].size_b,
                "printed": False,
                **estimate(_ANCHORED, members, context).to_json(),
            }
            for model, members in found.items()
        ]
        points = [point for point in points if point["n"]]
        points += _printed(published, task, format_, prompting, question) if points else []
        if points:
            out.append({"task": task, "format": format_, "prompting": prompting, "question": question,
                        "levels": list(LEVELS_OF_SCALE[task]), "points": points})  # fmt: skip
    return out


def _printed(published: Published, task: str, format_: str, prompting: str, question: str) -> list[Json]:
    out: list[Json] = []
    for model in published.models.values():
        cells = [Cell(task, prompting, format_, level, question) for level in LEVELS_OF_SCALE[task]]
        if model.size_b is None or any((model.name, cell) not in published.anchored for cell in cells):
            continue
        n = CASES_OF_TASK[task]
        k = sum(round(published.anchored[model.name, cell] * n / 100) for cell in cells)
        rate = wilson(k, n * len(cells))
        out.append({"model": model.name, "family": model.family, "size_b": model.size_b, "printed": True,
                    "value": round(rate.share, 6), "k": k, "n": rate.n, "low": round(rate.low, 6),
                    "high": round(rate.high, 6), "interval": "wilson, cases taken for independent"})  # fmt: skip
    return out


def trends(rows: Mapping[str, Sequence[Row]], facts: Mapping[str, ModelFacts], context: Context) -> list[Json]:
    """The slope on log size inside each family of at least two sizes, by task, format, prompting and question."""
    families: dict[str, list[str]] = {}
    for model in rows:
        family = facts[model].family
        if family is not None and facts[model].size_b is not None:
            families.setdefault(family, []).append(model)
    out: list[Json] = []
    for family, models in families.items():
        sizes = {model: facts[model].size_b or 0.0 for model in models}
        if len(set(sizes.values())) < 2:
            continue
        arms: dict[tuple[Any, ...], dict[str, list[Row]]] = {}
        for model in models:
            for arm, members in group(rows[model], ("task", "format", "prompting", "question")).items():
                arms.setdefault(arm, {})[model] = members
        for (task, format_, prompting, question), found in arms.items():
            fitted = trend(_ANCHORED, found, sizes, context)
            out.append({"family": family, "task": task, "format": format_, "prompting": prompting,
                        "question": question, "models": fitted.models, "sizes": fitted.sizes,
                        "slope_per_tenfold": fitted.slope, "low": _finite(fitted.low), "high": _finite(fitted.high),
                        "n": fitted.n, "quantities": fitted.quantities})  # fmt: skip
    return out


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def correlations(rows: Mapping[str, Sequence[Row]], context: Context) -> list[Json]:
    """Pearson's r over models of the control rate with the anchored rate, by cell; for three models and more.

    The control is the free-form one of the same prompting, as in the paper, or that of the format where there is none.
    """
    if len(rows) < 3:
        return []
    cells: dict[tuple[Any, ...], dict[str, list[Row]]] = {}
    for model, members in rows.items():
        for cell, of_cell in group(members, ("task", "format", "prompting", "redefinition", "question")).items():
            cells.setdefault(cell, {})[model] = of_cell
    known, anchored = MEASURES["control_correct_rate"], MEASURES["anchored_rate"]
    out: list[Json] = []
    for (task, format_, prompting, level, question), found in cells.items():
        if not level.startswith(("ra", "rs")):
            continue
        controls = cells.get((task, "ff", prompting, "nr", question)) or cells.get(
            (task, format_, prompting, "nr", question), {}
        )
        pairs = []
        for model, members in found.items():
            x = estimate(known, controls.get(model, ()), context).value
            y = estimate(anchored, members, context).value
            if x is not None and y is not None:
                pairs.append((x, y))
        if len(pairs) > 2:
            r = pearson(pairs)
            out.append({"task": task, "format": format_, "prompting": prompting, "redefinition": level,
                        "question": question, "r": r.r, "low": r.low, "high": r.high, "models": r.n})  # fmt: skip
    return out


def dose_response(model: str, rows: Sequence[Row]) -> list[Json]:
    """Anchored rate by how far off the value was, and the curve where the points bear one; a sign at a time."""
    return [{"model": model, "sign": sign, **found.to_json()} for sign, found in curves(points(rows)).items()]


def contamination(rows: Mapping[str, Sequence[Row]], names: Mapping[str, str]) -> list[Json]:
    """The contamination gap of each model of which fresh cases were asked.

    Where the published ones were asked in other runs than the fresh ones, those are taken.

    Args:
        rows: By model, drawn cases among them.
        names: Of each, what it is called without its run.
    """
    out: list[Json] = []
    for model, members in rows.items():
        if not any(row.redefinition == FRESH for row in members):
            continue
        found = gap(members)
        if not found.pairs:
            others = [row for other in rows if other != model and names[other] == names[model] for row in rows[other]]
            found = gap([*members, *(row for row in others if not row.drawn)])
        out.append({"model": model, **found.to_json()})
    return out
