"""Worked examples of --shrink, as lines for the end of a run."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_redefine.reporting.text import one_line

SHOWN: Final = 3
"""Of each model; the rest is on the page."""

_WIDTH: Final = 80
_TEXT: Final = 400


def asked(side: Mapping[str, Any]) -> str:
    """What was redefined and asked, in one line."""
    return one_line(f"{side['redefinition']} {side['question']}", _TEXT)


def answered(side: Mapping[str, Any]) -> str:
    """What was read as the answer; of multiple choice the option too."""
    answer, options = side.get("answer"), side.get("options")
    if answer is None:
        return "no answer"
    option = options.get(answer) if isinstance(options, Mapping) and isinstance(answer, str) else None
    return one_line(f"{answer}: {option}" if option is not None else str(answer), 60)


def effort(example: Mapping[str, Any]) -> str:
    """How many requests it took, and why there may be a simpler one."""
    count = example["requests"]
    reason = f"; {one_line(example['reason'], 200)}" if example["reason"] else ""
    return f"{count} request{'' if count == 1 else 's'}{reason}"


def lines(examples: Sequence[Mapping[str, Any]], outcomes: Sequence[str]) -> Iterator[str]:
    """Each model's examples; of none, which outcomes were looked for."""
    if not examples:
        yield f"nothing to shrink: no drawn case is {' or '.join(outcomes)}; --shrink-outcomes takes others"
    by_model: dict[str, list[Mapping[str, Any]]] = {}
    for example in examples:
        by_model.setdefault(str(example["model"]), []).append(example)
    for model, members in by_model.items():
        yield one_line(model, 66) + (" (simulated)" if members[0].get("simulated") else "")
        for example in members[:SHOWN]:
            yield from _wrapped("  ", f"{one_line(example['case_id'], 60)}, {effort(example)}")
            for name in ("drawn", "simplest"):
                side = example[name]
                yield from _wrapped(f"    {name:<10}", asked(side))
                outcome, expected = one_line(example["outcome"], 20), one_line(side["expected"], 40)
                yield from _wrapped(f"    {'':<10}", f"{outcome}: {answered(side)}; redefined: {expected}")
        if len(members) > SHOWN:
            yield f"  and {len(members) - SHOWN} more in the report"


def _wrapped(head: str, text: str) -> list[str]:
    indent = " " * max(len(head), 6)
    return textwrap.wrap(text, _WIDTH, initial_indent=head, subsequent_indent=indent, break_on_hyphens=False)
