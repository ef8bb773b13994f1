"""Reading records back, also from a file whose writer was killed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pytest_redefine.records.record import SCHEMA, Record, record_id


class RecordsError(Exception):
    """A file of records that cannot be read; one line that says which, where and why."""


def read_records(path: Path) -> list[Record]:
    """The last record of each case and model, in the order in which they first came.

    A line that was torn by a kill (the last one, or one followed by a later continuation of the run) is passed
    over: its reply is in the store.

    Raises:
        RecordsError: the file cannot be read, or was written by a newer version.
    """
    try:
        with path.open("rb") as lines:  # as bytes: a line may be torn in the middle of a character
            return latest(_parse(path, lines))
    except OSError as error:
        raise RecordsError(f"{path}: {error}") from error


def latest(records: Iterable[Record]) -> list[Record]:
    """Of several records of one case, as a continued run leaves them, the last that was answered, else the last."""
    by_id: dict[tuple[str, str], Record] = {}
    for record in records:
        key = record_id(record)
        known = by_id.get(key)
        if known is None or record["status"] == "answered" or known["status"] != "answered":
            by_id[key] = record
    return list(by_id.values())


def _parse(path: Path, lines: Iterable[bytes]) -> Iterable[Record]:
    for number, line in enumerate(lines, start=1):
        try:
            record: Any = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(record, Mapping) or "case_id" not in record or "model" not in record:
            raise RecordsError(f"{path}:{number}: no record (it has no case_id and model)")
        schema = record.get("schema", 0)
        if not isinstance(schema, int):
            raise RecordsError(f"{path}:{number}: no record (its schema is {schema!r})")
        if schema > SCHEMA:
            raise RecordsError(
                f"{path}:{number}: written by a newer pytest-redefine (schema {schema}); upgrade to read it"
            )
        yield dict(record)
