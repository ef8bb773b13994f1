"""Interviews in, transcripts out: the only code that decides what is asked, when, and what is not asked again."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_redefine.respondents.callers.base import Caller
from pytest_redefine.respondents.errors import NOT_ASKED_KINDS, CallError, Fault, RespondentUnavailable
from pytest_redefine.respondents.exchange import (
    Interview,
    Reply,
    Request,
    Step,
    Transcript,
    Turn,
    stored_request,
)
from pytest_redefine.respondents.gateway.budget import NOTHING, Budget, Cap, Cost
from pytest_redefine.respondents.gateway.forecast import Forecast, Miss, forecast, misses
from pytest_redefine.respondents.gateway.lane import Lane, Rules, Talk
from pytest_redefine.respondents.prices import PriceList
from pytest_redefine.respondents.store import Store, StoreError

_LOOK_UP_CHUNK: Final = 500


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the gateway has come."""

    announced: int = 0
    finished: int = 0
    in_flight: int = 0
    asked: int = 0
    """Replies that came from a respondent."""
    from_store: int = 0
    faults: int = 0
    retries: int = 0
    """Requests sent again."""
    spent: Cost = NOTHING
    asking_s: float = 0.0
    """Seconds since the first request was sent, 0 before."""


class Dispatcher:
    """Owns the lanes, the store and every interview.

    All of it lives in one event loop, so there is no lock and no race to reason about. What is asked of one
    respondent in the same words with the same parameters is asked once.
    """

    def __init__(
        self,
        make_caller: Callable[[str], Caller],
        open_store: Callable[[], Store],
        steps: Mapping[str, Step],
        rules: Rules,
        *,
        cap: Cap | None = None,
        prices: PriceList | None = None,
        offline: bool = False,
        refresh: bool = False,
        window: int | None = None,
    ) -> None:
        """Set the owner up; nothing is asked before something is announced.

        Args:
            make_caller: from a model's full name to its caller; raises RespondentUnavailable.
            open_store: opens the place where replies are kept, when the first reply may be there; raises StoreError.
            steps: by name, what an interview asks next.
            rules: what holds for every model: requests in flight, pace, retries.
            cap: the budget of the whole run.
            prices: what models cost; LiteLLM's own list by default.
            offline: ask nobody; what the store lacks ends as ``offline``.
            refresh: ask all again and replace what the store has.
            window: how many interviews nobody waits for yet may be started ahead; None for all.
        """
        self._make_caller = make_caller
        self._open_store = open_store
        self._opened: Store | None = None
        self._steps = steps
        self._rules = rules
        self._prices = prices or PriceList()
        self.budget = Budget(cap or Cap())
        self._offline = offline
        self._refresh = refresh
        self._window = window
        self._lanes: dict[str, Lane] = {}
        self._talks: dict[str, Talk] = {}
        self._stored: dict[str, Reply] = {}
        self._refreshed: set[str] = set()
        self._asking: dict[str, asyncio.Future[Reply]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._keeping: set[asyncio.Task[None]] = set()
        self._ahead = 0
        self._frozen: Fault | None = None
        self.deselected = 0
        """Cases that the user left out, as the workers count them."""
        self.shard: Mapping[str, Any] | None = None
        """Of what whole this run is a part, as the workers found; None where it is no part."""
        self._finished = self._asked = self._from_store = self._faults = 0
        self._first_asked: float | None = None

    def interviews(self) -> Mapping[str, Interview]:
        """All that was announced, by id, in the order of the announcements."""
        return {identifier: talk.interview for identifier, talk in list(self._talks.items())}

    def interview(self, identifier: str) -> Interview | None:
        """One of them; None where none of that id was announced."""
        talk = self._talks.get(identifier)
        return None if talk is None else talk.interview

    def progress(self) -> Progress:
        """A snapshot; plain counters, so that another thread may ask."""
        return Progress(
            announced=len(self._talks),
            finished=self._finished,
            in_flight=sum(lane.asking for lane in list(self._lanes.values())),
            asked=self._asked,
            from_store=self._from_store,
            faults=self._faults,
            retries=sum(lane.retries for lane in list(self._lanes.values())),
            spent=self.budget.spent,
            asking_s=0.0 if self._first_asked is None else time.monotonic() - self._first_asked,
        )

    def note_selection(self, deselected: int, shard: Mapping[str, Any] | None) -> None:
        """Remember what was left out; all workers find the same, and one that died early found less."""
        self.deselected = max(self.deselected, deselected)
        self.shard = shard or self.shard

    async def announce(
        self, interviews: Sequence[Interview], deselected: int = 0, shard: Mapping[str, Any] | None = None
    ) -> None:
        """Take interviews on; those already known are passed over, so every worker may announce all."""
        self.note_selection(deselected, shard)
        loop = asyncio.get_running_loop()
        fresh = [Talk(interview, loop.create_future()) for interview in interviews if interview.id not in self._talks]
        for talk in fresh:
            self._talks[talk.interview.id] = talk
            if self._frozen is not None:
                self._finish(talk, self._frozen)
        if self._frozen is not None:
            return
        await self._look_up(fresh)
        for talk in fresh:
            if talk.done.done():  # its model cannot be asked at all
                continue
            lane = self._lane(talk.interview.model)
            lane.pending[talk.interview.id] = talk
            if talk.wanted:  # since the look-up began
                lane.prefer(talk)
        for lane in list(self._lanes.values()):
            self._advance(lane)

    async def transcript(self, identifier: str) -> Transcript:
        """Wait for one interview, and let it go before those nobody waits for.

        Raises:
            KeyError: it was never announced.
        """
        talk = self._talks[identifier]
        if not talk.wanted:
            talk.wanted = True
            self._ahead -= talk.started
            lane = self._lanes.get(talk.interview.model)
            if lane is not None:
                lane.prefer(talk)
                self._advance(lane)
        return await asyncio.shield(talk.done)

    async def forecast(self, interviews: Sequence[Interview]) -> dict[str, Forecast]:
        """What asking them would take, by model; asks nobody."""
        store = None if self._refresh else self._store()
        return await forecast(interviews, self._callers(interviews), self._steps, store, self._prices)

    async def misses(self, interviews: Sequence[Interview]) -> list[Miss]:
        """Why the store does not have their replies."""
        store = None if self._refresh else self._store()
        return await misses(interviews, self._callers(interviews), self._steps, store)

    def _callers(self, interviews: Sequence[Interview]) -> dict[str, Caller]:
        later = {later.model for interview in interviews for later in interview.later}
        models = later.union(interview.model for interview in interviews)
        return {model: self._lane(model).caller for model in models}

    def freeze(self, fault: Fault) -> None:
        """Send nothing more; whatever has not been answered ends with ``fault``."""
        self._frozen = self._frozen or fault
        for task in self._tasks:
            task.cancel()
        for talk in self._talks.values():
            if not talk.done.done():
                self._finish(talk, fault)
        for lane in self._lanes.values():
            lane.pending.clear()

    async def close(self) -> None:
        """End what is under way, close callers and store."""
        self.freeze(Fault("interrupted", "the run ended before this was asked"))
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*self._keeping, return_exceptions=True)
        await asyncio.gather(*(lane.close() for lane in self._lanes.values()), return_exceptions=True)
        if self._opened is not None:
            await self._opened.close()

    def _store(self) -> Store:
        if self._opened is None:
            self._opened = self._open_store()
        return self._opened

    def _lane(self, model: str) -> Lane:
        lane = self._lanes.get(model)
        if lane is None:
            price = self._prices.price(model)
            if price is None and self.budget.cap.usd is not None:
                raise RespondentUnavailable(
                    f"--budget-usd: no price is known for {model}; bound it with --budget-tokens or --budget-requests"
                )
            lane = self._lanes[model] = Lane(self._make_caller(model), self._rules, self.budget, price)
        return lane

    async def _look_up(self, talks: Sequence[Talk]) -> None:
        """Fetch the stored replies of first turns in bulk: one by one a remote store would cost a round trip each."""
        keys: list[str] = []
        for talk in talks:
            interview = talk.interview
            try:
                lane = self._lane(interview.model)
                for later in interview.later:
                    self._lane(later.model)
                if not lane.caller.stored or self._refresh:
                    continue
                request = self._steps[interview.step](interview, ())
                if request is not None:
                    keys.append(request.key(lane.caller.identity()))
            except RespondentUnavailable as error:
                self._finish(talk, Fault("usage", str(error)))
            except Exception:  # noqa: S112 - a step's bug: its own conversation meets it again and tells
                continue
        for start in range(0, len(keys), _LOOK_UP_CHUNK):
            try:
                self._stored |= await self._store().get_many(keys[start : start + _LOOK_UP_CHUNK])
            except StoreError as error:
                self.freeze(Fault("usage", str(error)))
                return
            await asyncio.sleep(0)

    def _advance(self, lane: Lane) -> None:
        """Start what there is place for."""
        while self._frozen is None:
            first = next(iter(lane.pending.values()), None)
            if first is None:
                return
            if not first.wanted and self._window is not None and self._ahead >= self._window:
                return
            talk = lane.take()
            if talk is None:
                return
            self._ahead += not talk.wanted
            task = asyncio.create_task(self._converse(lane, talk))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _converse(self, lane: Lane, talk: Talk) -> None:
        interview = talk.interview
        fault: Fault | None = None
        at_home = True
        try:
            step = self._steps[interview.step]
            while not talk.done.done() and (request := step(interview, tuple(talk.turns))) is not None:
                talk.asks = request.role
                asked = self._lane(request.model)
                if at_home and asked is not lane:
                    # Whoever waits for another model leaves its place here; should it come back, the places in which
                    # requests are sent bound it as they do the others.
                    at_home = False
                    lane.active -= 1
                    self._advance(lane)
                key = request.key(asked.caller.identity())
                reply = await self._answer(asked, key, request, interview.case)
                talk.turns.append(Turn(request.messages, reply, key, request.role))
        except CallError as error:
            fault = error.fault
        except RespondentUnavailable as error:
            fault = Fault("usage", str(error))
        except asyncio.CancelledError:
            fault = self._frozen or Fault("interrupted", "the run ended before this was asked")
            raise
        except StoreError as error:
            # Going on would mean paying for replies that cannot be kept.
            fault = Fault("usage", str(error))
            self.freeze(fault)
        except Exception as error:  # a bug of ours must end one case, not hang the run
            fault = CallError("internal", f"{type(error).__name__}: {error}").fault
        finally:
            self._finish(talk, fault)
            lane.active -= at_home
            self._advance(lane)

    async def _answer(self, lane: Lane, key: str, request: Request, case: Mapping[str, Any]) -> Reply:
        """From the same request already under way, from the store, or from the respondent."""
        under_way = self._asking.get(key)
        if under_way is not None:
            return dataclasses.replace(await asyncio.shield(under_way), from_store=True)
        # From here on whoever wants the same waits for this: a look into the store takes time too.
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._asking[key] = future
        try:
            reply = await self._find_or_ask(lane, key, request, case)
        except Exception as error:
            future.set_exception(error)
            future.exception()  # nobody else may be waiting: that is no "exception never retrieved"
            raise
        except asyncio.CancelledError:
            future.cancel()
            raise
        else:
            future.set_result(reply)
            return reply
        finally:
            del self._asking[key]

    async def _find_or_ask(self, lane: Lane, key: str, request: Request, case: Mapping[str, Any]) -> Reply:
        kept = lane.caller.stored
        if kept and (not self._refresh or key in self._refreshed):
            found = self._stored.pop(key, None) or (await self._store().get_many([key])).get(key)
            if found is not None:
                self._from_store += 1
                return found
        if self._offline and kept:
            raise CallError("offline", "not in the store, and --offline asks nobody")
        if self._first_asked is None:
            self._first_asked = time.monotonic()
        reply = await lane.ask(request, case)
        self._asked += 1
        if kept:
            await self._keep(key, stored_request(request, lane.caller.identity()), reply)
        return reply

    async def _keep(self, key: str, request: Mapping[str, Any], reply: Reply) -> None:
        """Store a reply, also if the run ends in the middle of it: it has been paid for."""
        task = asyncio.create_task(self._store().put(key, request, reply))
        self._keeping.add(task)
        task.add_done_callback(self._kept)
        await asyncio.shield(task)
        self._refreshed.add(key)

    def _kept(self, task: asyncio.Task[None]) -> None:
        self._keeping.discard(task)
        if not task.cancelled():
            task.exception()  # told to whoever asked; after a freeze nobody listens any more

    def _finish(self, talk: Talk, fault: Fault | None) -> None:
        if talk.done.done():
            return
        self._finished += 1
        if fault is not None and fault.kind not in NOT_ASKED_KINDS:
            self._faults += 1
        talk.finish(fault)
