"""The one interface behind which stores differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol
from urllib.parse import urlsplit

from pytest_redefine.respondents.exchange import Reply


class StoreError(Exception):
    """The store cannot be used; the message is one line: what is wrong, where, and what to type."""


SIMILAR_LIMIT = 50
"""Stored requests that are looked at to explain why one is not among them."""


class Store(Protocol):
    """Replies by request key. Only the gateway's loop calls it, so no implementation needs a lock of its own."""

    async def get_many(self, keys: Iterable[str]) -> dict[str, Reply]:
        """The stored replies among ``keys``, marked ``from_store``; what cannot be read as a reply is left out.

        Raises:
            StoreError: the store cannot be read.
        """
        ...

    async def put(self, key: str, request: Mapping[str, Any], reply: Reply) -> None:
        """Keep one reply; it survives a kill of this process once the call has returned.

        Raises:
            StoreError: it could not be written (disk full, file gone).
        """
        ...

    async def similar(self, prompt: str) -> list[dict[str, Any]]:
        """Up to :data:`SIMILAR_LIMIT` stored requests whose messages have the digest ``prompt``."""
        ...

    async def close(self) -> None:
        """Release the file or connection."""
        ...


def shown_location(location: str) -> str:
    """``--store`` as it may be shown: a URL without user, password and query, which may hold a password too."""
    if "://" not in location:
        return location
    try:
        parts = urlsplit(location)
    except ValueError:
        return f"{location.partition('://')[0]}://***"
    address = parts.netloc.rpartition("@")[2]
    hidden = "***@" if "@" in parts.netloc else ""
    return f"{parts.scheme}://{hidden}{address}{parts.path}"
