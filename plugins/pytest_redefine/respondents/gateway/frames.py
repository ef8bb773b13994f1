"""Frames between workers and gateway: four bytes of length, then one JSON object. Bounded, versioned, never pickled."""

from __future__ import annotations

import json
import struct
from typing import Any, Final

VERSION: Final = 1
MAX_FRAME: Final = 64 * 2**20
"""Bytes; a chunk of announced interviews takes a few hundred kilobytes, a long reply up to a few megabytes."""

HEADER: Final = struct.Struct(">I")


class BadFrame(Exception):
    """The other side speaks another language, or has gone mad."""


def encode(message: dict[str, Any]) -> bytes:
    """One frame.

    Raises:
        BadFrame: the message is too long.
    """
    body = json.dumps({"v": VERSION, **message}, ensure_ascii=True, separators=(",", ":")).encode("ascii")
    if len(body) > MAX_FRAME:
        raise BadFrame(f"a frame of {len(body)} bytes; {MAX_FRAME} at most")
    return HEADER.pack(len(body)) + body


def body_length(header: bytes) -> int:
    """The length that a header announces.

    Raises:
        BadFrame: more than :data:`MAX_FRAME`.
    """
    length = int(HEADER.unpack(header)[0])
    if length > MAX_FRAME:
        raise BadFrame(f"a frame of {length} bytes; {MAX_FRAME} at most")
    return length


def decode(body: bytes) -> dict[str, Any]:
    """The message of a frame's body.

    Raises:
        BadFrame: no JSON object, or another version.
    """
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadFrame(f"no JSON: {error}") from None
    if not isinstance(message, dict) or message.pop("v", None) != VERSION:
        raise BadFrame("another protocol version: controller and workers must run the same pytest-redefine")
    return message
