"""The cases of a page: a compact index that is always there, and their details in compressed blocks while they fit.

The page's script inflates a block when one of its cases is opened. Details that do not fit stay in records.jsonl, of
which the index then holds the places, so that the reader can pick the file and the page reads single records from it.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from pytest_redefine.analysis.rows import Row
from pytest_redefine.records.reading import read_at
from pytest_redefine.reporting.loading import LoadedRun
from pytest_redefine.reporting.text import SHOWN_LIMIT, one_line, visible

BLOCK: Final = 200
"""Cases a block: few enough to inflate at once, enough to compress well."""

BUDGET: Final = 20_000_000
"""Bytes of details in a page: with index, tables and pictures of 50,000 cases it stays under 30 MB."""

_AXES: Final = ("model", "task", "quantity", "redefinition", "question", "format", "prompting", "outcome", "detail",
                "extracted", "expected", "default")  # fmt: skip
"""What the list shows; each is written as numbers into a list of its values."""

_VERDICT: Final = ("detail", "extracted", "rule", "relative_error", "expected", "default", "unit", "finish_reason",
                   "grader", "model_version", "asked_at")  # fmt: skip


@dataclass(slots=True)
class CaseData:
    """What the page's script reads."""

    index: dict[str, Any]
    blocks: list[str]
    """Base64 of a zlib stream of JSON; block b holds cases b * BLOCK and following."""
    prompts: list[str]
    """Likewise: prompts that many cases share, :data:`BLOCK` a block."""
    embedded: int
    """Cases whose details are in the page: the first ones."""


def case_data(runs: Sequence[LoadedRun], *, budget: int = BUDGET) -> CaseData:
    """Read the records once more, one at a time, and pack what is shown of them.

    Raises:
        RecordsError: a file has changed or gone.
    """
    index = _Index()
    prompts: dict[str, int] = {}
    blocks: list[str] = []
    embedded = 0
    room = budget
    details: list[dict[str, Any]] = []

    def pack() -> None:
        nonlocal room, embedded
        if not details:
            return
        block = _packed(details)
        room -= len(block)
        if room >= 0:
            blocks.append(block)
            embedded += len(details)
        details.clear()

    for number, run in enumerate(runs):
        records = read_at(run.path, run.places)
        for row, place, record in zip(run.rows.rows, run.places, records, strict=True):
            index.add(row, record, number, (place.offset, place.length))
            if room > 0:
                details.append(_detail(record, prompts))
            if len(details) == BLOCK:
                pack()
    pack()
    shared = list(prompts)
    packed_prompts = [_packed(list(part)) for part in _parts(shared, BLOCK)] if embedded else []
    total = sum(len(run.places) for run in runs)
    found = index.to_json(places=embedded < total)
    found |= {"block": BLOCK, "embedded": embedded, "runs": [run.rows.name for run in runs]}
    return CaseData(found, blocks, packed_prompts, embedded)


def _parts(items: Sequence[Any], size: int) -> Iterator[Iterable[Any]]:
    source = iter(items)
    while part := list(islice(source, size)):
        yield part


def _packed(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 6)).decode("ascii")


class _Index:
    """Columns of small numbers: 50,000 cases take 3 MB where rows of words take 20."""

    def __init__(self) -> None:
        self._values: dict[str, dict[str, int]] = {axis: {} for axis in _AXES}
        self._columns: dict[str, list[int]] = {axis: [] for axis in _AXES}
        self._sample: list[int] = []
        self._rotation: list[int] = []
        self._marks: list[int] = []
        self._run: list[int] = []
        self._places: list[tuple[int, int]] = []

    def add(self, row: Row, record: Mapping[str, Any], run: int, place: tuple[int, int]) -> None:
        values = {
            "outcome": row.outcome or row.status,
            "detail": row.detail or row.error_kind,
            "extracted": _cell(record.get("extracted")),
            "expected": _cell(record.get("expected")),
            "default": _cell(record.get("default")),
        }
        for axis in _AXES:
            value = values[axis] if axis in values else one_line(str(getattr(row, axis)), 80)
            known = self._values[axis]
            self._columns[axis].append(known.setdefault(value, len(known)))
        self._sample.append(row.sample)
        self._rotation.append(row.rotation)
        self._marks.append(row.contested + 2 * row.indistinct)
        self._run.append(run)
        self._places.append(place)

    def to_json(self, *, places: bool) -> dict[str, Any]:
        return {
            "values": {axis: list(known) for axis, known in self._values.items()},
            "columns": self._columns,
            # A column of zeros throughout says nothing.
            "sample": self._sample if any(self._sample) else [],
            "rotation": self._rotation if any(self._rotation) else [],
            "marks": self._marks,
            "run": self._run if any(self._run) else [],
            "places": [list(place) for place in self._places] if places else [],
        }


def _cell(value: Any) -> str:
    return "" if value is None else one_line(str(value), 40)


def _detail(record: Mapping[str, Any], prompts: dict[str, int]) -> dict[str, Any]:
    """What opens below a case; all of it spelt out, bounded text."""
    out: dict[str, Any] = {"id": one_line(str(record.get("nodeid") or record["case_id"]), 300)}
    turns = record.get("turns") or []
    if turns:
        out["turns"] = [part for turn in turns for part in _turn(turn)]
    else:
        asked = [
            [one_line(str(message.get("role")), 20), visible(str(message.get("content")))]
            for message in record.get("messages") or []
        ]
        out["asked"] = [[role, prompts.setdefault(text, len(prompts))] for role, text in asked]
    if record.get("reasoning"):
        out["reasoning"] = visible(str(record["reasoning"]))
    error = record.get("error")
    if error:
        out["error"] = visible(f"{error.get('kind')}: {error.get('message')}")
    elif record.get("reply") is not None:
        out["reply"] = marked(str(record["reply"]), record.get("span"))
    said = {name: record.get(name) for name in _VERDICT}
    if str(said["model_version"]).startswith("/"):  # a local engine's file: where it lies is nobody else's business
        said["model_version"] = str(said["model_version"]).rsplit("/", 1)[-1]
    out["verdict"] = [[name, one_line(str(value), 200)] for name, value in said.items() if value not in (None, "")]
    if record.get("options"):
        out["options"] = [[one_line(str(k), 8), one_line(str(v), 40)] for k, v in record["options"].items()]
    usage = record.get("usage") or {}
    spent = [f"{name.removesuffix('_tokens')} {count}" for name, count in usage.items() if isinstance(count, int)]
    out["cost"] = one_line(
        ", ".join([
            *(["tokens: " + ", ".join(spent)] if spent else []),
            *([f"${record['cost_usd']:.6f}"] if isinstance(record.get("cost_usd"), int | float) else []),
            "from the store" if record.get("from_store") else f"{record.get('latency_s')} s",
        ]),
        200,
    )  # fmt: skip
    return out


def _turn(turn: Mapping[str, Any]) -> list[list[str]]:
    messages = turn.get("messages") or []
    reply = turn.get("reply") or {}
    last = messages[-1:] if isinstance(messages, Sequence) else []
    asked = [["asked", visible(str(message.get("content")))] for message in last]
    return [*asked, ["said", visible(str(reply.get("text") or ""))]]


def marked(reply: str, span: Any, limit: int = SHOWN_LIMIT) -> list[str]:
    """A reply in three: before the extracted span, the span, after it; the span is always among what is shown.

    Spelling out what is invisible moves characters, so the cut comes first.
    """
    try:
        start, end = (min(max(int(at), 0), len(reply)) for at in span)
    except (TypeError, ValueError):
        return [visible(reply, limit), "", ""]
    left, right = max(0, start - limit // 2), end + limit // 2
    before = ("[... more in records.jsonl]\n" if left else "") + visible(reply[left:start], limit)
    return [before, visible(reply[start:end], limit), visible(reply[end:right], limit)
            + ("\n[... more in records.jsonl]" if right < len(reply) else "")]  # fmt: skip
