"""All figures of one or several runs as plain data: what summary.json holds and every page shows."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import pytest_redefine
from pytest_redefine.analysis.estimates import estimate, estimate_share, group
from pytest_redefine.analysis.measures import MEASURES, Context
from pytest_redefine.analysis.over_models import contamination, correlations, dose_response, scale, trends
from pytest_redefine.analysis.rows import DRAWN_NEUTRAL, Row
from pytest_redefine.analysis.sizes import ModelFacts, facts_of
from pytest_redefine.analysis.spread import spread
from pytest_redefine.analysis.stability import agreement, churn, position_bias
from pytest_redefine.cases.model import DOSE, FRESH
from pytest_redefine.cases.published import Published
from pytest_redefine.grading.outcome import CATEGORIES

SUMMARY_SCHEMA: Final = 1
"""Of summary.json, which docs/summary-schema.md explains; raised when a field changes its meaning or goes."""

Json = dict[str, Any]

_ARM: Final = ("task", "format", "prompting")
_LISTED: Final = ("run", "state", "started_at", "finished_at", "wall_s", "exit_status", "complete", "announced",
                  "requests", "cost_usd", "parameters", "versions", "case_set")  # fmt: skip


@dataclass(frozen=True, slots=True)
class RunRows:
    """One run: its rows, and what run.json says of it (empty where there is none)."""

    name: str
    rows: Sequence[Row]
    facts: Mapping[str, Any] = field(default_factory=dict)
    shrunk: Sequence[Mapping[str, Any]] = ()
    """Its worked examples of --shrink."""


@dataclass(frozen=True, slots=True)
class Data:
    """What is needed beside the records."""

    published: Published
    models: Mapping[str, ModelFacts] = field(default_factory=dict)
    swap_partners: Mapping[tuple[str, str, str], str] = field(default_factory=dict)


def labelled(runs: Sequence[RunRows]) -> list[RunRows]:
    """The runs, with a model that stands in several of them called ``model @ run``, so that each is one respondent."""
    seen = Counter(model for run in runs for model in {row.model for row in run.rows})
    if len({run.name for run in runs}) < len(runs):  # two folders of one name
        runs = [replace(run, name=f"{run.name} ({number})") for number, run in enumerate(runs, start=1)]
    if all(count == 1 for count in seen.values()):
        return list(runs)
    return [
        replace(
            run,
            rows=[row if seen[row.model] == 1 else replace(row, model=f"{row.model} @ {run.name}") for row in run.rows],
            shrunk=[
                one if seen[one["model"]] == 1 else {**one, "model": f"{one['model']} @ {run.name}"}
                for one in run.shrunk
            ],
        )
        for run in runs
    ]


def summarise(runs: Sequence[RunRows], data: Data, *, mixed_model: bool = False) -> Json:
    """The figures of runs whose models have been :func:`labelled`. 50,000 rows take some seconds.

    Of ``sim/published-*`` only counts are given: they repeat printed counts, dealt to cases by chance. The mixed model
    is fitted on request: it takes seconds and statsmodels.
    """
    everything = [row for run in runs for row in run.rows]
    every = [row for row in everything if not row.drawn]
    # Drawn cases have figures of their own: in a rate of the benchmark they would move it from seed to seed.
    all_rows = {str(model): members for (model,), members in group(everything, ["model"]).items()}
    by_model = {model: [row for row in rows if not row.drawn] for model, rows in all_rows.items()}
    run_of = {row.model: run.name for run in runs for row in run.rows}
    # Without the marks of a published respondent every figure below may be drawn.
    asked = {model: model.split(" @ ")[0] for model in by_model}
    measured = {model: rows for model, rows in by_model.items() if data.published.model_of(asked[model]) is None}
    noted = {run.name: _noted(run.facts) for run in runs}
    facts = {
        model: facts_of(asked[model], data.published, {**data.models, **noted[run_of[model]]}) for model in by_model
    }
    context = Context.of(every, data.swap_partners)
    return {
        "schema": SUMMARY_SCHEMA,
        "suite": pytest_redefine.__version__,
        "runs": [_run(run) for run in runs],
        "totals": {**_totals(everything), "unrecorded": sum(map(_unrecorded, runs))},
        "measures": {measure.name: [measure.title, measure.meaning] for measure in MEASURES.values()},
        "models": [
            {
                "model": model,
                "run": run_of[model],
                "simulated": any(row.simulated for row in all_rows[model]),
                "published": model not in measured,
                "family": facts[model].family,
                "size_b": facts[model].size_b,
                "size_source": facts[model].source,
                **_ends(rows),
                **_drawn(all_rows[model]),
                **(_measures(rows, context) if model in measured else {}),
            }
            for model, rows in by_model.items()
        ],
        "cells": [cell for rows in measured.values() for cell in _cells(rows, context)],
        "quantities": [entry for rows in measured.values() for entry in _quantities(rows, context)],
        "promptings": [entry for rows in measured.values() for entry in _promptings(rows, context)],
        "position_bias": [entry for model, rows in measured.items() for entry in _positions(model, rows)],
        "churn": [entry for model, rows in measured.items() for entry in _churn(model, rows)],
        "judge": [entry for model, rows in measured.items() for entry in _judge(model, rows)],
        "scale": scale(by_model, facts, context, data.published),
        "trends": trends(measured, facts, context),
        "correlations": correlations(measured, context),
        "mixed_model": _mixed_model(measured, context) if mixed_model else None,
        "dose_response": [entry for model in measured for entry in dose_response(model, all_rows[model])],
        "contamination": contamination({model: all_rows[model] for model in measured}, asked),
        "shrunk": [dict(example) for run in runs for example in run.shrunk],
    }


def _mixed_model(measured: Mapping[str, Sequence[Row]], context: Context) -> Json:
    from pytest_redefine.analysis import mixed_model

    rows = [row for members in measured.values() for row in members]
    return mixed_model.told(MEASURES["anchored_rate"], rows, context)


def _noted(facts: Mapping[str, Any]) -> dict[str, ModelFacts]:
    """What the run itself knew of its models: --models-file may have told it more than the project's own file."""
    models = facts.get("models")
    found: dict[str, ModelFacts] = {}
    for name, told in models.items() if isinstance(models, Mapping) else ():
        if isinstance(told, Mapping):
            family, size = told.get("family"), told.get("size_b")
            sized = float(size) if isinstance(size, int | float) and size > 0 else None
            found[name] = ModelFacts(str(family) if family else None, sized, str(told.get("size_source") or ""))
    return found


def _run(run: RunRows) -> Json:
    return {"run": run.name, **{name: run.facts[name] for name in _LISTED if name in run.facts and name != "run"}}


def _unrecorded(run: RunRows) -> int:
    """Cases that were announced and left no record, as where a shard is missing."""
    announced = run.facts.get("announced")
    return max(0, announced - len(run.rows)) if isinstance(announced, int) else 0


def _totals(rows: Sequence[Row]) -> Json:
    costs = [row.cost_usd for row in rows if row.cost_usd is not None and not row.from_store]
    return {
        "records": len(rows),
        "answered": sum(row.answered for row in rows),
        "errors": sum(row.status == "error" for row in rows),
        "not_asked": sum(row.status == "not_asked" for row in rows),
        "ungraded": sum(row.status == "answered" and not row.answered for row in rows),
        "quantities": len({row.cluster for row in rows}),
        "cost_usd": round(sum(costs), 6) if costs else None,
        "tokens_in": sum(row.tokens_in for row in rows),
        "tokens_out": sum(row.tokens_out for row in rows),
        "tokens_reasoning": sum(row.tokens_reasoning for row in rows),
    }


def _outcomes(rows: Iterable[Row]) -> Json:
    found = Counter(row.outcome for row in rows if row.answered)
    return {category: found[category] for category in CATEGORIES}


def _drawn(rows: Sequence[Row]) -> Json:
    """Outcomes of drawn cases, by family, and of their neutral controls; nothing where there are none."""
    names = {FRESH: FRESH, DOSE: DOSE, "drawn_neutral": DRAWN_NEUTRAL}
    found = {name: [row for row in rows if row.redefinition == level] for name, level in names.items()}
    return {name: _outcomes(members) for name, members in found.items() if members}


def _ends(rows: Sequence[Row]) -> Json:
    latencies = [row.latency_s for row in rows if row.latency_s is not None and row.answered and not row.from_store]
    costs = [row.cost_usd for row in rows if row.cost_usd is not None and not row.from_store]
    return {
        "redefined": _outcomes(row for row in rows if row.is_redefined),
        "controls": _outcomes(row for row in rows if row.is_control),
        "neutral": _outcomes(row for row in rows if row.is_neutral),
        "drawn": _outcomes(row for row in rows if row.is_drawn),
        "details": dict(Counter(row.detail for row in rows if row.answered and row.detail).most_common(12)),
        "errors": dict(Counter(row.error_kind for row in rows if row.status == "error")),
        "not_asked": sum(row.status == "not_asked" for row in rows),
        "ungraded": sum(row.status == "answered" and not row.answered for row in rows),
        "truncated": sum(row.detail == "truncated" for row in rows),
        "cost_usd": round(sum(costs), 6) if costs else None,
        "median_latency_s": round(statistics.median(latencies), 3) if latencies else None,
    }


def _measures(rows: Sequence[Row], context: Context) -> Json:
    """Over all cases of a model, and for each task, format and prompting."""
    arms = group(rows, _ARM)
    return {
        "measures": _every_measure(rows, context),
        "measures_without_contested": _every_measure([row for row in rows if not row.contested], context),
        "arms": [
            {
                **dict(zip(_ARM, arm, strict=True)),
                "measures": _every_measure(members, context),
                "measures_without_contested": _every_measure([row for row in members if not row.contested], context),
            }
            for arm, members in arms.items()
        ],
    }


def _every_measure(rows: Sequence[Row], context: Context) -> Json:
    found = {name: estimate(measure, rows, context) for name, measure in MEASURES.items()}
    return {name: value.to_json() for name, value in found.items() if value.n}


def _cells(rows: Sequence[Row], context: Context) -> list[Json]:
    names = ("model", *_ARM, "redefinition", "question")
    out: list[Json] = []
    for key, members in group(rows, names).items():
        levels = members[0]
        measure = "control_correct_rate" if levels.is_control else "anchored_rate"
        if levels.is_neutral:
            measure = "neutral_correct_rate"
        if levels.redefinition == FRESH:
            measure = "fresh_anchored_rate"
        rate = estimate(MEASURES[measure], members, context)
        out.append({
            **dict(zip(names, key, strict=True)),
            "outcomes": _outcomes(members),
            "errors": sum(row.status == "error" for row in members),
            "not_asked": sum(row.status == "not_asked" for row in members),
            "contested": sum(row.contested for row in members),
            "measure": measure,
            "rate": rate.to_json(),
        })  # fmt: skip
    return out


def _quantities(rows: Sequence[Row], context: Context) -> list[Json]:
    """Anchored answers by quantity and level, and right controls: the heat map. Three questions a cell, so no rate."""
    out: list[Json] = []
    for (model, task, quantity, level), members in group(rows, ("model", "task", "quantity", "redefinition")).items():
        measure = MEASURES["control_correct_rate" if level == "nr" else "anchored_rate"]
        if members[0].is_neutral or members[0].is_drawn:
            continue
        scores = measure.scores(members, context)
        out.append({"model": model, "task": task, "quantity": quantity, "redefinition": level,
                    "k": round(sum(score for _, score in scores)), "n": len(scores)})  # fmt: skip
    return out


def _promptings(rows: Sequence[Row], context: Context) -> list[Json]:
    out: list[Json] = []
    for (model, task, format_), members in group(rows, ("model", "task", "format")).items():
        found = spread(MEASURES["anchored_rate"], members, context)
        if found is not None:
            out.append({"model": model, "task": task, "format": format_, "rates": found.rates, "n": found.n,
                        "spread": found.spread, "expected_if_alike": found.expected, "p": found.p})  # fmt: skip
    return out


def _positions(model: str, rows: Sequence[Row]) -> list[Json]:
    found = position_bias(rows)
    if found is None:
        return []
    return [{
        "model": model,
        "n": found.n,
        "distance": found.distance,
        "letters": {one.letter: {"named": one.named.to_json(), "right": one.right} for one in found.positions},
        "same_value_when_turned": found.same_value.to_json() if found.same_value else None,
    }]  # fmt: skip


def _churn(model: str, rows: Sequence[Row]) -> list[Json]:
    found = churn(rows)
    return [{"model": model, "unlike": found.to_json()}] if found.n else []


def _judge(model: str, rows: Sequence[Row]) -> list[Json]:
    found = agreement(rows)
    if not found.n:
        return []
    share = estimate_share((row.cluster, float(row.judged == row.measured)) for row in rows if row.judged)
    return [{"model": model, "kappa": found.kappa, "low": found.low, "high": found.high, "n": found.n,
             "agreement": share.to_json(),
             "table": [[*pair, count] for pair, count in sorted(found.table.items())]}]  # fmt: skip
