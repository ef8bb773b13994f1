"""Where replies are kept, so that the same command again asks only for what is missing."""

from __future__ import annotations

from pathlib import Path

from pytest_redefine.respondents.store.base import Store, StoreError
from pytest_redefine.respondents.store.sqlite import SqliteStore

__all__ = ["SqliteStore", "Store", "StoreError", "open_store"]


def open_store(location: str, root: Path) -> Store:
    """Open the store that ``--store`` names: a file's path, relative to ``root``.

    Raises:
        StoreError: it cannot be opened or written; one line that says what to type.
    """
    if "://" in location:
        raise StoreError(f"--store={location}: write the path of a file, e.g. --store=reports/store.sqlite")
    return SqliteStore(root / Path(location).expanduser())
