"""The real LiteLLM against a real server."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from pytest_redefine.respondents.callers.litellm_api import LiteLLMCaller
from pytest_redefine.respondents.errors import CallError, Fault, RespondentUnavailable
from pytest_redefine.respondents.exchange import Reply, Request
from pytest_redefine.respondents.prices import PriceList
from tests.respondents.callers.faults import FAULTS, KEY, error_of
from tests.servers import Behaviour, ChatServer, failure, rate_limited

MESSAGES = ({"role": "user", "content": "What is π?"},)
DEFAULTS: Mapping[str, Any] = {"temperature": 0.0, "max_tokens": 9}

# LiteLLM's import warns about its dependencies; its reading of a damaged reply does through Pydantic.
pytestmark = [
    pytest.mark.filterwarnings(r"ignore:::(pydantic|litellm|openai|httpx|aiohttp)\b.*"),
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),
]


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.Runner]:
    """One loop, as in the gateway: LiteLLM keeps its connections in it."""
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AZURE_API_KEY", "HOSTED_VLLM_API_KEY", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def no_connections() -> Iterator[None]:
    """The system gives a server's port to a later one at times, and LiteLLM would ask it over the dead connection."""
    yield
    if "litellm" in sys.modules:
        sys.modules["litellm"].in_memory_llm_clients_cache.flush_cache()


def ask(
    loop: asyncio.Runner,
    server: ChatServer,
    model: str = "openai/gpt-4o",
    parameters: Mapping[str, Any] = DEFAULTS,
    *,
    typed: Mapping[str, Any] | None = None,
    secrets: Mapping[str, Any] | None = None,
    drop_params: bool = False,
) -> Reply:
    typed = typed or {}

    async def go() -> Reply:
        secret = {"api_key": KEY} if secrets is None else secrets
        caller = LiteLLMCaller(model, server.url, secret, drop_params=drop_params)
        await caller.prepare()
        droppable = tuple(name for name in parameters if name not in typed)
        return await caller.call(Request(model, MESSAGES, {**parameters, **typed}, droppable=droppable), {})

    return loop.run(go())


def prepare(loop: asyncio.Runner, model: str, api_base: str | None = None) -> None:
    loop.run(LiteLLMCaller(model, api_base, {}, drop_params=False).prepare())


@pytest.mark.parametrize("model", ["openai/gpt-4o", "hosted_vllm/some-model"])
def test_an_answer_and_what_was_sent_for_it(loop: asyncio.Runner, model: str) -> None:
    with ChatServer(Behaviour(text="4 \ud800 π")) as server:
        reply = ask(loop, server, model)
    assert server.bodies == [{"model": model.partition("/")[2], "messages": list(MESSAGES), **DEFAULTS}]
    assert server.seen[0].headers["Authorization"] == f"Bearer {KEY}"
    assert (reply.text, reply.finish_reason) == ("4 \ufffd π", "stop")
    assert reply.usage == {"prompt_tokens": 11, "completion_tokens": 7}
    assert reply.dropped_params == ()


def test_a_price_where_it_is_known_and_none_where_not(loop: asyncio.Runner) -> None:
    with ChatServer() as server:
        priced, unknown = ask(loop, server), ask(loop, server, "hosted_vllm/some-model")
    assert priced.cost_usd == pytest.approx(11 * 2.5e-6 + 7 * 10e-6)
    assert unknown.cost_usd is None


@pytest.mark.parametrize(
    ("behaviour", "text", "reasoning"),
    [
        (Behaviour(text="The final ans", finish_reason="length"), "The final ans", None),
        (Behaviour(text=None, finish_reason="length", reasoning="hmm"), "", "hmm"),
    ],
)
def test_a_truncated_reply_is_one(loop: asyncio.Runner, behaviour: Behaviour, text: str, reasoning: str | None) -> None:
    with ChatServer(behaviour) as server:
        reply = ask(loop, server, "hosted_vllm/some-model")
    assert (reply.text, reply.reasoning, reply.finish_reason) == (text, reasoning, "length")


@pytest.mark.parametrize("model", ["openai/gpt-4o", "hosted_vllm/some-model"])
@pytest.mark.parametrize(("behaviour", "kind", "said"), FAULTS)
def test_what_is_no_answer_is_a_fault_and_is_not_asked_again(
    loop: asyncio.Runner, behaviour: Behaviour, kind: str, said: str, model: str
) -> None:
    with ChatServer(behaviour) as server:
        caller = LiteLLMCaller(model, server.url, {"api_key": KEY}, drop_params=False)
        error = loop.run(error_of(caller, Request(model, MESSAGES, DEFAULTS), behaviour))
        assert server.received == 1  # LiteLLM's own retries are off
    assert error.fault.kind == kind
    assert said in error.fault.message
    assert KEY not in error.fault.message


@pytest.mark.parametrize("model", ["openai/gpt-4o", "hosted_vllm/some-model"])
def test_when_to_come_back_is_read(loop: asyncio.Runner, model: str) -> None:
    behaviour = rate_limited("7")
    with ChatServer(behaviour) as server:
        caller = LiteLLMCaller(model, server.url, {"api_key": KEY}, drop_params=False)
        error = loop.run(error_of(caller, Request(model, MESSAGES), behaviour))
    assert error.retry_after_s == 7.0


def test_a_key_from_the_environment_is_used_and_never_shown(
    loop: asyncio.Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ChatServer(failure(401, f"Incorrect API key provided: {KEY}")) as server, pytest.raises(CallError) as caught:
        ask(loop, server, secrets={})
    assert server.seen[0].headers["Authorization"] == f"Bearer {KEY}"
    assert "Incorrect API key provided: ***" in caught.value.fault.message


def test_a_server_of_ones_own_needs_no_key(loop: asyncio.Runner) -> None:
    with ChatServer() as server:
        assert ask(loop, server, secrets={}).text == "The final answer is: 4"
    assert server.seen[0].headers["Authorization"] == "Bearer unused"


def test_an_unknown_model_is_one_line_that_says_what_to_type(loop: asyncio.Runner) -> None:
    with pytest.raises(RespondentUnavailable, match=r"^--model=nobody-4: unknown model; write PROVIDER/MODEL .*$"):
        prepare(loop, "nobody-4")


def test_a_missing_key_is_one_line_that_says_what_to_type(loop: asyncio.Runner) -> None:
    with pytest.raises(
        RespondentUnavailable,
        match=r"^--model=openai/gpt-4o: no key for openai; type: export OPENAI_API_KEY=\.\.\. and",
    ):
        prepare(loop, "openai/gpt-4o")


def test_several_missing_keys_are_all_named(loop: asyncio.Runner) -> None:
    with pytest.raises(RespondentUnavailable, match=r"type: export AZURE_\w+=.*\(it needs AZURE_\w+, AZURE_\w+"):
        prepare(loop, "azure/gpt-4o")


def test_a_default_that_the_model_does_not_take_is_left_out_and_named(loop: asyncio.Runner) -> None:
    with ChatServer() as server:
        reply = ask(loop, server, "openai/o3-mini")
    assert "temperature" not in server.bodies[0]
    assert reply.dropped_params == ("temperature",)


def test_a_default_that_is_taken_at_one_value_only_is_left_out_too(loop: asyncio.Runner) -> None:
    """GPT-5 is said to support temperature, and refuses all but 1."""
    with ChatServer() as server:
        reply = ask(loop, server, "openai/gpt-5")
    assert "temperature" not in server.bodies[0]
    assert reply.dropped_params == ("temperature",)


@pytest.mark.parametrize("model", ["openai/o3-mini", "openai/gpt-5"])
def test_a_parameter_that_was_typed_is_never_left_out(loop: asyncio.Runner, model: str) -> None:
    with ChatServer() as server:
        with pytest.raises(CallError) as caught:
            ask(loop, server, model, typed={"temperature": 0.0})
        assert server.received == 0
    assert caught.value.fault.kind == "unsupported"
    assert "temperature" in caught.value.fault.message
    assert caught.value.fault.message.endswith("leave it out, or give --drop-params")


@pytest.mark.parametrize("model", ["openai/o3-mini", "openai/gpt-5"])
def test_a_typed_parameter_is_left_out_and_named_when_the_user_says_so(loop: asyncio.Runner, model: str) -> None:
    with ChatServer() as server:
        reply = ask(loop, server, model, typed={"temperature": 0.5, "seed": 3}, drop_params=True)
    assert "temperature" not in server.bodies[0]
    assert server.bodies[0]["seed"] == 3
    assert reply.dropped_params == ("temperature",)


def test_a_typed_parameter_of_any_name_is_sent(loop: asyncio.Runner) -> None:
    with ChatServer() as server:
        ask(loop, server, "hosted_vllm/some-model", typed={"top_k": 5, "seed": 7})
    assert server.bodies[0]["seed"] == 7
    assert server.bodies[0]["top_k"] == 5


EFFORT: Mapping[str, Any] = {"reasoning_effort": "high", "thinking": {"type": "enabled", "budget_tokens": 2000}}


def test_thinking_is_asked_for_as_typed_and_kept_apart(loop: asyncio.Runner) -> None:
    usage = {"prompt_tokens": 11, "completion_tokens": 70, "completion_tokens_details": {"reasoning_tokens": 63}}
    with ChatServer(Behaviour(text="4", reasoning="2 and 2 ...", usage=usage)) as server:
        reply = ask(loop, server, "hosted_vllm/some-model", typed={"reasoning_effort": "high"})
    assert server.bodies[0]["reasoning_effort"] == "high"
    assert (reply.text, reply.reasoning) == ("4", "2 and 2 ...")
    assert reply.usage == {"prompt_tokens": 11, "completion_tokens": 70, "reasoning_tokens": 63}


def test_thinking_and_no_word_more_is_a_reply(loop: asyncio.Runner) -> None:
    with ChatServer(Behaviour(text=None, reasoning="hmm")) as server:
        reply = ask(loop, server, "hosted_vllm/some-model")
    assert (reply.text, reply.reasoning, reply.finish_reason) == ("", "hmm", "stop")


def test_a_temperature_that_thinking_rules_out_is_left_out_from_then_on(loop: asyncio.Runner) -> None:
    """Anthropic's words; LiteLLM sends the temperature."""
    refusal = failure(400, "`temperature` may only be set to 1 when thinking is enabled.")
    model = "hosted_vllm/some-model"

    async def go() -> list[Reply]:
        caller = LiteLLMCaller(model, server.url, {"api_key": KEY}, drop_params=False)
        await caller.prepare()
        request = Request(model, MESSAGES, {**DEFAULTS, **EFFORT}, droppable=tuple(DEFAULTS))
        return [await caller.call(request, {}) for _ in range(2)]

    with ChatServer(lambda seen: refusal if "temperature" in seen.body else Behaviour()) as server:
        replies = loop.run(go())
        assert server.received == 3
    assert [reply.dropped_params for reply in replies] == [("temperature",)] * 2


def test_a_stated_price_goes_before_litellm_s(loop: asyncio.Runner) -> None:
    async def go() -> Reply:
        prices = PriceList(known={"openai/gpt-4o": (100.0, 200.0)})
        caller = LiteLLMCaller("openai/gpt-4o", server.url, {"api_key": KEY}, drop_params=False, prices=prices)
        await caller.prepare()
        return await caller.call(Request("openai/gpt-4o", MESSAGES, DEFAULTS), {})

    with ChatServer() as server:
        assert loop.run(go()).cost_usd == pytest.approx((11 * 100 + 7 * 200) / 1e6)


def test_what_is_no_error_of_litellm_is_told_too() -> None:
    caller = LiteLLMCaller("m", None, {"api_key": KEY}, drop_params=False)
    assert caller._call_error(OSError(f"no route {KEY}")).fault == Fault("network", "OSError: no route ***")
    assert caller._call_error(ValueError("odd")).fault == Fault("malformed", "ValueError: odd")


def test_the_answer_to_each_is_its_own_with_many_at_once(loop: asyncio.Runner) -> None:
    async def go() -> list[Reply]:
        caller = LiteLLMCaller("hosted_vllm/m", server.url, {}, drop_params=False)
        await caller.prepare()
        asked = [Request("hosted_vllm/m", ({"role": "user", "content": f"<{number}>"},)) for number in range(20)]
        return await asyncio.gather(*(caller.call(request, {}) for request in asked))

    # The first is answered last.
    with ChatServer(lambda seen: Behaviour(text=seen.question, latency_s=0.1 - 0.005 * seen.number)) as server:
        replies = loop.run(go())
    assert [reply.text for reply in replies] == [f"<{number}>" for number in range(20)]
