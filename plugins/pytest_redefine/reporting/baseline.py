"""What accepting a baseline means, in lines for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pytest_redefine.reporting.text import one_line

Json = dict[str, Any]

FLIPS_SHOWN: Final = 20


def lines(told: Json, *, name: str, model: str, cases: int, replaced: str) -> Iterator[str]:
    """What the new baseline says, and what it changes.

    Args:
        told: ``gating.changes.Changes`` as plain data.
        name: The baseline's.
        model: Whose answers it holds.
        cases: How many.
        replaced: What it takes the place of, empty where there is nothing.
    """
    yield f"{one_line(name, 40)}: {one_line(model, 60)}, {cases} cases"
    for title, figure in told["figures"]:
        yield (
            f"  {title:<10} {100 * figure['value']:>5.1f} % [{100 * figure['low']:.1f}, {100 * figure['high']:.1f}] "
            f"n={figure['n']}"
        )
    if not replaced:
        return
    yield f"in place of {one_line(replaced, 70)}"
    for title, was, now in told["settings"]:
        yield f"  {title}: {one_line(was, 50)} -> {one_line(now, 50)}"
    yield from _cases(told)
    if not told["moved"]:
        yield "  no case is the same in both: they cannot be compared, and later runs compare with the new one alone"
        return
    for title, moved in told["moved"]:
        low, high = ("-" if moved[side] is None else f"{100 * moved[side]:+.1f}" for side in ("low", "high"))
        yield (
            f"  {title:<10} {100 * moved['before']:>5.1f} % -> {100 * moved['after']:.1f} %: "
            f"{100 * moved['effect']:+.1f} points [{low}, {high}] n={moved['n']}"
        )
    yield from _flips(told["flips"])
    yield (
        "  later runs are compared with the new answers: what has moved here is then taken for granted"
        if told["flips"]
        else "  every case ended as before"
    )


def _cases(told: Json) -> Iterator[str]:
    parts = [
        f"{told['only_old']} cases go" if told["only_old"] else "",
        f"{told['only_new']} come" if told["only_new"] else "",
        f"{told['otherwise']} are asked or compared otherwise" if told["otherwise"] else "",
    ]
    if any(parts):
        said = ", ".join(part for part in parts if part)
        yield f"  other case set: {said}; runs of the old one cannot be judged by it"


def _flips(flips: list[list[str]]) -> Iterator[str]:
    if not flips:
        return
    yield f"  {len(flips)} cases ended differently"
    for case, before, after in flips[:FLIPS_SHOWN]:
        yield f"    {before:>8} -> {after:<8}  {one_line(case, 56)}"
    if len(flips) > FLIPS_SHOWN:
        yield f"    ... {len(flips) - FLIPS_SHOWN} more"
