"""The exit status of a session with eval cases."""

from __future__ import annotations

from typing import Final

OK: Final = 0
INCOMPLETE: Final = 1
INTERRUPTED: Final = 2
OVER_BUDGET: Final = 12


def decide(
    status: int,
    *,
    complete: bool,
    interrupted: bool,
    stopped_early: bool,
    over_budget: bool,
    gate: int | None = None,
    only_permitted: bool = False,
) -> int:
    """What the session exits with: the first that applies of 3, 4, 2, 12, 11, 10, 1.

    Args:
        status: what pytest would exit with.
        complete: every announced case was answered and graded, and nothing else was left undone.
        interrupted: somebody pressed Ctrl-C.
        over_budget: the budget kept cases from being asked.
        stopped_early: -x or --maxfail ended the run; under pytest-xdist pytest itself would say 2.
        gate: what the gate says (0, 10, 11); None without one.
        only_permitted: all that failed are cases without an answer, and few enough for the gate's rule on them.
    """
    if status == INTERRUPTED and stopped_early and not interrupted:
        status = INCOMPLETE
    if status not in (OK, INCOMPLETE):
        return status
    if over_budget:
        return OVER_BUDGET
    if gate:
        return gate
    if gate is not None and only_permitted:
        return OK
    return status if complete else INCOMPLETE
