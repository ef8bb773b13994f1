"""Two graders on the same answers: how often they agree, how far beyond chance, and where they do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_redefine.records.record import judge_error

LISTED: Final = 100
"""Disagreements of one model in a run's figures; the records hold all."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One answer that the graders class differently."""

    case_id: str
    numeric: str
    judge: str


@dataclass(slots=True)
class Agreement:
    """The numeric grader and the judge on one model's answers, over all six outcomes."""

    table: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(numeric, judge) → answers that both gave a verdict on."""
    ungraded: int = 0
    """Answers on which the judge gave no verdict that counts."""
    errors: Counter[str] = field(default_factory=Counter)
    """Answers on which the judge could not be asked, by kind of error."""
    disagreements: list[Disagreement] = field(default_factory=list)

    @property
    def n(self) -> int:
        """Answers with two verdicts."""
        return self.table.total()

    @property
    def agree(self) -> int:
        """Those with the same."""
        return self.n - len(self.disagreements)

    @property
    def kappa(self) -> float | None:
        """Cohen's; None where chance alone would make them agree throughout."""
        return cohen_kappa(self.table)

    def add(self, record: Mapping[str, Any]) -> None:
        """Count one record; one that was not graded twice counts nowhere."""
        error = judge_error(record)
        if error is not None:
            self.errors[error["kind"]] += 1
        if record["status"] != "answered" or "judge" not in record["grades"]:
            return
        judge, numeric = record["grades"]["judge"], record["grades"].get("numeric")
        if judge is None:
            self.ungraded += 1
        elif numeric is not None:
            self.table[numeric, judge] += 1
            if numeric != judge:
                self.disagreements.append(Disagreement(str(record["case_id"]), numeric, judge))

    def to_json(self) -> dict[str, Any]:
        """Plain builtins; of the disagreements the first :data:`LISTED`."""
        return {
            "n": self.n,
            "agree": self.agree,
            "kappa": self.kappa,
            "table": [[*pair, count] for pair, count in sorted(self.table.items())],
            "ungraded": self.ungraded,
            "errors": dict(self.errors),
            "disagreements": [[one.case_id, one.numeric, one.judge] for one in self.disagreements[:LISTED]],
        }


def agreement_by_model(records: Iterable[Mapping[str, Any]]) -> dict[str, Agreement]:
    """Of the models that a judge was asked about, in the order in which they first appear."""
    found: dict[str, Agreement] = {}
    for record in records:
        if record.get("judge") is not None:
            found.setdefault(record["model"], Agreement()).add(record)
    return found


def cohen_kappa(table: Counter[tuple[str, str]]) -> float | None:
    """Agreement beyond chance (J. Cohen, Educational and Psychological Measurement 20, 1960).

    Args:
        table: Pairs of verdicts, and how often each came.

    Returns:
        None where nothing was graded twice, or both graders gave one and the same verdict throughout: 0/0.
    """
    n = table.total()
    rows, columns = Counter[str](), Counter[str]()
    for (one, other), count in table.items():
        rows[one] += count
        columns[other] += count
    chance = sum(rows[name] * columns[name] for name in rows)  # times n², as is what follows: exact in whole numbers
    observed = n * sum(count for (one, other), count in table.items() if one == other)
    return None if chance == n * n else (observed - chance) / (n * n - chance)
