"""What a run would ask and cost, and why the store does not have it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import pytest

from pytest_redefine.respondents.exchange import Interview, Reply, stored_request
from pytest_redefine.respondents.gateway.forecast import Forecast, Miss, explain
from pytest_redefine.respondents.prices import Price
from tests.respondents.gateway.support import FakeCaller, FakeStore, dispatching, interview, run

WANTED: dict[str, Any] = {
    "model": "openai/gpt-4o",
    "api_base": None,
    "messages": [{"role": "user", "content": "π?"}],
    "parameters": {"temperature": 0, "max_tokens": 1024},
    "sample": 0,
    "identity": {},
}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"parameters": {"temperature": 1, "max_tokens": 1024}}, "temperature is 0, stored with 1"),
        ({"parameters": {"max_tokens": 1024}}, "temperature is 0, stored with None"),
        (
            {"parameters": {"temperature": 0, "max_tokens": 9, "top_p": 0.5}},
            "max_tokens is 1024, stored with 9; top_p is None, stored with 0.5",
        ),
        ({"sample": 2}, "sample is 0, stored with 2"),
        ({"api_base": "http://x/v1"}, "api_base is None, stored with 'http://x/v1'"),
        ({"model": "openai/o3"}, "model is 'openai/gpt-4o', stored with 'openai/o3'"),
        ({"identity": {"weights": "b" * 64}}, f"the local model's weights is None, stored with '{'b' * 19}...'"),
        ({}, "stored in a form that this version does not read"),
    ],
)
def test_the_difference_is_named(changes: Mapping[str, Any], reason: str) -> None:
    assert explain(WANTED, [{**WANTED, **changes}]) == reason


def test_the_nearest_of_several_counts() -> None:
    far = {**WANTED, "model": "a", "sample": 3}
    near = {**WANTED, "sample": 1}
    assert explain(WANTED, [far, near, far]) == "sample is 0, stored with 1"


@pytest.mark.parametrize("stored", [{}, {"model": "m"}, {**WANTED, "parameters": None, "identity": None}])
def test_what_is_stored_in_an_odd_form_is_explained_too(stored: Mapping[str, Any]) -> None:
    assert explain(WANTED, [stored])


def test_a_prompt_that_was_never_answered() -> None:
    assert explain(WANTED, []) == "this prompt was never answered into this store"


class Shelf(FakeStore):
    """Knows requests too."""

    def __init__(self, *asked: Interview) -> None:
        requests = [one.request(one.case["messages"]) for one in asked]
        super().__init__({request.key({}): Reply("4") for request in requests})
        self.requests = [stored_request(request, {}) for request in requests]

    async def similar(self, prompt: str) -> list[dict[str, Any]]:
        return self.requests


def cases(number: int, model: str = "openai/gpt-4o", max_tokens: int = 100) -> list[Interview]:
    every = [interview("x" * 35, f"{model}{index}", model=model, sample=index) for index in range(number)]
    return [dataclasses.replace(one, parameters={"max_tokens": max_tokens}) for one in every]


def test_requests_tokens_and_price_by_model() -> None:
    async def go() -> None:
        callers = {"openai/gpt-4o": FakeCaller(), "nobody/m": FakeCaller(), "sim/adopts": FakeCaller(stored=False)}
        asked = [one for model in callers for one in cases(5, model)]
        twice = dataclasses.replace(asked[0], id="again")
        async with dispatching(callers, Shelf(*asked[:2])) as dispatcher:
            found = await dispatcher.forecast([*asked, twice])
            assert found == {
                "openai/gpt-4o": Forecast(3, 2, 30, 300, Price(2.5e-6, 10e-6)),
                "nobody/m": Forecast(5, 0, 50, 500, None),
                "sim/adopts": Forecast(5, 0, 0, 0, Price(0.0, 0.0)),
            }
            assert found["openai/gpt-4o"].usd == pytest.approx(30 * 2.5e-6 + 300 * 10e-6)
            assert found["nobody/m"].usd is None
        assert [caller.asked for caller in callers.values()] == [[], [], []]
        assert [caller.prepared for caller in callers.values()] == [0, 0, 0]

    run(go())


def test_the_forecast_is_what_the_run_then_asks() -> None:
    async def go() -> None:
        caller = FakeCaller()
        asked = cases(7)
        async with dispatching(caller, Shelf(*asked[:3])) as dispatcher:
            found = await dispatcher.forecast(asked)
            await dispatcher.announce(asked)
            for one in asked:
                await dispatcher.transcript(one.id)
            assert found["openai/gpt-4o"].to_ask == dispatcher.progress().asked == 4
            assert found["openai/gpt-4o"].stored == dispatcher.progress().from_store == 3

    run(go())


def test_with_refresh_all_is_to_ask() -> None:
    async def go() -> None:
        asked = cases(3)
        async with dispatching(FakeCaller(), Shelf(*asked), refresh=True) as dispatcher:
            found = await dispatcher.forecast(asked)
            assert (found["openai/gpt-4o"].to_ask, found["openai/gpt-4o"].stored) == (3, 0)
            ids = [str(one.case["case_id"]) for one in asked]
            assert await dispatcher.misses(asked) == [Miss("--refresh asks everything again", ids)]

    run(go())


def test_misses_are_told_by_reason_the_commonest_first() -> None:
    async def go() -> None:
        shelf = Shelf(*cases(2), *cases(1, max_tokens=5))
        shelf.requests = shelf.requests[-1:]
        wanted = [*cases(2), *cases(4, max_tokens=7)]
        async with dispatching(FakeCaller(), shelf) as dispatcher:
            found = await dispatcher.misses(wanted)
            assert [(miss.reason, len(miss.cases)) for miss in found] == [
                ("max_tokens is 7, stored with 5", 1),
                ("sample is 1, stored with 0; max_tokens is 7, stored with 5", 1),
                ("sample is 2, stored with 0; max_tokens is 7, stored with 5", 1),
                ("sample is 3, stored with 0; max_tokens is 7, stored with 5", 1),
            ]
            assert await dispatcher.misses(cases(2)) == []

    run(go())
