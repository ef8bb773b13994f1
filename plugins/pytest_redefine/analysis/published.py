"""The paper's tables, rebuilt from records and laid beside the printed rows."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from pytest_redefine.analysis.correlation import Correlation, pearson
from pytest_redefine.analysis.measures import MEASURES, Context
from pytest_redefine.analysis.rows import Row
from pytest_redefine.cases.published import Cell, Published

DIFFERENCES: Final = (
    "Published rows differ from new runs: the paper's own wording and multiple-choice distractors are not printed and "
    "were written anew; its judge was a language model where this suite compares numbers; and answers that commit to "
    "nothing are 'hedged' here, which the paper has no class for."
)

QUESTIONS: Final = ("q1", "q2", "q3")
_LEFT_OUT: Final = "Claude 3.7 Sonnet"
"""Of the paper's correlations: with it none of them comes out."""

Origin = Literal["run", "paper"]


@dataclass(frozen=True, slots=True)
class Value:
    """One figure of a table: a share in per cent with its counts, or a mean with its deviation."""

    percent: float | None
    """None for 0/0."""
    k: int | None = None
    n: int | None = None
    deviation: float | None = None
    r: Correlation | None = None
    """Where the figure is a correlation."""

    @property
    def text(self) -> str:
        """As the tables print it: a dash where there is nothing."""
        if self.r is not None:
            return "-" if self.r.r is None else f"{self.r.r:.3f}"
        if self.percent is None:
            return "-"
        return f"{self.percent:.2f}" + ("" if self.deviation is None else f" ± {self.deviation:.2f}")


@dataclass(frozen=True, slots=True)
class Column:
    """What stands in a column."""

    title: str
    cell: Cell
    measure: str


@dataclass(frozen=True, slots=True)
class Line:
    """One model's figures, or all models' correlations."""

    model: str
    origin: Origin
    values: tuple[Value | None, ...]
    """None: not asked, or not printed."""
    simulated: bool = False


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table of the paper's form."""

    number: int
    title: str
    columns: tuple[Column, ...]
    lines: tuple[Line, ...] = field(default_factory=tuple)


_PRINTED_AS: Final = {
    "anchored_rate": "anchored",
    "control_correct_rate": "controls",
    "refusal_rate": "refusals",
    "anchored_without_refusals": "without_refusals",
}


class PaperTables:
    """Rebuilds the tables from the rows of one or several models."""

    def __init__(self, rows: Iterable[Row], published: Published) -> None:
        """``rows`` may hold more than the tables need, and less."""
        self._published = published
        self._cells: dict[tuple[str, Cell], list[Row]] = {}
        self._models: dict[str, bool] = {}
        for row in rows:
            cell = Cell(row.task, row.prompting, row.format, row.redefinition, row.question)
            self._cells.setdefault((row.model, cell), []).append(row)
            self._models.setdefault(row.model, row.simulated)
        self._paper = {model: found for model in self._models if (found := published.model_of(model)) is not None}

    def build(self) -> list[PaperTable]:
        """Tables 6-9, 13-20 (but 11 and 12), those only of which the rows hold something."""
        anchored = "anchored_rate"
        found = [
            self._rates(6, "Anchored answers, constants, zero shot (%)",
                        _columns("constants", ("ra3", "rs2"), anchored)),
            self._correlations(7, "constants", ("ra1", "ra2", "ra3", "rs1", "rs2")),
            self._rates(8, "Right without redefinition beside anchored, models of known size (%)",
                        _beside("constants", ("ra3", "rs2")), only=self._sized()),
            self._refusal_spread(),
            self._rates(13, "Right without redefinition beside anchored, constants (%)",
                        _beside("constants", ("ra3", "rs2"))),
            *(self._rates(13 + at, f"Refusals among the completely wrong, constants, {question} (%)",
                          _refusal_columns(question)) for at, question in enumerate(QUESTIONS, start=1)),
            self._rates(17, "Anchored among the answers that are no refusals, constants, zero shot (%)",
                        _columns("constants", ("ra3", "rs2"), "anchored_without_refusals")),
            self._rates(18, "Anchored answers, units, zero shot (%)", _columns("units", ("ra2", "ra3"), anchored)),
            self._rates(19, "Right without redefinition beside anchored, units (%)", _beside("units", ("ra2", "ra3"))),
            self._correlations(20, "units", ("ra1", "ra2", "ra3")),
        ]  # fmt: skip
        return [table for table in found if any(line.origin == "run" for line in table.lines)]

    def value(self, model: str, column: Column) -> Value | None:
        """One figure of a model that ran; None where nothing of the cell was asked, or the figure would be filler."""
        paper = self._paper.get(model)
        if paper is not None and _PRINTED_AS[column.measure] not in self._published.printed(paper.name, column.cell):
            return None
        rows = [row for row in self._cells.get((model, column.cell), ()) if row.answered]
        if not rows:
            return None
        scores = MEASURES[column.measure].scores(rows, Context())
        k, n = round(sum(score for _, score in scores)), len(scores)
        return Value(100 * k / n if n else None, k, n)

    def _rates(
        self, number: int, title: str, columns: Sequence[Column], only: frozenset[str] | None = None
    ) -> PaperTable:
        lines = [
            Line(model, "run", values, simulated)
            for model, simulated in self._models.items()
            if any(values := tuple(self.value(model, column) for column in columns))
            and (only is None or model not in self._paper or self._paper[model].name in only)
        ]
        lines += [
            Line(model, "paper", values)
            for model in self._published.models
            if any(values := tuple(self._printed(model, column) for column in columns))
            and (only is None or model in only)
        ]
        return PaperTable(number, title, tuple(columns), tuple(lines))

    def _printed(self, model: str, column: Column) -> Value | None:
        table: dict[tuple[str, Cell], float] = getattr(self._published, _PRINTED_AS[column.measure])
        percent = table.get((model, column.cell))
        return None if percent is None else Value(percent)

    def _sized(self) -> frozenset[str]:
        return frozenset(model.name for model in self._published.models.values() if model.size_b is not None)

    def _refusal_spread(self) -> PaperTable:
        """Mean and population deviation of the 15 refusal rates of a prompting and format."""
        keys = [(prompting, format_) for prompting in ("zs", "fs", "cot") for format_ in ("ff", "mc")]
        columns = tuple(
            Column(f"{prompting} {format_}", Cell("constants", prompting, format_, "all", "all"), "refusal_rate")
            for prompting, format_ in keys
        )
        lines = [
            Line(model, "run", values, simulated)
            for model, simulated in self._models.items()
            if any(values := tuple(self._spread(model, *key) for key in keys))
        ]
        printed = self._published.refusal_spread
        lines += [
            Line(model, "paper", tuple(
                Value(found.mean, deviation=found.deviation) if (found := printed.get((model, *key))) else None
                for key in keys
            ))
            for model in self._published.models
            if any((model, *key) in printed for key in keys)
        ]  # fmt: skip
        title = "Refusals among the completely wrong, constants: mean and deviation over levels and questions (%)"
        return PaperTable(9, title, columns, tuple(lines))

    def _spread(self, model: str, prompting: str, format_: str) -> Value | None:
        cells = [
            Cell("constants", prompting, format_, level, question)
            for level in ("ra1", "ra2", "ra3", "rs1", "rs2")
            for question in QUESTIONS
        ]
        values = [self.value(model, Column("", cell, "refusal_rate")) for cell in cells]
        if any(value is None for value in values):
            return None  # not all levels and questions were asked
        # Where nothing was completely wrong the paper counts 0 %.
        rates = [value.percent or 0.0 for value in values if value is not None]
        return Value(statistics.fmean(rates), n=len(rates), deviation=statistics.pstdev(rates))

    def _correlations(self, number: int, task: str, levels: Sequence[str]) -> PaperTable:
        columns = tuple(
            Column(f"{format_} {level} {question}", Cell(task, "zs", format_, level, question), "anchored_rate")
            for format_ in ("ff", "mc")
            for question in QUESTIONS
            for level in levels
        )
        title = f"Correlation over models of right controls (free form) with anchored answers, {task}, zero shot"
        lines: list[Line] = []
        groups: list[tuple[str, Callable[[str], bool]]] = [
            (f"the paper's counts, without {_LEFT_OUT}", lambda model: model in self._paper),
            ("this run", lambda model: model not in self._paper),
        ]
        for name, wanted in groups:
            models = [
                model for model in self._models
                if wanted(model) and not (model in self._paper and self._paper[model].name == _LEFT_OUT)
            ]  # fmt: skip
            if len(models) > 2:
                lines.append(Line(name, "run", tuple(self._correlation(models, column) for column in columns)))
        printed = self._published.correlations
        lines.append(Line("printed", "paper", tuple(
            Value(None, r=Correlation(found.r, 18, -1, 1)) if (found := printed.get(column.cell)) else None
            for column in columns
        )))  # fmt: skip
        return PaperTable(number, title, columns, tuple(lines))

    def _correlation(self, models: Sequence[str], column: Column) -> Value | None:
        control = Column("", column.cell._replace(format="ff", redefinition="nr"), "control_correct_rate")
        pairs = [
            (known.percent, anchored.percent)
            for model in models
            if (known := self.value(model, control)) and (anchored := self.value(model, column))
            if known.percent is not None and anchored.percent is not None
        ]
        return Value(None, n=len(pairs), r=pearson(pairs)) if len(pairs) > 2 else None


def _columns(task: str, levels: Sequence[str], measure: str) -> list[Column]:
    return [
        Column(f"{format_} {level} {question}", Cell(task, "zs", format_, level, question), measure)
        for level in levels
        for question in QUESTIONS
        for format_ in ("ff", "mc")
    ]


def _beside(task: str, levels: Sequence[str]) -> list[Column]:
    return [
        Column(
            f"{level} {question}",
            Cell(task, "zs", "ff", level, question),
            "control_correct_rate" if level == "nr" else "anchored_rate",
        )
        for question in QUESTIONS
        for level in ("nr", *levels)
    ]


def _refusal_columns(question: str) -> list[Column]:
    return [
        Column(f"{prompting} {format_} {level}", Cell("constants", prompting, format_, level, question), "refusal_rate")
        for prompting in ("zs", "fs", "cot")
        for format_ in ("ff", "mc")
        for level in ("ra1", "ra2", "ra3", "rs1", "rs2")
    ]
