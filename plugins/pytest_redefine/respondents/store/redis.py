"""A store that a team and its CI runners share: one Redis server."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

import redis.asyncio
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialBackoff
from redis.exceptions import AuthenticationError, AuthorizationError, NoPermissionError, RedisError
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from pytest_redefine.respondents.exchange import Reply, prompt_digest
from pytest_redefine.respondents.store.base import SIMILAR_LIMIT, StoreError, shown_location
from pytest_redefine.respondents.text import scrubbed

_NAMESPACE: Final = (
    "pytest-redefine:1:"  # 1 is the schema: a newer one gets names of its own and disturbs no old reader
)
_PROMPTS: Final = f"{_NAMESPACE}prompt:"  # sets of keys, by what their requests ask
_CHUNK: Final = 200  # replies a round trip; each is a few kilobytes, so that no answer blocks the server for long
_TIMEOUT_S: Final = 10.0


class RedisStore:
    """Replies under ``pytest-redefine:1:<key>``, each one JSON object with its request.

    It connects on first use, because connecting takes the loop that it is used in. What Redis has taken survives a
    kill of this process; whether it survives a restart of Redis is the server's setting.
    """

    def __init__(self, url: str) -> None:
        """Read the URL: ``redis://``, ``rediss://`` (TLS) or ``unix://``.

        Raises:
            StoreError: it is none.
        """
        self.location = shown_location(url)
        self._secrets: frozenset[str] = frozenset()
        try:
            self._secrets = _passwords(url)
            self._redis = redis.asyncio.from_url(
                url,
                socket_timeout=_TIMEOUT_S,
                socket_connect_timeout=_TIMEOUT_S,
                retry=Retry(ExponentialBackoff(cap=0.5, base=0.05), 3),
            )
            self._redis.connection_pool.make_connection()  # type: ignore[no-untyped-call]  # redis left it untyped; finds out about a misspelt ?option=; connects nowhere
        except (ValueError, TypeError, RedisError) as error:
            raise self._error(f"{error}; write e.g. --store=redis://HOST:6379/0") from None

    async def get_many(self, keys: Iterable[str]) -> dict[str, Reply]:
        """The stored replies among ``keys``; a value that cannot be read is as good as absent."""
        wanted = list(keys)
        found: dict[str, Reply] = {}
        for start in range(0, len(wanted), _CHUNK):
            chunk = wanted[start : start + _CHUNK]
            try:
                values = await self._redis.mget([_NAMESPACE + key for key in chunk])
            except (RedisError, OSError, TimeoutError) as error:
                raise self._failure(error, "cannot be read") from None
            for key, value in zip(chunk, values, strict=True):
                try:
                    reply = Reply.from_json(json.loads(value or "null")["reply"])
                except (ValueError, KeyError, TypeError, RecursionError):
                    continue
                found[key] = dataclasses.replace(reply, from_store=True)
        return found

    async def put(self, key: str, request: Mapping[str, Any], reply: Reply) -> None:
        """Set the reply, or replace the one that --refresh asked again."""
        value = json.dumps(
            {"request": request, "reply": reply.to_json(), "stored_at": datetime.now(UTC).isoformat(timespec="seconds")}
        )
        try:
            # No transaction: without the second of them a miss is explained less well, and nothing else.
            async with self._redis.pipeline(transaction=False) as pipeline:
                pipeline.set(_NAMESPACE + key, value)
                pipeline.sadd(_PROMPTS + prompt_digest(request), key)
                await pipeline.execute()
        except (RedisError, OSError, TimeoutError) as error:
            raise self._failure(error, "a reply could not be written") from None

    async def similar(self, prompt: str) -> list[dict[str, Any]]:
        """Requests of the same messages; those that cannot be read are passed over."""
        found: list[dict[str, Any]] = []
        try:
            keys = await self._redis.srandmember(_PROMPTS + prompt, SIMILAR_LIMIT)
            names = [_NAMESPACE + (key.decode("ascii") if isinstance(key, bytes) else str(key)) for key in keys or ()]
            values = await self._redis.mget(names) if names else []
        except (RedisError, OSError, TimeoutError) as error:
            raise self._failure(error, "cannot be read") from None
        for value in values:
            with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
                found.append(dict(json.loads(value or "null")["request"]))
        return found

    async def close(self) -> None:
        """Hang up."""
        with contextlib.suppress(RedisError, OSError):  # a server that is gone needs no farewell
            await self._redis.aclose()

    def _failure(self, error: Exception, what: str) -> StoreError:
        said = str(error) or type(error).__name__
        if isinstance(error, AuthenticationError | AuthorizationError | NoPermissionError):
            return self._error(f"the server refuses: {said}; write --store=redis://USER:PASSWORD@HOST:PORT/0")
        if isinstance(error, RedisConnectionError | RedisTimeoutError | OSError):
            return self._error(f"{what}: {said}; see that the server runs there, or give a file with --store=PATH")
        return self._error(f"{what}: {said}; make room on the server, or give another --store")

    def _error(self, message: str) -> StoreError:
        one_line = " ".join(scrubbed(message, self._secrets).split())
        return StoreError(f"--store={self.location}: {one_line}")


def _passwords(url: str) -> frozenset[str]:
    """Every spelling of the URL's password, for messages that repeat it."""
    parts = urlsplit(url)
    found = set(parse_qs(parts.query).get("password", []))
    userinfo, at, _ = parts.netloc.rpartition("@")
    if at:
        password = userinfo.partition(":")[2]
        found |= {password, unquote(password), userinfo}
    return frozenset(found - {""})
