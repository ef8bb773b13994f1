"""A server of one's own, asked without LiteLLM."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pytest_redefine.respondents.callers import Access, make_caller
from pytest_redefine.respondents.callers.litellm_api import LiteLLMCaller
from pytest_redefine.respondents.callers.openai_server import OpenAIServerCaller
from pytest_redefine.respondents.callers.retry_after import RETRY_AFTER_LIMIT_S
from pytest_redefine.respondents.errors import CallError
from pytest_redefine.respondents.exchange import Reply, Request
from pytest_redefine.respondents.names import parse_model
from tests.respondents.callers.faults import KEY, error_of
from tests.servers import Behaviour, ChatServer, failure

QUESTION = ({"role": "user", "content": "What is π?"},)
REQUEST = Request("m", QUESTION, {"temperature": 0.0, "max_tokens": 9}, droppable=("temperature", "max_tokens"))


def call(caller: OpenAIServerCaller, request: Request = REQUEST) -> Reply:
    async def go() -> Reply:
        await caller.prepare()
        try:
            return await caller.call(request, {})
        finally:
            await caller.close()

    return asyncio.run(go())


def test_a_server_of_ones_own_is_asked_by_the_name_it_knows_with_all_parameters() -> None:
    with ChatServer() as server:
        reply = call(
            OpenAIServerCaller("hosted_vllm/org/m", f"{server.url}/", "from-env", {"api_key": KEY, "user": "u"})
        )
    assert server.bodies[0]["model"] == "org/m"
    assert server.bodies[0]["user"] == "u"
    assert server.bodies[0]["max_tokens"] == 9
    assert "api_key" not in server.bodies[0]
    assert server.seen[0].headers["Authorization"] == f"Bearer {KEY}"
    assert (reply.model_version, reply.cost_usd) == ("org/m", None)


def test_without_any_key_a_server_of_ones_own_gets_none() -> None:
    with ChatServer() as server:
        call(OpenAIServerCaller("hosted_vllm/m", server.url, None, {}))
    assert "Authorization" not in server.seen[0].headers


def test_the_price_of_a_known_model() -> None:
    with ChatServer() as server:
        reply = call(OpenAIServerCaller("openai/gpt-4o", server.url, KEY, {}))
    assert reply.cost_usd == pytest.approx(11 * 2.5e-6 + 7 * 10e-6)


@pytest.mark.parametrize("words", ["7", "Wed, 21 Oct 2099 07:28:00 GMT", None])
def test_when_to_come_back_is_read(words: str | None) -> None:
    behaviour = failure(503, "busy", retry_after=words)
    with ChatServer(behaviour) as server:
        error = asyncio.run(error_of(OpenAIServerCaller("openai/m", server.url, KEY, {}), REQUEST, behaviour))
    assert error.retry_after_s == {"7": 7.0, None: None}.get(words, RETRY_AFTER_LIMIT_S)


def test_a_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer() as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        assert call(OpenAIServerCaller("openai/m", "http://models.example/v1", KEY, {})).text
    assert proxy.seen[0].headers["Host"] == "models.example"


@pytest.mark.parametrize("secret", [KEY, "x"])
def test_a_key_in_an_error_is_hidden_whatever_its_form(secret: str) -> None:
    behaviour = failure(401, f"no: {KEY} {secret * 5}")
    with ChatServer(behaviour) as server:
        caller = OpenAIServerCaller("openai/m", server.url, None, {"api_key": secret, "extra_token": KEY})
        error = asyncio.run(error_of(caller, REQUEST, behaviour))
    assert KEY not in str(error)
    assert "xxxxx" not in str(error)


@pytest.mark.parametrize(
    ("model", "api_base", "kind"),
    [
        ("openai/gpt-4o", "http://x/v1", OpenAIServerCaller),
        ("hosted_vllm/m", "http://x/v1", OpenAIServerCaller),
        ("openai/gpt-4o", None, LiteLLMCaller),
        ("together_ai/m", "http://x/v1", LiteLLMCaller),
        ("gpt-4o", "http://x/v1", LiteLLMCaller),
    ],
)
def test_who_is_asked_without_litellm(model: str, api_base: str | None, kind: type) -> None:
    assert isinstance(make_caller(parse_model(model), Access(api_base)), kind)


def reasoning_model(seen: Any) -> Behaviour:
    """Refuses as OpenAI's o3 does: one parameter at a time."""
    for name, said in (
        ("max_tokens", "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."),
        ("temperature", "Unsupported value: 'temperature' does not support 0 with this model."),
        ("top_p", "Unsupported parameter: 'top_p' is not supported with this model."),
    ):
        if name in seen.body:
            return failure(400, said, code="unsupported_value" if "value" in said else "unsupported_parameter")
    return Behaviour()


def test_a_default_that_the_model_does_not_take_is_left_out_named_and_learnt() -> None:
    async def go(url: str) -> list[Reply]:
        caller = OpenAIServerCaller("openai/o3", url, None, {})
        await caller.prepare()
        first = await asyncio.gather(*(caller.call(REQUEST, {}) for _ in range(5)))
        before = server.received
        last = await caller.call(REQUEST, {})
        assert server.received == before + 1
        await caller.close()
        return [*first, last]

    with ChatServer(reasoning_model) as server:
        replies = asyncio.run(go(server.url))
    assert {reply.dropped_params for reply in replies} == {("temperature",)}
    assert server.bodies[-1] == {"model": "o3", "messages": list(QUESTION), "max_completion_tokens": 9}


TYPED = Request("m", QUESTION, {"temperature": 0.0, "top_p": 0.5}, droppable=("temperature",))


def test_what_was_typed_is_dropped_only_when_the_user_says_so() -> None:
    with ChatServer(reasoning_model) as server:
        with pytest.raises(CallError) as caught:
            call(OpenAIServerCaller("openai/o3", server.url, None, {}), TYPED)
        reply = call(OpenAIServerCaller("openai/o3", server.url, None, {}, drop_params=True), TYPED)
    assert caught.value.fault.kind == "unsupported"
    assert "'top_p'" in caught.value.fault.message
    assert caught.value.fault.message.endswith("; leave it out, or give --drop-params")
    assert reply.dropped_params == ("temperature", "top_p")
    assert set(server.bodies[-1]) == {"model", "messages"}


def test_a_refusal_that_names_nothing_we_sent_is_told_as_it_is() -> None:
    behaviour = failure(400, "Unsupported parameter: 'magic'", code="unsupported_parameter")
    with ChatServer(behaviour) as server:
        error = asyncio.run(error_of(OpenAIServerCaller("openai/m", server.url, None, {}), REQUEST, behaviour))
        assert server.received == 1
    assert error.fault.message == "HTTP 400: Unsupported parameter: 'magic' (unsupported_parameter)"
