"""The gateway as the process that owns it sees it: a thread with a loop, and plain blocking calls into it."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import threading
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, Final, TypeVar

from pytest_redefine.respondents.errors import Fault
from pytest_redefine.respondents.exchange import Interview, Transcript
from pytest_redefine.respondents.gateway.dispatcher import Dispatcher, Progress
from pytest_redefine.respondents.gateway.forecast import Forecast, Miss
from pytest_redefine.respondents.gateway.server import Server

T = TypeVar("T")

CLOSE_TIMEOUT_S: Final = 5.0
_LAST_CALL_S: Final = 0.2


class Gateway:
    """Starts the loop's thread, hands work over to it, and ends it."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        """From now on ``dispatcher`` belongs to the loop's thread."""
        self._dispatcher = dispatcher
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="redefine-gateway", daemon=True)
        self._thread.start()
        self._server: Server | None = None
        self._closed = False

    def serve(self) -> tuple[str, str]:
        """Open the door for workers; the address and the token they need."""
        if self._server is None:
            server = Server(self._dispatcher)
            self._submit(server.start()).result()
            self._server = server
        return self._server.url, self._server.token

    def announce(
        self, interviews: Sequence[Interview], deselected: int = 0, shard: Mapping[str, Any] | None = None
    ) -> None:
        """Hand over what will be asked; returns once all of it is queued."""
        self._submit(self._dispatcher.announce(interviews, deselected, shard)).result()

    def ask(self, identifier: str) -> Transcript:
        """Wait for one transcript; Ctrl-C gets through.

        Raises:
            KeyError: it was never announced.
        """
        return self._submit(self._dispatcher.transcript(identifier)).result()

    def forecast(self, interviews: Sequence[Interview]) -> dict[str, Forecast]:
        """What asking them would take, by model.

        Raises:
            RespondentUnavailable, StoreError: a model or the store cannot be used.
        """
        return self._submit(self._dispatcher.forecast(interviews)).result()

    def misses(self, interviews: Sequence[Interview]) -> list[Miss]:
        """Why the store does not have their replies.

        Raises:
            RespondentUnavailable, StoreError: a model or the store cannot be used.
        """
        return self._submit(self._dispatcher.misses(interviews)).result()

    def interviews(self) -> Mapping[str, Interview]:
        """All that was announced so far, by id."""
        return self._dispatcher.interviews()

    def interview(self, identifier: str) -> Interview | None:
        """One of them; None where none of that id was announced."""
        return self._dispatcher.interview(identifier)

    def deselected(self) -> int:
        """How many cases the user left out."""
        return self._dispatcher.deselected

    def shard(self) -> Mapping[str, Any] | None:
        """Of what whole the run is a part, once it is announced."""
        return self._dispatcher.shard

    def progress(self) -> Progress:
        """How far it is."""
        return self._dispatcher.progress()

    def freeze(self, fault: Fault) -> None:
        """Send nothing more, and release every test that waits."""
        if not self._closed:
            self._loop.call_soon_threadsafe(self._dispatcher.freeze, fault)

    def close(self) -> None:
        """End the loop; what has arrived is in the store by then."""
        if self._closed:
            return
        self._closed = True
        future = self._submit(self._close())
        with contextlib.suppress(concurrent.futures.TimeoutError):  # a respondent that hangs must not keep the user
            future.result(CLOSE_TIMEOUT_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CLOSE_TIMEOUT_S)

    async def _close(self) -> None:
        if self._server is not None:
            await self._server.close()
        await self._dispatcher.close()

    def _submit(self, coroutine: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        left = asyncio.all_tasks(self._loop)  # of a respondent that would not let go
        for task in left:
            task.cancel()
        if left:  # or Python tells the user that tasks were destroyed
            self._loop.run_until_complete(asyncio.wait(left, timeout=_LAST_CALL_S))
        self._loop.close()
