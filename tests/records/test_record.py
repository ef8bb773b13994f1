from __future__ import annotations

import json

import pytest

from pytest_redefine.grading.outcome import Outcome
from pytest_redefine.records.record import make_record, record_id, status_of
from pytest_redefine.respondents.errors import Fault
from pytest_redefine.respondents.exchange import Transcript, Turn
from tests.records.samples import KEY, MESSAGES, answered, case, reply, said, unanswered

FIELDS = {
    "schema", "status", "error", "run", "case_id", "nodeid", "task", "quantity", "redefinition", "question", "format",
    "prompting", "sample", "model", "simulated", "messages", "reply", "reasoning", "finish_reason", "extracted", "span",
    "rule", "relative_error", "truth", "grades", "turns", "options", "rotation", "draw", "parameters", "expected",
    "default", "unit", "outcome", "detail", "indistinct", "contested", "grader", "usage", "cost_usd", "latency_s",
    "from_store", "key", "judge",
    "dropped_params", "model_version", "asked_at",
}  # fmt: skip


def test_an_answered_case() -> None:
    outcome = Outcome("anchored", "unit", "3.14", (21, 25), "marker", 0.0005)
    record = make_record(
        "july", case(contested=True), said(reply("The final answer is: 3.14", reasoning="hm")), outcome
    )
    expected = {
        "schema": 1,
        "status": "answered",
        "error": None,
        "run": "july",
        "case_id": "constants-pi-ra1-q1-ff-zs-s0",
        "messages": [dict(message) for message in MESSAGES],
        "reply": "The final answer is: 3.14",
        "reasoning": "hm",
        "finish_reason": "stop",
        "expected": "500",
        "default": "3.14159265359",
        "outcome": "anchored",
        "detail": "unit",
        "extracted": "3.14",
        "span": [21, 25],
        "rule": "marker",
        "relative_error": 0.0005,
        "grader": "numeric",
        "grades": {"numeric": "anchored"},
        "contested": True,
        "indistinct": False,
        "usage": {"prompt_tokens": 30, "completion_tokens": 8},
        "cost_usd": 0.0001,
        "latency_s": 1.5,
        "from_store": False,
        "key": KEY,
        "dropped_params": ["temperature"],
        "model_version": "gpt-4o-2024-08-06",
        "asked_at": "2026-01-02T03:04:05+00:00",
        "turns": [],
    }
    assert {name: record[name] for name in expected} == expected


@pytest.mark.parametrize("record", [answered(), unanswered("server"), unanswered("offline")])
def test_every_record_has_every_field_and_is_plain(record: dict[str, object]) -> None:
    assert set(record) == FIELDS
    assert json.loads(json.dumps(record)) == record


@pytest.mark.parametrize(
    ("kind", "status"),
    [("server", "error"), ("worker_died", "error"), ("offline", "not_asked"), ("interrupted", "not_asked")],
)
def test_a_case_without_an_answer(kind: str, status: str) -> None:
    record = unanswered(kind, "why")
    assert record["status"] == status
    assert record["error"] == {"kind": kind, "message": "why"}
    assert record["grades"] == {}
    assert record["dropped_params"] == []
    assert record["from_store"] is False
    for name in ("reply", "outcome", "extracted", "span", "rule", "grader", "usage", "cost_usd", "key", "asked_at"):
        assert record[name] is None
    assert record["expected"] == "500"  # enough to know what was to be asked


def test_an_interview_that_broke_keeps_what_was_said() -> None:
    transcript = Transcript((Turn(MESSAGES, reply("first"), KEY),), Fault("server", "boom"))
    record = make_record("run", case(), transcript, None)
    assert (record["status"], record["reply"], record["outcome"]) == ("error", "first", None)


def test_several_turns_are_kept_whole_and_the_last_stands_in_front() -> None:
    transcript = said(reply("first"), reply("second", from_store=True))
    record = make_record("run", case(), transcript, Outcome("wrong"))
    assert record["reply"] == "second"
    assert record["from_store"] is True
    assert [Turn.from_json(turn) for turn in record["turns"]] == list(transcript.turns)


def test_a_control_has_no_default() -> None:
    skeleton = case(redefinition="nr")
    del skeleton["truth"]["default"]
    assert make_record("run", skeleton, said(reply()), Outcome("correct"))["default"] is None


def test_an_indistinct_case_is_marked() -> None:
    record = make_record("run", case(truth={"indistinct": True, "unit": "m/s"}), said(reply()), Outcome("correct"))
    assert (record["indistinct"], record["unit"]) == (True, "m/s")


def test_status_without_a_fault() -> None:
    assert status_of(None) == "answered"


def test_records_are_told_apart_by_case_and_model() -> None:
    assert record_id(answered(nodeid="x")) == record_id(answered(run="other"))
    assert record_id(answered(model="b")) != record_id(answered(model="c"))
