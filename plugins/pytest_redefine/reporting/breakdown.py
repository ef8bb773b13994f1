"""What -v adds to the terminal: each model's rates by question, with and without contested cases; 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_redefine.analysis.estimates import Estimate, estimate, group
from pytest_redefine.analysis.measures import MEASURES, Context
from pytest_redefine.analysis.rows import rows
from pytest_redefine.reporting.text import one_line

_ARM: Final = ("task", "format", "prompting")
_PARTS: Final = (
    ("anchored", "anchored_rate"),
    ("  given known", "anchored_given_known"),
    ("correct", "correct_rate"),
    ("known", "control_correct_rate"),
)


def lines(records: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The rates of each model, arm and question."""
    every = rows(records)
    context = Context.of(every)
    for (model,), of_model in group(every, ["model"]).items():
        yield one_line(str(model), 78)
        for arm, members in group(of_model, _ARM).items():
            yield f"  {' '.join(arm)}"
            questions = {str(name): found for (name,), found in group(members, ["question"]).items()}
            yield f"  {'':<13}" + "".join(f"{name:>16}" for name in ("all", *questions)[:4])
            for title, measure in _PARTS:
                parts = [members, *questions.values()][:4]
                yield _line(title, [estimate(MEASURES[measure], part, context) for part in parts])
            plain = [[row for row in part if not row.contested] for part in (members, *questions.values())][:4]
            yield _line("not contested", [estimate(MEASURES["anchored_rate"], part, context) for part in plain])
    yield "share [95 % interval]/n; not contested: anchored, without contested cases"


def _line(title: str, found: Sequence[Estimate]) -> str:
    return f"  {title:<13}" + "".join(f"{_shown(one):>16}" for one in found)


def _shown(found: Estimate) -> str:
    if found.value is None:
        return "-"
    return f"{100 * found.value:.0f}% [{100 * found.low:.0f},{100 * found.high:.0f}]/{found.n}"
