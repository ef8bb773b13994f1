"""The run that is judged: its rows, and of each case what exactly was asked."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_redefine.analysis.rows import Row, row
from pytest_redefine.records.record import Record, is_settled

DIGEST_LENGTH: Final = 12

_COMPARABLE: Final = ("tolerance", "prompts")
"""Parameters of a run, beside who grades, that change what is asked or what an answer counts as."""


def asked_digest(record: Mapping[str, Any]) -> str:
    """What a case asks and what its answer is compared with: equal digests mean the same case to the letter.

    Takes a record, or the skeleton of a case that nobody has answered yet.
    """
    asked = [record.get("truth"), record.get("messages"), bool(record.get("contested"))]
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:DIGEST_LENGTH]


def digest_of(asked: Mapping[str, str]) -> str:
    """One digest over all cases, from case id → digest."""
    return hashlib.sha256(json.dumps(sorted(asked.items())).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Asked:
    """One model's part of a run."""

    model: str
    rows: Sequence[Row]
    digests: Mapping[str, str]
    """Case id → what it asks; parallel to the rows."""
    unsettled: int
    """Cases without an answer, or without a verdict of every grader that was asked for; errors among them."""
    versions: tuple[str, ...] = ()
    """What the provider called the model in its replies."""
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def errors(self) -> int:
        """Cases that were asked and have no answer, or no verdict on it."""
        return self.unsettled - self.not_asked

    @property
    def not_asked(self) -> int:
        """Cases that were announced and never asked."""
        return sum(one.status == "not_asked" for one in self.rows)


@dataclass(frozen=True, slots=True)
class Subject:
    """A run, model by model, and what run.json says of it."""

    name: str
    models: Mapping[str, Asked]
    facts: Mapping[str, Any]

    @property
    def records(self) -> int:
        """Cases with a record, over all models."""
        return sum(len(one.rows) for one in self.models.values())

    @property
    def finished(self) -> bool:
        """Whether the run came to its end: of one that was killed nobody knows what is missing."""
        return self.facts.get("state") == "finished"

    @property
    def announced(self) -> int:
        """Cases that were to be asked in the run's last session; records of earlier ones may be more."""
        return max(_whole(self.facts.get("announced")), self.records)

    @property
    def deselected(self) -> int:
        """Cases that ``-k`` and the like left out, less those that an earlier session of the run has asked."""
        case_set = self.facts.get("case_set")
        left_out = _whole(case_set.get("deselected")) if isinstance(case_set, Mapping) else 0
        return max(0, _whole(self.facts.get("announced")) + left_out - self.announced)

    @property
    def suite(self) -> str | None:
        """The version of pytest-redefine that asked."""
        return _version(self.facts, "pytest-redefine")

    @property
    def grading(self) -> str | None:
        """The version of the grading (``grading.outcome.GRADING_VERSION``)."""
        return _version(self.facts, "grading")

    @property
    def conditions(self) -> dict[str, Any]:
        """What must agree for two runs to be compared, beside the cases."""
        parameters = self.facts.get("parameters")
        return comparable(parameters if isinstance(parameters, Mapping) else {})


def comparable(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Of a run's parameters those that decide what its outcomes mean, whoever is asked."""
    judge = parameters.get("judge")
    by_judge = parameters.get("grading") == "judge" and isinstance(judge, Mapping)
    grader = f"judge {judge.get('model')}" if by_judge and isinstance(judge, Mapping) else "numeric"
    return {**{name: parameters.get(name) for name in _COMPARABLE}, "grader": grader}


def subject_of(records: Iterable[Record], facts: Mapping[str, Any], name: str) -> Subject:
    """Read a run.

    Args:
        records: All of records.jsonl, several of one case included, as a continued run leaves them.
        facts: run.json.
        name: What to call it.
    """
    latest: dict[tuple[str, str], tuple[Row, str, bool]] = {}
    versions: dict[str, Counter[str]] = {}
    for record in records:
        one = row(record)
        key = (one.model, one.case_id)
        known = latest.get(key)
        # As records.latest: the last answered one counts, else the last.
        if known is None or one.answered or not known[0].answered:
            latest[key] = (one, asked_digest(record), is_settled(record))
        if record.get("model_version"):
            versions.setdefault(one.model, Counter())[str(record["model_version"])] += 1
    found: dict[str, list[tuple[Row, str, bool]]] = {}
    for (model, _), entry in latest.items():
        found.setdefault(model, []).append(entry)
    parameters = facts.get("parameters")
    by_model = parameters.get("models") if isinstance(parameters, Mapping) else None
    models = {
        model: Asked(
            model,
            [one for one, _, _ in entries],
            {one.case_id: digest for one, digest, _ in entries},
            sum(not settled for _, _, settled in entries),
            tuple(name for name, _ in versions.get(model, Counter()).most_common(5)),
            dict(by_model.get(model) or {}) if isinstance(by_model, Mapping) else {},
        )
        for model, entries in found.items()
    }
    return Subject(name, models, facts)


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _version(facts: Mapping[str, Any], name: str) -> str | None:
    versions = facts.get("versions")
    value = versions.get(name) if isinstance(versions, Mapping) else None
    return None if value is None else str(value)
