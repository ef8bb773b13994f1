"""The default store: one SQLite file, written by the gateway alone, safe to share between runs."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sqlite3
import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from pytest_redefine.respondents.exchange import Reply, Request, prompt_digest, stored_request
from pytest_redefine.respondents.store.base import SIMILAR_LIMIT, StoreError

_APPLICATION_ID: Final = 0x72656465  # "rede": tells our file from any other SQLite database
_SCHEMA: Final = 2
_BUSY_S: Final = 30.0  # how long another run's write is waited for; it takes milliseconds
_CHUNK: Final = 500  # keys a SELECT; SQLite's oldest limit on parameters is 999

_PUT: Final = (
    "INSERT INTO replies (key, prompt, request, reply, stored_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (key)"
    " DO UPDATE SET request=excluded.request, reply=excluded.reply, stored_at=excluded.stored_at"
)


class SqliteStore:
    """Replies in one file.

    Every put is a transaction of its own in WAL mode: a killed process loses nothing (only a machine that loses
    power may lose the last few), and two runs may write the same file at once.
    """

    def __init__(self, path: Path) -> None:
        """Open or create the file.

        Raises:
            StoreError: it cannot be written, is no store, or was written by a newer version.
        """
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # The gateway's thread uses it; it may be opened and closed on another, never at the same time.
            self._db = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                raise
        except (OSError, sqlite3.Error) as error:
            raise StoreError(
                f"--store={path}: {error}; give another file with --store=PATH, or move this one away"
            ) from error

    def _prepare(self) -> None:
        # One transaction, so that a run that is just creating the file is seen before or after, not in between.
        self._db.execute("BEGIN")
        tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        application = self._db.execute("PRAGMA application_id").fetchone()[0]
        schema = self._db.execute("PRAGMA user_version").fetchone()[0]
        self._db.execute("COMMIT")
        if tables and application != _APPLICATION_ID:
            raise StoreError(f"--store={self.path}: this SQLite file belongs to something else; give another file")
        if schema > _SCHEMA:
            raise StoreError(
                f"--store={self.path}: written by a newer pytest-redefine (schema {schema}, this one reads {_SCHEMA}); "
                "upgrade, or give another file"
            )
        if not tables:
            self._db.execute("BEGIN IMMEDIATE")
            self._create()
            self._db.execute("COMMIT")
        elif schema < _SCHEMA:
            self._upgrade()
        self._use_wal()
        self._db.execute("PRAGMA synchronous=NORMAL")
        # A read-only file opens without complaint: find out now, not after the first paid reply.
        self._db.execute("BEGIN IMMEDIATE")
        self._db.execute("UPDATE replies SET key=key WHERE key=''")
        self._db.execute("COMMIT")

    def _create(self) -> None:
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, prompt TEXT NOT NULL, request TEXT NOT NULL,"
            " reply TEXT NOT NULL, stored_at TEXT NOT NULL) WITHOUT ROWID"
        )
        self._db.execute("CREATE INDEX IF NOT EXISTS replies_prompt ON replies (prompt)")
        self._db.execute(f"PRAGMA application_id={_APPLICATION_ID}")
        self._db.execute(f"PRAGMA user_version={_SCHEMA}")

    def _upgrade(self) -> None:
        """Take schema 1's replies over: it had no digest of the prompt, and took 0.0 and 0 for two requests.

        Only a local model's keys cannot be made anew, since its fingerprints were not kept: it is asked again, for
        nothing.
        """
        self._db.execute("BEGIN IMMEDIATE")
        if self._db.execute("PRAGMA user_version").fetchone()[0] < _SCHEMA:  # not another run meanwhile
            self._db.execute("ALTER TABLE replies RENAME TO replies_1")
            self._create()
            for key, request, reply, stored_at in self._db.execute(
                "SELECT key, request, reply, stored_at FROM replies_1 ORDER BY stored_at"
            ):
                try:
                    known = Request(**json.loads(request))
                    canonical = stored_request(known, {})
                    if not known.model.startswith("local/"):
                        key = known.key({})
                except (ValueError, KeyError, TypeError, AttributeError):
                    continue  # it could not be read before either
                self._db.execute(_PUT, (key, prompt_digest(canonical), json.dumps(canonical), reply, stored_at))
            self._db.execute("DROP TABLE replies_1")
        self._db.execute("COMMIT")

    def _use_wal(self) -> None:
        """Switch the journal over; SQLite's own time-out does not hold where another run is about to do the same."""
        until = time.monotonic() + _BUSY_S
        while True:
            try:
                self._db.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                    raise
                time.sleep(0.01)

    async def get_many(self, keys: Iterable[str]) -> dict[str, Reply]:
        """The stored replies among ``keys``; a row that cannot be read is as good as absent."""
        wanted = list(keys)
        found: dict[str, Reply] = {}
        try:
            for start in range(0, len(wanted), _CHUNK):
                chunk = wanted[start : start + _CHUNK]
                marks = ",".join("?" * len(chunk))
                # As bytes: text that is no UTF-8 would end the SELECT, not just its row.
                query = f"SELECT key, CAST(reply AS BLOB) FROM replies WHERE key IN ({marks})"  # noqa: S608 - only question marks are put in
                rows = self._db.execute(query, chunk)
                for key, text in rows:
                    try:
                        reply = Reply.from_json(json.loads(text))
                    except (ValueError, KeyError, TypeError, RecursionError):
                        continue
                    found[key] = dataclasses.replace(reply, from_store=True)
        except sqlite3.Error as error:
            raise StoreError(f"--store={self.path}: {error}; move the file away or give another") from error
        return found

    async def put(self, key: str, request: Mapping[str, Any], reply: Reply) -> None:
        """Insert the reply, or replace the one that --refresh asked again."""
        try:
            self._db.execute(
                _PUT,
                (
                    key,
                    prompt_digest(request),
                    json.dumps(request, sort_keys=True),
                    json.dumps(reply.to_json()),
                    datetime.now(UTC).isoformat(timespec="seconds"),
                ),
            )
        except sqlite3.Error as error:
            raise StoreError(
                f"--store={self.path}: a reply could not be written: {error}; free some space or give another file"
            ) from error

    async def similar(self, prompt: str) -> list[dict[str, Any]]:
        """Requests of the same messages; those that cannot be read are passed over."""
        found: list[dict[str, Any]] = []
        try:
            rows = self._db.execute("SELECT request FROM replies WHERE prompt=? LIMIT ?", (prompt, SIMILAR_LIMIT))
            for (text,) in rows:
                with contextlib.suppress(ValueError):
                    found.append(dict(json.loads(text)))
        except sqlite3.Error as error:
            raise StoreError(f"--store={self.path}: {error}; move the file away or give another") from error
        return found

    async def close(self) -> None:
        """Close the file."""
        self._db.close()
