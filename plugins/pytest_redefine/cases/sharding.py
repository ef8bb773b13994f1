"""A selection of cases, dealt out to several runs that know nothing of each other."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from .data import fixtures_folder

MOST: Final = 500
"""Shards: each run writes a line of every other one down, and who joins them has all their files open at once."""

_DATA: Final = ("constants.toml", "units.toml", "prompts.toml", "examples.toml", "fresh.toml", "judge.toml")
"""Data files that say what an id asks, and how."""

_FIRST: Final = 3
"""Cases that are named of a shard, should it go missing."""


class BadShard(ValueError):
    """No ``I/N``; says what to write."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One of several, counted from 1."""

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """``2/4``.

        Raises:
            BadShard: it is none.
        """
        found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
        if found is None:
            raise BadShard("write I/N, e.g. 1/4 for the first of four")
        number, of = int(found[1]), int(found[2])
        if not 1 <= of <= MOST:
            raise BadShard(f"1 to {MOST} shards, e.g. 1/4 for the first of four")
        if not 1 <= number <= of:
            raise BadShard(f"of {of} shards the first is 1/{of} and the last {of}/{of}")
        return cls(number, of)

    def __str__(self) -> str:
        """As it is typed."""
        return f"{self.number}/{self.of}"


@dataclass(frozen=True, slots=True)
class ShardedCase:
    """What is known of a case, as it is asked of one model, before anything is asked."""

    case_id: str
    model: str
    costs: tuple[str, ...]
    """Whatever its price and its time hang on, the weightiest first: prompting, format ..."""


@dataclass(frozen=True, slots=True)
class Split:
    """How a selection is dealt out."""

    parts: tuple[tuple[int, ...], ...]
    """Of each shard the places in the selection, in the selection's order."""
    cases: tuple[ShardedCase, ...]

    def facts(self, shard: Shard) -> dict[str, Any]:
        """What a shard's run writes down, so that those who join it to the others know the whole.

        Two runs split the same cases if and only if ``sha256`` is the same, and those ids ask the same if
        ``data_sha256`` is, too. ``shards`` has each shard's number of cases and the first of them.
        """
        return {
            "number": shard.number,
            "of": shard.of,
            "cases": len(self.cases),
            "sha256": selection_digest((case.case_id, case.model) for case in self.cases),
            "data_sha256": _data_digest(),
            "shards": [
                {"cases": len(part), "first": [_name(self.cases[at]) for at in part[:_FIRST]]} for part in self.parts
            ],
        }


def split(cases: Sequence[ShardedCase], of: int) -> Split:
    """Deal cases out: the same in every process and on every machine, in whatever order the cases come.

    What a case costs is unknown before it is asked, but cases of one model, prompting and format cost much the same. So
    they are dealt out one by one, sorted by what their cost hangs on: of whatever stands together in that order each
    shard gets an equal number, give or take one. Within it the order is that of a hash, as any other would let a
    shard consist of one level of every quantity.
    """
    order = sorted(range(len(cases)), key=lambda at: (cases[at].model, cases[at].costs, _hash(cases[at])))
    parts: list[list[int]] = [[] for _ in range(of)]
    for place, at in enumerate(order):
        parts[place % of].append(at)
    return Split(tuple(tuple(sorted(part)) for part in parts), tuple(cases))


def selection_digest(cases: Iterable[tuple[str, str]]) -> str:
    """One for all that is asked, by case and model, in whatever order they come."""
    return hashlib.sha256("\n".join(sorted(map(" ".join, cases))).encode("utf-8", "surrogatepass")).hexdigest()


def _data_digest() -> str:
    digest = hashlib.sha256()
    for name in _DATA:
        digest.update((fixtures_folder() / name).read_bytes())
    return digest.hexdigest()


def _name(case: ShardedCase) -> str:
    return f"{case.case_id} {case.model}"


def _hash(case: ShardedCase) -> bytes:
    return hashlib.sha256(_name(case).encode("utf-8", "surrogatepass")).digest()
