"""Chat completions over plain HTTP, in the protocol that OpenAI set and llama.cpp speaks too."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from pytest_redefine.respondents.errors import CallError
from pytest_redefine.respondents.exchange import Reply, Request
from pytest_redefine.respondents.text import clean_text

if TYPE_CHECKING:
    import aiohttp

BODY_LIMIT: Final = 16 * 2**20
"""Bytes of a response that are read: a server that never stops must not fill the memory."""

_KINDS: Final = {
    401: "authentication",
    403: "authentication",
    404: "model_not_found",
    408: "timeout",
    429: "rate_limit",
}


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
        reasoning = message.get("reasoning_content")
    except (KeyError, IndexError, TypeError, AttributeError):
        raise CallError("malformed", f"the reply holds no message: {str(data)[:200]}") from None
    if finish_reason == "content_filter":
        raise CallError("content_filter", "the provider's content filter withheld the reply")
    if content is None and finish_reason == "length":
        content = ""  # the whole budget went into thinking: a reply, and a truncated one
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
    api_key: str | None,
    model: str,
    request: Request,
    timeout_s: float,
) -> Reply:
    """POST one request to ``base_url/chat/completions``.

    Raises:
        CallError: no answer: network, time-out, HTTP status, malformed reply.
    """
    import aiohttp

    body = {"model": model, "messages": [dict(message) for message in request.messages], **request.parameters}
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    asked_at = datetime.now(UTC).isoformat(timespec="seconds")
    start = time.monotonic()
    try:
        async with session.post(
            f"{base_url}/chat/completions",
            json=body,
            headers=headers,
            timeout=aiohttp.ClientTimeout(total=timeout_s),
        ) as response:
            raw = await response.content.read(BODY_LIMIT) if response.status != 200 else b""
            if response.status != 200:
                kind = _KINDS.get(response.status, "server" if response.status >= 500 else "bad_request")
                raise CallError(kind, f"HTTP {response.status}: {raw[:400].decode('utf-8', 'replace')}")
            chunks, size = [], 0
            async for chunk in response.content.iter_any():
                size += len(chunk)
                if size > BODY_LIMIT:
                    raise CallError("malformed", f"the reply is longer than {BODY_LIMIT >> 20} MiB")
                chunks.append(chunk)
    except TimeoutError:
        raise CallError("timeout", f"no answer within {timeout_s:g} s") from None
    except aiohttp.ClientError as error:
        raise CallError("network", f"{type(error).__name__}: {error}") from None
    import json

    try:
        data = json.loads(b"".join(chunks))
    except ValueError:
        raise CallError("malformed", f"the reply is no JSON: {b''.join(chunks)[:200]!r}") from None
    return reply_from_completion(data, time.monotonic() - start, asked_at)
