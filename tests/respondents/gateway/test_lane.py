"""One model's queue under storms and odd servers: each against a real server or a caller that a test decides."""

from __future__ import annotations

import asyncio
import dataclasses
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from pytest_redefine.respondents.callers.openai_server import OpenAIServerCaller
from pytest_redefine.respondents.errors import CallError, Fault
from pytest_redefine.respondents.exchange import Reply, Request
from pytest_redefine.respondents.gateway.dispatcher import Dispatcher
from pytest_redefine.respondents.gateway.lane import Lane
from pytest_redefine.respondents.gateway.retries import RetryPolicy
from tests.respondents.gateway.support import (
    REQUEST,
    RETRY,
    STEPS,
    FakeCaller,
    FakeStore,
    ask_all,
    interviews,
    lane_of,
    rules,
    run,
)
from tests.servers import HTML, Behaviour, ChatServer, failure, in_turn, rate_limited


def times_answered(server: ChatServer, refused: set[int]) -> Counter[str]:
    return Counter(seen.question for seen in server.seen if seen.number not in refused)


def test_a_sustained_storm_slows_the_lane_and_it_comes_back() -> None:
    refused: set[int] = set()
    lanes: list[Lane] = []
    widths: list[int] = []

    def storm(seen: Any) -> Behaviour:
        widths.append(lanes[0].limit.current)
        if 60 <= seen.number < 300:
            refused.add(seen.number)
            return failure(429, "slow down")
        return Behaviour(text=f"answer to {seen.question}", latency_s=0.01)

    store = FakeStore()

    async def go(url: str) -> None:
        caller = OpenAIServerCaller("openai/m", url, None, {})
        dispatcher = Dispatcher(lambda name: caller, lambda: store, STEPS, rules(40, RETRY))
        lanes.append(dispatcher._lane("m"))
        limit = lanes[0].limit
        limit._clock = lambda: 0.0 if limit._grow_after == float("-inf") else limit._grow_after  # no second to wait
        await dispatcher.announce(interviews(400))
        for index in range(400):
            transcript = await dispatcher.transcript(f"q{index}")
            assert transcript.reply.text == f"answer to q{index}"
        assert dispatcher.progress().retries == len(refused)
        await dispatcher.close()

    with ChatServer(storm) as server:
        run(go(server.url))
    assert len(refused) == 240
    assert max(widths[:60]) >= 24
    assert min(widths) <= 8  # it slowed
    assert widths[-1] >= 24  # and came back
    assert server.most_in_flight <= 40
    # Nobody was asked again after an answer.
    assert times_answered(server, refused) == Counter(f"q{index}" for index in range(400))
    assert len(store.puts) == 400


def test_a_server_that_takes_few_at_a_time_gets_few_and_answers_all() -> None:
    def choose(seen: Any) -> Behaviour:
        return Behaviour(text=seen.question, latency_s=0.01)

    retry = dataclasses.replace(RETRY, retries=0)  # refusals do not count
    transcripts, server, _, store = ask_all(choose, 40, capacity=12, in_flight=16, retry=retry)
    assert [transcript.reply.text for transcript in transcripts] == [f"q{index}" for index in range(40)]
    assert server.answered == 40
    assert len(store.puts) == 40
    assert server.received - server.answered <= 40


def test_retry_after_is_honoured_by_all_requests() -> None:
    """Nothing at all is sent in the second that the provider asks for, by whichever request."""
    times: list[float] = []

    def choose(seen: Any) -> Behaviour:
        times.append(asyncio.get_running_loop().time())
        return rate_limited("1") if seen.number < 4 else Behaviour()

    ask_all(choose, 12, in_flight=4)
    assert len(times) == 16
    assert times[4] - times[0] >= 0.999  # a lower bound holds however busy the machine is


@pytest.mark.parametrize("words", ["Wed, 21 Oct 2020 07:28:00 GMT", "0", "soon"])
def test_a_moment_that_has_passed_or_cannot_be_read_holds_nothing_up(words: str) -> None:
    transcripts, server, dispatcher, _ = ask_all(in_turn(rate_limited(words), Behaviour()), 1)
    assert transcripts[0].fault is None
    assert (server.received, dispatcher.progress().retries) == (2, 1)


PERMANENT = [
    pytest.param(failure(401, "no such key"), "authentication", id="401"),
    pytest.param(failure(403, "not for you"), "authentication", id="403"),
    pytest.param(failure(404, "no such model"), "model_not_found", id="404"),
    pytest.param(failure(400, "unknown parameter"), "bad_request", id="400"),
    pytest.param(failure(429, "no money", code="insufficient_quota"), "quota", id="quota"),
]


@pytest.mark.parametrize(("behaviour", "kind"), PERMANENT)
def test_a_permanent_error_ends_the_model_at_its_first(behaviour: Behaviour, kind: str) -> None:
    transcripts, server, dispatcher, store = ask_all(behaviour, 60, in_flight=4)
    faults = [transcript.fault for transcript in transcripts if transcript.fault]
    kinds = Counter(fault.kind for fault in faults)
    assert kinds == {kind: 1, "stopped": 59}
    assert len({fault.message for fault in faults}) == 2
    assert server.received <= 4  # those on their way
    assert (dispatcher.progress().faults, dispatcher.progress().retries, store.puts) == (1, 0, [])


ODD = [
    pytest.param(HTML, "malformed", id="html"),
    pytest.param(Behaviour(text=None), "malformed", id="null"),
    pytest.param(Behaviour(body=b'{"choices": []}'), "malformed", id="empty-choices"),
    pytest.param(Behaviour(way="hang"), "timeout", id="hang"),
    pytest.param(Behaviour(way="drip"), "timeout", id="drip"),
    pytest.param(Behaviour(way="reset"), "network", id="reset"),
    pytest.param(Behaviour(way="cut"), "network", id="cut"),
    pytest.param(failure(500, "boom"), "server", id="500"),
    pytest.param(failure(503, "busy", retry_after="0"), "server", id="503"),
]
HASTY = dataclasses.replace(RETRY, retries=2, attempt_timeout_s=0.1)


@pytest.mark.parametrize(("behaviour", "kind"), ODD)
def test_what_may_be_otherwise_a_moment_later_is_asked_again_and_then_told(behaviour: Behaviour, kind: str) -> None:
    transcripts, server, dispatcher, store = ask_all(behaviour, 1, retry=HASTY)
    fault = transcripts[0].fault
    assert fault is not None
    assert fault.kind == kind
    assert (server.received, dispatcher.progress().retries, store.puts) == (3, 2, [])


@pytest.mark.parametrize(("behaviour", "kind"), ODD)
def test_and_answered_when_it_is(behaviour: Behaviour, kind: str) -> None:
    transcripts, server, _, store = ask_all(in_turn(behaviour, Behaviour(text="4")), 1, retry=HASTY)
    assert transcripts[0].reply.text == "4"
    assert (server.received, store.puts) == (2, ["q0"])


def test_what_was_filtered_is_asked_once_and_stops_nobody_else() -> None:
    def choose(seen: Any) -> Behaviour:
        return Behaviour(text=None, finish_reason="content_filter") if seen.question == "q1" else Behaviour()

    transcripts, server, _, store = ask_all(choose, 5)
    kinds = [transcript.fault and transcript.fault.kind for transcript in transcripts]
    assert kinds == [None, "content_filter", None, None, None]
    assert server.received == 5
    assert sorted(store.puts) == ["q0", "q2", "q3", "q4"]


def test_a_truncated_reply_is_stored_and_marked() -> None:
    transcripts, _, _, store = ask_all(Behaviour(text="The fin", finish_reason="length"), 1)
    assert (transcripts[0].reply.text, transcripts[0].reply.finish_reason) == ("The fin", "length")
    assert [reply.finish_reason for reply in store.replies.values()] == ["length"]


def test_answers_in_another_order_stay_with_their_questions() -> None:
    def choose(seen: Any) -> Behaviour:
        return Behaviour(text=f"answer to {seen.question}", latency_s=0.1 - 0.006 * (seen.number % 16))

    transcripts, _, _, _ = ask_all(choose, 32, in_flight=16)
    assert [transcript.reply.text for transcript in transcripts] == [f"answer to q{index}" for index in range(32)]


def test_a_hang_on_the_last_request_ends() -> None:
    def choose(seen: Any) -> Behaviour:
        return Behaviour(way="hang") if seen.question == "q9" else Behaviour()

    transcripts, _, _, _ = ask_all(choose, 10, retry=dataclasses.replace(HASTY, retries=0))
    assert [transcript.fault for transcript in transcripts] == [None] * 9 + [Fault("timeout", "no answer within 0.1 s")]


@pytest.mark.parametrize("kind", ["rate_limit", "server"])
def test_the_whole_request_is_bounded_and_ends_with_its_last_error(kind: str) -> None:
    async def go() -> None:
        caller = FakeCaller(lambda request: CallError(kind, "again"))
        lane = lane_of(caller, RetryPolicy(retries=10**6, base_s=0.01, ceiling_s=0.01, give_up_s=0.2))
        with pytest.raises(CallError) as caught:
            await lane.ask(REQUEST, {})
        assert caught.value.fault == Fault(kind, "again")
        assert 2 <= len(caller.asked) == lane.retries + 1
        assert lane.asking == lane._places.taken == 0

    run(go())


def test_the_last_attempt_is_cut_off_by_the_bound_of_the_whole() -> None:
    async def go() -> None:
        caller = FakeCaller()
        caller.gate.clear()
        with pytest.raises(CallError, match=r"timeout: no answer within 0\.1 s"):
            await lane_of(caller, RetryPolicy(give_up_s=0.1)).ask(REQUEST, {})
        assert len(caller.asked) == 1

    run(go())


def test_time_in_the_queue_is_not_the_requests_own() -> None:
    """With one place and many waiting, the last would else be given up before it was asked."""

    async def go() -> None:
        async def slow(request: Request, case: Mapping[str, Any]) -> Reply:
            await asyncio.sleep(0.03)
            return Reply("4")

        caller = FakeCaller()
        caller.call = slow  # type: ignore[method-assign]  # this once
        lane = lane_of(caller, RetryPolicy(give_up_s=0.2), max_in_flight=1)
        replies = await asyncio.gather(*(lane.ask(REQUEST, {}) for _ in range(12)))
        assert len(replies) == 12

    run(go())


def test_refusals_are_no_retries_of_the_error_that_follows() -> None:
    async def go() -> None:
        answers: list[Reply | BaseException] = [*[CallError("rate_limit", "")] * 5, CallError("server", ""), Reply("4")]
        caller = FakeCaller(lambda request: answers.pop(0))
        assert (await lane_of(caller, dataclasses.replace(RETRY, retries=1)).ask(REQUEST, {})).text == "4"

    run(go())
