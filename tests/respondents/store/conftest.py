from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_redefine.respondents.store import Store, open_store
from tests.redis_server import RedisServer


@dataclass(frozen=True, slots=True)
class Backend:
    """One kind of store, and what a test does to it behind its back."""

    location: str
    """For ``--store``."""
    overwrite: Callable[[str, bytes], None]
    """Put these bytes where a key's reply is kept."""

    def open(self) -> Store:
        return open_store(self.location, Path("/"))


@pytest.fixture(params=["sqlite", "redis", "unix"])
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Backend:
    if request.param == "sqlite":
        path = tmp_path / "store.sqlite"

        def overwrite_row(key: str, value: bytes) -> None:
            with closing(sqlite3.connect(path)) as database, database:
                assert database.execute("UPDATE replies SET reply=? WHERE key=?", (value, key)).rowcount == 1

        return Backend(str(path), overwrite_row)
    server: RedisServer = request.getfixturevalue("empty_redis")

    def overwrite_value(key: str, value: Any) -> None:
        with server.client() as client:
            assert client.set(f"pytest-redefine:1:{key}", value, xx=True)

    return Backend(server.url if request.param == "redis" else server.unix_url, overwrite_value)
