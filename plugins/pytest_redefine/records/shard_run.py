"""The run of one shard, and whether another belongs to it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

_NAMED: Final = 3


class MergeError(Exception):
    """Runs that are no shards of one whole; one line that says what differs, and where."""


@dataclass(frozen=True, slots=True)
class ShardRun:
    """The run of one shard."""

    path: Path
    """Of its records."""
    facts: Mapping[str, Any]
    """Its run.json."""

    @classmethod
    def read(cls, path: Path) -> ShardRun:
        """Read run.json beside some records.

        Raises:
            MergeError: there is none, or it tells of no shard.
        """
        beside = path.with_name("run.json")
        try:
            facts = json.loads(beside.read_bytes())
            shard = facts.get("shard")
            if shard is None:
                raise MergeError(f"{path.parent} is no shard: it was run without --shard=I/N")
            numbers = [shard["number"], shard["of"], shard["cases"], *(part["cases"] for part in shard["shards"])]
            if not all(isinstance(number, int) for number in numbers) or len(shard["shards"]) != shard["of"]:
                raise ValueError("its shard is spoilt")
            if not isinstance(facts["parameters"]["models"], dict):
                raise ValueError("its models are spoilt")
            for name in ("started_at", "finished_at"):
                datetime.fromisoformat(facts.get(name, facts["started_at"]))
        except OSError as error:
            raise MergeError(f"{beside}: {error.strerror or error}; merge needs it beside the records") from None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise MergeError(f"{beside}: no run of a shard ({error})") from None
        return cls(path, facts)

    @property
    def shard(self) -> Mapping[str, Any]:
        """Which part of what whole; see :meth:`pytest_redefine.cases.sharding.Split.facts`."""
        return dict(self.facts["shard"])

    @property
    def number(self) -> int:
        """Counted from 1."""
        return int(self.shard["number"])

    @property
    def expected(self) -> int:
        """Cases of this shard."""
        return int(self.shard["shards"][self.number - 1]["cases"])

    def __str__(self) -> str:
        """As messages name it."""
        return f"shard {self.number}/{self.shard['of']} ({self.path.parent})"


def check_same(one: ShardRun, other: ShardRun) -> None:
    """See that two shards were asked in the same way, and are of one split.

    Raises:
        MergeError: they are not; says what differs.
    """
    if one.shard["of"] != other.shard["of"]:
        raise MergeError(f"{one} and {other} are not of one split")
    differing = _differences(_agreeing(one.facts), _agreeing(other.facts))
    if differing:
        raise MergeError(f"{other} was asked otherwise than {one}: {'; '.join(differing[:_NAMED])}")
    if one.shard["sha256"] != other.shard["sha256"]:
        counts = f"{one.shard['cases']} and {other.shard['cases']} cases"
        raise MergeError(
            f"{one} and {other} split different cases ({counts}): give every shard the same -k, -m and paths"
        )


def _agreeing(facts: Mapping[str, Any]) -> dict[str, Any]:
    """What must be the same in all shards: all that can change an answer or its grade."""
    return {
        "schema": facts.get("schema"),
        **parameters(facts),
        **{f"version of {name}": facts.get("versions", {}).get(name) for name in ("pytest-redefine", "grading")},
        "data files": facts["shard"].get("data_sha256"),
    }


def parameters(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the whole: as run.json has them, but for which shard it was."""
    return {name: value for name, value in facts["parameters"].items() if name != "shard"}


def _differences(one: Any, other: Any, name: str = "") -> list[str]:
    """What differs between two structures, the smallest differing part of each; ``name: before, here after``."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return [
            difference
            for key in {**one, **other}
            for difference in _differences(one.get(key), other.get(key), f"{name}.{key}" if name else str(key))
        ]
    return [] if one == other else [f"{name}: {_short(one)}, here {_short(other)}"]


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True)
    if re.fullmatch(r'"[0-9a-f]{64}"', text):
        return f"{text[1:9]}…"  # a digest: all of it tells no more
    return text if len(text) <= 80 else f"{text[:79]}…"
