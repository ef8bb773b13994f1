"""Reading records back, also from a file whose writer was killed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
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


def _parse(path: Path, lines: Iterable[bytes], *, first: int = 1) -> Iterable[Record]:
    for number, line in enumerate(lines, start=first):
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


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record stands in its file, in bytes: it can be read again without the rest."""

    offset: int
    length: int


def read_places(path: Path) -> Iterator[tuple[Place, Record]]:
    """Every record with its place, one at a time: 50,000 of them are a gigabyte in memory at once.

    Records of one case are handed out as often as they stand there; :func:`latest` says which counts.

    Raises:
        RecordsError: as :func:`read_records`.
    """
    try:
        with path.open("rb") as lines:
            offset = 0
            for number, line in enumerate(lines, start=1):
                place = Place(offset, len(line))
                offset += len(line)
                for record in _parse(path, [line], first=number):
                    yield place, record
    except OSError as error:
        raise RecordsError(f"{path}: {error}") from error


def read_at(path: Path, places: Iterable[Place]) -> Iterator[Record]:
    """The records at some places of a file, in the order given.

    Raises:
        RecordsError: the file has changed since, or cannot be read.
    """
    try:
        with path.open("rb") as file:
            for place in places:
                file.seek(place.offset)
                found = list(_parse(path, [file.read(place.length)]))
                if not found:
                    raise RecordsError(f"{path}: changed while it was read")
                yield found[0]
    except OSError as error:
        raise RecordsError(f"{path}: {error}") from error
