"""Runs on disk → what the figures and the pages need of them, without holding the records."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pytest_redefine.analysis.measures import swap_partners
from pytest_redefine.analysis.rows import Row, row
from pytest_redefine.analysis.sizes import known_facts
from pytest_redefine.analysis.summary import Data, RunRows, labelled
from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.known_models import KnownModels
from pytest_redefine.cases.published import Published
from pytest_redefine.records.reading import Place, RecordsError, read_places
from pytest_redefine.records.shrunk import read_examples

_RECORDS: Final = "records.jsonl"


class NoRun(Exception):
    """There is no such run; one line that says what was looked for and what there is."""


@dataclass(frozen=True, slots=True)
class LoadedRun:
    """One run's rows, and where the record of each stands."""

    rows: RunRows
    places: tuple[Place, ...]
    """Parallel to the rows."""
    path: Path
    """Of records.jsonl."""


def find_records(name: str, reports: Path = Path("reports")) -> Path:
    """The records of a run's name below ``reports/``, of its folder, or the file itself.

    Raises:
        NoRun: none of these.
    """
    for candidate in (reports / name, Path(name)):
        if (candidate / _RECORDS).is_file():
            return candidate / _RECORDS
        if candidate.is_file():
            return candidate
    runs = sorted(path.parent.name for path in reports.glob(f"*/{_RECORDS}") if not path.parent.is_symlink())
    known = f"the runs in {reports}/ are {', '.join(runs[-8:])}" if runs else f"there are no runs in {reports}/"
    raise NoRun(f"{name}: no run of this name and no {_RECORDS} there; {known}")


def load(path: Path) -> LoadedRun:
    """Read a run.

    Raises:
        RecordsError: the records cannot be read.
        NoRun: there are none.
    """
    found: dict[tuple[str, str], tuple[Row, Place]] = {}
    for place, record in read_places(path):
        one = row(record)
        key = (one.case_id, one.model)
        known = found.get(key)
        # As records.latest: the last answered one counts, else the last.
        if known is None or one.answered or not known[0].answered:
            found[key] = (one, place)
    if not found:
        raise NoRun(f"{path}: no records in it")
    facts = _facts(path.with_name("run.json"))
    name = str(facts.get("run") or path.parent.name or path.stem)
    rows = [one for one, _ in found.values()]
    shrunk = read_examples(path.parent)
    return LoadedRun(RunRows(name, rows, facts, shrunk), tuple(place for _, place in found.values()), path)


def load_all(paths: list[Path]) -> list[LoadedRun]:
    """Read several runs; their models are labelled so that no two are called the same.

    Raises:
        RecordsError: the records cannot be read.
        NoRun: there are none.
    """
    runs = [load(path) for path in paths]
    named = labelled([run.rows for run in runs])
    return [LoadedRun(rows, run.places, run.path) for rows, run in zip(named, runs, strict=True)]


def _facts(path: Path) -> Mapping[str, Any]:
    try:
        facts = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}  # records alone make a report, too
    return facts if isinstance(facts, dict) else {}


def load_data() -> Data:
    """What stands in the project's own files: published figures, families and sizes, which constant each swap takes."""
    catalogue = Catalogue.load()
    return Data(Published.load(), known_facts(KnownModels.load()), swap_partners=swap_partners(catalogue))


__all__ = ["LoadedRun", "NoRun", "RecordsError", "find_records", "load", "load_all", "load_data"]
