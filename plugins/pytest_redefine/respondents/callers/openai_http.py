"""Chat completions over plain HTTP, in the protocol that OpenAI set and nearly every server of one's own speaks."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from pytest_redefine.respondents.callers.retry_after import parse_retry_after
from pytest_redefine.respondents.errors import CallError
from pytest_redefine.respondents.exchange import Reply
from pytest_redefine.respondents.text import clean_text

if TYPE_CHECKING:
    import aiohttp

BODY_LIMIT: Final = 16 * 2**20
"""Bytes of a response that are read: a server that never stops must not fill the memory."""
_ERROR_BODY: Final = 20_000

_KINDS: Final = {
    401: "authentication",
    402: "quota",
    403: "authentication",
    404: "model_not_found",
    408: "timeout",
    409: "server",
    425: "server",
    429: "rate_limit",
}
_QUOTA: Final = (
    "insufficient_quota",
    "exceeded your current quota",
    "billing_hard_limit",
    "credit balance is too low",
    "insufficient balance",
)
"""How providers say that no money is left: asking again later is no use. Not "billing" alone: OpenAI's plain rate limit
advises to add a payment method."""
_NEXT_MINUTE: Final = ("retrydelay", "please retry in")
"""Gemini says "exceeded your current quota" of a minute's quota too, and then when to come back."""
_UNSUPPORTED: Final = ('"unsupported_parameter"', '"unsupported_value"', "may only be set to 1 when thinking")
"""OpenAI's codes for a parameter that this one model does not take, and what Anthropic says of a temperature."""
_FILTER_CODES: Final = ('"content_filter"', '"content_policy_violation"')
"""The codes by which Azure and OpenAI refuse a prompt before any model has seen it."""


def kind_of_status(status: int, said: str) -> str:
    """What an HTTP status other than 200 is to us; ``said`` is the response's body."""
    if status == 400 and any(code in said for code in _FILTER_CODES):
        return "content_filter"
    if status == 400 and any(code in said for code in _UNSUPPORTED):
        return "unsupported"
    low = said.lower()
    if status in (400, 402, 403, 429) and any(words in low for words in _QUOTA):
        passes = status == 429 and "perday" not in low and any(words in low for words in _NEXT_MINUTE)
        return "rate_limit" if passes else "quota"
    return _KINDS.get(status, "server" if status >= 500 else "bad_request")


def reply_from_completion(data: Any, latency_s: float, asked_at: str) -> Reply:
    """Read a ``chat.completion`` object.

    Raises:
        CallError: ``malformed`` where there is no message in it, ``content_filter`` where the provider withheld it.
    """
    try:
        choice = data["choices"][0]
        message = choice["message"]
        finish_reason = str(choice.get("finish_reason") or "stop")
        content = message.get("content")
        reasoning = message.get("reasoning_content") or message.get("reasoning")
    except (KeyError, IndexError, TypeError, AttributeError):
        raise CallError("malformed", f"the reply holds no message: {str(data)[:200]}") from None
    if finish_reason == "content_filter":
        raise CallError("content_filter", "the provider's content filter withheld the reply")
    if content is None and (finish_reason == "length" or (isinstance(reasoning, str) and reasoning)):
        content = ""  # all of it, or the whole budget, went into thinking: a reply, if an empty one
    if not isinstance(content, str):
        raise CallError("malformed", f"the reply's content is no text but {type(content).__name__}")
    usage = data.get("usage") if isinstance(data.get("usage"), Mapping) else {}
    counts = {
        name: int(usage[name]) for name in ("prompt_tokens", "completion_tokens") if isinstance(usage.get(name), int)
    }
    details = usage.get("completion_tokens_details")
    if isinstance(details, Mapping) and isinstance(details.get("reasoning_tokens"), int):
        counts["reasoning_tokens"] = details["reasoning_tokens"]
    version = data.get("model")
    return Reply(
        text=clean_text(content),
        finish_reason=clean_text(finish_reason, 40),
        reasoning=clean_text(reasoning) if isinstance(reasoning, str) and reasoning else None,
        usage=counts,
        latency_s=round(latency_s, 3),
        model_version=clean_text(version, 200) if isinstance(version, str) else None,
        asked_at=asked_at,
    )


async def post_completion(
    session: aiohttp.ClientSession,
    base_url: str,
    headers: Mapping[str, str],
    body: Mapping[str, Any],
    secrets: Iterable[str] = (),
) -> Reply:
    """POST one request to ``base_url/chat/completions``; the caller bounds its time.

    Raises:
        CallError: no answer: network, HTTP status, malformed reply.
    """
    import aiohttp

    asked_at = datetime.now(UTC).isoformat(timespec="seconds")
    start = time.monotonic()
    try:
        async with session.post(f"{base_url}/chat/completions", json=body, headers=headers) as response:
            raw = await _bounded(response)
            if response.status != 200:
                # Cut by CallError, after it has hidden the key: a cut here could leave half of it.
                said = raw[:_ERROR_BODY].decode("utf-8", "replace")
                raise CallError(
                    kind_of_status(response.status, said),
                    f"HTTP {response.status}: {_message(said)}",
                    secrets,
                    retry_after_s=parse_retry_after(response.headers.get("Retry-After")),
                )
    except aiohttp.ClientError as error:
        raise CallError("network", f"{type(error).__name__}: {error}", secrets) from None
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError):
        raise CallError("malformed", f"the reply is no JSON: {raw[:200]!r}", secrets) from None
    return reply_from_completion(data, time.monotonic() - start, asked_at)


async def _bounded(response: aiohttp.ClientResponse) -> bytes:
    chunks, size = [], 0
    async for chunk in response.content.iter_any():
        size += len(chunk)
        if size > BODY_LIMIT:
            raise CallError("malformed", f"the reply is longer than {BODY_LIMIT >> 20} MiB")
        chunks.append(chunk)
    return b"".join(chunks)


def _message(said: str) -> str:
    """The provider's own words in an error's body, the body itself where it has no usual form."""
    try:
        error = json.loads(said)["error"]
        message = error["message"] if isinstance(error, Mapping) else error
        code = error.get("code") or error.get("type") if isinstance(error, Mapping) else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return said
    return f"{message} ({code})" if code else str(message)
