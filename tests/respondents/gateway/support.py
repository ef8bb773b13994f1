"""Respondents and stores whose every move a test decides, and what it takes to run a dispatcher on them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from pytest_redefine.respondents.callers.openai_server import OpenAIServerCaller
from pytest_redefine.respondents.exchange import Interview, Reply, Request, Step, Transcript, Turn, single_turn
from pytest_redefine.respondents.gateway.budget import Budget, Cap
from pytest_redefine.respondents.gateway.dispatcher import Dispatcher
from pytest_redefine.respondents.gateway.lane import Lane, Rules
from pytest_redefine.respondents.gateway.retries import RetryPolicy
from pytest_redefine.respondents.store import StoreError
from tests.servers import Behaviour, ChatServer, Chooser

T = TypeVar("T")

HANG_S = 30.0
"""When a test is given up; none waits that long unless it fails."""

Answer = Callable[[Request], "Reply | BaseException"]


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a test's coroutine; one that hangs fails."""

    async def bounded() -> T:
        return await asyncio.wait_for(coroutine, HANG_S)

    return asyncio.run(bounded())


async def settle() -> None:
    """Let everything happen that can happen without outside help."""
    for _ in range(50):
        await asyncio.sleep(0)


def question_of(request: Request) -> str:
    return request.messages[-1]["content"]


class FakeCaller:
    """Answers ``<question>!``, or as it is told to; holds every call back while ``gate`` is shut."""

    def __init__(self, answer: Answer | None = None, *, stored: bool = True, width: int | None = None) -> None:
        self.stored = stored
        self.width = width
        self.answer: Answer = answer or (lambda request: Reply(f"{question_of(request)}!"))
        self.gate = asyncio.Event()
        self.gate.set()
        self.asked: list[str] = []
        """Questions in the order in which they were sent."""
        self.in_flight = self.most_in_flight = self.prepared = 0
        self.closed = False
        self.prepare_error: Exception | None = None
        self.identity_: Mapping[str, str] = {}

    def identity(self) -> Mapping[str, str]:
        return self.identity_

    async def prepare(self) -> None:
        self.prepared += 1
        await asyncio.sleep(0)
        if self.prepare_error is not None:
            raise self.prepare_error

    async def call(self, request: Request, case: Mapping[str, Any]) -> Reply:
        self.asked.append(question_of(request))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await self.gate.wait()
            await asyncio.sleep(0)
            answer = self.answer(request)
        finally:
            self.in_flight -= 1
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def close(self) -> None:
        self.closed = True


class FakeStore:
    """A dictionary that can be made slow or broken; real stores have tests of their own."""

    def __init__(self, replies: Mapping[str, Reply] | None = None) -> None:
        self.replies = dict(replies or {})
        self.reading = asyncio.Event()
        self.reading.set()
        self.writing = asyncio.Event()
        self.writing.set()
        self.broken: str | None = None
        self.puts: list[str] = []
        self.lookups: list[list[str]] = []
        self.closed = False

    async def get_many(self, keys: Iterable[str]) -> dict[str, Reply]:
        wanted = list(keys)
        self.lookups.append(wanted)
        await self.reading.wait()
        if self.broken == "get":
            raise StoreError("--store=x: cannot be read")
        return {key: Reply(reply.text, from_store=True) for key, reply in self.replies.items() if key in wanted}

    async def put(self, key: str, request: Mapping[str, Any], reply: Reply) -> None:
        assert not self.closed
        await self.writing.wait()
        if self.broken == "put":
            raise StoreError("--store=x: disk full")
        self.puts.append(str(request["messages"][-1]["content"]))
        self.replies[key] = reply

    async def similar(self, prompt: str) -> list[dict[str, Any]]:
        return []

    async def close(self) -> None:
        self.closed = True


RETRY = RetryPolicy(base_s=0.01, ceiling_s=0.02)
"""Patient in number, not in time."""


def rules(max_in_flight: int = 4, retry: RetryPolicy = RETRY, **options: Any) -> Rules:
    """The user's wishes, of whom few have any."""
    return Rules(max_in_flight, retry, **options)


def interview(question: str, identifier: str | None = None, *, model: str = "m", **case: Any) -> Interview:
    messages = [{"role": "user", "content": question}]
    step = case.pop("step", "single")
    return Interview(identifier or question, model, {"messages": messages, "case_id": question, **case}, step=step)


def interviews(number: int) -> list[Interview]:
    return [interview(f"q{index}") for index in range(number)]


def follow_up(interview: Interview, turns: Sequence[Turn]) -> Request | None:
    """Two turns; the second repeats the first's reply."""
    if len(turns) == 2:
        return None
    messages = list(interview.case["messages"])
    if turns:
        said = turns[0].reply.text
        messages += [{"role": "assistant", "content": said}, {"role": "user", "content": f"Why {said}"}]
    return interview.request(messages)


def judged(interview: Interview, turns: Sequence[Turn]) -> Request | None:
    """A question to the interview's model; its answer, shown to the case's judge; ``back`` returns to the first."""
    if not turns:
        return interview.request(interview.case["messages"])
    said = turns[-1].reply.text
    if len(turns) == 1:
        return Request(interview.case["judge"], [{"role": "user", "content": f"right? {said}"}], role="judge")
    if interview.case.get("back") and len(turns) == 2:
        return interview.request([{"role": "user", "content": f"sure? {said}"}])
    return None


def broken_step(interview: Interview, turns: Sequence[Turn]) -> Request | None:
    raise ZeroDivisionError("a bug")


STEPS: Mapping[str, Step] = {"single": single_turn, "follow_up": follow_up, "judged": judged, "broken": broken_step}


@contextlib.asynccontextmanager
async def dispatching(
    caller: FakeCaller | Mapping[str, FakeCaller], store: FakeStore, **options: Any
) -> AsyncIterator[Dispatcher]:
    """A dispatcher that is closed in the end; up to 4 in flight unless the options say otherwise.

    Options are those of :func:`rules` and of the dispatcher.
    """
    rule_names = ("max_in_flight", "retry", "requests_per_minute", "tokens_per_minute")
    chosen = rules(**{name: options.pop(name) for name in rule_names if name in options})
    callers = caller if isinstance(caller, Mapping) else {}
    dispatcher = Dispatcher(
        lambda name: callers.get(name) or caller,  # type: ignore[arg-type, return-value]  # a caller where it is no mapping
        lambda: store,
        STEPS,
        chosen,
        **options,
    )
    try:
        yield dispatcher
    finally:
        await dispatcher.close()


REQUEST = Request("m", ({"role": "user", "content": "q"},))


def lane_of(caller: FakeCaller, retry: RetryPolicy = RETRY, **options: Any) -> Lane:
    return Lane(caller, rules(retry=retry, **options), Budget(Cap()), None)


def ask_all(
    behaviour: Behaviour | Chooser,
    number: int,
    *,
    retry: RetryPolicy = RETRY,
    capacity: int | None = None,
    in_flight: int = 8,
) -> tuple[list[Transcript], ChatServer, Dispatcher, FakeStore]:
    """Ask a real server so many questions."""
    store = FakeStore()

    async def go(url: str) -> tuple[list[Transcript], Dispatcher]:
        caller = OpenAIServerCaller("openai/m", url, "key-of-the-tests", {})
        dispatcher = Dispatcher(lambda name: caller, lambda: store, STEPS, rules(in_flight, retry))
        await dispatcher.announce(interviews(number))
        transcripts = [await dispatcher.transcript(f"q{index}") for index in range(number)]
        await dispatcher.close()
        return transcripts, dispatcher

    with ChatServer(behaviour, capacity=capacity) as server:
        transcripts, dispatcher = run(go(server.url))
    return transcripts, server, dispatcher, store
