"""The files of a finished run: summary.json, summary.md, report.html. What the plugin calls when a run has ended."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_redefine.analysis.summary import Json, summarise
from pytest_redefine.records.reading import RecordsError, read_at
from pytest_redefine.reporting.gate import read_gate
from pytest_redefine.reporting.loading import LoadedRun, NoRun, load, load_all, load_data

SUFFIXES: Final = (".html", ".json", ".md", ".csv", ".parquet")


def write_outputs(folder: Path, *, html: bool = True) -> dict[str, Path]:
    """Write a run's summary.json, summary.md and report.html beside its records.

    Args:
        folder: ``reports/<run>``, its records closed.
        html: Whether to write the page (False where pytest-html writes its own to that place).

    Returns:
        The files written, by name.

    Raises:
        NoRun, RecordsError: there are no records, or they cannot be read.
        OSError: a file cannot be written.
    """
    run = load(folder / "records.jsonl")
    names = ["summary.json", "summary.md", *(["report.html"] if html else [])]
    paths = write([run], [folder / name for name in names])
    return dict(zip(names, paths, strict=True))


def of_run(folder: Path, pytest_html: str | None) -> list[str]:
    """Write a finished run's files, and say so; what the plugin calls at the end of a session.

    A run is never lost over its report: what goes wrong is told, and the records stay.

    Args:
        folder: ``reports/<run>``.
        pytest_html: Where pytest-html writes its own page; ours does not take its place.
    """
    ours = pytest_html is None or Path(pytest_html).resolve() != (folder / "report.html").resolve()
    try:
        written = write_outputs(folder, html=ours)
    except (NoRun, RecordsError, OSError) as error:
        return [f"no report: {error}; pytest-redefine report {folder} writes it again"]
    path = written.get("report.html", written["summary.json"])
    return [f"{'report:  ' if ours else 'summary: '}{_short(path)}"]


def _short(path: Path) -> str:
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def write(runs: Sequence[LoadedRun], paths: Sequence[Path], *, mixed_model: bool = False) -> list[Path]:
    """Write runs into files, each in the form that its name ends in (:data:`SUFFIXES`).

    Raises:
        ValueError: a file's name ends otherwise.
        RecordsError: the records have changed or gone.
        NoParquet: pyarrow is not installed.
        OSError: a file cannot be written.
    """
    for path in paths:
        if path.suffix.lower() not in SUFFIXES:
            raise ValueError(f"{path}: what to write follows from the name's end: {', '.join(SUFFIXES)}")
    data = load_data()
    summary = summarise([run.rows for run in runs], data, mixed_model=mixed_model)
    gates = [gate for run in runs if (gate := read_gate(run.path.with_name("gate.json")))]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_one(path, runs, data, summary, gates)
    return list(paths)


def _write_one(path: Path, runs: Sequence[LoadedRun], data: Any, summary: Json, gates: Sequence[Json]) -> None:
    # Each form imports what it needs: a summary alone does not pay for Jinja2, nor a page for Parquet.
    suffix = path.suffix.lower()
    if suffix == ".html":
        from pytest_redefine.reporting.page.report import write_report

        write_report(path, runs, data, summary, gates)
    elif suffix == ".json":
        path.write_text(summary_text(summary), encoding="utf-8", errors="backslashreplace")
    elif suffix == ".md":
        from pytest_redefine.reporting.markdown import markdown

        path.write_text(markdown(summary, gates), encoding="utf-8", errors="backslashreplace")
    elif suffix == ".csv":
        from pytest_redefine.reporting.export import write_csv

        with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            write_csv(file, _records(runs))
    else:
        from pytest_redefine.reporting.export import write_parquet

        write_parquet(path, _records(runs))


def summary_text(summary: Json) -> str:
    """The text of summary.json: an entry a line, so that two of them can be compared without being endless."""
    parts = []
    for name, value in summary.items():
        if isinstance(value, list) and value:
            lines = ",\n  ".join(_json(item) for item in value)
            parts.append(f" {_json(name)}: [\n  {lines}\n ]")
        else:
            parts.append(f" {_json(name)}: {_json(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _records(runs: Sequence[LoadedRun]) -> Iterator[Mapping[str, Any]]:
    for run in runs:
        for row, record in zip(run.rows.rows, read_at(run.path, run.places), strict=True):
            yield {**record, "run": run.rows.name, "model": row.model}


__all__ = ["SUFFIXES", "load_all", "of_run", "summary_text", "write", "write_outputs"]
