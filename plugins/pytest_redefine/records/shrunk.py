"""Worked examples of ``--shrink``: drawn cases beside the simplest ones that ended alike, a line each.

An example, one JSON object::

    schema, run, model, simulated, case_id, nodeid, task, quantity, format, prompting, sample, rotation
    outcome    that both ended in
    drawn      the case that was drawn: draw, redefinition, question (as asked), options, expected, default, unit,
               answer (as it was read), reply (its end, where it is long), key (of the reply in the store)
    simplest   the same of the simplest case
    requests   how many questions it took, those answered by the store among them
    reason     why there may be a simpler one; empty where nothing simpler is left
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pytest_redefine.grading.outcome import CATEGORIES
from pytest_redefine.records.run_folder import RunFolderError

SCHEMA: Final = 1
"""Of an example; raised when a field changes its meaning."""

SHRUNK_FILE: Final = "shrunk.jsonl"

REPLY_LIMIT: Final = 2_000
"""Characters of a reply that an example keeps: its end, where the answer stands."""

Example = dict[str, Any]

_TEXTS: Final = ("redefinition", "question", "expected", "unit", "reply")


def append_example(folder: Path, example: Mapping[str, Any]) -> None:
    """Write one example at once: a kill loses none.

    Raises:
        RunFolderError: it cannot be written.
    """
    path = folder / SHRUNK_FILE
    try:
        with path.open("a", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(json.dumps(example, ensure_ascii=False, separators=(",", ":")) + "\n")
    except OSError as error:
        raise RunFolderError(f"{path}: {error}; make room and run the same command again") from error


def read_examples(folder: Path) -> list[Example]:
    """The last example of each case and model; what is torn, of another version or no example is passed over."""
    found: dict[tuple[str, str], Example] = {}
    try:
        lines = (folder / SHRUNK_FILE).read_bytes().splitlines()
    except OSError:
        return []
    for line in lines:
        try:
            example = json.loads(line, parse_constant=_no_number)
        except (ValueError, RecursionError):
            continue
        if _is_example(example):
            found[str(example["case_id"]), str(example["model"])] = example
    return list(found.values())


def _no_number(text: str) -> float:
    """Refuse NaN and infinities, which no JSON of ours has and none that is written from it may have."""
    raise ValueError(text)


def _is_example(data: Any) -> bool:
    return (
        isinstance(data, dict)
        and data.get("schema") == SCHEMA
        and all(isinstance(data.get(name), str) for name in ("case_id", "model", "reason"))
        and data.get("outcome") in CATEGORIES
        and isinstance(data.get("requests"), int)
        and all(_is_side(data.get(name)) for name in ("drawn", "simplest"))
    )


def _is_side(data: Any) -> bool:
    return isinstance(data, dict) and all(isinstance(data.get(name), str) for name in _TEXTS)
