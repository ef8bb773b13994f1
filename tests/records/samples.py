"""Records as tests need them: one complete record, and what differs."""

from __future__ import annotations

from typing import Any

from pytest_redefine.grading.outcome import Graded, Grader, Outcome
from pytest_redefine.records.record import Record, make_record
from pytest_redefine.respondents.errors import Fault
from pytest_redefine.respondents.exchange import Message, Reply, Transcript, Turn

MESSAGES: tuple[Message, ...] = ({"role": "user", "content": "Redefine π as 500. What is π?"},)
KEY = "ab" * 32


def case(**changes: Any) -> dict[str, Any]:
    """The skeleton that is announced."""
    truth = {"expected": "500", "default": "3.14159265359", "unit": "", "indistinct": False}
    truth |= changes.pop("truth", {})
    return {
        "case_id": "constants-pi-ra1-q1-ff-zs-s0",
        "nodeid": "evals/test_constants.py::test_constants[pi-ra1-q1-ff-zs-s0-gpt-4o]",
        "task": "constants",
        "quantity": "pi",
        "redefinition": "ra1",
        "question": "q1",
        "format": "ff",
        "prompting": "zs",
        "sample": 0,
        "model": "openai/gpt-4o",
        "simulated": False,
        "messages": [dict(message) for message in MESSAGES],
        "parameters": {"temperature": 0.0, "max_tokens": 1024},
        "options": None,
        "rotation": 0,
        "draw": None,
        "truth": truth,
        "contested": False,
        **changes,
    }


def reply(text: str = "The final answer is: 500", **changes: Any) -> Reply:
    told: dict[str, Any] = {
        "usage": {"prompt_tokens": 30, "completion_tokens": 8},
        "cost_usd": 0.0001,
        "latency_s": 1.5,
        "model_version": "gpt-4o-2024-08-06",
        "dropped_params": ("temperature",),
        "asked_at": "2026-01-02T03:04:05+00:00",
    }
    return Reply(text, **{**told, **changes})


def said(*replies: Reply) -> Transcript:
    return Transcript(tuple(Turn(MESSAGES, one, KEY) for one in replies))


def answered(category: Any = "correct", text: str = "The final answer is: 500", **changes: Any) -> Record:
    """A record with an outcome."""
    outcome = Outcome(category, extracted="500", span=(21, 24), rule="marker", relative_error=0.0)
    return make_record("run", case(), said(reply(text)), outcome) | changes


def unanswered(kind: str, message: str = "no answer", **changes: Any) -> Record:
    """A record of an error, or of a case not asked."""
    return make_record("run", case(), Transcript((), Fault(kind, message)), None) | changes


JUDGE: dict[str, Any] = {
    "model": "openai/judge",
    "api_base": None,
    "parameters": {"temperature": 0.0},
    "droppable": ["temperature"],
    "references": [{"role": "expected", "value": "500", "letter": "", "text": "500"}],
}


def judged(numeric: Any, judge: Any = "correct", *, error: str = "", alone: bool = False, **changes: Any) -> Record:
    """A record that a judge was asked about: its verdict, None for one that does not count, or why there is none."""
    verdicts: dict[Grader, Outcome | None] = {} if alone else {"numeric": Outcome(numeric)}
    if not error:
        verdicts["judge"] = None if judge is None else Outcome(judge, rule="judge")
    turns = [Turn(MESSAGES, reply(), KEY), *([] if error else [Turn(MESSAGES, reply("MATCH 1"), "cd" * 32, "judge")])]
    fault = Fault(error, "the judge is ill") if error else None
    transcript = Transcript(turns, fault, "judge" if error else "respondent")
    graded = Graded.by("judge" if alone else "numeric", verdicts)
    return make_record("run", case(judge=JUDGE), transcript, graded) | changes
