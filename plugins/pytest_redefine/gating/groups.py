"""Which cases a rule is about, and whether there are any."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final, Protocol

from pytest_redefine.analysis.measures import MEASURES, Context, swap_partners
from pytest_redefine.analysis.rows import Row, row
from pytest_redefine.cases.catalogue import CONTROLS, FORMATS, PROMPTINGS, Catalogue
from pytest_redefine.cases.model import CONTROL, DOSE, FRESH, NEUTRAL, Case

AXES: Final = ("task", "quantity", "redefinition", "question", "format", "prompting")


class Selecting(Protocol):
    """The parts of a rule that say which cases it is about."""

    @property
    def measure(self) -> str:
        """Of ``analysis.measures``."""

    @property
    def where(self) -> Mapping[str, tuple[str, ...]]:
        """Axis → values."""

    @property
    def by(self) -> tuple[str, ...]:
        """Axes judged apart."""

    @property
    def contested(self) -> bool:
        """Whether contested cases count."""


def selects(rule: Selecting, one: Row) -> bool:
    """Whether a case is among those that a rule names, whatever its measure makes of it."""
    return all(getattr(one, axis) in values for axis, values in rule.where.items()) and (
        rule.contested or not one.contested
    )


def covers(rule: Selecting, one: Row) -> bool:
    """Whether a case could count in a rule, were it and its control answered in some way."""
    return selects(rule, one) and could_count(rule.measure, one)


def could_count(measure: str, one: Row) -> bool:
    """Whether some answer to a case stands in a measure's denominator."""
    score = MEASURES[measure].score
    return any(
        score(replace(one, status="answered", outcome=outcome), _Knowing()) is not None
        for outcome in ("correct", "wrong")
    )


class _Knowing(Context):
    """A model that knows everything."""

    def knows(self, row: Row) -> bool:
        return True

    def knows_other(self, row: Row) -> bool | None:
        return True if row.redefinition.startswith("rs") else None


def split(rule: Selecting, rows: Iterable[Row]) -> dict[tuple[str, ...], list[Row]]:
    """The cases that a rule names, by the axes it judges apart: one entry, ``()``, where there are none of those."""
    found: dict[tuple[str, ...], list[Row]] = {} if rule.by else {(): []}
    for one in rows:
        if selects(rule, one) and could_count(rule.measure, one):
            found.setdefault(tuple(str(getattr(one, axis)) for axis in rule.by), []).append(one)
    return found


def axis_values(catalogue: Catalogue) -> Mapping[str, Mapping[str, str]]:
    """What may stand for each axis, and what records call it: ``planck`` and ``h`` are both ``h``."""
    quantities = [quantity for task in catalogue.tasks.values() for quantity in task.values()]
    levels = dict.fromkeys(level for quantity in quantities for level in quantity.redefinitions)
    questions = dict.fromkeys(name for quantity in quantities for name in quantity.questions)
    neutral = [f"{NEUTRAL}{at}" for at in (1, 2, 3)]
    return {
        "task": _themselves(catalogue.tasks),
        "quantity": {name: one.key for one in quantities for name in (one.key, one.word)},
        "redefinition": _themselves([CONTROL, *neutral, *levels, FRESH, DOSE]),
        "question": _themselves(questions),
        "format": _themselves(FORMATS),
        "prompting": _themselves(PROMPTINGS),
    }


def _themselves(names: Iterable[str]) -> dict[str, str]:
    return {name: name for name in names}


def rows_of(cases: Iterable[Case]) -> Iterator[Row]:
    """Cases as rows that nobody has answered yet."""
    for case in cases:
        said = {axis: getattr(case, axis) for axis in (*AXES, "case_id", "contested")}
        said["question"] = case.question.partition("-")[0]
        yield row({**said, "model": "", "status": "not_asked", "draw": {"family": case.drawn} if case.drawn else None})


def whole_benchmark(catalogue: Catalogue) -> Iterator[Row]:
    """All that can be asked, a row of each kind, drawn cases a row a question; made as they are looked at."""
    for task in catalogue.tasks:
        for format_ in FORMATS:
            for prompting in PROMPTINGS:
                cases = catalogue.cases(task, formats=[format_], promptings=[prompting], controls=CONTROLS)
                yield from rows_of(cases)
                yield from rows_of(
                    replace(case, redefinition=family, drawn=f"{family}0")
                    for case in cases
                    if case.is_control
                    for family in (FRESH, DOSE)
                )


__all__ = ["AXES", "axis_values", "could_count", "covers", "rows_of", "selects", "split", "swap_partners",
           "whole_benchmark"]  # fmt: skip
