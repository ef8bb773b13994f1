"""What is asked, when, and what is not asked again."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_redefine.respondents.errors import Fault
from pytest_redefine.respondents.exchange import Interview, Reply, Transcript
from tests.respondents.gateway.support import (
    FakeCaller,
    FakeStore,
    dispatching,
    interview,
    interviews,
    run,
    settle,
)


def key_of(asked: Interview) -> str:
    return asked.request(asked.case["messages"]).key({})


def stored(*asked: Interview) -> FakeStore:
    return FakeStore({key_of(one): Reply(f"stored {one.id}") for one in asked})


def test_all_that_is_announced_is_asked_stored_and_answered() -> None:
    async def go() -> None:
        caller, store = FakeCaller(), FakeStore()
        async with dispatching(caller, store) as dispatcher:
            await dispatcher.announce(interviews(9), deselected=3)
            transcripts = [await dispatcher.transcript(f"q{index}") for index in range(9)]
            assert [transcript.reply.text for transcript in transcripts] == [f"q{index}!" for index in range(9)]
            assert [transcript.fault for transcript in transcripts] == [None] * 9
            assert sorted(store.puts) == sorted(f"q{index}" for index in range(9))
            progress = dispatcher.progress()
            assert (progress.announced, progress.finished, progress.asked) == (9, 9, 9)
            assert (progress.in_flight, progress.from_store, progress.faults) == (0, 0, 0)
            assert dispatcher.deselected == 3
            assert list(dispatcher.interviews()) == [f"q{index}" for index in range(9)]
        assert caller.prepared == 1
        assert caller.closed
        assert store.closed

    run(go())


def test_what_was_never_announced_is_unknown() -> None:
    async def go() -> None:
        async with dispatching(FakeCaller(), FakeStore()) as dispatcher:
            with pytest.raises(KeyError):
                await dispatcher.transcript("q0")

    run(go())


def test_every_worker_may_announce_all() -> None:
    async def go() -> None:
        caller = FakeCaller()
        async with dispatching(caller, FakeStore()) as dispatcher:
            await asyncio.gather(*(dispatcher.announce(interviews(6)) for _ in range(3)))
            await asyncio.gather(*(dispatcher.transcript(f"q{index}") for index in range(6)))
            assert sorted(caller.asked) == [f"q{index}" for index in range(6)]
            assert dispatcher.progress().announced == 6

    run(go())


@given(number=st.integers(1, 30), limit=st.integers(1, 12), width=st.none() | st.integers(1, 12))
def test_the_limit_in_flight_is_reached_and_never_exceeded(number: int, limit: int, width: int | None) -> None:
    async def go() -> None:
        caller = FakeCaller(width=width)
        caller.gate.clear()
        async with dispatching(caller, FakeStore(), max_in_flight=limit) as dispatcher:
            await dispatcher.announce(interviews(number))
            await settle()
            expected = min(number, limit, width or limit)
            assert caller.in_flight == dispatcher.progress().in_flight == expected
            caller.gate.set()
            await asyncio.gather(*(dispatcher.transcript(f"q{index}") for index in range(number)))
            assert caller.most_in_flight == expected
            assert len(caller.asked) == number

    run(go())


def test_the_limit_counts_for_each_model_by_itself() -> None:
    async def go() -> None:
        callers = {"a": FakeCaller(), "b": FakeCaller()}
        for caller in callers.values():
            caller.gate.clear()
        async with dispatching(callers, FakeStore(), max_in_flight=3) as dispatcher:
            asked = [interview(f"q{index}", f"{model}{index}", model=model) for index in range(9) for model in "ab"]
            await dispatcher.announce(asked)
            await settle()
            assert [caller.in_flight for caller in callers.values()] == [3, 3]
            assert dispatcher.progress().in_flight == 6

    run(go())


def test_the_same_request_is_asked_once() -> None:
    async def go() -> None:
        caller = FakeCaller()
        caller.gate.clear()
        async with dispatching(caller, FakeStore()) as dispatcher:
            await dispatcher.announce([interview("same", "one"), interview("same", "two"), interview("other")])
            await settle()
            await dispatcher.announce([interview("same", "three")])
            caller.gate.set()
            transcripts = [await dispatcher.transcript(name) for name in ("one", "two", "three")]
            assert [transcript.reply.text for transcript in transcripts] == ["same!"] * 3
            assert sorted(transcript.reply.from_store for transcript in transcripts) == [False, True, True]
            assert sorted(caller.asked) == ["other", "same"]
            assert dispatcher.progress().asked == 2

    run(go())


def test_another_sample_of_the_same_question_is_asked() -> None:
    async def go() -> None:
        caller = FakeCaller()
        async with dispatching(caller, FakeStore()) as dispatcher:
            await dispatcher.announce([interview("q", f"s{sample}", sample=sample) for sample in range(3)])
            await asyncio.gather(*(dispatcher.transcript(f"s{sample}") for sample in range(3)))
            assert caller.asked == ["q", "q", "q"]

    run(go())


def test_what_a_test_waits_for_goes_first() -> None:
    async def go() -> None:
        caller = FakeCaller()
        caller.gate.clear()
        async with dispatching(caller, FakeStore(), max_in_flight=1) as dispatcher:
            await dispatcher.announce(interviews(6))
            waiting = asyncio.create_task(dispatcher.transcript("q4"))
            await settle()
            caller.gate.set()
            assert (await waiting).reply.text == "q4!"
            await asyncio.gather(*(dispatcher.transcript(f"q{index}") for index in range(6)))
            assert caller.asked[:2] == ["q0", "q4"]

    run(go())


@given(window=st.integers(0, 5))
def test_no_more_than_the_window_is_asked_before_its_test_comes_up(window: int) -> None:
    async def go() -> None:
        caller = FakeCaller()
        async with dispatching(caller, FakeStore(), window=window) as dispatcher:
            await dispatcher.announce(interviews(10))
            await settle()
            assert len(caller.asked) == window
            for index in range(10):
                assert (await dispatcher.transcript(f"q{index}")).reply.text == f"q{index}!"
                await settle()
                assert len(caller.asked) == min(10, index + 1 + window)

    run(go())


def test_what_is_wanted_while_it_is_looked_up_is_not_held_back_by_the_window() -> None:
    async def go() -> None:
        store = FakeStore()
        store.reading.clear()
        async with dispatching(FakeCaller(), store, window=0) as dispatcher:
            announcing = asyncio.create_task(dispatcher.announce(interviews(3)))
            await settle()
            waiting = asyncio.create_task(dispatcher.transcript("q2"))
            await settle()
            store.reading.set()
            await announcing
            assert (await waiting).reply.text == "q2!"

    run(go())


def test_what_is_in_the_store_is_asked_of_nobody() -> None:
    async def go() -> None:
        caller = FakeCaller()
        async with dispatching(caller, stored(*interviews(3))) as dispatcher:
            await dispatcher.announce(interviews(3))
            transcripts = [await dispatcher.transcript(f"q{index}") for index in range(3)]
            assert [transcript.reply for transcript in transcripts] == [
                Reply(f"stored q{index}", from_store=True) for index in range(3)
            ]
            progress = dispatcher.progress()
            assert (progress.asked, progress.from_store, progress.asking_s) == (0, 3, 0.0)
        assert caller.prepared == 0  # nothing heavy was imported, no engine started
        assert caller.asked == []

    run(go())


def test_stored_replies_are_fetched_in_bulk() -> None:
    async def go() -> None:
        store = stored(*interviews(1200))
        async with dispatching(FakeCaller(), store) as dispatcher:
            await dispatcher.announce(interviews(1200))
            await asyncio.gather(*(dispatcher.transcript(f"q{index}") for index in range(1200)))
        assert [len(keys) for keys in store.lookups] == [500, 500, 200]

    run(go())


def test_an_engines_identity_is_part_of_the_key() -> None:
    async def go() -> None:
        caller = FakeCaller()
        caller.identity_ = {"weights": "sha256"}
        async with dispatching(caller, stored(*interviews(1))) as dispatcher:
            await dispatcher.announce(interviews(1))
            assert (await dispatcher.transcript("q0")).reply.text == "q0!"

    run(go())


def test_offline_nobody_is_asked() -> None:
    async def go() -> None:
        caller = FakeCaller()
        async with dispatching(caller, stored(interview("q1")), offline=True) as dispatcher:
            await dispatcher.announce(interviews(2))
            assert (await dispatcher.transcript("q1")).reply.text == "stored q1"
            missing = await dispatcher.transcript("q0")
            assert missing == Transcript((), Fault("offline", "not in the store, and --offline asks nobody"))
            assert dispatcher.progress().faults == 0
        assert caller.asked == []
        assert caller.prepared == 0

    run(go())


def test_refresh_asks_each_request_anew_and_once() -> None:
    async def go() -> None:
        caller, store = FakeCaller(), stored(*interviews(2))
        async with dispatching(caller, store, refresh=True, max_in_flight=1) as dispatcher:
            await dispatcher.announce([*interviews(2), interview("q0", "again")])
            replies = [(await dispatcher.transcript(name)).reply for name in ("q0", "q1", "again")]
            assert [reply.text for reply in replies] == ["q0!", "q1!", "q0!"]
        assert caller.asked == ["q0", "q1"]
        assert {reply.text for reply in store.replies.values()} == {"q0!", "q1!"}

    run(go())


def test_a_simulated_respondent_neither_reads_nor_writes_the_store_and_answers_offline() -> None:
    async def go() -> None:
        caller, store = FakeCaller(stored=False), stored(*interviews(2))
        async with dispatching(caller, store, offline=True) as dispatcher:
            await dispatcher.announce(interviews(2))
            assert (await dispatcher.transcript("q1")).reply == Reply("q1!")
        assert store.lookups == []
        assert store.puts == []

    run(go())


def test_an_interviews_second_question_depends_on_the_first_reply() -> None:
    async def go() -> None:
        caller, store = FakeCaller(), FakeStore()
        async with dispatching(caller, store) as dispatcher:
            await dispatcher.announce([interview("q", step="follow_up")])
            transcript = await dispatcher.transcript("q")
            assert [turn.reply.text for turn in transcript.turns] == ["q!", "Why q!!"]
            assert [len(turn.messages) for turn in transcript.turns] == [1, 3]
            assert len({turn.key for turn in transcript.turns}) == 2
            assert sorted(store.replies) == sorted(turn.key for turn in transcript.turns)

    run(go())


def test_a_broken_interview_resumes_at_its_turn() -> None:
    asked = interview("q", step="follow_up")

    async def first() -> FakeStore:
        store, caller = FakeStore(), FakeCaller()
        async with dispatching(caller, store) as dispatcher:
            caller.answer = lambda request: Reply("4") if len(request.messages) == 1 else OSError("cable pulled")
            await dispatcher.announce([asked])
            broken = await dispatcher.transcript("q")
            assert [turn.reply.text for turn in broken.turns] == ["4"]
            assert broken.fault == Fault("internal", "OSError: cable pulled")
        return store

    async def second(store: FakeStore) -> None:
        caller = FakeCaller()
        async with dispatching(caller, FakeStore(store.replies)) as dispatcher:
            await dispatcher.announce([asked])
            whole = await dispatcher.transcript("q")
            assert [turn.reply.text for turn in whole.turns] == ["4", "Why 4!"]
            assert [turn.reply.from_store for turn in whole.turns] == [True, False]
        assert caller.asked == ["Why 4"]

    run(second(run(first())))
