"""Dealing a selection out: a partition, even in all that costs, and the same wherever it is computed."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.sharding import MOST, BadShard, Shard, ShardedCase, selection_digest, split

COSTS = list(product(("a/x", "b/y"), ("zs", "cot"), ("ff", "mc"), ("q1", "q2")))


def named(number: int, kind: int) -> ShardedCase:
    model, *costs = COSTS[kind]
    return ShardedCase(f"case-{number}", model, tuple(costs))


selections = st.lists(st.integers(0, len(COSTS) - 1), max_size=60).map(
    lambda kinds: [named(number, kind) for number, kind in enumerate(kinds)]
)


def ids(cases: Sequence[ShardedCase], part: Sequence[int]) -> list[str]:
    return [cases[at].case_id for at in part]


@given(selections, st.integers(1, 9))
def test_every_case_is_in_one_shard_and_keeps_its_place(cases: list[ShardedCase], of: int) -> None:
    parts = split(cases, of).parts
    assert len(parts) == of
    assert sorted(at for part in parts for at in part) == list(range(len(cases)))
    assert all(list(part) == sorted(part) for part in parts)


@given(selections, st.integers(1, 9))
def test_each_shard_gets_its_share_of_whatever_costs_alike(cases: list[ShardedCase], of: int) -> None:
    parts = split(cases, of).parts
    axes = [(case.model, *case.costs) for case in cases]
    for depth in range(len(COSTS[0]) + 1):
        counts = [Counter(axes[at][:depth] for at in part) for part in parts]
        for stratum in {axis[:depth] for axis in axes}:
            of_shards = [count[stratum] for count in counts]
            assert max(of_shards) - min(of_shards) <= 1


@given(selections, st.integers(1, 9), st.randoms())
def test_the_order_of_collection_is_of_no_account(cases: list[ShardedCase], of: int, random: Random) -> None:
    shuffled = list(cases)
    random.shuffle(shuffled)
    here, there = split(cases, of), split(shuffled, of)
    assert [set(ids(cases, part)) for part in here.parts] == [set(ids(shuffled, part)) for part in there.parts]
    shard = Shard(1, of)
    assert here.facts(shard)["sha256"] == there.facts(shard)["sha256"]


def test_other_processes_and_hash_seeds_split_alike() -> None:
    code = (
        "from pytest_redefine.cases.sharding import ShardedCase, split\n"
        "print(split([ShardedCase(f'case-{at}', 'm', ('zs',)) for at in range(10)], 3).parts)"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    # What another machine computed: a change here splits the shards of one CI run in two ways.
    assert told == {"((1, 2, 3, 5), (0, 7, 8), (4, 6, 9))\n"}


def test_no_shard_is_made_of_one_level() -> None:
    cases = [
        ShardedCase(case.case_id, "m", (case.prompting, case.format, case.task, case.question))
        for case in Catalogue.load().cases("constants")
    ]
    levels = [case_id.split("-")[2] for case_id in (case.case_id for case in cases)]
    for part in split(cases, 6).parts:
        counts = Counter(levels[at] for at in part)
        assert len(counts) == 6
        assert max(counts.values()) < len(part) / 2


def test_a_run_tells_of_the_whole() -> None:
    cases = [named(number, number % 2) for number in range(5)]
    facts = split(cases, 6).facts(Shard(2, 6))
    assert (facts["number"], facts["of"], facts["cases"]) == (2, 6, 5)
    assert [part["cases"] for part in facts["shards"]] == [1, 1, 1, 1, 1, 0]
    assert {name for part in facts["shards"] for name in part["first"]} == {f"{c.case_id} {c.model}" for c in cases}
    assert facts["sha256"] == selection_digest((case.case_id, case.model) for case in cases)
    assert facts["sha256"] != split(cases[:4], 6).facts(Shard(2, 6))["sha256"]


def test_i_of_n() -> None:
    assert Shard.parse("2/4") == Shard(2, 4)
    assert str(Shard.parse("1/1")) == "1/1"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("0/4", "the first is 1/4 and the last 4/4"),
        ("5/4", "the first is 1/4"),
        ("1/0", "1 to 500 shards"),
        (f"1/{MOST + 1}", "1 to 500 shards"),
        ("a/b", "write I/N"),
        ("2", "write I/N"),
        ("-1/4", "write I/N"),
        ("1/4/2", "write I/N"),
        ("", "write I/N"),
        ("²/4", "write I/N"),
        ("9" * 5000 + "/4", "write I/N"),
    ],
)
def test_anything_else_says_what_to_write(text: str, told: str) -> None:
    with pytest.raises(BadShard, match=told):
        Shard.parse(text)
