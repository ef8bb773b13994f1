"""What a new baseline changes against the one that it replaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_redefine.analysis.estimates import Estimate, estimate
from pytest_redefine.analysis.measures import MEASURES, Context, swap_partners
from pytest_redefine.analysis.paired import Comparison, compare, pair
from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.gating.baseline import Baseline
from pytest_redefine.gating.subject import Asked

SHOWN: Final = ("anchored_rate", "correct_rate", "blank_rate", "control_correct_rate")


@dataclass(frozen=True, slots=True)
class Changes:
    """Figures of the new baseline, and what moved on the cases that both have."""

    figures: tuple[tuple[str, Estimate], ...]
    """Measure's title and figure; without those that nothing counts in."""
    moved: tuple[Comparison, ...]
    flips: tuple[tuple[str, str, str], ...]
    """Case id, outcome before, outcome now."""
    only_old: int
    only_new: int
    otherwise: int
    """Cases that both have, asked or compared otherwise."""
    settings: tuple[tuple[str, str, str], ...]
    """What else differs: name, before, now."""

    def to_json(self) -> dict[str, Any]:
        """Plain builtins, as they are shown."""
        return {
            "figures": [[title, figure.to_json()] for title, figure in self.figures],
            "moved": [[one.measure.title, one.to_json()] for one in self.moved],
            "flips": [list(flip) for flip in self.flips],
            "only_old": self.only_old,
            "only_new": self.only_new,
            "otherwise": self.otherwise,
            "settings": [list(setting) for setting in self.settings],
        }


def changes(old: Baseline | None, new: Baseline, asked: Asked, catalogue: Catalogue) -> Changes:
    """Compare.

    Args:
        old: What is replaced, if anything.
        new: Of ``asked``.
        asked: The rows that the new one was made of.
        catalogue: Which constant each swap takes.
    """
    partners = swap_partners(catalogue)
    now = Context.of(asked.rows, partners)
    figures = [(MEASURES[name].title, estimate(MEASURES[name], asked.rows, now)) for name in SHOWN]
    shown = tuple((title, figure) for title, figure in figures if figure.n)
    if old is None:
        return Changes(shown, (), (), 0, 0, 0, ())
    before = old.rows(asked.rows, asked.digests)
    then = Context.of(before, partners)
    moved = []
    for name in SHOWN:
        pairing = pair(MEASURES[name], before, asked.rows, context_before=then, context_after=now)
        if pairing.pairs:
            moved.append(compare(MEASURES[name], pairing))
    both = [case for case in new.answers if case in old.answers]
    flips = [
        (case, old.answers[case].outcome or "-", new.answers[case].outcome or "-")
        for case in both
        if old.answers[case].asked == new.answers[case].asked and old.answers[case].outcome != new.answers[case].outcome
    ]
    return Changes(
        shown,
        tuple(moved),
        tuple(flips),
        len(old.answers) - len(both),
        len(new.answers) - len(both),
        sum(old.answers[case].asked != new.answers[case].asked for case in both),
        tuple(_settings(old, new)),
    )


def _settings(old: Baseline, new: Baseline) -> Sequence[tuple[str, str, str]]:
    pairs: list[tuple[str, object, object]] = [
        ("model", old.model, new.model),
        ("model's versions", ", ".join(old.versions), ", ".join(new.versions)),
        ("version of the suite", old.suite, new.suite),
        ("grading", old.grading, new.grading),
    ]
    for was, is_ in (
        (old.conditions, new.conditions),
        (old.asked_for, new.asked_for),
        (old.parameters, new.parameters),
    ):
        pairs += [(name, was.get(name), is_.get(name)) for name in dict.fromkeys([*was, *is_])]
    return [(name, str(was), str(now)) for name, was, now in pairs if was != now]
