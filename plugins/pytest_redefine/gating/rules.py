"""What a gate file says, read and checked; every mistake names the file, the line and what may stand there."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, cast

from pytest_redefine.analysis.measures import MEASURES
from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.data import DataError, Table, fixtures_folder, read_toml
from pytest_redefine.gating.groups import AXES, axis_values, covers, whole_benchmark

Bound = Literal["at_most", "at_least", "may_rise_by", "may_fall_by"]
Undecided = Literal["fail", "warn"]
Generalises = Literal["quantities", "cases"]

DEFAULT_FILE: Final = "gate.toml"
"""Of the fixtures: the gate of a run that has a baseline and names no gate."""

ERRORS: Final = "error_share"
BLANKS: Final = "blank_share"
COMPLETENESS: Final = "completeness"

CONDITIONS: Final[Mapping[str, str]] = {
    ERRORS: "cases without an answer or a verdict on it, of those asked",
    BLANKS: "answers that hold none, of all answers, controls included",
    COMPLETENESS: "cases asked, of those that the run should have",
}
"""What must be so for a run to be judged at all. They are counted, not estimated; one that fails decides nothing about
the model."""

MIN_N: Final = 30
MIN_QUANTITIES: Final = 10
"""Below either nothing is decided unless a rule says otherwise: with fewer quantities than about ten the interval over
them is so wide, or so sure of itself without reason, that no verdict is worth its name (docs/gate.md)."""

MIN_REPEATS: Final = 3
"""Samples of a case that ``generalises = "cases"`` asks for."""

_RULE_KEYS: Final = ("measure", "at_most", "at_least", "may_rise_by", "may_fall_by", "where", "by", "min_n",
                     "min_quantities", "contested", "generalises", "undecided")  # fmt: skip
_CONDITION_KEYS: Final = ("measure", "at_most", "at_least", "undecided")
_GATE_KEYS: Final = ("schema", "alpha", "undecided", "deselected", "rule")
_BOUNDS: Final[tuple[Bound, ...]] = ("at_most", "at_least", "may_rise_by", "may_fall_by")


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule."""

    measure: str
    """Of ``analysis.measures.MEASURES``, or of :data:`CONDITIONS`."""
    bound: Bound
    value: float
    """A share from 0 to 1, or a change of one."""
    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Axis → the values that count; a quantity by the benchmark's key."""
    by: tuple[str, ...] = ()
    """Axes whose every combination of values is judged apart."""
    min_n: int = MIN_N
    min_quantities: int = MIN_QUANTITIES
    contested: bool = True
    """Whether contested cases count."""
    generalises: Generalises = "quantities"
    undecided: Undecided = "fail"
    place: str = ""
    """``gate.toml:12``; empty for a rule that every gate has."""

    @property
    def is_condition(self) -> bool:
        """Whether it speaks of the run, not of the model."""
        return self.measure in CONDITIONS

    @property
    def relative(self) -> bool:
        """Whether it needs a baseline."""
        return self.bound in ("may_rise_by", "may_fall_by")

    @property
    def worse_when_higher(self) -> bool:
        """On which side of the bound trouble lies."""
        return self.bound in ("at_most", "may_rise_by")

    @property
    def title(self) -> str:
        """``anchored_rate may rise by 10 points where question = q3``."""
        if self.relative:
            said = f"{self.measure} may {'rise' if self.worse_when_higher else 'fall'} by {100 * self.value:g} points"
        else:
            said = f"{self.measure} {self.bound.replace('_', ' ')} {100 * self.value:g} %"
        wheres = [f"{axis} = {' or '.join(values)}" for axis, values in self.where.items()]
        said += f" where {' and '.join(wheres)}" if wheres else ""
        return said + ("" if self.contested else ", without contested cases")


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate file."""

    rules: tuple[Rule, ...]
    name: str
    """Of its file."""
    alpha: float = 0.05
    """One-sided, over all rules together: how often a gate may find a regression where nothing has changed."""
    deselected: Literal["fail", "allow"] = "fail"
    """Whether a run without a baseline may leave out cases by ``-k`` and the like."""

    @property
    def needs_baseline(self) -> Rule | None:
        """The first rule that does."""
        return next((rule for rule in self.rules if rule.relative), None)

    def condition(self, measure: str) -> Rule:
        """The gate's rule on a condition; one that permits nothing where the file has none.

        Blank answers are permitted where no rule speaks of them: they are the model's own.
        """
        found = next((rule for rule in self.rules if rule.measure == measure), None)
        if found is not None:
            return found
        if measure == COMPLETENESS:
            return Rule(measure, "at_least", 1.0)
        return Rule(measure, "at_most", 0.0 if measure == ERRORS else 1.0)


def default_gate() -> Path:
    """The gate file that comes with the suite."""
    return fixtures_folder() / DEFAULT_FILE


def read_gate(path: Path, catalogue: Catalogue) -> Gate:
    """Read and check a gate file.

    Args:
        path: The TOML file.
        catalogue: What can be asked, so that a rule about nothing is found.

    Raises:
        DataError: It cannot be read or has a mistake; one line with file, line, key and what may stand there.
    """
    table = read_toml(path)
    table.only(_GATE_KEYS)
    alpha = table.number("alpha")
    if alpha is not None and not 0.0001 <= alpha <= 0.2:
        raise table.error("alpha", f"a number from 0.0001 to 0.2 is needed, not {alpha:g}")
    undecided = cast(Undecided, _choice(table, "undecided", ("fail", "warn")))
    rules = tuple(_Reader(catalogue, undecided).rule(one) for one in table.tables("rule"))
    if not rules:
        raise table.error("rule", "a gate needs at least one [[rule]]")
    seen: dict[str, Rule] = {}
    for one, rule in zip(table.tables("rule"), rules, strict=True):
        if rule.is_condition and seen.setdefault(rule.measure, rule) is not rule:
            raise one.error("measure", f"a second rule on {rule.measure}; the first is {seen[rule.measure].place}")
    deselected = cast(Literal["fail", "allow"], _choice(table, "deselected", ("fail", "allow")))
    return Gate(rules, path.name, 0.05 if alpha is None else alpha, deselected)


class _Reader:
    """Reads rules one after the other."""

    def __init__(self, catalogue: Catalogue, undecided: Undecided) -> None:
        self._values = axis_values(catalogue)
        self._catalogue = catalogue
        self._undecided = undecided

    def rule(self, table: Table) -> Rule:
        table.only(_RULE_KEYS)
        measure = table.string("measure")
        if measure not in MEASURES and measure not in CONDITIONS:
            raise table.error("measure", f"{measure!r} is no measure; there are {', '.join([*MEASURES, *CONDITIONS])}")
        bound, value = _bound(table, measure)
        place = f"{table.file}:{table.line('')}"
        undecided = cast(Undecided, _choice(table, "undecided", ("fail", "warn"), self._undecided))
        if measure in CONDITIONS:
            table.only(_CONDITION_KEYS)
            return Rule(measure, bound, value, undecided=undecided, place=place)
        generalises = cast(Generalises, _choice(table, "generalises", ("quantities", "cases")))
        if generalises == "cases" and bound in ("at_most", "at_least"):
            raise table.error("generalises", '"cases" is for may_rise_by and may_fall_by: it pairs the same cases')
        if generalises == "cases" and not MEASURES[measure].share:
            raise table.error("generalises", f'"cases" is for shares; {measure} is none')
        rule = Rule(
            measure,
            bound,
            value,
            self._where(table),
            self._by(table),
            _count(table, "min_n", MIN_N),
            _count(table, "min_quantities", 1 if generalises == "cases" else MIN_QUANTITIES),
            table.flag("contested") if "contested" in table.values else True,
            generalises,
            undecided,
            place,
        )
        if not any(covers(rule, row) for row in whole_benchmark(self._catalogue)):
            raise table.error("where", f"no case of the benchmark counts in {measure} there")
        return rule

    def _where(self, table: Table) -> dict[str, tuple[str, ...]]:
        if "where" not in table.values:
            return {}
        where = table.table("where")
        where.only(AXES)
        found = {}
        for axis, typed in where.values.items():
            values = typed if isinstance(typed, list) else [typed]
            known = self._values[axis]
            for value in values:
                if not isinstance(value, str) or value not in known:
                    raise where.error(axis, f"{value!r} is none of {', '.join(dict.fromkeys(known.values()))}")
            if not values:
                raise where.error(axis, "at least one value is needed")
            found[axis] = tuple(dict.fromkeys(known[value] for value in values))
        return found

    @staticmethod
    def _by(table: Table) -> tuple[str, ...]:
        typed = table.values.get("by", [])
        names = [typed] if isinstance(typed, str) else typed
        if not isinstance(names, list) or any(name not in AXES for name in names):
            raise table.error("by", f"some of {', '.join(AXES)} are needed, not {typed!r}")
        return tuple(dict.fromkeys(names))


def _bound(table: Table, measure: str) -> tuple[Bound, float]:
    given = [name for name in _BOUNDS if name in table.values]
    if len(given) != 1:
        raise table.error(given[1] if given else "", f"exactly one of {', '.join(_BOUNDS)} is needed")
    bound = given[0]
    value = table.number(bound)
    assert value is not None, "it is there"
    wanted = {ERRORS: "at_most", BLANKS: "at_most", COMPLETENESS: "at_least"}.get(measure)
    if wanted is not None and bound != wanted:
        raise table.error(bound, f"a rule on {measure} says {wanted}")
    if bound in ("may_rise_by", "may_fall_by"):
        if not 0 < value <= 1:
            raise table.error(
                bound,
                f"a change above 0 and up to 1 is needed, not {value:g}: 0.05 are five points, and that nothing "
                "changed at all no number of cases shows",
            )
    elif not (0 if measure in CONDITIONS or MEASURES[measure].share else -0.5) <= value <= 1:
        raise table.error(bound, f"a share from 0 to 1 is needed, not {value:g}: 0.2 are 20 %")
    return bound, value


def _choice(table: Table, name: str, known: Collection[str], default: str | None = None) -> str:
    value = table.values.get(name, default or next(iter(known)))
    if value not in known:
        raise table.error(name, f"one of {', '.join(known)} is needed, not {value!r}")
    return str(value)


def _count(table: Table, name: str, default: int) -> int:
    value: Any = table.values.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise table.error(name, f"a whole number from 1 is needed, not {value!r}")
    return value


__all__ = ["BLANKS", "COMPLETENESS", "CONDITIONS", "ERRORS", "DataError", "Gate", "Rule", "default_gate", "read_gate"]
