"""When a request that failed is sent again, and how long after."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from pytest_redefine.respondents.errors import RETRIED_KINDS, CallError


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Bounded retries with full jitter: a random wait below a ceiling that doubles (M. Brooker, AWS, 2015)."""

    retries: int = 6
    """Times a request is sent again after the first. Refusals for being too many do not count: they are bounded
    by ``give_up_s`` alone, so that a long storm slows a run and does not break it."""
    base_s: float = 1.0
    ceiling_s: float = 30.0
    attempt_timeout_s: float = 600.0
    """A reasoning model may think for minutes."""
    give_up_s: float = 1800.0
    """From the first attempt to the end of the last."""

    def wait_s(
        self,
        error: CallError,
        *,
        attempts: int,
        failures: int,
        left_s: float,
        uniform: Callable[[float, float], float] = random.uniform,
    ) -> float | None:
        """Seconds to wait before asking again; None to give up.

        Args:
            error: why the last attempt failed.
            attempts: failed attempts so far, this one included.
            failures: those of them that were not refusals for being too many.
            left_s: seconds until ``give_up_s`` have passed.
            uniform: the source of jitter.
        """
        kind = error.fault.kind
        if kind not in RETRIED_KINDS or (kind != "rate_limit" and failures > self.retries):
            return None
        wait = uniform(0.0, min(self.ceiling_s, self.base_s * 2 ** min(attempts - 1, 20)))
        if error.retry_after_s is not None:
            # Everybody was told the same moment: jitter keeps the crowd from coming back in it.
            wait = error.retry_after_s + uniform(0.0, self.base_s)
        return wait if wait < left_s else None
