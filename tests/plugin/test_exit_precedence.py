"""The first that applies of 3, 4, 2, 12, 11, 10, 1."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_redefine.plugin.exit_status import decide

QUIET: dict[str, Any] = {"complete": True, "interrupted": False, "stopped_early": False, "over_budget": False}


@pytest.mark.parametrize(
    ("status", "changes", "expected"),
    [
        (0, {}, 0),
        (0, {"gate": 0}, 0),
        (0, {"gate": 10}, 10),
        (1, {"gate": 11, "complete": False}, 11),
        (1, {"gate": 0, "complete": False}, 1),
        (1, {"gate": 0, "complete": False, "only_permitted": True}, 0),
        (1, {"complete": False, "only_permitted": True}, 1),
        (1, {"gate": 10, "complete": False, "only_permitted": True}, 10),
        (1, {"gate": 11, "over_budget": True, "complete": False}, 12),
        (2, {"gate": 11, "over_budget": True, "interrupted": True}, 2),
        (2, {"gate": 11, "stopped_early": True}, 11),
        (3, {"gate": 10}, 3),
        (4, {"gate": 11, "over_budget": True}, 4),
        (5, {"gate": 11}, 5),
    ],
)
def test_precedence(status: int, changes: dict[str, Any], expected: int) -> None:
    assert decide(status, **{**QUIET, **changes}) == expected
