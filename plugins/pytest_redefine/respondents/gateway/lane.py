"""One model's queue: what waits, what is being asked, and how wide."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_redefine.respondents.callers.base import Caller
from pytest_redefine.respondents.errors import CallError, Fault, RespondentUnavailable
from pytest_redefine.respondents.exchange import Interview, Reply, Request, Transcript, Turn

_STOPPING = frozenset({"authentication", "model_not_found"})
"""Kinds that the next request would meet too: asking on would only repeat the failure."""


@dataclass(slots=True, eq=False)
class Talk:
    """One interview under way."""

    interview: Interview
    done: asyncio.Future[Transcript]
    turns: list[Turn] = field(default_factory=list)
    wanted: bool = False
    """A test is waiting for it."""
    started: bool = False

    def finish(self, fault: Fault | None = None) -> None:
        """Settle it; the first call counts."""
        if not self.done.done():
            self.done.set_result(Transcript(tuple(self.turns), fault))


class Lane:
    """The requests of one model. Lives in the gateway's loop; needs no lock."""

    def __init__(self, caller: Caller, max_in_flight: int) -> None:
        """``max_in_flight`` bounds the lane; a caller that works on fewer at once bounds it further."""
        self.caller = caller
        self.limit = max_in_flight if caller.width is None else min(max_in_flight, caller.width)
        self.pending: OrderedDict[str, Talk] = OrderedDict()
        self.active = 0
        """Talks that hold a place."""
        self.asking = 0
        """Requests on their way right now."""
        self.stopped: Fault | None = None
        self._ready: asyncio.Task[None] | None = None

    def prefer(self, talk: Talk) -> None:
        """Move a talk that somebody waits for to the front."""
        if talk.interview.id in self.pending:
            self.pending.move_to_end(talk.interview.id, last=False)

    def take(self) -> Talk | None:
        """The next talk, if a place is free for it."""
        if not self.pending or self.active >= self.limit:
            return None
        _, talk = self.pending.popitem(last=False)
        talk.started = True
        self.active += 1
        return talk

    async def ask(self, request: Request, case: Mapping[str, Any]) -> Reply:
        """Put one request to the model, preparing it first.

        Raises:
            CallError: there was no answer.
        """
        self.raise_if_stopped()
        try:
            if self._ready is None:
                self._ready = asyncio.create_task(self.caller.prepare())
            await asyncio.shield(self._ready)
        except RespondentUnavailable as error:
            self.stopped = Fault("usage", str(error))
        # Preparing takes seconds: another talk may have found out meanwhile.
        self.raise_if_stopped()
        self.asking += 1
        try:
            return await self.caller.call(request, case)
        except CallError as error:
            if error.fault.kind in _STOPPING:
                self.stopped = error.fault
            raise
        finally:
            self.asking -= 1

    def raise_if_stopped(self) -> None:
        """Refuse once the lane has stopped.

        Raises:
            CallError: with the fault that stopped it.
        """
        if self.stopped is not None:
            error = CallError(self.stopped.kind, "")
            error.fault = self.stopped
            raise error

    async def close(self) -> None:
        """Stop preparing, and close the caller."""
        if self._ready is not None and not self._ready.done():
            self._ready.cancel()
            await asyncio.gather(self._ready, return_exceptions=True)
        await self.caller.close()
