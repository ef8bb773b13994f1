"""The cap: what is promised, what is spent, who waits for whom."""

from __future__ import annotations

import asyncio
import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_redefine.respondents.callers.openai_server import OpenAIServerCaller
from pytest_redefine.respondents.errors import CallError, Fault
from pytest_redefine.respondents.exchange import Interview, Reply
from pytest_redefine.respondents.gateway.budget import NOTHING, Budget, Cap, Cost, upper_bound
from pytest_redefine.respondents.gateway.dispatcher import Dispatcher
from pytest_redefine.respondents.prices import Price, PriceList
from tests.respondents.gateway.support import (
    STEPS,
    FakeCaller,
    FakeStore,
    dispatching,
    interview,
    interviews,
    rules,
    run,
    settle,
)
from tests.servers import Behaviour, ChatServer

COSTS = st.builds(Cost, st.floats(0, 2), st.integers(0, 50), st.just(1))


@given(
    cap=st.builds(Cap, st.none() | st.floats(0.1, 20), st.none() | st.integers(1, 500), st.none() | st.integers(1, 20)),
    asked=st.lists(st.tuples(COSTS, COSTS), max_size=30),
    in_flight=st.integers(1, 8),
    overrun=st.booleans(),
)
def test_the_cap_is_never_passed_by_more_than_was_in_flight(
    cap: Cap, asked: list[tuple[Cost, Cost]], in_flight: int, overrun: bool
) -> None:
    """With providers that keep to their bound it is not passed at all."""

    async def go() -> None:
        budget, places = Budget(cap), asyncio.Semaphore(in_flight)
        refused = 0

        async def ask(bound: Cost, actual: Cost) -> None:
            nonlocal refused
            if not overrun:
                actual = Cost(min(bound.usd, actual.usd), min(bound.tokens, actual.tokens), 1)
            async with places:
                try:
                    await budget.admit(bound)
                except CallError as error:
                    refused += error.fault.kind == "budget"
                    return
                await asyncio.sleep(0)
                budget.settle(bound, actual)

        await asyncio.wait_for(asyncio.gather(*(ask(*costs) for costs in asked)), 10)
        spent = budget.spent
        most = in_flight * (max((actual.tokens for _, actual in asked), default=0) if overrun else 0)
        assert cap.tokens is None or spent.tokens <= cap.tokens + most
        most_usd = in_flight * (max((actual.usd for _, actual in asked), default=0.0) if overrun else 0.0)
        assert cap.usd is None or spent.usd <= cap.usd + most_usd + 1e-9
        assert cap.requests is None or spent.requests <= cap.requests
        assert spent.requests + refused == len(asked)

    run(go())


def test_without_a_cap_everything_is_let_through_and_counted() -> None:
    async def go() -> None:
        budget = Budget(Cap())
        await budget.admit(Cost(1e9, 10**9, 1))
        budget.settle(Cost(1e9, 10**9, 1), Cost(0.5, 7, 1))
        assert budget.spent == Cost(0.5, 7, 1)

    run(go())


def test_what_does_not_fit_yet_waits_for_promises_to_settle() -> None:
    async def go() -> None:
        budget, bound = Budget(Cap(tokens=100)), Cost(0.0, 60, 1)
        await budget.admit(bound)
        waiting = asyncio.create_task(budget.admit(bound))
        await settle()
        assert not waiting.done()
        budget.settle(bound, Cost(0.0, 40, 1))
        await waiting  # 40 spent and 60 promised are all there is
        budget.settle(bound, Cost(0.0, 60, 1))
        with pytest.raises(
            CallError, match="--budget-tokens=100 allows no further request: 2 requests took 100 tokens"
        ):
            await budget.admit(Cost(0.0, 1, 1))

    run(go())


def test_whoever_gives_up_waiting_leaves_no_promise_behind() -> None:
    async def go() -> None:
        budget = Budget(Cap(requests=1))
        await budget.admit(Cost(requests=1))
        waiting = [asyncio.create_task(budget.admit(Cost(requests=1))) for _ in range(2)]
        await settle()
        waiting[0].cancel()
        budget.settle(Cost(requests=1), NOTHING)
        waiting[0].cancel()
        await waiting[1]
        budget.settle(Cost(requests=1), NOTHING)
        admitted = asyncio.create_task(budget.admit(Cost(requests=1)))
        await settle()
        assert admitted.done()

    run(go())


def test_what_costs_nothing_goes_on_when_the_money_is_gone() -> None:
    async def go() -> None:
        budget = Budget(Cap(usd=1.0))
        said = set()
        for usd in (1.5, 1.7):
            with pytest.raises(CallError) as caught:
                await budget.admit(Cost(usd, 10, 1))
            said.add(caught.value.fault.message)
        (line,) = said  # the same for all, so that skipped tests fold into one line
        assert line.startswith("--budget-usd=1 allows no further request: 0 requests took 0 ")
        await budget.admit(Cost(0.0, 10, 1))

    run(go())


def test_the_upper_bound_of_a_request() -> None:
    assert upper_bound(200, 50, None) == Cost(0.0, 166, 1)
    assert upper_bound(200, 50, Price(1.0, 10.0)) == Cost(116 + 500, 166, 1)


def bounded(number: int, max_tokens: int = 20) -> list[Interview]:
    return [dataclasses.replace(one, parameters={"max_tokens": max_tokens}) for one in interviews(number)]


BOUND = upper_bound(2, 20, None).tokens


@pytest.mark.parametrize("usage", [{"prompt_tokens": 11, "completion_tokens": 7}, None])
def test_against_a_server_that_counts(usage: dict[str, int] | None) -> None:
    """Reserved before sending, settled after: the cap is used up, and holds whatever is in flight."""

    async def go(url: str) -> Dispatcher:
        caller = OpenAIServerCaller("hosted_vllm/m", url, None, {})
        dispatcher = Dispatcher(lambda name: caller, FakeStore, STEPS, rules(8), cap=Cap(tokens=600))
        await dispatcher.announce(bounded(100))
        transcripts = [await dispatcher.transcript(f"q{index}") for index in range(100)]
        kinds = [transcript.fault.kind if transcript.fault else "" for transcript in transcripts]
        faults = {transcript.fault for transcript in transcripts} - {None}
        assert set(kinds) == {"", "budget"}
        assert len(faults) == 1  # one line for all
        assert dispatcher.progress().faults == 0  # not asked is no failure
        assert kinds.count("") == dispatcher.progress().asked == server.received
        await dispatcher.close()
        return dispatcher

    with ChatServer(Behaviour(usage=usage, latency_s=0.005)) as server:
        dispatcher = run(go(server.url))
    each = 18 if usage else BOUND  # what is not told is taken at its worst
    assert dispatcher.budget.spent == Cost(0.0, each * server.received, server.received)
    assert 600 - BOUND < dispatcher.budget.spent.tokens <= 600


@pytest.mark.parametrize("models", [1, 3])
def test_a_cap_on_requests_is_for_all_models_together(models: int) -> None:
    async def go() -> None:
        callers = {str(number): FakeCaller() for number in range(models)}
        asked = [interview(f"q{index}", f"{model}-{index}", model=model) for index in range(20) for model in callers]
        async with dispatching(callers, FakeStore(), cap=Cap(requests=10)) as dispatcher:
            await dispatcher.announce(asked)
            faults = [(await dispatcher.transcript(one.id)).fault for one in asked]
            assert faults.count(None) == sum(len(caller.asked) for caller in callers.values()) == 10

    run(go())


def test_a_request_sent_again_counts_again_and_its_tokens_only_once() -> None:
    async def go() -> None:
        answers: list[Reply | BaseException] = [
            CallError("rate_limit", ""),
            CallError("server", ""),
            Reply("4", usage={"prompt_tokens": 3, "completion_tokens": 2}),
        ]
        caller = FakeCaller(lambda request: answers.pop(0))
        async with dispatching(caller, FakeStore()) as dispatcher:
            await dispatcher.announce(interviews(1))
            assert (await dispatcher.transcript("q0")).reply.text == "4"
            assert dispatcher.budget.spent == Cost(0.0, 5, 3)
            assert dispatcher.progress().retries == 2

    run(go())


def test_what_a_provider_may_have_worked_on_is_taken_at_its_worst() -> None:
    async def go() -> None:
        caller = FakeCaller(lambda request: CallError("content_filter", ""))
        async with dispatching(caller, FakeStore()) as dispatcher:
            await dispatcher.announce(bounded(1))
            await dispatcher.transcript("q0")
            assert dispatcher.budget.spent == Cost(0.0, BOUND, 1)

    run(go())


def test_negative_counts_give_nothing_back() -> None:
    async def go() -> None:
        caller = FakeCaller(lambda request: Reply("4", usage={"prompt_tokens": -900, "completion_tokens": 5}))
        async with dispatching(caller, FakeStore()) as dispatcher:
            await dispatcher.announce(interviews(1))
            await dispatcher.transcript("q0")
            assert dispatcher.budget.spent == Cost(0.0, 5, 1)

    run(go())


def test_stored_replies_cost_nothing_and_are_given_when_the_budget_is_gone() -> None:
    kept = {one.request(one.case["messages"]).key({}): Reply("stored") for one in interviews(10)[5:]}

    async def go() -> None:
        caller = FakeCaller()
        async with dispatching(caller, FakeStore(kept), cap=Cap(requests=2)) as dispatcher:
            await dispatcher.announce(interviews(10))
            faults = [(await dispatcher.transcript(f"q{index}")).fault for index in range(10)]
            assert [fault.kind if fault else "" for fault in faults] == ["", "", *["budget"] * 3, *[""] * 5]
            assert len(caller.asked) == 2

    run(go())


def test_an_answer_that_is_being_stored_when_the_budget_ends_is_an_answer() -> None:
    async def go() -> None:
        caller, store = FakeCaller(), FakeStore()
        store.writing.clear()
        async with dispatching(caller, store, cap=Cap(requests=1)) as dispatcher:
            await dispatcher.announce(interviews(2))
            refused = await dispatcher.transcript("q1")
            assert refused.fault is not None
            assert refused.fault.kind == "budget"
            store.writing.set()
            assert (await dispatcher.transcript("q0")).reply.text == "q0!"

    run(go())


def test_under_a_cap_in_dollars_a_model_without_a_price_is_a_usage_error() -> None:
    async def go() -> None:
        caller = FakeCaller()
        options = {"cap": Cap(usd=1.0), "prices": PriceList()}
        async with dispatching(caller, FakeStore(), **options) as dispatcher:
            await dispatcher.announce([interview("q", model="hosted_vllm/mine"), interview("p", model="openai/gpt-4o")])
            line = "no price is known for hosted_vllm/mine; bound it with --budget-tokens or --budget-requests"
            assert (await dispatcher.transcript("q")).fault == Fault("usage", f"--budget-usd: {line}")
            assert (await dispatcher.transcript("p")).reply.text == "p!"
        assert caller.asked == ["p"]

    run(go())


def test_dollars_are_counted_by_the_reply_s_cost_or_by_its_tokens() -> None:
    async def go() -> None:
        usage = {"prompt_tokens": 1000, "completion_tokens": 100}
        answers = [Reply("1", usage=usage, cost_usd=0.25), Reply("2", usage=usage)]
        caller = FakeCaller(lambda request: answers.pop(0))
        async with dispatching(caller, FakeStore(), max_in_flight=1, prices=PriceList()) as dispatcher:
            await dispatcher.announce([interview("q", model="openai/gpt-4o"), interview("p", model="openai/gpt-4o")])
            await dispatcher.transcript("p")
            assert dispatcher.budget.spent.usd == pytest.approx(0.25 + 1000 * 2.5e-6 + 100 * 10e-6)

    run(go())
