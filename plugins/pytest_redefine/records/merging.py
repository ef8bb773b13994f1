"""Runs of shards → one run, which is read like one that was never split."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from pytest_redefine.cases.sharding import selection_digest
from pytest_redefine.records.case_set import case_set_digest
from pytest_redefine.records.reading import Place, read_at, read_places
from pytest_redefine.records.record import Record, cost_usd, is_settled, record_id
from pytest_redefine.records.regrading import write_records
from pytest_redefine.records.run_folder import RUN_SCHEMA
from pytest_redefine.records.shard_run import MergeError, ShardRun, check_same, parameters
from pytest_redefine.records.shrunk import Example, read_examples

_NAMED: Final = 3
_OVER_BUDGET: Final = 12
_MIXED: Final = (
    "one of them was continued with other cases; ask that shard again under another --run (replies are kept)"
)
_PER_SHARD: Final = (
    "run",
    "state",
    "started_at",
    "finished_at",
    "wall_s",
    "exit_status",
    "complete",
    "announced",
    "max_in_flight",
    "offline",
    "refresh",
    "requests",
    "spent",
    "cost_usd",
    "versions",
)


@dataclass(frozen=True, slots=True)
class _Entry:
    """What the merge keeps of one record."""

    place: Place
    answered: bool
    trouble: str
    """Why it counts as missing; empty where it does not."""
    cost_usd: float | None


class Merge:
    """Shards that belong together, and what stands where in them. Records are never held, only their places."""

    def __init__(self, shards: Sequence[ShardRun]) -> None:
        """Check that they belong together and look all records through.

        Raises:
            MergeError: they do not.
            RecordsError: records cannot be read.
        """
        self.shards = sorted(shards, key=lambda shard: shard.number)
        for shard in self.shards[1:]:
            check_same(self.shards[0], shard)
        for one, other in zip(self.shards, self.shards[1:], strict=False):
            if one.number == other.number:
                raise MergeError(f"{one} and {other} are the same shard; leave one of them out")
        self._entries: list[dict[tuple[str, str], _Entry]] = [_entries(shard) for shard in self.shards]
        self._check_disjoint()
        if all(len(found) == shard.expected for found, shard in zip(self._entries, self.shards, strict=True)):
            self._check_whole()

    @property
    def whole(self) -> Mapping[str, Any]:
        """What all of them say of the selection that was split."""
        return self.shards[0].shard

    @property
    def records(self) -> int:
        """How many cases have a record."""
        return sum(map(len, self._entries))

    @cached_property
    def missing(self) -> list[str]:
        """What keeps the whole from being complete; a line each."""
        given = {shard.number for shard in self.shards}
        told: list[str] = []
        for number, part in enumerate(self.whole["shards"], start=1):
            if number not in given and part["cases"]:
                told.append(f"shard {number}/{self.whole['of']} is missing: {_cases(part['cases'], part['first'])}")
        for shard, entries in zip(self.shards, self._entries, strict=True):
            if len(entries) < shard.expected:
                told.append(f"{shard} has records of {len(entries)} of its {shard.expected} cases: it was cut short")
            troubled = [(key, entry.trouble) for key, entry in entries.items() if entry.trouble]
            for trouble, count in Counter(trouble for _, trouble in troubled).most_common():
                first = [" ".join(key) for key, why in troubled if why == trouble]
                told.append(f"{shard}, {trouble}: {_cases(count, first)}")
            if shard.facts.get("complete") is False and len(entries) == shard.expected and not troubled:
                told.append(f"{shard} was not done, as with --shrink: the same command there goes on")
        return told

    @property
    def complete(self) -> bool:
        """Whether every case of the whole was answered and graded."""
        return not self.missing

    def write(self, path: Path, run: str) -> None:
        """Write all records into one file, by model and case, as records of ``run``.

        Raises:
            RecordsError: a shard's records have changed since.
            OSError: the file cannot be written.
        """
        write_records(path, ({**record, "run": run} for record in self._sorted()))

    def examples(self, run: str) -> list[Example]:
        """What --shrink found, as of ``run``."""
        return [{**example, "run": run} for shard in self.shards for example in read_examples(shard.path.parent)]

    def facts(self, run: str) -> dict[str, Any]:
        """run.json of the whole, without what is counted from the records (``counts``, ``judge``).

        Raises:
            RecordsError: a shard's records have changed since.
        """
        every = [shard.facts for shard in self.shards]
        first = every[0]
        costs = [entry.cost_usd for found in self._entries for entry in found.values() if entry.cost_usd is not None]
        started = min(str(facts["started_at"]) for facts in every)
        finished = max((str(facts["finished_at"]) for facts in every if "finished_at" in facts), default=None)
        statuses = {facts.get("exit_status") for facts in every}
        return {
            "schema": RUN_SCHEMA,
            "run": run,
            "state": "finished",
            "started_at": started,
            "parameters": parameters(first),
            "max_in_flight": max(facts.get("max_in_flight", 0) for facts in every),
            "offline": any(facts.get("offline") for facts in every),
            "refresh": any(facts.get("refresh") for facts in every),
            "simulated": first.get("simulated", []),
            "models": first.get("models", {}),
            "versions": _versions(every),
            "case_set": {
                **self._case_set(),
                "deselected": max(facts.get("case_set", {}).get("deselected", 0) for facts in every),
            },
            **({"draws": first["draws"]} if "draws" in first else {}),
            "finished_at": finished,
            "wall_s": _seconds(started, finished),
            "exit_status": _OVER_BUDGET if _OVER_BUDGET in statuses else 0 if self.complete else 1,
            "announced": self.whole["cases"],
            "complete": self.complete,
            "requests": _sum(every, "requests"),
            "spent": _sum(every, "spent"),
            "cost_usd": round(sum(costs), 6) if costs else None,
            "shards": [
                {"number": shard.number, **{name: shard.facts.get(name) for name in _PER_SHARD}}
                for shard in self.shards
            ],
        }

    def _sorted(self) -> Iterator[Record]:
        models = list(parameters(self.shards[0].facts)["models"])

        def rank(key: tuple[str, str]) -> tuple[int, str, str]:
            case_id, model = key
            return models.index(model) if model in models else len(models), model, case_id

        readers = [
            read_at(shard.path, [found[key].place for key in sorted(found, key=rank)])
            for shard, found in zip(self.shards, self._entries, strict=True)
        ]
        return heapq.merge(*readers, key=lambda record: rank(record_id(record)))

    def _case_set(self) -> dict[str, Any]:
        """As the whole run's: over the cases, whoever was asked."""
        where: dict[str, tuple[int, Place]] = {}
        for at, found in enumerate(self._entries):
            for (case_id, _), entry in found.items():
                where.setdefault(case_id, (at, entry.place))
        readers = []
        for at, shard in enumerate(self.shards):
            mine = sorted(case_id for case_id, (where_at, _) in where.items() if where_at == at)
            readers.append(read_at(shard.path, [where[case_id][1] for case_id in mine]))
        merged = heapq.merge(*readers, key=lambda record: str(record["case_id"]))
        return {"cases": len(where), "sha256": case_set_digest(merged)}

    def _check_disjoint(self) -> None:
        seen: dict[tuple[str, str], ShardRun] = {}
        for shard, found in zip(self.shards, self._entries, strict=True):
            for key in found:
                if key in seen:
                    raise MergeError(f"{' '.join(key)} stands in {seen[key]} and in {shard}: {_MIXED}")
                seen[key] = shard
            if len(found) > shard.expected:
                raise MergeError(
                    f"{shard} has records of {len(found)} cases, of which {shard.expected} are its: {_MIXED}"
                )

    def _check_whole(self) -> None:
        given = {shard.number for shard in self.shards}
        if any(part["cases"] for number, part in enumerate(self.whole["shards"], start=1) if number not in given):
            return
        if selection_digest(key for found in self._entries for key in found) != self.whole["sha256"]:
            names = ", ".join(str(shard.path.parent) for shard in self.shards)
            raise MergeError(f"the records in {names} are not of the cases that were split: {_MIXED}")


def _entries(shard: ShardRun) -> dict[tuple[str, str], _Entry]:
    found: dict[tuple[str, str], _Entry] = {}
    for place, record in read_places(shard.path):
        key = record_id(record)
        answered = record["status"] == "answered"
        known = found.get(key)
        if known is None or answered or not known.answered:  # as records.reading.latest
            found[key] = _Entry(place, answered, _trouble(record), cost_usd(record))
    return found


def _trouble(record: Record) -> str:
    if is_settled(record):
        return ""
    error = record["error"] or (record.get("judge") or {}).get("error") or {}
    return f"{record['status'] if record['status'] != 'answered' else 'not graded'} ({error.get('kind', 'unknown')})"


def _cases(count: int, first: Sequence[str]) -> str:
    more = ", ..." if count > min(len(first), _NAMED) else ""
    return f"{count} case{'s'[: count != 1]} ({', '.join(first[:_NAMED])}{more})"


def _versions(every: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    names = {name: None for facts in every for name in facts.get("versions", {})}
    return {name: ", ".join(sorted({str(facts["versions"].get(name, "-")) for facts in every})) for name in names}


def _sum(every: Sequence[Mapping[str, Any]], name: str) -> dict[str, float]:
    """Of a table of numbers in run.json; a shard that was cut short has none."""
    sums: Counter[str] = Counter()
    for facts in every:
        sums.update(facts.get(name) or {})
    return {key: round(value, 6) for key, value in sums.items()}


def _seconds(started: str, finished: str | None) -> float | None:
    """From the first shard's start to the last one's end."""
    if finished is None:
        return None
    return (datetime.fromisoformat(finished) - datetime.fromisoformat(started)).total_seconds()
