"""One model's queue when it ends or is held: stops, pauses, budgets, pace, cancellation, a slow store."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from pytest_redefine.respondents.errors import STOPPING_KINDS, CallError, Fault
from pytest_redefine.respondents.exchange import Reply, Request
from pytest_redefine.respondents.gateway.budget import Budget, Cap
from pytest_redefine.respondents.gateway.lane import Lane
from pytest_redefine.respondents.gateway.retries import RetryPolicy
from tests.respondents.gateway.support import (
    REQUEST,
    FakeCaller,
    FakeStore,
    dispatching,
    interview,
    interviews,
    lane_of,
    question_of,
    rules,
    run,
    settle,
)


@pytest.mark.parametrize("kind", sorted(STOPPING_KINDS - {"usage"}))
def test_a_stop_releases_all_who_wait_wherever_they_wait(kind: str) -> None:
    """For a place, for a pause of ten minutes to end, for their turn to ask again, for the budget."""

    async def go() -> None:
        outcome: dict[str, BaseException | Reply] = {
            "paused": CallError("rate_limit", "", retry_after_s=600.0),
            "backing off": CallError("server", ""),
            "bad": CallError(kind, "no"),
        }
        caller = FakeCaller(lambda request: outcome[question_of(request)])
        lane = Lane(caller, rules(1, RetryPolicy(base_s=600.0, ceiling_s=600.0)), Budget(Cap()), None)

        def ask(question: str) -> asyncio.Task[Reply]:
            return asyncio.create_task(lane.ask(Request("m", ({"role": "user", "content": question},)), {}))

        backing = ask("backing off")
        await settle()
        caller.gate.clear()
        bad, queued = ask("bad"), [ask("queued") for _ in range(5)]
        await settle()
        assert len(caller.asked) == 2
        caller.gate.set()
        results = await asyncio.gather(bad, backing, *queued, return_exceptions=True)
        kinds = [error.fault.kind for error in results if isinstance(error, CallError)]
        assert kinds == [kind, *["stopped"] * 6]
        assert lane._places.taken == lane.asking == 0
        assert caller.asked == ["backing off", "bad"]

    run(go())


def test_a_stop_ends_a_pause() -> None:
    async def go() -> None:
        caller = FakeCaller(lambda request: CallError("rate_limit", "", retry_after_s=600.0))
        lane = lane_of(caller)
        paused = [asyncio.create_task(lane.ask(REQUEST, {})) for _ in range(3)]
        await settle()
        lane._stop(Fault("quota", "gone"))
        for task in paused:
            with pytest.raises(CallError, match="stopped: no further request after one that ended with quota: gone"):
                await asyncio.wait_for(task, 1)

    run(go())


def test_a_stop_does_not_wait_for_a_request_that_hangs() -> None:
    async def go() -> None:
        hang = asyncio.Event()

        async def call(request: Request, case: Mapping[str, Any]) -> Reply:
            if question_of(request) == "bad":
                await asyncio.sleep(0)
                raise CallError("quota", "gone")
            await hang.wait()
            return Reply("late")

        caller = FakeCaller()
        caller.call = call  # type: ignore[method-assign]  # this once
        lane = lane_of(caller, max_in_flight=2)
        hanging = asyncio.create_task(lane.ask(REQUEST, {}))
        bad = asyncio.create_task(lane.ask(Request("m", ({"role": "user", "content": "bad"},)), {}))
        while lane.asking < 2:
            await asyncio.sleep(0)
        lane.limit._limit = 1.0  # it was cut meanwhile
        queued = [asyncio.create_task(lane.ask(REQUEST, {})) for _ in range(3)]
        results = await asyncio.wait_for(asyncio.gather(bad, *queued, return_exceptions=True), 5)
        kinds = [error.fault.kind for error in results if isinstance(error, CallError)]
        assert kinds == ["quota", "stopped", "stopped", "stopped"]
        hang.set()
        assert (await hanging).text == "late"  # what was on its way is an answer all the same
        assert lane._places.taken == 0

    run(go())


def test_a_request_whose_time_ran_out_in_a_pause_ends_with_its_own_error() -> None:
    async def go() -> None:
        caller = FakeCaller(lambda request: CallError("rate_limit", "slow down"))
        lane = lane_of(caller, RetryPolicy(base_s=0.01, ceiling_s=0.01, give_up_s=0.05))
        asking = asyncio.create_task(lane.ask(REQUEST, {}))
        while not caller.asked:
            await asyncio.sleep(0)
        lane._pause.extend(0.1)  # another request was refused
        with pytest.raises(CallError, match="rate_limit: slow down"):
            await asking
        assert (len(caller.asked), lane.retries) == (1, 0)

    run(go())


def test_who_waits_for_the_budget_is_not_sent_after_a_stop() -> None:
    async def go() -> None:
        budget = Budget(Cap(tokens=1100))  # one at a time
        caller = FakeCaller(lambda request: CallError("authentication", "no"))
        caller.gate.clear()
        lane = Lane(caller, rules(4), budget, None)
        asking = [asyncio.create_task(lane.ask(REQUEST, {})) for _ in range(3)]
        await settle()
        assert len(caller.asked) == 1
        caller.gate.set()
        results = await asyncio.gather(*asking, return_exceptions=True)
        kinds = [error.fault.kind for error in results if isinstance(error, CallError)]
        assert kinds == ["authentication", "stopped", "stopped"]
        assert len(caller.asked) == 1
        assert budget._promised.requests == lane._places.taken == 0

    run(go())


def test_cancelled_requests_leave_no_promise_and_no_place_behind() -> None:
    async def go() -> None:
        caller = FakeCaller()
        caller.gate.clear()
        budget = Budget(Cap(requests=6))
        lane = Lane(caller, rules(4), budget, None)
        asking = [asyncio.create_task(lane.ask(REQUEST, {})) for _ in range(12)]
        await settle()
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        assert lane.asking == lane._places.taken == budget._promised.requests == 0
        assert budget.spent.requests == 4  # they were sent
        caller.gate.set()
        assert (await lane.ask(REQUEST, {})).text == "q!"

    run(go())


@pytest.mark.parametrize("pace", [{"requests_per_minute": 600}, {"tokens_per_minute": 60_000}])
def test_a_pace_spaces_requests_out(pace: dict[str, Any]) -> None:
    """A tenth of a minute's worth at once, then one every tenth of a second."""

    async def go() -> None:
        caller = FakeCaller(lambda request: Reply("4"))  # it counts no tokens: each takes its bound
        asked = dataclasses.replace(REQUEST, parameters={"max_tokens": 100 - 16})
        lane = Lane(caller, rules(100, **pace), Budget(Cap()), None)
        lane.limit._limit = 100.0
        started = asyncio.get_running_loop().time()
        await asyncio.gather(*(lane.ask(asked, {}) for _ in range(63)))
        took = asyncio.get_running_loop().time() - started
        assert took >= 0.29  # a lower bound holds however busy the machine is
        assert len(caller.asked) == 63

    run(go())


class Stale(FakeStore):
    """Tells what it knew when it was asked, and the later the more often it was asked."""

    async def get_many(self, keys: Iterable[str]) -> dict[str, Reply]:
        found = await super().get_many(keys)
        for _ in range(50 * len(self.lookups)):
            await asyncio.sleep(0)
        return found


def test_nobody_is_asked_twice_while_the_store_is_slow() -> None:
    async def go() -> None:
        caller, store = FakeCaller(), Stale()
        async with dispatching(caller, store) as dispatcher:
            names = ("one", "two", "three")
            await asyncio.gather(*(dispatcher.announce([interview("same", name)]) for name in names))
            assert [(await dispatcher.transcript(name)).reply.text for name in names] == ["same!"] * 3
        assert caller.asked == ["same"]

    run(go())


def test_a_freeze_in_a_storm_releases_all() -> None:
    async def go() -> None:
        caller = FakeCaller(lambda request: CallError("rate_limit", "", retry_after_s=600.0))
        async with dispatching(caller, FakeStore()) as dispatcher:
            await dispatcher.announce(interviews(30))
            waiting = [asyncio.create_task(dispatcher.transcript(f"q{index}")) for index in range(30)]
            await settle()
            dispatcher.freeze(Fault("interrupted", "end"))
            assert {transcript.fault for transcript in await asyncio.gather(*waiting)} == {Fault("interrupted", "end")}
            await settle()
            assert dispatcher.progress().in_flight == 0
            assert len(caller.asked) <= 4

    run(go())
