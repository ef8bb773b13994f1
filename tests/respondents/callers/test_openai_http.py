from __future__ import annotations

import asyncio
import json
import socket

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_redefine.respondents.callers.openai_http import (
    BODY_LIMIT,
    OpenAIServerCaller,
    post_completion,
    reply_from_completion,
)
from pytest_redefine.respondents.callers.retry_after import RETRY_AFTER_LIMIT_S
from pytest_redefine.respondents.errors import CallError, Fault
from pytest_redefine.respondents.exchange import Reply, Request
from tests.respondents.callers.faults import FAULTS, KEY, error_of
from tests.servers import Behaviour, ChatServer, failure

REQUEST = Request("m", ({"role": "user", "content": "What is π? \ud800\x00"},), {"temperature": 0.0, "max_tokens": 9})


def ask(url: str, request: Request = REQUEST, *, key: str | None = KEY) -> Reply:
    async def go() -> Reply:
        async with aiohttp.ClientSession() as session:
            headers = {"Authorization": f"Bearer {key}"} if key else {}
            body = {"model": "served-name", "messages": list(request.messages), **request.parameters}
            return await post_completion(session, url, headers, body, [key] if key else ())

    return asyncio.run(go())


def fault_of(url: str) -> Fault:
    with pytest.raises(CallError) as caught:
        ask(url)
    return caught.value.fault


def test_an_answer_and_what_was_sent_for_it() -> None:
    usage = {"prompt_tokens": 5, "completion_tokens": 3, "completion_tokens_details": {"reasoning_tokens": 2}}
    with ChatServer(Behaviour(text="4 \ud800 π", reasoning="let me see", usage=usage)) as server:
        reply = ask(server.url)
    assert server.bodies == [
        {
            "model": "served-name",
            "messages": [{"role": "user", "content": "What is π? \ud800\x00"}],
            "temperature": 0.0,
            "max_tokens": 9,
        }
    ]
    assert server.seen[0].headers["Authorization"] == f"Bearer {KEY}"
    assert (reply.text, reply.reasoning, reply.finish_reason) == ("4 \ufffd π", "let me see", "stop")
    assert reply.usage == {"prompt_tokens": 5, "completion_tokens": 3, "reasoning_tokens": 2}
    assert reply.model_version == "served-name"
    assert reply.cost_usd is None
    assert not reply.from_store
    assert reply.latency_s is not None
    assert reply.asked_at is not None
    assert reply.asked_at.endswith("+00:00")


def test_without_a_key_none_is_sent() -> None:
    with ChatServer() as server:
        ask(server.url, key=None)
    assert "Authorization" not in server.seen[0].headers


def test_a_truncated_reply_is_one() -> None:
    with ChatServer(Behaviour(text="The final ans", finish_reason="length")) as server:
        reply = ask(server.url)
    assert (reply.text, reply.finish_reason) == ("The final ans", "length")


def test_a_reply_that_was_all_thought_is_empty_and_truncated() -> None:
    with ChatServer(Behaviour(text=None, finish_reason="length", reasoning="hmm")) as server:
        reply = ask(server.url)
    assert (reply.text, reply.finish_reason, reply.reasoning) == ("", "length", "hmm")


@pytest.mark.parametrize(("behaviour", "kind", "said"), FAULTS)
def test_what_is_no_answer_is_a_fault(behaviour: Behaviour, kind: str, said: str) -> None:
    with ChatServer(behaviour) as server:
        fault = asyncio.run(error_of(OpenAIServerCaller("openai/m", server.url, KEY, {}), REQUEST, behaviour)).fault
        assert server.received == 1
    assert fault.kind == kind
    assert said in fault.message
    assert KEY not in fault.message


def test_nobody_listens() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        assert fault_of(f"http://127.0.0.1:{probe.getsockname()[1]}/v1").kind == "network"


def test_a_reply_longer_than_the_limit_is_not_read_to_its_end() -> None:
    with ChatServer(Behaviour(body=b" " * (BODY_LIMIT + 1))) as server:
        fault = fault_of(server.url)
    assert fault == Fault("malformed", "the reply is longer than 16 MiB")


def test_the_longest_reply_is_read_and_its_text_bounded() -> None:
    with ChatServer(Behaviour(text="x" * (BODY_LIMIT - 10_000))) as server:
        assert len(ask(server.url).text) == 400_000


def test_json_nested_without_end_is_malformed() -> None:
    with ChatServer(Behaviour(body=b"[" * 200_000)) as server:
        assert fault_of(server.url).kind == "malformed"


def test_the_message_of_an_error_is_cut_after_its_key_was_hidden() -> None:
    with ChatServer(Behaviour(status=400, body=b"x" * 578 + KEY.encode())) as server:
        fault = fault_of(server.url)
    assert KEY[:3] not in fault.message


KEYS = st.sampled_from(
    ["choices", "message", "content", "finish_reason", "usage", "prompt_tokens", "reasoning_content", "model", "x"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(JSON | st.fixed_dictionaries({"choices": st.lists(st.fixed_dictionaries({"message": JSON}), max_size=2)}))
def test_whatever_json_comes_back_is_a_reply_or_a_fault(data: object) -> None:
    fault: Fault | None
    try:
        reply = reply_from_completion(data, 0.1, "now")
    except CallError as error:
        fault = error.fault
    else:
        fault = None
        assert Reply.from_json(json.loads(json.dumps(reply.to_json()))) == reply
    assert fault is None or fault.kind in ("malformed", "content_filter")


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
