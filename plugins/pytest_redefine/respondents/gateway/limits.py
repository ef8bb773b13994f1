"""How many requests one model is asked at once, and how fast: found out by asking, bounded by the user."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final

START: Final = 16
"""Requests in flight at first: what every provider's lowest paid tier takes."""
CUT: Final = 0.8
SETTLE_S: Final = 1.0
"""After a cut, further refusals of requests sent before it say nothing new."""


class AdaptiveLimit:
    """Slow start, then one more a round; a cut by :data:`CUT` on a refusal for being too many.

    A success counts only while the limit is what holds requests back: a queue that is nearly empty proves nothing.
    Server errors and time-outs pause the growth but cut nothing: fewer requests would not mend them.
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
        self._slow_start = True
        self._grow_after = 0.0
        self._cut_at = float("-inf")

    @property
    def current(self) -> int:
        """Requests that may be in flight now."""
        return max(1, int(self._limit))

    def succeeded(self, in_flight: int) -> None:
        """An answer arrived; ``in_flight`` counts it."""
        if in_flight < self.current or self._clock() < self._grow_after:
            return
        self._limit = min(self.ceiling, self._limit + (1.0 if self._slow_start else 1.0 / self._limit))

    def refused(self) -> None:
        """The provider said: too many (429)."""
        now = self._clock()
        self._slow_start = False
        self._grow_after = now + SETTLE_S
        if now - self._cut_at >= SETTLE_S:
            self._cut_at = now
            self._limit = max(1.0, self._limit * CUT)

    def failed(self) -> None:
        """The provider is unwell (5xx, a time-out)."""
        self._grow_after = self._clock() + SETTLE_S


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

    def __init__(self) -> None:
        """Nothing asked yet."""
        self._until = 0.0

    def extend(self, seconds: float) -> None:
        """Wait at least so long from now."""
        self._until = max(self._until, time.monotonic() + seconds)

    async def wait(self) -> None:
        """Return when the moment has come; another answer may have moved it meanwhile."""
        while (left := self._until - time.monotonic()) > 0:
            await asyncio.sleep(left)
