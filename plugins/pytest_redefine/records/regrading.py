"""The same run graded again from its records, without asking anything."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pytest_redefine.grading.grader import grade
from pytest_redefine.grading.lines import LineError, truth_of
from pytest_redefine.records.record import Record

_SHOWN: Final = ("outcome", "detail", "extracted", "rule")
_LEAD: Final = 60


class RegradeError(Exception):
    """A record that cannot be graded; one line that says which and why."""


@dataclass(frozen=True, slots=True)
class Change:
    """What one answer's record said before and says now."""

    case_id: str
    model: str
    reply: str
    before: dict[str, Any]
    after: dict[str, Any]
    """Both with ``outcome, detail, extracted, rule, span``."""

    @property
    def verdict(self) -> bool:
        """The outcome or its detail changed, not only how the answer was read."""
        return any(self.before[name] != self.after[name] for name in ("outcome", "detail"))

    def __str__(self) -> str:
        """Two lines: what changed, and the passage of the reply that is read now (before, where nothing is)."""
        span = self.after["span"] or self.before["span"] or [0, 0]
        start = max(0, span[0] - _LEAD)
        end = min(span[1], start + 2 * _LEAD) + _LEAD
        passage = ("…" if start else "") + self.reply[start:end].strip() + ("…" if end < len(self.reply) else "")
        return f"{self.case_id} {self.model}: {_said(self.before)} -> {_said(self.after)}\n    {printable(passage)}"


def regrade(records: Iterable[Record]) -> tuple[list[Record], list[Change]]:
    """The records graded again, and what changed in which.

    A record without an answer stays as it is. Where another grader decided (a judge), its outcome stays and only the
    numeric grade beside it changes.

    Raises:
        RegradeError: A record's truth is missing or spoilt.
    """
    graded: list[Record] = []
    changes: list[Change] = []
    for record in records:
        if record.get("status") != "answered":
            graded.append(record)
            continue
        after = _grade(record)
        before = {name: record.get(name) for name in after}
        decided = record.get("grader") in (None, "numeric")
        grades = {**(record.get("grades") or {}), "numeric": after["outcome"]}
        if decided:
            new = {**record, **after, "grader": "numeric", "grades": grades}
        else:
            new = {**record, "grades": grades}
            before = {**after, "outcome": (record.get("grades") or {}).get("numeric")}
        graded.append(new)
        if any(before[name] != after[name] for name in (*_SHOWN, "span")):
            reply = record.get("reply") or ""
            changes.append(Change(str(record["case_id"]), str(record["model"]), reply, before, after))
    return graded, changes


def replace_records(path: Path, records: Iterable[Record]) -> Path:
    """Put new records in the place of a file of records; the old file stays as ``records.<n>.jsonl``.

    At every moment there is a whole file at ``path``: the old one gets its second name first.

    Returns:
        Where the old records are now.

    Raises:
        OSError: The folder cannot be written.
    """
    number = 1
    while (kept := path.with_name(f"{path.stem}.{number}{path.suffix}")).exists():
        number += 1
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        write_records(draft, records)
        try:
            kept.hardlink_to(path)
        except OSError:  # a file system without hard links
            kept.write_bytes(path.read_bytes())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return kept


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Write records as JSON lines.

    Raises:
        OSError: The file cannot be written.
    """
    # A lone surrogate cannot be encoded; what backslashreplace makes of it is JSON's own escape for it.
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        for record in records:
            file.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")


def printable(text: str) -> str:
    """A passage on one line, with control characters and lone surrogates escaped: terminals obey model text."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def _grade(record: Record) -> dict[str, Any]:
    truth = record.get("truth")
    try:
        if not isinstance(truth, dict):
            raise LineError("has no 'truth'")
        outcome = grade(record.get("reply") or "", truth_of(truth), finish_reason=record.get("finish_reason") or "stop")
    except LineError as error:
        raise RegradeError(f"the record of {record['case_id']}: {error}") from None
    return outcome.to_json()


def _said(fields: dict[str, Any]) -> str:
    verdict = "/".join(str(fields[name]) for name in ("outcome", "detail") if fields[name])
    read = printable(str(fields["extracted"])) if fields["extracted"] is not None else "nothing"
    return f"{verdict} ({fields['rule'] or 'no rule'}: {read})"
