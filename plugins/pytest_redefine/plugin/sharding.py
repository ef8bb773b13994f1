"""Which of the selected cases a session with --shard asks."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest

from pytest_redefine.cases.sharding import Shard, ShardedCase, split
from pytest_redefine.plugin.collection import AskedCase, asked_case, question_of

_ELSEWHERE: Final = re.compile(r"(?:^|[*/])(?:ssh|vagrant_ssh|socket)=")
"""What execnet calls a worker on another host."""


def check_workers(config: pytest.Config) -> None:
    """Refuse workers of pytest-xdist's on other hosts: the gateway's door is on this one, and so is all the asking.

    Raises:
        pytest.UsageError: One line that says what to do instead.
    """
    for spec in config.getoption("tx", None) or ():
        if _ELSEWHERE.search(spec):
            raise pytest.UsageError(
                f"--tx={spec}: workers on other hosts cannot reach the gateway; give each host a shard instead, "
                "--shard=I/N (docs/scale.md)"
            )


class Sharding:
    """Leaves out what belongs to other shards, after ``-k``, ``-m`` and whatever else selects."""

    def __init__(self, shard: Shard) -> None:
        """``shard``: this session's."""
        self._shard = shard
        self.facts: dict[str, Any] | None = None
        """What run.json holds of it, once the cases are collected."""
        self.others = 0
        """Cases of other shards."""

    def pytest_report_header(self) -> str:
        """Say so."""
        return f"redefine: asks shard {self._shard} of the selected cases"

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Split the selected cases; ordinary tests belong to every shard."""
        found = [(item, asked) for item in items if (asked := asked_case(item)) is not None]
        dealt = split([_sharded(asked) for _, asked in found], self._shard.of)
        self.facts = dealt.facts(self._shard)
        mine = set(dealt.parts[self._shard.number - 1])
        others = {id(item): item for at, (item, _) in enumerate(found) if at not in mine}
        self.others = len(others)
        if others:
            items[:] = [item for item in items if id(item) not in others]
            config.hook.pytest_deselected(items=list(others.values()))


def _sharded(asked: AskedCase) -> ShardedCase:
    case = asked.case
    costs = (case.prompting, case.format, case.task, question_of(case))
    return ShardedCase(case.case_id, asked.model.full, costs)
