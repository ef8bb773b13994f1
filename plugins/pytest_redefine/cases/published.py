"""The figures that the paper printed, as data: ``fixtures/published/``."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from .data import DataError, fixtures_folder
from .known_models import KnownModels

CASES_OF_TASK: Final = {"constants": 15, "units": 16}
"""Of one cell; the printed rates are multiples of 1/15 and 1/16."""

PREFIX: Final = "sim/published-"


class Cell(NamedTuple):
    """What a printed rate is about, beside the model."""

    task: str
    prompting: str
    format: str
    redefinition: str
    question: str


@dataclass(frozen=True, slots=True)
class PublishedModel:
    """One of the paper's 19."""

    name: str
    respondent: str
    """The simulated respondent that repeats its printed counts."""
    family: str
    size_b: float | None
    size_source: str = ""


@dataclass(frozen=True, slots=True)
class RefusalSpread:
    """A cell of Table 9: refusal rates of 15 cells, in per cent."""

    mean: float
    deviation: float
    corrected: str
    """What was printed, where that is an error; else empty."""


@dataclass(frozen=True, slots=True)
class PrintedCorrelation:
    """A cell of Tables 7, 11, 12 and 20-22."""

    table: int
    r: float
    note: str


ModelCell = tuple[str, Cell]


@dataclass(frozen=True, slots=True)
class Published:
    """All of it; rates in per cent, as printed."""

    models: Mapping[str, PublishedModel]
    anchored: Mapping[ModelCell, float]
    """Tables 6 and 18, by the model's name and the cell."""
    controls: Mapping[ModelCell, float]
    """Tables 13 and 19."""
    refusals: Mapping[ModelCell, float]
    """Tables 14-16: among the completely wrong."""
    without_refusals: Mapping[ModelCell, float]
    """Table 17."""
    refusal_spread: Mapping[tuple[str, str, str], RefusalSpread]
    """Table 9, by model, prompting and format."""
    correlations: Mapping[Cell, PrintedCorrelation]

    @classmethod
    def load(cls, folder: Path | None = None) -> Published:
        """Read the files of ``folder`` (default: the project's own).

        Raises:
            DataError: A file is missing or bad.
        """
        folder = folder or fixtures_folder() / "published"
        listed = _lines(folder / "models.csv")
        known = {model.paper: model for model in KnownModels.load().by_alias.values() if model.paper}
        unknown = [line["model"] for line in listed if line["model"] not in known]
        if unknown:
            raise DataError("models.csv", "", f"models.toml has no table for the paper's {', '.join(unknown)}")
        return cls(
            models={
                line["model"]: PublishedModel(
                    line["model"],
                    line["respondent"],
                    known[line["model"]].family or "",
                    known[line["model"]].size_b,
                    known[line["model"]].size_source,
                )
                for line in listed
            },
            anchored=_rates(folder / "anchored.csv"),
            controls=_rates(folder / "controls.csv"),
            refusals=_rates(folder / "refusals.csv"),
            without_refusals=_rates(folder / "without_refusals.csv"),
            refusal_spread={
                (line["model"], line["prompting"], line["format"]): RefusalSpread(
                    float(line["mean_percent"]), float(line["deviation"]), line["corrected"]
                )
                for line in _lines(folder / "refusal_spread.csv")
            },
            correlations={
                _cell(line): PrintedCorrelation(int(line["tables"]), float(line["r"]), line["note"])
                for line in _lines(folder / "correlations.csv")
            },
        )

    def model_of(self, respondent: str) -> PublishedModel | None:
        """The model whose counts a simulated respondent repeats; None for any other respondent."""
        return next((model for model in self.models.values() if model.respondent == respondent), None)

    def printed(self, model: str, cell: Cell) -> frozenset[str]:
        """Which figures of a cell are printed: ``anchored``, ``refusals``, ``without_refusals``, ``controls``."""
        key = (model, cell)
        tables = ("anchored", "refusals", "without_refusals", "controls")
        return frozenset(name for name in tables if key in getattr(self, name))


@dataclass(frozen=True, slots=True)
class Counts:
    """How many cases of a cell end how; what is None is not printed, and nothing may be drawn from it."""

    n: int
    correct: int | None = None
    """Of a control."""
    anchored: int | None = None
    refused: int | None = None
    completely_wrong: int | None = None
    """Refused ones included. A printed share of 1/2 may be 1 of 2 or 2 of 4: the smallest counts that give it."""


def counts(published: Published, model: str, cell: Cell) -> Counts | None:
    """The counts behind the printed rates of a cell; None where nothing of it is printed.

    Raises:
        DataError: No counts give the printed rates.
    """
    key = (model, cell)
    if not published.printed(model, cell):
        return None
    n = CASES_OF_TASK[cell.task]
    if key in published.controls:
        return Counts(n, correct=round(published.controls[key] * n / 100))
    anchored = round(published.anchored[key] * n / 100) if key in published.anchored else None
    if key not in published.refusals:
        return Counts(n, anchored=anchored)
    share, without = published.refusals[key], published.without_refusals.get(key)
    for wrong in range(1, n - (anchored or 0) + 1):
        for refused in range(wrong + 1):
            if abs(100 * refused / wrong - share) > 0.006:
                continue
            if without is None or (anchored is not None and abs(100 * anchored / (n - refused) - without) <= 0.0101):
                return Counts(n, anchored=anchored, refused=refused, completely_wrong=wrong)
    if anchored == n and not share:  # nothing was completely wrong; the paper prints 0 for 0/0
        return Counts(n, anchored=n, refused=0, completely_wrong=0)
    raise DataError("refusals.csv", f"{model} {' '.join(cell)}", f"no counts give {share} %")


def _lines(path: Path) -> list[dict[str, str]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    except OSError as error:
        raise DataError(str(path), "", f"cannot be read: {error.strerror or error}") from error


def _cell(line: Mapping[str, str]) -> Cell:
    return Cell(line["task"], line["prompting"], line["format"], line["redefinition"], line["question"])


def _rates(path: Path) -> dict[ModelCell, float]:
    return {(line["model"], _cell(line)): float(line["percent"]) for line in _lines(path)}
