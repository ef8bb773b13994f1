"""The gateway's door for workers."""

from __future__ import annotations

import asyncio
import hmac
import secrets
import shutil
import tempfile
from pathlib import Path
from typing import Any

from pytest_redefine.respondents.exchange import Interview
from pytest_redefine.respondents.gateway import frames
from pytest_redefine.respondents.gateway.dispatcher import Dispatcher


class Server:
    """Listens on a unix socket in a folder only this user may enter; a token is asked for all the same."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        """Nothing listens before :meth:`start`."""
        self._dispatcher = dispatcher
        self._announced: set[str] = set()
        self._folder: Path | None = None
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self.token = secrets.token_hex(16)
        self.url = ""

    async def start(self) -> None:
        """Listen."""
        self._folder = Path(tempfile.mkdtemp(prefix="redefine-"))  # mkdtemp makes it 0700
        path = self._folder / "gateway"
        self._server = await asyncio.start_unix_server(self._serve, path=path)
        self.url = f"unix:{path}"

    async def close(self) -> None:
        """Hang up on everybody and remove the folder."""
        if self._server is not None:
            self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)
        try:
            greeting = await self._read(reader)
            if not hmac.compare_digest(str(greeting.get("token")).encode("utf-8", "replace"), self.token.encode()):
                raise frames.BadFrame("wrong token")
            await self._write(writer, {"ok": True})
            while True:
                await self._write(writer, await self._answer(await self._read(reader)))
        except (asyncio.IncompleteReadError, ConnectionError, frames.BadFrame):
            pass  # a worker that is gone or talks nonsense loses its line; its cases live on
        except asyncio.CancelledError:
            pass
        finally:
            writer.close()

    async def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        match message:
            case {
                "op": "announce",
                "digest": str(digest),
                "deselected": int(deselected),
                "shard": (dict() | None) as shard,
            }:
                # All workers collect the same cases: the first to come sends them, the others are told not to.
                self._dispatcher.note_selection(deselected, shard)
                need = digest not in self._announced
                self._announced.add(digest)
                return {"need": need}
            case {"op": "interviews", "items": list(items)}:
                try:
                    interviews = [Interview.from_json(item) for item in items]
                except (KeyError, TypeError, ValueError) as error:
                    raise frames.BadFrame(f"no interview: {error!r}") from None
                await self._dispatcher.announce(interviews)
                return {"ok": True}
            case {"op": "ask", "id": str(identifier)}:
                try:
                    transcript = await self._dispatcher.transcript(identifier)
                except KeyError:
                    return {"unknown": True}
                return {"transcript": transcript.to_json()}
            case _:
                raise frames.BadFrame("unknown operation")

    @staticmethod
    async def _read(reader: asyncio.StreamReader) -> dict[str, Any]:
        length = frames.body_length(await reader.readexactly(frames.HEADER.size))
        return frames.decode(await reader.readexactly(length))

    @staticmethod
    async def _write(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
        writer.write(frames.encode(message))
        await writer.drain()
