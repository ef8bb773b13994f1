"""The workers' side of the gateway's socket: plain blocking calls, for a worker runs one test at a time."""

from __future__ import annotations

import hashlib
import json
import socket
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_redefine.respondents.exchange import Interview, Transcript
from pytest_redefine.respondents.gateway import frames

_CHUNK: Final = 200


class GatewayLost(Exception):
    """The controller's gateway does not answer any more."""


class GatewayClient:
    """Announces interviews and waits for their transcripts."""

    def __init__(self, url: str, token: str) -> None:
        """Connect to the address that the controller handed over.

        Raises:
            GatewayLost: nobody listens there.
        """
        self._interviews: Sequence[Interview] = ()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.connect(url.removeprefix("unix:"))
        except OSError as error:
            raise GatewayLost(f"the gateway at {url} cannot be reached: {error}") from error
        self._call({"op": "hello", "token": token})

    def announce(
        self, interviews: Sequence[Interview], deselected: int = 0, shard: Mapping[str, Any] | None = None
    ) -> None:
        """Tell the gateway all that this worker may ask, and of what whole that is a part.

        Raises:
            GatewayLost: the controller is gone.
        """
        self._interviews = interviews
        items = [interview.to_json() for interview in interviews]
        digest = hashlib.sha256(json.dumps(items, sort_keys=True).encode()).hexdigest()
        selection = {"deselected": deselected, "shard": shard}
        if self._call({"op": "announce", "digest": digest, **selection})["need"]:
            self._send(items)

    def ask(self, identifier: str) -> Transcript:
        """Wait for one transcript.

        Raises:
            GatewayLost: the controller is gone.
            KeyError: it was never announced.
        """
        answer = self._call({"op": "ask", "id": identifier})
        if answer.get("unknown"):
            # The worker that was to announce for all has died, or is not through yet.
            self._send([interview.to_json() for interview in self._interviews])
            answer = self._call({"op": "ask", "id": identifier})
        if answer.get("unknown"):
            raise KeyError(identifier)
        return Transcript.from_json(answer["transcript"])

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def _send(self, items: list[dict[str, Any]]) -> None:
        for start in range(0, len(items), _CHUNK):
            self._call({"op": "interviews", "items": items[start : start + _CHUNK]})

    def _call(self, message: dict[str, Any]) -> dict[str, Any]:
        try:
            self._socket.sendall(frames.encode(message))
            length = frames.body_length(self._receive(frames.HEADER.size))
            return frames.decode(self._receive(length))
        except (OSError, frames.BadFrame) as error:
            raise GatewayLost(f"the gateway is gone: {error}") from error

    def _receive(self, size: int) -> bytes:
        chunks: list[bytes] = []
        while size:
            chunk = self._socket.recv(min(size, 2**20))
            if not chunk:
                raise ConnectionError("the connection was closed")
            chunks.append(chunk)
            size -= len(chunk)
        return b"".join(chunks)
