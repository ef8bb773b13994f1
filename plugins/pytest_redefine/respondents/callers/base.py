"""What the gateway asks of a caller."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from pytest_redefine.respondents.exchange import Reply, Request


class Caller(Protocol):
    """Puts requests to one model. All methods run in the gateway's loop."""

    stored: bool
    """Whether its replies are worth keeping."""
    width: int | None
    """How many requests it can work on at once, None where only the gateway's limit counts."""

    def identity(self) -> Mapping[str, str]:
        """What stands in the store's key for a model that has no name to go by.

        Raises:
            RespondentUnavailable: its files cannot be read.
        """
        ...

    async def prepare(self) -> None:
        """Get ready for the first request: import, start, check the key.

        Raises:
            RespondentUnavailable: the model cannot be asked.
        """
        ...

    async def call(self, request: Request, case: Mapping[str, Any]) -> Reply:
        """Ask once.

        Raises:
            CallError: there was no answer.
        """
        ...

    async def close(self) -> None:
        """Let go of connections and processes."""
        ...
