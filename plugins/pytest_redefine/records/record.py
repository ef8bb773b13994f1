"""A record: one JSON object for one case, enough to grade it again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_redefine.grading.outcome import Graded, Outcome
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
    "judge",
)
"""What stands in a record whatever became of the case; the rest is what the answer and its grade add."""


def make_record(run: str, case: Mapping[str, Any], transcript: Transcript, graded: Graded | Outcome | None) -> Record:
    """The record of one case.

    Where a judge gave no answer and other graders did, the case is answered, and ``judge`` tells why.

    Args:
        run: the run's name.
        case: the skeleton that was announced to the gateway.
        transcript: what was asked and answered.
        graded: what graders said of it, or the numeric outcome alone; None where there was nothing to grade.
    """
    if isinstance(graded, Outcome):
        graded = Graded.by("numeric", {"numeric": graded})
    fault = transcript.fault if graded is None else None
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
    if record["judge"] is not None:
        judge_fault = transcript.fault if transcript.fault_role == "judge" else None
        record["judge"] = {**record["judge"], "error": judge_fault.to_json() if judge_fault else None}
    turns, answers = transcript.turns, transcript.answers
    last = answers[-1].reply if answers else None
    record |= {
        "reply": last.text if last else None,
        "reasoning": last.reasoning if last else None,
        "finish_reason": last.finish_reason if last else None,
        "usage": dict(last.usage) if last else None,
        "cost_usd": last.cost_usd if last else None,
        "latency_s": last.latency_s if last else None,
        "from_store": last.from_store if last else False,
        "key": answers[-1].key if answers else None,
        "dropped_params": list(last.dropped_params) if last else [],
        "model_version": last.model_version if last else None,
        "asked_at": last.asked_at if last else None,
        # A single turn stands in full above; repeating it would double the file.
        "turns": [turn.to_json() for turn in turns] if len(turns) > 1 else [],
    }
    nothing: dict[str, Any] = {
        **dict.fromkeys(("outcome", "detail", "extracted", "span", "rule", "relative_error", "grader")),
        "grades": {},
    }
    record |= nothing if graded is None else graded.to_json()
    return record


def judge_error(record: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Why the judge gave no answer, ``kind`` and ``message``; None where it did, or was not asked."""
    judge = record.get("judge")
    return judge["error"] if isinstance(judge, Mapping) else None


def is_settled(record: Mapping[str, Any]) -> bool:
    """Whether the case was answered, and every grader that was asked for has given a verdict on its outcome."""
    return record["status"] == "answered" and record["outcome"] is not None and judge_error(record) is None


def cost_usd(record: Mapping[str, Any]) -> float | None:
    """What was paid to have this record: all its turns, the judge's too, but for those from the store."""
    turns = [turn["reply"] for turn in record["turns"]] or [record]
    costs = [turn["cost_usd"] for turn in turns if turn["cost_usd"] is not None and not turn["from_store"]]
    return sum(costs) if costs else None


def status_of(fault: Fault | None) -> str:
    """``answered``, ``error`` or ``not_asked``."""
    if fault is None:
        return "answered"
    return "not_asked" if fault.kind in NOT_ASKED_KINDS else "error"


def record_id(record: Mapping[str, Any]) -> tuple[str, str]:
    """What tells the records of one run apart: the case and the model."""
    return str(record["case_id"]), str(record["model"])
