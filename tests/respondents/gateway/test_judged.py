"""Interviews whose later questions go to another model: each request keeps to the lane of the model it is for."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytest_redefine.respondents.errors import CallError, Fault, RespondentUnavailable
from pytest_redefine.respondents.exchange import Interview, Later, Reply, Request, Turn
from pytest_redefine.respondents.gateway.budget import Cap
from pytest_redefine.respondents.gateway.dispatcher import Dispatcher
from pytest_redefine.respondents.gateway.forecast import Forecast, forecast
from pytest_redefine.respondents.prices import PriceList
from tests.respondents.gateway.support import (
    FakeCaller,
    FakeStore,
    dispatching,
    interview,
    judged,
    rules,
    run,
    settle,
)

CALLERS = ("m", "j")


def cases(number: int, **case: Any) -> list[Interview]:
    judge = str(case.pop("judge", "j"))
    later = (Later(judge, requests=1, characters=35, max_tokens=10),)
    return [replace(interview(f"q{index}", step="judged", judge=judge, **case), later=later) for index in range(number)]


def pair(**options: int) -> dict[str, FakeCaller]:
    return {name: FakeCaller(width=options.get(name)) for name in CALLERS}


async def all_of(dispatcher: Dispatcher, asked: Sequence[Interview]) -> Mapping[str, Sequence[Turn]]:
    await dispatcher.announce(asked)
    transcripts = await asyncio.gather(*(dispatcher.transcript(one.id) for one in asked))
    assert [transcript.fault for transcript in transcripts] == [None] * len(asked)
    return {one.id: transcript.turns for one, transcript in zip(asked, transcripts, strict=True)}


def test_each_model_is_asked_its_own_part() -> None:
    async def go() -> None:
        callers, store = pair(), FakeStore()
        async with dispatching(callers, store) as dispatcher:
            turns = (await all_of(dispatcher, cases(3)))["q1"]
            assert [(turn.role, turn.reply.text) for turn in turns] == [("respondent", "q1!"), ("judge", "right? q1!!")]
            transcript = await dispatcher.transcript("q1")
            assert transcript.reply.text == "q1!"
            assert [turn.reply.text for turn in transcript.judged] == ["right? q1!!"]
        assert sorted(callers["m"].asked) == ["q0", "q1", "q2"]
        assert sorted(callers["j"].asked) == ["right? q0!", "right? q1!", "right? q2!"]
        assert len(store.puts) == 6

    run(go())


def test_one_in_flight_on_either_side_ends() -> None:
    async def go() -> None:
        callers = pair()
        async with dispatching(callers, FakeStore(), max_in_flight=1) as dispatcher:
            turns = await all_of(dispatcher, cases(12, back=True))
            assert all([turn.role for turn in each] == ["respondent", "judge", "respondent"] for each in turns.values())
        assert [caller.most_in_flight for caller in callers.values()] == [1, 1]

    run(go())


def test_a_model_that_judges_itself_with_one_in_flight_ends() -> None:
    async def go() -> None:
        callers = pair()
        async with dispatching(callers, FakeStore(), max_in_flight=1) as dispatcher:
            turns = await all_of(dispatcher, cases(6, judge="m", back=True))
            assert all(len(each) == 3 for each in turns.values())
        assert callers["m"].most_in_flight == 1
        assert callers["j"].asked == []

    run(go())


def test_a_judge_that_hangs_holds_no_place_of_the_model_it_judges() -> None:
    async def go() -> None:
        callers = pair()
        callers["j"].gate.clear()
        async with dispatching(callers, FakeStore(), max_in_flight=2) as dispatcher:
            await dispatcher.announce(cases(9))
            await settle()
            assert len(callers["m"].asked) == 9  # all answered, though only two may be judged at a time
            assert callers["j"].in_flight == 2
            callers["j"].gate.set()
            for index in range(9):
                assert (await dispatcher.transcript(f"q{index}")).fault is None
        assert callers["j"].most_in_flight == callers["m"].most_in_flight == 2

    run(go())


def test_each_lane_is_as_wide_as_its_own_model() -> None:
    async def go() -> None:
        callers = pair(m=4, j=1)
        async with dispatching(callers, FakeStore(), max_in_flight=4) as dispatcher:
            await all_of(dispatcher, cases(8))
        assert [caller.most_in_flight for caller in callers.values()] == [4, 1]

    run(go())


def test_two_models_share_the_lane_of_their_judge() -> None:
    async def go() -> None:
        callers = {name: FakeCaller() for name in ("m", "n", "j")}
        asked = [*cases(5), *(replace(one, id=f"n{one.id}", model="n") for one in cases(5))]
        async with dispatching(callers, FakeStore(), max_in_flight=2) as dispatcher:
            await all_of(dispatcher, asked)
        assert callers["j"].most_in_flight == 2
        assert len(callers["j"].asked) == 5  # the same words about the same answer are asked once

    run(go())


def test_what_the_judge_said_is_in_the_store_too() -> None:
    async def go() -> None:
        store = FakeStore()
        async with dispatching(pair(), store) as dispatcher:
            await all_of(dispatcher, cases(4))
        callers = pair()
        async with dispatching(callers, FakeStore(store.replies), offline=True) as dispatcher:
            turns = await all_of(dispatcher, cases(4))
            assert all(turn.reply.from_store for each in turns.values() for turn in each)
        assert callers["m"].asked == callers["j"].asked == []

    run(go())


def test_a_judge_without_an_answer_leaves_the_answer_it_was_to_judge() -> None:
    async def go() -> None:
        callers = pair()
        callers["j"].answer = lambda request: CallError("authentication", "no such key")
        async with dispatching(callers, FakeStore(), max_in_flight=1) as dispatcher:
            await dispatcher.announce(cases(3))
            transcripts = [await dispatcher.transcript(f"q{index}") for index in range(3)]
        assert [transcript.reply.text for transcript in transcripts] == ["q0!", "q1!", "q2!"]
        assert {transcript.fault_role for transcript in transcripts} == {"judge"}
        assert sorted(transcript.fault.kind for transcript in transcripts if transcript.fault) == [
            "authentication", "stopped", "stopped",
        ]  # fmt: skip
        assert len(callers["j"].asked) == 1  # the judge's lane stopped, the other went on

    run(go())


def test_a_model_without_an_answer_is_not_judged() -> None:
    async def go() -> None:
        callers = pair()
        callers["m"].answer = lambda request: CallError("content_filter", "no")
        async with dispatching(callers, FakeStore()) as dispatcher:
            await dispatcher.announce(cases(1))
            transcript = await dispatcher.transcript("q0")
        assert (transcript.fault_role, transcript.answers) == ("respondent", [])
        assert callers["j"].asked == []

    run(go())


def test_a_freeze_while_the_judge_thinks_keeps_the_answer() -> None:
    async def go() -> None:
        callers = pair()
        callers["j"].gate.clear()
        async with dispatching(callers, FakeStore()) as dispatcher:
            await dispatcher.announce(cases(2))
            await settle()
            fault = Fault("interrupted", "the run ended before this was asked")
            dispatcher.freeze(fault)
            transcript = await dispatcher.transcript("q1")
            assert (transcript.reply.text, transcript.fault, transcript.fault_role) == ("q1!", fault, "judge")

    run(go())


def test_the_budget_is_one_for_both() -> None:
    async def go() -> None:
        callers = pair()
        async with dispatching(callers, FakeStore(), max_in_flight=1, cap=Cap(requests=5)) as dispatcher:
            await dispatcher.announce(cases(6))
            transcripts = [await dispatcher.transcript(f"q{index}") for index in range(6)]
            assert dispatcher.progress().spent.requests == 5
        assert len(callers["m"].asked) + len(callers["j"].asked) == 5
        assert {transcript.fault.kind for transcript in transcripts if transcript.fault} == {"budget"}

    run(go())


def test_a_judge_that_cannot_be_asked_is_told_before_anything_is_asked() -> None:
    async def go() -> None:
        caller = FakeCaller()

        def make(name: str) -> FakeCaller:
            if name == "j":
                raise RespondentUnavailable("--judge=j: nobody of that name")
            return caller

        dispatcher = Dispatcher(make, FakeStore, {"judged": judged}, rules())
        await dispatcher.announce(cases(2))
        assert (await dispatcher.transcript("q0")).fault == Fault("usage", "--judge=j: nobody of that name")
        await settle()
        assert caller.asked == []
        await dispatcher.close()

    run(go())


def test_an_estimate_counts_the_judge_at_its_most() -> None:
    async def go() -> dict[str, Forecast]:
        return await forecast(cases(4), pair(), {"judged": judged}, FakeStore(), PriceList())

    found = run(go())
    assert (found["m"].to_ask, found["m"].at_most) == (4, False)
    assert (found["j"].to_ask, found["j"].prompt_tokens, found["j"].completion_tokens, found["j"].at_most) == (
        4, 40, 40, True,
    )  # fmt: skip


def test_a_reply_is_the_same_whoever_asks_for_it() -> None:
    one = Request("m", [{"role": "user", "content": "q"}])
    assert one.key({}) == replace(one, role="judge").key({})


def test_interviews_cross_a_socket_with_what_they_may_ask_later() -> None:
    (one,) = cases(1)
    assert Interview.from_json(one.to_json()) == one
    turn = Turn(({"role": "user", "content": "q"},), Reply("r"), "k", "judge")
    assert Turn.from_json(turn.to_json()) == turn
