"""A record: one JSON object for one case, enough to grade it again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_redefine.grading.outcome import Outcome
from pytest_redefine.respondents.errors import NOT_ASKED_KINDS, Fault
from pytest_redefine.respondents.exchange import Transcript

SCHEMA: Final = 1
"""Of a record; raised when a field changes its meaning."""

Record = dict[str, Any]

_SKELETON: Final = (
    "case_id",
    "nodeid",
    "task",
    "quantity",
    "redefinition",
    "question",
    "format",
    "prompting",
    "sample",
    "model",
    "simulated",
    "messages",
    "parameters",
    "options",
    "rotation",
    "draw",
    "truth",
    "contested",
)
"""What stands in a record whatever became of the case; the rest is what the answer and its grade add."""


def make_record(run: str, case: Mapping[str, Any], transcript: Transcript, outcome: Outcome | None) -> Record:
    """The record of one case.

    Args:
        run: the run's name.
        case: the skeleton that was announced to the gateway.
        transcript: what was asked and answered.
        outcome: its grade; None where there was no answer to grade.
    """
    fault = transcript.fault
    truth = case["truth"]
    record: Record = {
        "schema": SCHEMA,
        "status": status_of(fault),
        "error": fault.to_json() if fault else None,
        "run": run,
        **{name: case.get(name) for name in _SKELETON},
        "expected": truth["expected"],
        "default": truth.get("default"),
        "unit": truth.get("unit", ""),
        "indistinct": bool(truth.get("indistinct", False)),
    }
    turns = transcript.turns
    last = turns[-1].reply if turns else None
    record |= {
        "reply": last.text if last else None,
        "reasoning": last.reasoning if last else None,
        "finish_reason": last.finish_reason if last else None,
        "usage": dict(last.usage) if last else None,
        "cost_usd": last.cost_usd if last else None,
        "latency_s": last.latency_s if last else None,
        "from_store": last.from_store if last else False,
        "key": turns[-1].key if turns else None,
        "dropped_params": list(last.dropped_params) if last else [],
        "model_version": last.model_version if last else None,
        "asked_at": last.asked_at if last else None,
        # A single turn stands in full above; repeating it would double the file.
        "turns": [turn.to_json() for turn in turns] if len(turns) > 1 else [],
    }
    grade = (
        outcome.to_json()
        if outcome
        else dict.fromkeys(("outcome", "detail", "extracted", "span", "rule", "relative_error"))
    )
    record |= grade
    record["grader"] = "numeric" if outcome else None
    record["grades"] = {"numeric": grade["outcome"]} if outcome else {}
    return record


def status_of(fault: Fault | None) -> str:
    """``answered``, ``error`` or ``not_asked``."""
    if fault is None:
        return "answered"
    return "not_asked" if fault.kind in NOT_ASKED_KINDS else "error"


def record_id(record: Mapping[str, Any]) -> tuple[str, str]:
    """What tells the records of one run apart: the case and the model."""
    return str(record["case_id"]), str(record["model"])
