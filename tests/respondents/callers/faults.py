"""What a server can do instead of answering, and what each is to us: the same whichever way a request goes."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from pytest_redefine.respondents.callers.base import Caller
from pytest_redefine.respondents.errors import CallError
from pytest_redefine.respondents.exchange import Request
from pytest_redefine.respondents.gateway.budget import Budget, Cap
from pytest_redefine.respondents.gateway.lane import Lane, Rules
from pytest_redefine.respondents.gateway.retries import RetryPolicy
from tests.servers import HTML, Behaviour, failure, rate_limited

KEY = "f00dfacef00dface"
"""The key that requests go out with."""


def _completion(**choice: Any) -> Behaviour:
    return Behaviour(body=json.dumps({"object": "chat.completion", "model": "m", "choices": [choice]}).encode())


FAULTS = [
    pytest.param(failure(401, f"Incorrect API key provided: {KEY}"), "authentication", "Incorrect API key", id="401"),
    pytest.param(failure(403, "not for you"), "authentication", "not for you", id="403"),
    pytest.param(failure(404, "no such model"), "model_not_found", "no such model", id="404"),
    pytest.param(failure(400, "too long"), "bad_request", "too long", id="400"),
    pytest.param(failure(408, "too slow"), "timeout", "too slow", id="408"),
    pytest.param(rate_limited("1"), "rate_limit", "Rate limit reached", id="429"),
    pytest.param(
        failure(429, "Rate limit reached. Add a payment method at https://example.org/account/billing"),
        "rate_limit",
        "payment method",
        id="429-with-advice",
    ),
    pytest.param(
        failure(429, "You exceeded your current quota, please check your plan", code="insufficient_quota"),
        "quota",
        "exceeded your current quota",
        id="429-no-money",
    ),
    pytest.param(
        failure(429, "You exceeded your current quota. Please retry in 34.2s"),
        "rate_limit",
        "retry in 34.2s",
        id="429-quota-of-a-minute",
    ),
    pytest.param(failure(402, "pay first"), "quota", "pay first", id="402"),
    pytest.param(failure(400, "Your credit balance is too low"), "quota", "too low", id="400-no-money"),
    pytest.param(failure(500, "boom"), "server", "boom", id="500"),
    pytest.param(failure(502, "no upstream"), "server", "no upstream", id="502"),
    pytest.param(failure(503, "busy"), "server", "busy", id="503"),
    pytest.param(replace(HTML, status=500), "server", "", id="html-500"),
    pytest.param(HTML, "malformed", "hotel", id="html"),
    pytest.param(Behaviour(body=b"oops"), "malformed", "", id="no-json"),
    pytest.param(Behaviour(body=b""), "malformed", "", id="empty-body"),
    pytest.param(Behaviour(body=b"[]"), "malformed", "", id="list"),
    pytest.param(Behaviour(body=b"{}"), "malformed", "", id="no-choices"),
    pytest.param(Behaviour(body=b'{"choices": []}'), "malformed", "", id="empty-choices"),
    pytest.param(Behaviour(text=None), "malformed", "no text but NoneType", id="null"),
    pytest.param(
        _completion(index=0, message={"role": "assistant", "content": 5}, finish_reason="stop"),
        "malformed",
        "",
        id="number",
    ),
    pytest.param(Behaviour(text=None, finish_reason="content_filter"), "content_filter", "filter", id="filtered"),
    pytest.param(Behaviour(text="The", finish_reason="content_filter"), "content_filter", "filter", id="cut-by-filter"),
    pytest.param(
        failure(400, "no such prompts", code="content_filter"), "content_filter", "no such", id="azure-filter"
    ),
    pytest.param(
        failure(400, "rejected", code="content_policy_violation"), "content_filter", "rejected", id="openai-filter"
    ),
    pytest.param(Behaviour(way="hang"), "timeout", "no answer within 0.2 s", id="hang"),
    pytest.param(Behaviour(way="drip"), "timeout", "no answer within 0.2 s", id="drip"),
    pytest.param(Behaviour(way="reset"), "network", "", id="reset"),
    pytest.param(Behaviour(way="cut"), "network", "", id="cut"),
]
TIMEOUT_S = 0.2
"""For the faults above. Long for a server on this machine, and no test waits for it but those where nothing comes."""


async def error_of(caller: Caller, request: Request, behaviour: Behaviour) -> CallError:
    """What one attempt at a server of this behaviour ends with; its time is bounded where callers leave that to us."""
    lane = Lane(caller, Rules(1, RetryPolicy(retries=0, attempt_timeout_s=TIMEOUT_S)), Budget(Cap()), None)
    try:
        if behaviour.way in ("hang", "drip"):
            await lane.ask(request, {})
        else:
            await caller.prepare()
            await caller.call(request, {})
    except CallError as error:
        return error
    finally:
        await caller.close()
    raise AssertionError("it was answered")
