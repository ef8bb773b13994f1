"""The exit status of a session with eval cases."""

from __future__ import annotations

from typing import Final

OK: Final = 0
INCOMPLETE: Final = 1
INTERRUPTED: Final = 2
OVER_BUDGET: Final = 12


def decide(status: int, *, complete: bool, interrupted: bool, stopped_early: bool, over_budget: bool) -> int:
    """What the session exits with.

    Args:
        status: what pytest would exit with.
        complete: every announced case was answered and graded, and nothing else was left undone.
        interrupted: somebody pressed Ctrl-C.
        over_budget: the budget kept cases from being asked.
        stopped_early: -x or --maxfail ended the run; under pytest-xdist pytest itself would say 2.
    """
    if status == INTERRUPTED and stopped_early and not interrupted:
        status = INCOMPLETE
    if over_budget and status in (OK, INCOMPLETE):
        return OVER_BUDGET
    if status == OK and not complete:
        return INCOMPLETE
    return status
