"""What a gate says: a finding for each rule, the whole, and both as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from pytest_redefine.analysis.estimates import Estimate
from pytest_redefine.analysis.paired import Pair
from pytest_redefine.gating import evidence as ev
from pytest_redefine.gating.baseline import Baseline
from pytest_redefine.gating.rules import Gate, Rule
from pytest_redefine.gating.subject import Subject

GATE_SCHEMA: Final = 1
"""Of gate.json; raised when a field changes its meaning or goes."""

HELD: Final = 0
REGRESSED: Final = 10
UNDECIDED: Final = 11
"""What the gate adds to the exit status."""

Verdict = Literal["held", "improved", "regressed", "cannot decide"]
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule on one model, and one group where the rule judges several apart."""

    rule: Rule
    model: str
    group: Mapping[str, str]
    verdict: Verdict
    reasons: tuple[str, ...] = ()
    before: Estimate | None = None
    after: Estimate | None = None
    evidence: ev.Evidence | None = None
    p_holm: float | None = None
    tests: int = 1
    """How many Holm's correction was over."""
    worse: tuple[Pair, ...] = ()
    """Cases that flipped towards the worse."""
    better: tuple[Pair, ...] = ()

    @property
    def fails(self) -> bool:
        """Whether it keeps the gate shut."""
        return self.verdict == "regressed" or (self.verdict == "cannot decide" and self.rule.undecided == "fail")

    @property
    def generalises(self) -> str:
        """What the verdict speaks of, in words."""
        if self.rule.is_condition or self.evidence is None:
            return "this run"
        if self.rule.generalises == "cases":
            return f"these {self.evidence.n} answers' cases only, answered again"
        return f"other quantities like these {self.evidence.clusters}"

    def power(self, effect: float, alpha: float) -> float | None:
        """How likely a true change for the worse of that size would be called a regression; None for no change."""
        if self.evidence is None or not self.rule.relative:
            return None
        return ev.power(self.evidence, effect, self.rule.value, alpha / self.tests)

    def to_json(self, alpha: float) -> Json:
        """Plain builtins."""
        found = self.evidence
        out: Json = {
            "rule": self.rule.title,
            "place": self.rule.place,
            "measure": self.rule.measure,
            "bound": self.rule.bound,
            "permitted": self.rule.value,
            "model": self.model,
            "group": dict(self.group),
            "verdict": self.verdict,
            "reasons": list(self.reasons),
            "undecided": self.rule.undecided,
            "before": self.before.to_json() if self.before else None,
            "after": self.after.to_json() if self.after else None,
            "generalises": self.generalises,
        }
        if found is not None:
            out |= {
                "value": found.value,
                "low": _finite(found.low),
                "high": _finite(found.high),
                "n": found.n,
                "quantities": found.clusters,
                "p": found.p_worse,
                "p_holm": self.p_holm,
                "tests": self.tests,
            }
        if self.rule.relative and found is not None:
            effects = [times * self.rule.value for times in ev.SHOWN_EFFECTS if times * self.rule.value < 1]
            out["power"] = [[round(effect, 6), self.power(effect, alpha)] for effect in effects]
            out["worse"] = [_flip(one) for one in self.worse]
            out["better"] = [_flip(one) for one in self.better]
        return out


def _flip(one: Pair) -> list[str]:
    return [one.after.case_id, one.before.outcome, one.after.outcome]


def _finite(value: float) -> float | None:
    return value if abs(value) < float("inf") else None


@dataclass(frozen=True, slots=True)
class Judgement:
    """The whole gate."""

    gate: Gate
    subject: Subject
    baseline: Baseline | None
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = field(default_factory=tuple)
    """What differs from the baseline without deciding anything."""

    @property
    def status(self) -> int:
        """0; 11 where a rule that fails then cannot be decided; else 10 where one has regressed."""
        failing = {found.verdict for found in self.findings if found.fails}
        return UNDECIDED if "cannot decide" in failing or not self.findings else REGRESSED if failing else HELD

    @property
    def permits_errors(self) -> bool:
        """Whether errors, if any, are few enough for the rule on them."""
        return all(not found.fails for found in self.findings if found.rule.is_condition)

    def to_json(self) -> Json:
        """What gate.json holds (docs/summary-schema.md)."""
        words = {HELD: "held", REGRESSED: "regressed", UNDECIDED: "cannot decide"}
        return {
            "schema": GATE_SCHEMA,
            "verdict": words[self.status],
            "status": self.status,
            "run": self.subject.name,
            "models": list(self.subject.models),
            "gate": self.gate.name,
            "alpha": self.gate.alpha,
            "baseline": self.baseline
            and {
                "name": self.baseline.name,
                "model": self.baseline.model,
                "run": self.baseline.run,
                "asked_at": self.baseline.asked_at,
                "cases": len(self.baseline.answers),
            },
            "notes": list(self.notes),
            "findings": [found.to_json(self.gate.alpha) for found in self.findings],
        }
