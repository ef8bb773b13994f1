"""How many requests one model is asked at once, and how fast: found out by asking, bounded by the user."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Final

START: Final = 16
"""Requests in flight at first: what every provider's lowest paid tier takes."""
CUT: Final = 0.8
SETTLE_S: Final = 1.0
"""How long after trouble nothing grows."""


class AdaptiveLimit:
    """Slow start, then one more a round; a cut by :data:`CUT` on a refusal for being too many.

    An answer counts only where the limit is what held requests back: a queue that is nearly empty proves nothing. As
    in TCP, that is judged by the most in flight during the last round (RFC 7661), because answers that arrive together
    each find fewer in flight than there were. Server errors and time-outs pause the growth but cut nothing: fewer
    requests would not mend them.
    """

    def __init__(self, ceiling: int, start: int | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin at ``start``.

        Args:
            ceiling: the user's --max-in-flight, or the width of the respondent if that is less.
            start: where a respondent's width is known, it needs no finding out; else :data:`START`.
            clock: seconds.
        """
        self.ceiling = max(1, ceiling)
        self._clock = clock
        self._limit = float(min(self.ceiling, start or START))
        self._good = float(self.ceiling)  # up to here growth is fast: it has been refused above only
        self._grow_after = float("-inf")
        self._cuts = 0
        self._answered_since_cut = True
        self._peak = self._last_peak = self._round = 0

    @property
    def current(self) -> int:
        """Requests that may be in flight now."""
        return max(1, int(self._limit))

    def sent(self, in_flight: int) -> int:
        """A request goes out, ``in_flight`` with it; gives the stamp that :meth:`refused` takes."""
        self._peak = max(self._peak, in_flight)
        return self._cuts

    def succeeded(self, in_flight: int) -> None:
        """An answer arrived; ``in_flight`` counts its request."""
        peak = max(self._peak, self._last_peak)
        self._round += 1
        if self._round >= peak:
            self._last_peak, self._peak, self._round = self._peak, in_flight - 1, 0
        self._answered_since_cut = True
        if self._clock() < self._grow_after:
            return
        if self._limit < self._good:
            if self.current < 2 * peak:
                self._limit = min(self._limit + 1.0, self._good)
        elif self.current <= peak:
            self._limit = min(self._limit + 1.0 / self.current, self.ceiling)

    def refused(self, stamp: int) -> None:
        """The provider said: too many (429).

        Refusals of requests that were sent before the last cut say nothing new: one cut a round. A storm in which
        nothing at all is answered is not about how many are in flight, so growth after it is fast up to where it began.
        """
        self._grow_after = self._clock() + SETTLE_S
        if stamp < self._cuts:
            return
        self._cuts += 1
        self._limit = max(1.0, self._limit * CUT)
        if self._answered_since_cut:
            self._good = self._limit
        self._answered_since_cut = False

    def failed(self) -> None:
        """The provider is unwell (5xx, a time-out)."""
        self._grow_after = self._clock() + SETTLE_S


class Places:
    """As many at once as the limit allows now, in the order of arrival."""

    def __init__(self, limit: AdaptiveLimit) -> None:
        """Nobody is in."""
        self._limit = limit
        self._waiting: deque[asyncio.Future[None]] = deque()
        self.taken = 0

    async def enter(self) -> None:
        """Wait for a place. Whoever makes room hands the place over, so that no newcomer can slip in between."""
        if not self._waiting and self.taken < self._limit.current:
            self.taken += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave()  # it was handed over already
            raise

    def leave(self) -> None:
        """Give the place to those who wait, as far as the limit allows."""
        self.taken -= 1
        while self._waiting and self.taken < self._limit.current:
            turn = self._waiting.popleft()
            if not turn.done():
                self.taken += 1
                turn.set_result(None)

    def release(self) -> None:
        """Let everybody in who waits: there is nothing to wait for any more."""
        for turn in self._waiting:
            if not turn.done():
                self.taken += 1
                turn.set_result(None)
        self._waiting.clear()


class Pace:
    """A bound on units a minute, as a bucket that refills steadily; None for no bound."""

    def __init__(self, per_minute: int | None, clock: Callable[[], float] = time.monotonic) -> None:
        """The bucket holds a tenth of a minute's worth, at least one unit, so that a start is no burst."""
        self._rate = None if per_minute is None else per_minute / 60
        self._size = 0.0 if self._rate is None else max(1.0, self._rate * 6)
        self._level = self._size
        self._clock = clock
        self._at = clock()

    def take(self, units: float) -> float:
        """Take units, into debt if need be; the seconds to wait before using them."""
        if self._rate is None:
            return 0.0
        now = self._clock()
        self._level = min(self._size, self._level + (now - self._at) * self._rate) - units
        self._at = now
        return max(0.0, -self._level / self._rate)

    def give_back(self, units: float) -> None:
        """Return what was taken but not used; negative where more was used."""
        self._level = min(self._size, self._level + units) if self._rate is not None else 0.0


class Pause:
    """The moment before which a model is left alone, as it asked to be."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Nothing asked yet."""
        self._clock = clock
        self._until = float("-inf")

    def extend(self, seconds: float) -> None:
        """Wait at least so long from now."""
        self._until = max(self._until, self._clock() + seconds)

    def left(self) -> float:
        """Seconds until the moment has come, 0 when it has."""
        return max(0.0, self._until - self._clock())
