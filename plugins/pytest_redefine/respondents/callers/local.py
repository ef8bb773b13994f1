"""The embedded model and any GGUF file, served by llama.cpp in a child process."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pytest_redefine.respondents.callers.openai_http import post_completion
from pytest_redefine.respondents.errors import CallError
from pytest_redefine.respondents.exchange import Reply, Request
from pytest_redefine.respondents.local.engine import LocalEngine
from pytest_redefine.respondents.local.model_file import find_model

if TYPE_CHECKING:
    import aiohttp


class LocalCaller:
    """Starts the engine on the first request that the store cannot answer."""

    stored = True

    def __init__(self, name: str) -> None:
        """Find the model's file.

        Raises:
            RespondentUnavailable: the file or the engine's wheel is missing.
        """
        self._name = name
        self._engine = LocalEngine(find_model(name))
        self.width: int | None = self._engine.slots
        self._session: aiohttp.ClientSession | None = None

    def identity(self) -> Mapping[str, str]:
        """The weights', template's and engine's fingerprints: they stand in the key, the port does not."""
        return self._engine.identity()

    async def prepare(self) -> None:
        """Start the engine.

        Raises:
            RespondentUnavailable: it does not start.
        """
        import aiohttp

        await self._engine.start()
        self._session = aiohttp.ClientSession()

    async def call(self, request: Request, case: Mapping[str, Any]) -> Reply:
        """Ask once.

        Raises:
            CallError: there was no answer.
        """
        assert self._session is not None, "prepare() comes first"
        try:
            reply = await post_completion(
                self._session,
                f"{self._engine.base_url}/v1",
                {"Authorization": f"Bearer {self._engine.api_key}"},
                {"model": self._name, "messages": [dict(one) for one in request.messages], **request.parameters},
            )
        except CallError as error:
            if error.fault.kind == "network" and self._engine.returncode is not None:
                raise CallError("server", f"the engine ended (status {self._engine.returncode})") from None
            raise
        # llama.cpp reports the file's path, which is this machine's own affair.
        return dataclasses.replace(reply, model_version=self._name)

    async def close(self) -> None:
        """Stop the engine."""
        if self._session is not None:
            await self._session.close()
        await self._engine.aclose()
