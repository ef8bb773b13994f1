"""Counts and rates of outcomes. Every rate carries its n and interval; 0/0 is no rate."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

from pytest_redefine.cases.model import CONTROL, DOSE, FRESH, NEUTRAL
from pytest_redefine.grading.outcome import CATEGORIES


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with its 95 % Wilson interval."""

    k: int
    n: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """k/n.

        Raises:
            ZeroDivisionError: n is 0; ask before.
        """
        return self.k / self.n


def wilson(k: int, n: int, level: float = 0.95) -> Rate:
    """The Wilson score interval of k out of n (E. B. Wilson, JASA 22, 1927); [0, 1] where n is 0.

    Written out because it is four lines: SciPy's own would cost half a second of import at the end of every run.

    Raises:
        ValueError: not 0 <= k <= n.
    """
    if not 0 <= k <= n:
        raise ValueError(f"{k} of {n}")
    if n == 0:
        return Rate(0, 0, 0.0, 1.0)
    z2 = NormalDist().inv_cdf((1 + level) / 2) ** 2
    centre = (k + z2 / 2) / (n + z2)
    half = math.sqrt(z2) / (n + z2) * math.sqrt(k * (n - k) / n + z2 / 4)
    return Rate(k, n, max(0.0, centre - half) if k else 0.0, min(1.0, centre + half) if k < n else 1.0)


@dataclass(slots=True)
class Tally:
    """How the cases of one group ended."""

    outcomes: dict[str, int] = field(default_factory=lambda: dict.fromkeys(CATEGORIES, 0))
    errors: int = 0
    not_asked: int = 0
    ungraded: int = 0
    """Answers on which the grader gave no verdict that counts."""
    distinct: int = 0
    """Answered cases whose two references can be told apart."""
    anchored: int = 0
    """Of those, the anchored ones."""

    @property
    def answered(self) -> int:
        """Cases with an outcome: the denominator of every rate but the anchored rate's."""
        return sum(self.outcomes.values())

    @property
    def asked(self) -> int:
        """Cases that were put to the respondent, those without an answer or a verdict included."""
        return self.answered + self.ungraded + self.errors

    @property
    def anchored_rate(self) -> Rate:
        """Anchored among the answered cases whose references differ beyond tolerance (PROTOCOL, 2)."""
        return wilson(self.anchored, self.distinct)

    def add(self, record: Mapping[str, Any]) -> None:
        """Count one record."""
        if record["status"] == "error":
            self.errors += 1
        elif record["status"] == "not_asked":
            self.not_asked += 1
        elif record["outcome"] is None:
            self.ungraded += 1
        else:
            self.outcomes[record["outcome"]] += 1
            if not record["indistinct"]:
                self.distinct += 1
                self.anchored += record["outcome"] == "anchored"


@dataclass(slots=True)
class ModelTally:
    """One model's redefined cases and, apart, its controls, and the neutral ones, which redefine nothing known."""

    redefined: Tally = field(default_factory=Tally)
    controls: Tally = field(default_factory=Tally)
    neutral: Tally = field(default_factory=Tally)
    fresh: Tally = field(default_factory=Tally)
    """Redefined cases that were drawn: what the benchmark's rates are is not theirs to say."""
    dose: Tally = field(default_factory=Tally)

    @property
    def parts(self) -> dict[str, Tally]:
        """All of them, by name."""
        return {
            "redefined": self.redefined,
            "fresh": self.fresh,
            "dose": self.dose,
            "controls": self.controls,
            "neutral": self.neutral,
        }

    def part(self, redefinition: str) -> Tally:
        """The tally that a case of a level belongs to."""
        if redefinition.startswith(NEUTRAL):
            return self.neutral
        return {CONTROL: self.controls, FRESH: self.fresh, DOSE: self.dose}.get(redefinition, self.redefined)


def tally_by_model(records: Iterable[Mapping[str, Any]]) -> dict[str, ModelTally]:
    """Tallies by model, in the order in which the models first appear."""
    tallies: dict[str, ModelTally] = {}
    for record in records:
        tally = tallies.setdefault(record["model"], ModelTally())
        tally.part(record["redefinition"]).add(record)
    return tallies


def counts_by_model(records: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """The tallies as run.json holds them: outcomes of each part that was asked, errors, cases not asked."""
    return {
        model: {
            **{
                name: part.outcomes
                for name, part in tally.parts.items()
                if part.asked or name in ("redefined", "controls")
            },
            "errors": sum(part.errors for part in tally.parts.values()),
            "not_asked": sum(part.not_asked for part in tally.parts.values()),
            "ungraded": sum(part.ungraded for part in tally.parts.values()),
        }
        for model, tally in tally_by_model(records).items()
    }
