"""The page of one or several runs."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from pytest_redefine.analysis.published import DIFFERENCES, PaperTable, PaperTables
from pytest_redefine.analysis.summary import Data, Json, summarise
from pytest_redefine.grading.outcome import CATEGORIES
from pytest_redefine.reporting import gate
from pytest_redefine.reporting.letters import LETTERS
from pytest_redefine.reporting.loading import LoadedRun
from pytest_redefine.reporting.page import drawn, pictures, words
from pytest_redefine.reporting.page.cases import case_data
from pytest_redefine.reporting.text import one_line, visible

_POLICY: Final = (
    "default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)
"""Nothing is loaded, and no script or style but ours is applied, whatever a model says."""


def write_report(
    path: Path, runs: Sequence[LoadedRun], data: Data, summary: Json | None = None, gates: Sequence[Json] = ()
) -> None:
    """Write the page, whole or not at all.

    Args:
        path: Where to.
        runs: As loaded together, so that their models are labelled.
        data: Published figures and known models.
        summary: Of these runs, where it has been made already.
        gates: What a gate said of any of them.

    Raises:
        RecordsError: a records file has changed or gone.
        OSError: the page cannot be written.
    """
    summary = summary or summarise([run.rows for run in runs], data)
    rows = [row for run in runs for row in run.rows.rows]
    tables = PaperTables(rows, data.published).build()
    page = render(
        "report.html.j2",
        title=f"{words.listed([run.rows.name for run in runs])}: redefinition report",
        script="report.js",
        cases=case_data(runs),
        summary=summary,
        gates=gates,
        gate_headline=gate.headline,
        gate_title=gate.title,
        gate_change=gate.change,
        **_context(summary, tables),
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.tmp")
    draft.write_text(page, encoding="utf-8", errors="backslashreplace")
    draft.replace(path)


def render(template: str, *, script: str | None = None, **context: Any) -> str:
    """A template of this package as a page, its style and script inside, allowed by their hashes only."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # 0.1 s, for those who write a page

    environment = Environment(
        loader=PackageLoader("pytest_redefine.reporting", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "shown": lambda value, limit=80: one_line(str(value), limit),
        "visible": lambda value: visible(str(value)),
        "json": _json,
        "rate": words.rate,
        "percent": words.percent,
        "count": words.count,
    }
    style, code = _asset("report.css"), _asset(script) if script else ""
    return environment.get_template(template).render(
        style=Markup(style),  # noqa: S704 - our own file
        code=Markup(code),  # noqa: S704 - our own file
        policy=_POLICY.format(script=_digest(code), style=_digest(style)),
        words=words,
        categories=CATEGORIES,
        letters=LETTERS,
        **context,
    )


def _asset(name: str) -> str:
    return files("pytest_redefine.reporting").joinpath("templates", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def _json(value: Any) -> Markup:
    """JSON that can end no script element: no character that HTML gives a meaning is left in it."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))  # noqa: S704 - see above


def _context(summary: Json, tables: Sequence[PaperTable]) -> dict[str, Any]:
    measured = [model for model in summary["models"] if not model["published"]]
    return {
        "headline": headline(summary),
        "measured": measured,
        "published": [model["model"] for model in summary["models"] if model["published"]],
        "rates_picture": pictures.model_rates(measured) if measured else None,
        "arms": _arms(summary["cells"]),
        "sizes": _sizes(summary["scale"]),
        "heat": _heat(summary["quantities"]),
        **drawn.context(summary),
        "tables": tables,
        "differences": DIFFERENCES,
    }


def headline(summary: Json) -> list[str]:
    """What was asked, of whom, how many, what it cost, how long it took, what went wrong: a sentence each."""
    totals, runs = summary["totals"], summary["runs"]
    models = [one_line(model["model"], 60) for model in summary["models"]]
    said = [
        f"{words.listed(models)} {'was' if len(models) == 1 else 'were'} asked "
        f"{words.count(totals['records'], 'question')} about {words.count(totals['quantities'], 'quantity')}."
    ]
    missing = [
        words.count(totals["errors"], "error") if totals["errors"] else "",
        f"{totals['not_asked']:,} not asked" if totals["not_asked"] else "",
        f"{totals['ungraded']:,} without a verdict" if totals["ungraded"] else "",
        f"{totals['unrecorded']:,} more without a record" if totals["unrecorded"] else "",
    ]
    said.append(
        f"{totals['answered']:,} answered" + "".join(f", {part}" for part in missing if part) + "."
        if any(missing)
        else "All were answered."
    )
    shards = [str((run.get("parameters") or {}).get("shard", "")) for run in runs]
    parts = [shard for shard in shards if re.fullmatch(r"[0-9]{1,3}/[0-9]{1,3}", shard)]
    if parts:
        said.append(f"That is shard {words.listed(parts)} of the selected cases only.")
    if any(run.get("state") == "running" for run in runs):
        said.append("A run is still going on, or was killed: cases are missing.")
    wall = [run["wall_s"] for run in runs if run.get("wall_s") is not None]
    free = all(model["model"].startswith(("local/", "sim/")) for model in summary["models"])
    cost = "none" if free and not totals["cost_usd"] else words.dollars(totals["cost_usd"])
    said.append(f"Cost: {cost}" + (f"; time: {words.duration(sum(wall))}." if wall else "."))
    if any(model["simulated"] for model in summary["models"]):
        said.append("Simulated respondents took part: their figures say nothing of any model.")
    return said


def _arms(cells: Sequence[Json]) -> list[Json]:
    """The outcome bars: for each task, format and prompting a row of pictures for each model."""
    arms: dict[tuple[str, ...], dict[str, dict[str, list[Json]]]] = {}
    for cell in cells:
        arm = (cell["task"], cell["format"], cell["prompting"])
        arms.setdefault(arm, {}).setdefault(cell["model"], {}).setdefault(cell["question"], []).append(cell)
    return [
        {
            "task": arm[0],
            "format": arm[1],
            "prompting": arm[2],
            "title": words.arm(dict(zip(("task", "format", "prompting"), arm, strict=True))),
            "models": [
                {
                    "model": model,
                    "bars": [
                        pictures.outcome_bars(question, found)
                        for question, found in sorted(questions.items())
                        if any(sum(cell["outcomes"].values()) for cell in found)
                    ],
                    "cells": [
                        cell
                        for _, found in sorted(questions.items())
                        for cell in sorted(found, key=lambda one: words.level_order(one["redefinition"]))
                    ],
                }
                for model, questions in models.items()
            ],
        }
        for arm, models in arms.items()
    ]


def _sizes(entries: Sequence[Json]) -> list[Json]:
    arms: dict[tuple[str, ...], list[Json]] = {}
    for entry in entries:
        arms.setdefault((entry["task"], entry["format"], entry["prompting"]), []).append(entry)
    return [
        {
            "title": words.arm(found[0]),
            "levels": " and ".join(found[0]["levels"]),
            "pictures": [pictures.scale(entry) for entry in sorted(found, key=lambda one: str(one["question"]))],
            "families": [
                (mark, family)
                for family, mark in pictures.family_marks(
                    sorted(found[0]["points"], key=lambda point: (str(point["family"]), point["size_b"]))
                ).items()
            ],
        }
        for found in arms.values()
    ]


def _heat(entries: Sequence[Json]) -> list[Json]:
    """Tables of anchored answers by quantity and level: all models together first, where there are several."""
    models = list(dict.fromkeys(entry["model"] for entry in entries))
    tables: list[Json] = []
    for task in dict.fromkeys(entry["task"] for entry in entries):
        of_task = [entry for entry in entries if entry["task"] == task]
        levels = sorted({entry["redefinition"] for entry in of_task}, key=words.level_order)
        levels = [level for level in levels if level in words.LEVELS]
        if not levels:
            continue
        groups = ["all models", *models] if len(models) > 1 else models
        for name in groups:
            found = [entry for entry in of_task if name in ("all models", entry["model"])]
            cells: dict[str, dict[str, list[int]]] = {}
            for entry in found:
                if entry["redefinition"] in levels:
                    sums = cells.setdefault(entry["quantity"], {}).setdefault(entry["redefinition"], [0, 0])
                    sums[0] += entry["k"]
                    sums[1] += entry["n"]
            if cells:
                tables.append({"task": task, "name": name, "levels": levels, "cells": cells})
    return tables


__all__ = ["headline", "render", "write_report"]
