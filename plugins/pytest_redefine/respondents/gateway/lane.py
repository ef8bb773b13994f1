"""One model's queue: what waits, what is being asked, and how wide."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_redefine.respondents.callers.base import Caller
from pytest_redefine.respondents.errors import RETRIED_KINDS, STOPPING_KINDS, CallError, Fault, RespondentUnavailable
from pytest_redefine.respondents.exchange import Interview, Reply, Request, Role, Transcript, Turn
from pytest_redefine.respondents.gateway.budget import NOTHING, Budget, Cost, upper_bound
from pytest_redefine.respondents.gateway.limits import AdaptiveLimit, Pace, Pause, Places
from pytest_redefine.respondents.gateway.retries import RetryPolicy
from pytest_redefine.respondents.prices import Price

DEFAULT_BOUND_TOKENS = 1024
"""Tokens of a reply that are reserved where no max_tokens bounds it."""

_MAYBE_BILLED = frozenset({"timeout", "malformed", "content_filter"})
"""Attempts without an answer that the provider may have worked on, and charge for."""


@dataclass(slots=True, eq=False)
class Talk:
    """One interview under way."""

    interview: Interview
    done: asyncio.Future[Transcript]
    turns: list[Turn] = field(default_factory=list)
    wanted: bool = False
    """A test is waiting for it."""
    started: bool = False
    asks: Role = "respondent"
    """Whom it is asking."""

    def finish(self, fault: Fault | None = None) -> None:
        """Settle it; the first call counts."""
        if not self.done.done():
            self.done.set_result(Transcript(tuple(self.turns), fault, self.asks if fault else "respondent"))


@dataclass(frozen=True, slots=True)
class Rules:
    """What the user set for every model."""

    max_in_flight: int
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None


class Lane:
    """The requests of one model. Lives in the gateway's loop; needs no lock."""

    def __init__(self, caller: Caller, rules: Rules, budget: Budget, price: Price | None) -> None:
        """A caller that works on fewer requests at once than ``rules`` allow bounds the lane further."""
        self.caller = caller
        width = rules.max_in_flight if caller.width is None else min(rules.max_in_flight, caller.width)
        self.limit = AdaptiveLimit(width, start=caller.width)
        self.pending: OrderedDict[str, Talk] = OrderedDict()
        self.active = 0
        """Talks under way, those that wait to ask again included; not those that have gone on to another model."""
        self.asking = 0
        """Requests on their way right now."""
        self.stopped: Fault | None = None
        self.retries = 0
        """Requests sent again."""
        self._policy = rules.retry
        self._requests = Pace(rules.requests_per_minute)
        self._tokens = Pace(rules.tokens_per_minute)
        self._pause = Pause()
        self._budget = budget
        self._price = price
        self._ready: asyncio.Task[None] | None = None
        self._places = Places(self.limit)
        self._ended = asyncio.Event()

    def prefer(self, talk: Talk) -> None:
        """Move a talk that somebody waits for to the front."""
        if talk.interview.id in self.pending:
            self.pending.move_to_end(talk.interview.id, last=False)

    def take(self) -> Talk | None:
        """The next talk, if a place is free for it."""
        if not self.pending or self.active >= self.limit.current:
            return None
        _, talk = self.pending.popitem(last=False)
        talk.started = True
        self.active += 1
        return talk

    async def ask(self, request: Request, case: Mapping[str, Any]) -> Reply:
        """Put one request to the model: prepared, paced, within the budget, again where that may help.

        Raises:
            CallError: there was no answer.
        """
        await self._prepare()
        bound = self.bound(request)
        deadline = 0.0
        attempts = failures = 0
        last: CallError | None = None
        while True:
            await self._admit(bound)
            if last is None:
                deadline = time.monotonic() + self._policy.give_up_s
            elif time.monotonic() >= deadline:
                self._leave(bound, NOTHING)
                raise last
            self.retries += attempts > 0
            spent = bound
            try:
                reply = await self._attempt(request, case, deadline)
                spent = self._spent(reply, bound)
                return reply
            except CallError as error:
                last = error
                attempts += 1
                failures += error.fault.kind != "rate_limit"
                if error.fault.kind not in _MAYBE_BILLED:
                    spent = Cost(requests=1)
                self._stop_on(error.fault)
                left = deadline - time.monotonic()
                wait = self._policy.wait_s(error, attempts=attempts, failures=failures, left_s=left)
                if wait is None:
                    raise
            finally:
                self._leave(bound, spent)
            await self._sleep(wait)

    def bound(self, request: Request) -> Cost:
        """What one request may cost at most."""
        tokens = request.parameters.get("max_tokens") or request.parameters.get("max_completion_tokens")
        characters = sum(len(message["content"]) for message in request.messages)
        return upper_bound(characters, int(tokens or DEFAULT_BOUND_TOKENS), self._price)

    def raise_if_stopped(self) -> None:
        """Refuse once the lane has stopped.

        Raises:
            CallError: ``stopped``, or ``usage`` where the user's own line is what stopped it.
        """
        fault = self.stopped
        if fault is None:
            return
        if fault.kind == "usage":
            raise CallError.of(fault)
        raise CallError("stopped", f"no further request after one that ended with {fault.kind}: {fault.message}")

    async def close(self) -> None:
        """Stop preparing, and close the caller."""
        if self._ready is not None and not self._ready.done():
            self._ready.cancel()
            await asyncio.gather(self._ready, return_exceptions=True)
        await self.caller.close()

    async def _prepare(self) -> None:
        self.raise_if_stopped()
        try:
            if self._ready is None:
                self._ready = asyncio.create_task(self.caller.prepare())
            await asyncio.shield(self._ready)
        except RespondentUnavailable as error:
            self._stop(Fault("usage", str(error)))
        self.raise_if_stopped()

    async def _admit(self, bound: Cost) -> None:
        """Wait until the request may be sent; it has a place and a promise of the budget then.

        The budget comes last, because what is promised to one is what others wait for.

        Raises:
            CallError: ``stopped`` or ``budget``.
        """
        await self._places.enter()
        try:
            self.raise_if_stopped()
            await self._sleep(max(self._requests.take(1), self._tokens.take(bound.tokens)))
            # Last, and again: others may be refused while this one waits.
            while self.stopped is None and (left := self._pause.left()):
                await self._sleep(left)
            self.raise_if_stopped()
            await self._budget.admit(bound)
        except BaseException:
            self._places.leave()
            raise
        try:
            self.raise_if_stopped()  # others may have found out while this one waited for them to settle
        except CallError:
            self._leave(bound, NOTHING)
            raise

    def _leave(self, bound: Cost, spent: Cost) -> None:
        self._budget.settle(bound, spent)
        self._tokens.give_back(bound.tokens - spent.tokens)
        self._places.leave()

    async def _attempt(self, request: Request, case: Mapping[str, Any], deadline: float) -> Reply:
        timeout = min(self._policy.attempt_timeout_s, deadline - time.monotonic())
        self.asking += 1
        stamp = self.limit.sent(self.asking)
        try:
            reply = await asyncio.wait_for(self.caller.call(request, case), timeout)
            self.limit.succeeded(self.asking)
            return reply
        except TimeoutError:
            self.limit.failed()
            raise CallError("timeout", f"no answer within {timeout:.3g} s") from None
        except CallError as error:
            self._learn(error, stamp)
            raise
        finally:
            self.asking -= 1

    def _learn(self, error: CallError, stamp: int) -> None:
        """What a failed attempt means for the requests that follow."""
        kind = error.fault.kind
        if kind == "rate_limit":
            self.limit.refused(stamp)
        elif kind in ("server", "timeout", "network"):
            self.limit.failed()
        if kind in RETRIED_KINDS and error.retry_after_s is not None:
            self._pause.extend(error.retry_after_s)

    def _stop_on(self, fault: Fault) -> None:
        """Stop on what all would meet; those that meet it too, being on their way already, are no second failure.

        Raises:
            CallError: ``stopped``, where this is not the first.
        """
        if fault.kind in STOPPING_KINDS:
            self.raise_if_stopped()
            self._stop(fault)

    def _stop(self, fault: Fault) -> None:
        """Ask no more, and wake whoever waits to ask."""
        self.stopped = self.stopped or fault
        self._ended.set()
        self._places.release()

    async def _sleep(self, seconds: float) -> None:
        """Wait, but no longer than the lane asks."""
        if seconds > 0:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ended.wait(), seconds)

    def _spent(self, reply: Reply, bound: Cost) -> Cost:
        prompt, completion = reply.usage.get("prompt_tokens"), reply.usage.get("completion_tokens")
        if prompt is None or completion is None:
            return bound  # not told: the worst is assumed
        prompt, completion = max(0, prompt), max(0, completion)
        usd = reply.cost_usd
        if usd is None:
            usd = self._price.usd(prompt, completion) if self._price else 0.0
        return Cost(usd, prompt + completion, 1)
