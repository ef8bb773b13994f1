"""Runs of shards on disk, as ``pytest evals --shard=I/N`` leaves them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pytest_redefine.cases.sharding import Shard, ShardedCase, split
from pytest_redefine.records.record import Record

PARAMETERS = {"models": {"v/m": {"temperature": 0.0}}, "formats": ["ff"], "samples": 1}

Change = Callable[[dict[str, Any]], None]


def write_shards(folder: Path, records: Sequence[Record], of: int, **changes: Change) -> list[Path]:
    """Split records and write each shard's run; returns the folders.

    Args:
        folder: where they go, as ``s1``, ``s2`` ...
        records: those of the whole.
        of: how many shards.
        changes: by a shard's name, what to change in its run.json.
    """
    cases = [
        ShardedCase(record["case_id"], record["model"], (record["prompting"], record["format"])) for record in records
    ]
    dealt = split(cases, of)
    folders = []
    for number, part in enumerate(dealt.parts, start=1):
        mine = [records[at] for at in part]
        folders.append(folder / f"s{number}")
        folders[-1].mkdir(parents=True)
        text = "".join(json.dumps({**record, "run": f"s{number}"}) + "\n" for record in mine)
        (folders[-1] / "records.jsonl").write_text(text)
        run = {
            "schema": 1,
            "run": f"s{number}",
            "state": "finished",
            "started_at": f"2026-07-01T10:00:{number:02}+00:00",
            "parameters": {**PARAMETERS, "shard": f"{number}/{of}"},
            "models": {},
            "versions": {"pytest-redefine": "0.1.0", "python": f"3.{10 + number}.1"},
            "case_set": {"cases": len(mine), "sha256": "-", "deselected": 7},
            "shard": dealt.facts(Shard(number, of)),
            "finished_at": f"2026-07-01T10:01:{number:02}+00:00",
            "wall_s": 60.0,
            "exit_status": 0,
            "announced": len(mine),
            "complete": True,
            "requests": {"asked": len(mine), "from_store": 0, "sent_again": 1},
            "spent": {"usd": 0.1, "tokens": 10},
        }
        if f"s{number}" in changes:
            changes[f"s{number}"](run)
        (folders[-1] / "run.json").write_text(json.dumps(run))
    return folders
