"""A real HTTP server that speaks OpenAI's chat completions and misbehaves on demand.

For tests, in a thread of its own::

    with ChatServer(in_turn(rate_limited(retry_after="1"), Behaviour(text="4"))) as server:
        ...  # ask server.url
    assert server.bodies[0]["temperature"] == 0

For benchmarks, in a process of its own: ``python -m tests.servers --latency 0.2`` prints its address as its first line;
``GET /stats`` tells what it has counted, ``POST /reset`` starts the counts anew.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import random
import socket
import struct
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Final, Literal, Self

from aiohttp import web

START_TIMEOUT_S: Final = 10.0
DRIP_S: Final = 0.02
_REQUEST_LIMIT: Final = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What becomes of one request; the default is a short answer at once."""

    text: str | None = "The final answer is: 4"
    """The content; None is sent as null."""
    finish_reason: str = "stop"
    reasoning: str | None = None
    usage: Mapping[str, Any] | None = field(default_factory=lambda: {"prompt_tokens": 11, "completion_tokens": 7})
    latency_s: float = 0.0
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    """Sent as it is instead of a completion."""
    content_type: str = "application/json"
    way: Literal["whole", "held", "hang", "drip", "reset", "cut"] = "whole"
    """``held`` answers after :meth:`ChatServer.release`, ``hang`` never, ``drip`` sends a byte now and then for ever,
    ``reset`` breaks the connection at once, ``cut`` in the middle of the body."""

    def render(self, model: str) -> bytes:
        """The body that is sent."""
        if self.body is not None:
            return self.body
        message: dict[str, Any] = {"role": "assistant", "content": self.text}
        if self.reasoning is not None:
            message["reasoning_content"] = self.reasoning
        completion = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": model,
            "choices": [{"index": 0, "message": message, "finish_reason": self.finish_reason}],
        }
        if self.usage is not None:
            counts = {name: value for name, value in self.usage.items() if isinstance(value, int)}
            completion["usage"] = {"total_tokens": sum(counts.values()), **self.usage}
        return json.dumps(completion).encode("ascii")


def failure(status: int, message: str, *, code: str | None = None, retry_after: str | None = None) -> Behaviour:
    """An error as OpenAI words one."""
    return Behaviour(
        status=status,
        body=json.dumps({"error": {"message": message, "type": "error", "code": code}}).encode("ascii"),
        headers={} if retry_after is None else {"Retry-After": retry_after},
    )


def rate_limited(retry_after: str) -> Behaviour:
    """Status 429, with when to come back: seconds or an HTTP date."""
    return failure(429, "Rate limit reached for requests", retry_after=retry_after)


HTML: Final = Behaviour(
    body=b"<html><body>Please log in to the hotel's network</body></html>", content_type="text/html"
)
"""What a captive portal or a proxy gives with status 200."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One request as it came in."""

    number: int
    """Counts from 0 in the order of arrival."""
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def question(self) -> str:
        """The last message."""
        return str(self.body["messages"][-1]["content"])


Chooser = Callable[[Seen], Behaviour]


def in_turn(*behaviours: Behaviour) -> Chooser:
    """One after the other; the last for all that follow."""
    return lambda seen: behaviours[min(seen.number, len(behaviours) - 1)]


def by_question(answers: Mapping[str, Behaviour], otherwise: Behaviour | None = None) -> Chooser:
    """By the first key that occurs in the last message, whatever the order of arrival."""
    rest = otherwise or Behaviour()
    return lambda seen: next((answers[part] for part in answers if part in seen.question), rest)


class ChatServer:
    """Listens on a free port of 127.0.0.1 while its ``with`` block runs."""

    def __init__(
        self,
        behaviour: Behaviour | Chooser | None = None,
        *,
        capacity: int | None = None,
        record: bool = True,
        port: int = 0,
    ) -> None:
        """Nothing listens yet.

        Args:
            behaviour: the same for all requests, or chosen for each.
            capacity: what would make more than so many in flight is answered with 429 at once.
            record: keep every request; a benchmark does not.
            port: where to listen; 0 for a free one.
        """
        self.answer_with(behaviour or Behaviour())
        self._capacity = capacity
        self._record = record
        self._port = port
        self._numbers = itertools.count()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._released = asyncio.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="chat-server", daemon=True)
        self._failed: BaseException | None = None
        self.seen: list[Seen] = []
        self.in_flight = 0
        self.reset()

    def reset(self) -> None:
        """Start all counts anew."""
        self.seen = []
        self.received = self.answered = self.refused = self.most_in_flight = 0
        self.first_at = self.last_at = 0.0

    def answer_with(self, behaviour: Behaviour | Chooser) -> None:
        """Behave otherwise from the next request on."""
        self._choose: Chooser = behaviour if callable(behaviour) else in_turn(behaviour)

    @property
    def url(self) -> str:
        """For ``--api-base``."""
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def bodies(self) -> list[Mapping[str, Any]]:
        """What was asked, in the order of arrival."""
        return [seen.body for seen in self.seen]

    def release(self) -> None:
        """Answer what is held, now and from now on."""
        assert self._loop is not None, "inside the with block"
        self._loop.call_soon_threadsafe(self._released.set)

    def stats(self) -> dict[str, Any]:
        """The counts: received, answered in full with 200, refused, most in flight, seconds from first to last."""
        return {
            "received": self.received,
            "answered": self.answered,
            "refused": self.refused,
            "in_flight": self.in_flight,
            "most_in_flight": self.most_in_flight,
            "span_s": round(self.last_at - self.first_at, 3),
        }

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._ready.wait(START_TIMEOUT_S) or self._failed is not None:
            raise RuntimeError("the server did not start") from self._failed
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._loop is not None and self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(START_TIMEOUT_S)

    def _run(self) -> None:
        try:
            asyncio.run(self._until_stopped())
        except BaseException as error:  # told by __enter__
            self._failed = error
            self._ready.set()

    async def _until_stopped(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        async with self.listening():
            self._ready.set()
            await self._stop.wait()

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[str]:
        """Serve in the loop that is running; gives the address."""
        app = web.Application(client_max_size=_REQUEST_LIMIT)
        app.router.add_post("/v1/chat/completions", self._completions)
        app.router.add_get("/stats", self._stats)
        app.router.add_post("/reset", self._reset)
        # Handlers that hang on purpose are cancelled when the client or the test is through.
        runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.05)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", self._port, backlog=1024).start()
            self._port = runner.addresses[0][1]
            yield self.url
        finally:
            await runner.cleanup()

    async def _stats(self, request: web.Request) -> web.Response:
        return web.json_response(self.stats())

    async def _reset(self, request: web.Request) -> web.Response:
        self.reset()
        return web.json_response({})

    async def _completions(self, request: web.Request) -> web.StreamResponse:
        self.first_at = self.first_at or time.monotonic()
        self.received += 1
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            seen = Seen(next(self._numbers), request.path, dict(request.headers), await request.json())
            if self._record:
                self.seen.append(seen)
            behaviour = self._choose(seen)
            if self._capacity is not None and self.in_flight > self._capacity:
                behaviour = rate_limited(retry_after="1")
            return await self._behave(request, behaviour, str(seen.body.get("model", "")))
        finally:
            self.in_flight -= 1
            self.last_at = time.monotonic()

    async def _behave(self, request: web.Request, behaviour: Behaviour, model: str) -> web.StreamResponse:
        if behaviour.latency_s:
            await asyncio.sleep(behaviour.latency_s)
        headers = {"Content-Type": behaviour.content_type, **behaviour.headers}
        body = behaviour.render(model)
        if behaviour.way == "held":
            await self._released.wait()
        if behaviour.way == "hang":
            await asyncio.Event().wait()
        if behaviour.way == "reset":
            _break(request)
        if behaviour.way in ("drip", "cut"):
            response = web.StreamResponse(headers=headers)
            if behaviour.way == "cut":
                response.content_length = len(body)
            await response.prepare(request)
            await response.write(body[:1])
            while behaviour.way == "drip":
                await asyncio.sleep(DRIP_S)
                await response.write(b" ")
            _break(request)
            return response
        if behaviour.status == 200:
            self.answered += 1
        else:
            self.refused += 1
        return web.Response(body=body, status=behaviour.status, headers=headers)


def _break(request: web.Request) -> None:
    """Close the connection so that the other side gets a reset, not an orderly end."""
    transport = request.transport
    if transport is not None:
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()


def _benchmark(arguments: argparse.Namespace) -> Chooser:
    """Fixed latency and token counts, and a share of refusals that is the same on every run."""
    dice = random.Random(arguments.seed)
    answer = Behaviour(
        text=arguments.text,
        latency_s=arguments.latency,
        usage={"prompt_tokens": arguments.prompt_tokens, "completion_tokens": arguments.completion_tokens},
    )
    refusal = replace(rate_limited(retry_after=arguments.retry_after), latency_s=0.0)
    return lambda seen: refusal if dice.random() < arguments.rate_429 else answer


def main(typed: Iterable[str] | None = None) -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser(prog="python -m tests.servers", description="A local chat completions server.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.2, metavar="SECONDS")
    parser.add_argument("--text", default="The final answer is: 4")
    parser.add_argument("--prompt-tokens", type=int, default=60)
    parser.add_argument("--completion-tokens", type=int, default=20)
    parser.add_argument("--rate-429", type=float, default=0.0, metavar="SHARE")
    parser.add_argument("--retry-after", default="1")
    parser.add_argument("--capacity", type=int, default=None, metavar="N", help="more than N in flight are refused")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args(None if typed is None else list(typed))
    server = ChatServer(_benchmark(arguments), capacity=arguments.capacity, record=False, port=arguments.port)

    async def serve() -> None:
        async with server.listening() as url:
            print(url, flush=True)  # noqa: T201 - whoever started it reads the address
            await asyncio.Event().wait()

    with suppress(KeyboardInterrupt):
        asyncio.run(serve())


if __name__ == "__main__":
    main()
