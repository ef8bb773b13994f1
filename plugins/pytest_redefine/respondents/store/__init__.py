"""Where replies are kept, so that the same command again asks only for what is missing."""

from __future__ import annotations

from pathlib import Path

from pytest_redefine.respondents.store.base import Store, StoreError, shown_location
from pytest_redefine.respondents.store.sqlite import SqliteStore

__all__ = ["SqliteStore", "Store", "StoreError", "open_store", "shown_location"]


_REDIS_SCHEMES = ("redis", "rediss", "unix")


def open_store(location: str, root: Path) -> Store:
    """Open the store that ``--store`` names: a file's path, relative to ``root``, or a Redis server's URL.

    Raises:
        StoreError: it cannot be opened or written; one line that says what to type. A server that cannot be reached
            is told by the first call instead.
    """
    scheme, is_url, _ = location.partition("://")
    if not is_url:
        return SqliteStore(root / Path(location).expanduser())
    if scheme not in _REDIS_SCHEMES:
        raise StoreError(
            f"--store={shown_location(location)}: no such kind of store; write the path of a file, "
            "redis://HOST:6379/0, rediss://HOST:6379/0 or unix:///PATH/OF/SOCKET"
        )
    from pytest_redefine.respondents.store.redis import RedisStore  # costs a tenth of a second that a file need not

    return RedisStore(location)
