"""Cases as CSV, safe to open in a spreadsheet, and as Parquet."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import IO, Any, Final

from pytest_redefine.reporting.text import visible

CELL_LIMIT: Final = 32_000
"""Characters; spreadsheets take 32,767 in a cell."""

TEXTS: Final = ("run", "model", "task", "quantity", "redefinition", "question", "format", "prompting", "case_id",
                "status", "outcome", "detail", "extracted", "expected", "default", "unit", "rule", "grader",
                "finish_reason", "model_version", "asked_at", "reply", "reasoning")  # fmt: skip
WHOLE: Final = ("sample", "rotation", "prompt_tokens", "completion_tokens")
NUMBERS: Final = ("relative_error", "cost_usd", "latency_s")
FLAGS: Final = ("contested", "indistinct", "simulated", "from_store")

_FORMULA: Final = re.compile(r"[\s\x00-\x20]*[=+\-@\t\r|%]")
_NUMBER: Final = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")


class NoParquet(Exception):
    """pyarrow is not installed; one line that says what to type."""


def flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """One record as a line of a table; no lone surrogate is left in it."""
    usage = record.get("usage") or {}
    error = record.get("error") or {}
    out: dict[str, Any] = {}
    for name in TEXTS:
        value = record.get(name)
        out[name] = None if value is None else str(value).encode("utf-8", "backslashreplace").decode()
    out["detail"] = out["detail"] or (str(error.get("kind")) if error else None)
    for name in WHOLE:
        value = usage.get(name, record.get(name))
        out[name] = int(value) if isinstance(value, int | float) else None
    for name in NUMBERS:
        value = record.get(name)
        out[name] = float(value) if isinstance(value, int | float) else None
    for name in FLAGS:
        out[name] = bool(record.get(name))
    return out


def cell(value: Any) -> str:
    """A cell that no spreadsheet takes for a formula, without control characters, bounded.

    What begins like a formula gets an apostrophe before it, as spreadsheets themselves write it; plain numbers do not.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = visible(str(value), CELL_LIMIT)
    return text if _NUMBER.fullmatch(text) or not _FORMULA.match(text) else f"'{text}"


def write_csv(file: IO[str], records: Iterable[Mapping[str, Any]]) -> int:
    """Write a line a case; returns how many. The file is opened with ``newline=""``."""
    columns = (*TEXTS, *WHOLE, *NUMBERS, *FLAGS)
    writer = csv.writer(file)
    writer.writerow(columns)
    count = 0
    for record in records:
        line = flat(record)
        writer.writerow([cell(line[name]) for name in columns])
        count += 1
    return count


def write_parquet(path: Path, records: Iterable[Mapping[str, Any]]) -> int:
    """Write a row a case, 5,000 at a time; returns how many. Texts are as they came but for lone surrogates.

    Raises:
        NoParquet: pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise NoParquet("Parquet needs pyarrow: pip install 'pytest-redefine[analysis]', or write .csv") from None
    schema = pa.schema([
        *((name, pa.string()) for name in TEXTS),
        *((name, pa.int64()) for name in WHOLE),
        *((name, pa.float64()) for name in NUMBERS),
        *((name, pa.bool_()) for name in FLAGS),
    ])  # fmt: skip
    count = 0
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for part in _parts(map(flat, records), 5_000):
            writer.write_table(pa.Table.from_pylist(part, schema=schema))
            count += len(part)
    return count


def _parts(items: Iterable[dict[str, Any]], size: int) -> Iterator[list[dict[str, Any]]]:
    source = iter(items)
    while part := list(islice(source, size)):
        yield part
