"""What a record keeps of a judge."""

from __future__ import annotations

import json

import pytest

from pytest_redefine.grading.judge import verdict
from pytest_redefine.grading.outcome import Graded, Outcome
from pytest_redefine.records.record import cost_usd, is_settled, judge_error, make_record
from pytest_redefine.respondents.errors import Fault
from pytest_redefine.respondents.exchange import Transcript, Turn
from tests.records.samples import JUDGE, KEY, MESSAGES, answered, case, judged, reply, unanswered


def test_both_verdicts_stand_in_it_and_the_numeric_one_is_the_outcome() -> None:
    record = judged("wrong", "correct")
    assert record["grades"] == {"numeric": "wrong", "judge": "correct"}
    assert (record["outcome"], record["grader"], record["status"]) == ("wrong", "numeric", "answered")
    assert record["reply"] == "The final answer is: 500"
    assert record["key"] == KEY
    assert [turn["role"] for turn in record["turns"]] == ["respondent", "judge"]
    assert record["judge"] == {**JUDGE, "error": None}
    assert is_settled(record)
    assert json.loads(json.dumps(record)) == record


def test_the_verdict_can_be_read_from_the_record_again() -> None:
    record = judged("wrong", "correct")
    replies = [turn["reply"]["text"] for turn in record["turns"] if turn["role"] == "judge"]
    again = verdict(record["judge"], replies, cut=record["finish_reason"] == "length")
    assert again is not None
    assert again.category == record["grades"]["judge"]


def test_an_ungraded_answer_has_no_outcome() -> None:
    record = judged("wrong", None, alone=True)
    assert (record["status"], record["outcome"], record["detail"]) == ("answered", None, "ungraded")
    assert (record["grader"], record["grades"]) == ("judge", {"judge": None})
    assert not is_settled(record)
    beside = judged("wrong", None)
    assert (beside["outcome"], beside["detail"], beside["grades"]) == ("wrong", "", {"numeric": "wrong", "judge": None})
    assert is_settled(beside)


def test_a_judge_that_could_not_be_asked() -> None:
    record = judged("anchored", error="server")
    assert (record["status"], record["outcome"], record["error"]) == ("answered", "anchored", None)
    assert record["grades"] == {"numeric": "anchored"}
    assert judge_error(record) == {"kind": "server", "message": "the judge is ill"}
    assert not is_settled(record)


def test_a_judge_that_alone_was_to_grade_and_could_not_be_asked() -> None:
    transcript = Transcript((Turn(MESSAGES, reply(), KEY),), Fault("server", "boom"), "judge")
    record = make_record("run", case(judge=JUDGE), transcript, None)
    assert (record["status"], record["outcome"], record["grades"]) == ("error", None, {})
    assert record["reply"] == "The final answer is: 500"
    assert record["error"] == judge_error(record) == {"kind": "server", "message": "boom"}


@pytest.mark.parametrize("record", [answered(), unanswered("server"), unanswered("offline")])
def test_without_a_judge_there_is_none(record: dict[str, object]) -> None:
    assert record["judge"] is None
    assert judge_error(record) is None


def test_a_record_of_before_there_were_judges() -> None:
    record = answered()
    del record["judge"]
    assert judge_error(record) is None
    assert is_settled(record)


def test_what_it_cost_counts_the_judge_and_not_the_store() -> None:
    assert cost_usd(answered()) == 0.0001
    assert cost_usd(judged("wrong")) == pytest.approx(0.0002)
    turns = (Turn(MESSAGES, reply(from_store=True), KEY), Turn(MESSAGES, reply("MATCH 1", cost_usd=0.5), KEY, "judge"))
    graded = Graded.by("numeric", {"numeric": Outcome("wrong")})
    assert cost_usd(make_record("run", case(judge=JUDGE), Transcript(turns), graded)) == 0.5
    assert cost_usd(answered(from_store=True)) is None
    assert cost_usd(unanswered("server")) is None
