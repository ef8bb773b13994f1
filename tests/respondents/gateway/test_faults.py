"""What goes wrong in one place, and what it leaves alone."""

from __future__ import annotations

import asyncio

import pytest

from pytest_redefine.respondents.callers.base import Caller
from pytest_redefine.respondents.errors import STOPPING_KINDS, CallError, Fault, RespondentUnavailable
from pytest_redefine.respondents.exchange import Reply, Request, Transcript
from pytest_redefine.respondents.gateway.dispatcher import Dispatcher
from pytest_redefine.respondents.store import Store, StoreError
from tests.respondents.gateway.support import (
    STEPS,
    FakeCaller,
    FakeStore,
    dispatching,
    interview,
    interviews,
    question_of,
    rules,
    run,
    settle,
)

ENDED = Fault("interrupted", "the run ended before this was asked")


def failing(question: str, error: BaseException) -> FakeCaller:
    """Fails one question, answers the others."""
    caller = FakeCaller()
    caller.answer = lambda request: error if question_of(request) == question else Reply("fine")
    return caller


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (CallError("malformed", "no message"), Fault("malformed", "no message")),
        (CallError("content_filter", "no"), Fault("content_filter", "no")),
        (KeyError("bug"), Fault("internal", "KeyError: 'bug'")),
    ],
)
def test_a_fault_in_one_case_leaves_the_others(error: Exception, fault: Fault) -> None:
    async def go() -> None:
        caller, store = failing("q1", error), FakeStore()
        async with dispatching(caller, store) as dispatcher:
            await dispatcher.announce(interviews(4))
            transcripts = [await dispatcher.transcript(f"q{index}") for index in range(4)]
            assert [transcript.fault for transcript in transcripts] == [None, fault, None, None]
            assert transcripts[1].turns == ()
            assert dispatcher.progress().faults == 1
            assert dispatcher.progress().finished == 4
        assert sorted(store.puts) == ["q0", "q2", "q3"]  # a fault is never stored

    run(go())


@pytest.mark.parametrize("error", [CallError("server", "boom"), KeyError("bug")])
def test_all_who_wait_for_one_request_learn_of_its_fault(error: Exception) -> None:
    async def go() -> None:
        caller = failing("same", error)
        caller.gate.clear()
        async with dispatching(caller, FakeStore()) as dispatcher:
            await dispatcher.announce([interview("same", name) for name in ("one", "two", "three")])
            await settle()
            caller.gate.set()
            faults = [(await dispatcher.transcript(name)).fault for name in ("one", "two", "three")]
            assert len(set(faults)) == 1
            assert faults[0] is not None
            assert faults[0].kind in ("server", "internal")

    run(go())


def test_a_bug_in_a_step_ends_one_case_only() -> None:
    async def go() -> None:
        async with dispatching(FakeCaller(), FakeStore()) as dispatcher:
            await dispatcher.announce(
                [interview("bad", step="broken"), interview("odd", step="unknown"), *interviews(2)]
            )
            assert (await dispatcher.transcript("bad")).fault == Fault("internal", "ZeroDivisionError: a bug")
            assert (await dispatcher.transcript("odd")).fault == Fault("internal", "KeyError: 'unknown'")
            assert [(await dispatcher.transcript(f"q{index}")).fault for index in range(2)] == [None, None]

    run(go())


@pytest.mark.parametrize("kind", sorted(STOPPING_KINDS - {"usage"}))
def test_what_the_next_request_would_meet_too_stops_the_model_and_no_other(kind: str) -> None:
    async def go() -> None:
        callers = {"bad": FakeCaller(lambda request: CallError(kind, "no")), "good": FakeCaller()}
        async with dispatching(callers, FakeStore(), max_in_flight=2) as dispatcher:
            await dispatcher.announce(
                [interview(f"q{index}", f"{model}{index}", model=model) for index in range(20) for model in callers]
            )
            bad = [(await dispatcher.transcript(f"bad{index}")).fault for index in range(20)]
            stopped = Fault("stopped", f"no further request after one that ended with {kind}: no")
            assert bad == [Fault(kind, "no")] + [stopped] * 19  # the second was on its way, and met the same
            assert dispatcher.progress().faults == 1
            assert [(await dispatcher.transcript(f"good{index}")).fault for index in range(20)] == [None] * 20
        assert len(callers["bad"].asked) == 2  # those in flight when the first came back

    run(go())


def test_a_model_that_cannot_be_prepared_is_told_once_for_all_and_prepared_once() -> None:
    async def go() -> None:
        caller = FakeCaller()
        caller.prepare_error = RespondentUnavailable("--model=m: no key; type: export KEY=...")
        async with dispatching(caller, FakeStore()) as dispatcher:
            await dispatcher.announce(interviews(9))
            faults = {(await dispatcher.transcript(f"q{index}")).fault for index in range(9)}
            assert faults == {Fault("usage", "--model=m: no key; type: export KEY=...")}
        assert caller.prepared == 1
        assert caller.asked == []

    run(go())


def test_a_model_without_a_caller_ends_its_cases_and_no_others() -> None:
    def make_caller(name: str) -> Caller:
        if name == "gone":
            raise RespondentUnavailable("--model=gone: no such file")
        return FakeCaller()

    async def go() -> None:
        dispatcher = Dispatcher(make_caller, FakeStore, STEPS, rules(4))
        await dispatcher.announce([interview("q0", model="gone"), interview("q1")])
        assert (await dispatcher.transcript("q0")).fault == Fault("usage", "--model=gone: no such file")
        assert (await dispatcher.transcript("q1")).fault is None
        await dispatcher.close()

    run(go())


@pytest.mark.parametrize("stage", ["open", "get", "put"])
def test_a_store_that_fails_freezes_everything_before_more_is_paid_for(stage: str) -> None:
    async def go() -> None:
        caller, store = FakeCaller(), FakeStore()
        store.broken = stage
        line = {"open": "no such folder", "get": "cannot be read", "put": "disk full"}[stage]

        def open_store() -> Store:
            if stage == "open":
                raise StoreError("--store=x: no such folder")
            return store

        dispatcher = Dispatcher(lambda name: caller, open_store, STEPS, rules(2))
        await dispatcher.announce(interviews(20))
        faults = {(await dispatcher.transcript(f"q{index}")).fault for index in range(20)}
        assert faults == {Fault("usage", f"--store=x: {line}")}
        assert len(caller.asked) <= 2
        await dispatcher.announce([interview("late")])
        assert (await dispatcher.transcript("late")).fault == Fault("usage", f"--store=x: {line}")
        assert "late" not in caller.asked
        await dispatcher.close()

    run(go())


def test_a_freeze_releases_all_who_wait_and_asks_nothing_more() -> None:
    async def go() -> None:
        caller = FakeCaller()
        caller.gate.clear()
        async with dispatching(caller, FakeStore()) as dispatcher:
            await dispatcher.announce(interviews(9))
            waiting = [asyncio.create_task(dispatcher.transcript(f"q{index}")) for index in range(9)]
            await settle()
            dispatcher.freeze(ENDED)
            dispatcher.freeze(Fault("internal", "the first freeze counts"))
            assert [await task for task in waiting] == [Transcript((), ENDED)] * 9
            caller.gate.set()
            await settle()
            assert len(caller.asked) == 4
            await dispatcher.announce([interview("late")])
            assert (await dispatcher.transcript("late")).fault == ENDED
            assert dispatcher.progress().faults == 0
            assert dispatcher.progress().in_flight == 0

    run(go())


def test_a_reply_that_is_being_written_when_the_run_ends_is_kept() -> None:
    async def go() -> None:
        caller, store = FakeCaller(), FakeStore()
        async with dispatching(caller, store) as dispatcher:
            await dispatcher.announce(interviews(3))
            store.writing.clear()  # from now on the store is slow
            await settle()
            assert store.puts == []
            closing = asyncio.create_task(dispatcher.close())
            await settle()
            assert not closing.done()
            store.writing.set()
            await closing
        assert sorted(store.puts) == ["q0", "q1", "q2"]
        assert store.closed

    run(go())


def test_close_ends_a_caller_that_is_still_getting_ready() -> None:
    class Slow(FakeCaller):
        async def prepare(self) -> None:
            await asyncio.Event().wait()

    async def go() -> None:
        caller = Slow()
        async with dispatching(caller, FakeStore()) as dispatcher:
            await dispatcher.announce(interviews(1))
            await settle()
        assert caller.closed

    run(go())


def test_closing_before_anything_was_announced_opens_no_store() -> None:
    opened = []

    def open_store() -> Store:
        opened.append(FakeStore())
        return opened[-1]

    async def go() -> None:
        await Dispatcher(lambda name: FakeCaller(), open_store, STEPS, rules(1)).close()

    run(go())
    assert opened == []


def test_the_fakes_do_what_the_tests_rely_on() -> None:
    """A caller held back is in flight; one let go answers."""

    async def go() -> None:
        caller = FakeCaller()
        caller.gate.clear()
        task = asyncio.create_task(caller.call(Request("m", ({"role": "user", "content": "q"},)), {}))
        await settle()
        assert (caller.in_flight, task.done()) == (1, False)
        caller.gate.set()
        assert (await task).text == "q!"

    run(go())
