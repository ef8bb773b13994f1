"""One cap for the whole run: reserved before a request is sent, settled when its answer is in."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final

from pytest_redefine.respondents.errors import CallError, Fault
from pytest_redefine.respondents.prices import Price


@dataclass(frozen=True, slots=True)
class Cost:
    """What one request, or all so far, take of the budget."""

    usd: float = 0.0
    tokens: int = 0
    requests: int = 0

    def plus(self, other: Cost, sign: int = 1) -> Cost:
        """The sum; the difference with ``sign=-1``."""
        return Cost(
            self.usd + sign * other.usd, self.tokens + sign * other.tokens, self.requests + sign * other.requests
        )


NOTHING: Final = Cost()


@dataclass(frozen=True, slots=True)
class Cap:
    """The user's limits; None where there is none."""

    usd: float | None = None
    tokens: int | None = None
    requests: int | None = None

    def broken_by(self, cost: Cost) -> str | None:
        """The option whose limit a cost goes past, with its value; None where all hold."""
        if self.usd is not None and cost.usd > self.usd + 1e-12:
            return f"--budget-usd={self.usd:g}"
        if self.tokens is not None and cost.tokens > self.tokens:
            return f"--budget-tokens={self.tokens}"
        if self.requests is not None and cost.requests > self.requests:
            return f"--budget-requests={self.requests}"
        return None


class Budget:
    """Owns what was spent and what is promised to requests under way.

    A request is let through only where everything spent, everything promised and its own upper bound stay within the
    cap. So the cap itself holds as long as providers keep to ``max_tokens``; thinking tokens that a provider bills
    beyond it can exceed it, by no more than was in flight. What costs nothing is let through to the end.
    """

    def __init__(self, cap: Cap) -> None:
        """Nothing is spent yet."""
        self.cap = cap
        self.spent = Cost()
        self._promised = Cost()
        self._refused: Fault | None = None
        self._waiting: list[asyncio.Future[None]] = []

    async def admit(self, bound: Cost) -> None:
        """Promise a request its upper bound, waiting for others to settle where it does not fit yet.

        Raises:
            CallError: ``budget``; it does not fit although nothing is promised to anybody else.
        """
        while True:
            broken = self.cap.broken_by(self.spent.plus(self._promised).plus(bound))
            if broken is None:
                self._promised = self._promised.plus(bound)
                return
            if self._refused is not None:
                raise CallError.of(self._refused)  # in the same words for all, so that they fold into one line
            if self._promised.requests == 0:
                error = CallError("budget", f"{broken} allows no further request: {self._words(bound)}; raise it")
                self._refused = error.fault
                raise error
            settled: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(settled)
            await settled

    def settle(self, bound: Cost, actual: Cost) -> None:
        """Put what was really used in the place of the promise."""
        self._promised = self._promised.plus(bound, -1)
        self.spent = self.spent.plus(actual)
        waiting, self._waiting = self._waiting, []
        for settled in waiting:
            if not settled.done():
                settled.set_result(None)

    def _words(self, bound: Cost) -> str:
        spent = self.spent
        return (
            f"{spent.requests} requests took {spent.tokens} tokens and {spent.usd:.4f} USD, "
            f"the next may take up to {bound.tokens} and {bound.usd:.4f}"
        )


def upper_bound(prompt_characters: int, max_tokens: int, price: Price | None) -> Cost:
    """What one request may cost at most.

    Prompt tokens are taken as one for every two characters: more than any usual tokenizer makes of English and
    formulas, and counted without loading one.
    """
    prompt_tokens = prompt_characters // 2 + 16
    usd = price.usd(prompt_tokens, max_tokens) if price else 0.0
    return Cost(usd, prompt_tokens + max_tokens, 1)
