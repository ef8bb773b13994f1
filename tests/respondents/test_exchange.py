from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pytest_redefine.respondents.errors import Fault
from pytest_redefine.respondents.exchange import Interview, Reply, Request, Transcript, Turn, single_turn
from tests.respondents.strategies import ANY_TEXT, PARAMETER, TEXT, interviews, messages, replies, requests, turns

IDENTITIES = st.dictionaries(TEXT, TEXT, max_size=2)
PLAIN = Request("openai/gpt-4o", ({"role": "user", "content": "What is π?"},), {"temperature": 0.0})


def crossed(data: Any) -> Any:
    """As it comes out of a socket or a file."""
    return json.loads(json.dumps(data))


def backwards(data: Mapping[str, Any]) -> dict[str, Any]:
    """The same in another order."""
    return dict(reversed(list(data.items())))


CHANGES: dict[str, st.SearchStrategy[Any]] = {
    "model": ANY_TEXT,
    "messages": messages(),
    "parameters": st.dictionaries(TEXT, PARAMETER, max_size=3),
    "sample": st.integers(0, 99),
    "api_base": st.none() | TEXT,
}


@given(requests(), IDENTITIES, st.data())
def test_a_change_of_whatever_can_change_the_reply_changes_the_key(
    request: Request, identity: dict[str, str], data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(sorted(CHANGES)))
    other = dataclasses.replace(request, **{name: data.draw(CHANGES[name])})
    assume(other != request)
    assert other.key(identity) != request.key(identity)


@given(requests(), IDENTITIES, IDENTITIES)
def test_another_engine_is_another_key(request: Request, identity: dict[str, str], other: dict[str, str]) -> None:
    assert (request.key(identity) == request.key(other)) is (identity == other)


@given(requests(), IDENTITIES, st.lists(TEXT, max_size=3))
def test_nothing_else_changes_the_key(request: Request, identity: dict[str, str], droppable: list[str]) -> None:
    reordered = dataclasses.replace(
        request,
        messages=[backwards(message) for message in request.messages],
        parameters=backwards(request.parameters),
        droppable=droppable,
    )
    assert reordered.key(backwards(identity)) == request.key(identity)


@given(requests(), IDENTITIES)
def test_the_key_is_the_same_on_both_sides_of_a_socket(request: Request, identity: dict[str, str]) -> None:
    there = Request(**crossed(dataclasses.asdict(request)))
    assert there.key(crossed(identity)) == request.key(identity)
    assert len(request.key(identity)) == 64


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"temperature": 0.0}, {"temperature": 1e-12}),
        ({"stop": "1"}, {"stop": 1}),
        ({"logprobs": True}, {"logprobs": 1}),
        ({"a": "b,c"}, {"a": "b", "c": ""}),
    ],
)
def test_parameters_that_look_alike_are_told_apart(one: dict[str, Any], other: dict[str, Any]) -> None:
    changed = dataclasses.replace(PLAIN, parameters=other)
    assert dataclasses.replace(PLAIN, parameters=one).key({}) != changed.key({})


def test_the_key_stays_what_it_was() -> None:
    """It names what users have paid for: a change of the algorithm needs a new KEY_SCHEMA."""
    assert PLAIN.key({}) == "3e14978d322f2cc4277035af50b18b6caba280843be656a4a0e5c5413f9d7d50"


@given(replies())
def test_a_reply_survives_json(reply: Reply) -> None:
    assert Reply.from_json(crossed(reply.to_json())) == reply


@given(turns())
def test_a_turn_survives_json(turn: Turn) -> None:
    assert Turn.from_json(crossed(turn.to_json())) == turn


@given(st.lists(turns(), max_size=3), st.none() | st.builds(Fault, TEXT, TEXT))
def test_a_transcript_survives_json(said: list[Turn], fault: Fault | None) -> None:
    transcript = Transcript(tuple(said), fault)
    assert Transcript.from_json(crossed(transcript.to_json())) == transcript
    if said:
        assert transcript.reply == said[-1].reply


@given(interviews())
def test_an_interview_survives_json(interview: Interview) -> None:
    assert Interview.from_json(crossed(interview.to_json())) == interview


@given(ANY_TEXT)
def test_a_reply_read_back_can_be_written_anywhere(text: str) -> None:
    reply = Reply.from_json(crossed({"text": text, "reasoning": text}))
    reply.text.encode("utf-8")
    assert reply.reasoning == reply.text
    assert len(reply.text) == len(crossed(text))


@pytest.mark.parametrize("damaged", [[], "text", None, 5, {"text": None}, {"text": ["x"]}, {"text": 4}, {}])
def test_what_is_no_reply_is_not_taken_for_one(damaged: Any) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        Reply.from_json(damaged)


def test_the_last_reply_of_nothing_is_an_error() -> None:
    with pytest.raises(IndexError):
        _ = Transcript().reply


def test_the_plain_step_asks_once() -> None:
    interview = Interview(
        "t[x]", "m", {"messages": [{"role": "user", "content": "?"}], "sample": 3}, {"top_p": 1}, ("top_p",), "http://x"
    )
    request = single_turn(interview, ())
    assert request == Request("m", ({"role": "user", "content": "?"},), {"top_p": 1}, 3, "http://x", ("top_p",))
    assert single_turn(interview, [Turn((), Reply("4"), "k")]) is None
