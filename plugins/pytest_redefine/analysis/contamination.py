"""Does a model do better on the published cases than on cases like them that nobody has published?"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

from pytest_redefine.analysis.rates import wilson
from pytest_redefine.analysis.rows import DRAWN_CONTROL, Row
from pytest_redefine.cases.model import CONTROL, FRESH

_MISSING: Final = "the published cases were not asked too, with their controls: leave out -k fresh to ask both"
_NOTHING: Final = 1e-12

Measured = Literal["correct", "anchored"]


@dataclass(frozen=True, slots=True)
class Gap:
    """Fixed minus fresh, controls subtracted.

    Each pair is one case of the benchmark and the same question with nothing but the value redrawn at the same level.
    Its score is (fixed - its control) - (fresh - its control), where a redefined case scores 1 if it is ``measured``
    and a control if it is correct. The estimand: the mean over pairs, for other quantities like these; a positive gap
    of correct answers is what exposure to the tables would leave.
    """

    measured: Measured
    value: float | None
    """None without a pair."""
    low: float
    high: float
    """Of the 95 % interval."""
    pairs: int
    quantities: int
    fixed: float | None
    """Share of the pairs' fixed cases that are ``measured``."""
    fresh: float | None
    reason: str = ""
    """Why there is no gap, or no interval."""

    def to_json(self) -> dict[str, Any]:
        """Plain builtins; an end that is infinite is None."""
        return {
            "measured": self.measured,
            "value": self.value,
            "low": self.low if math.isfinite(self.low) else None,
            "high": self.high if math.isfinite(self.high) else None,
            "n": self.pairs,
            "quantities": self.quantities,
            "fixed": self.fixed,
            "fresh": self.fresh,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class _Pair:
    quantity: str
    fixed: float
    fresh: float
    score: float


def gap(rows: Iterable[Row], measured: Measured = "correct") -> Gap:
    """The contamination gap of one model.

    The interval is Student's t over quantities, whose pairs hang together. Where all quantities agree to the last case
    it would be of no width, and is Wilson's: no quantity of n differs, so few of all would.

    Args:
        rows: Of one model, of one run or several; published and fresh ones in any order.
        measured: Which outcome is counted in redefined cases.
    """
    every = [row for row in rows if row.answered and not row.indistinct]
    redrawn = [row for row in every if row.redefinition == FRESH and row.draw_kind[:2] in ("ra", "rs")]
    found = _pairs(every, redrawn, measured)
    if not found:
        missing = "no fresh case with only its value redrawn was answered" if not redrawn else _MISSING
        return Gap(measured, None, -math.inf, math.inf, 0, 0, None, None, missing)
    n = len(found)
    mean = sum(pair.score for pair in found) / n
    sums: defaultdict[str, float] = defaultdict(float)
    for pair in found:
        sums[pair.quantity] += pair.score - mean
    groups = len(sums)
    shares = sum(pair.fixed for pair in found) / n, sum(pair.fresh for pair in found) / n
    if groups < 2:
        return Gap(measured, mean, -math.inf, math.inf, n, groups, *shares, "one quantity tells nothing of others")
    spread = sum(one**2 for one in sums.values()) * groups / (groups - 1) / n**2
    if spread > _NOTHING:
        from scipy.special import stdtrit  # 0.2 s of import, for those who drew fresh cases

        half = float(stdtrit(groups - 1, 0.975)) * math.sqrt(spread)
    else:
        half = wilson(0, groups).high
    return Gap(measured, mean, max(-2.0, mean - half), min(2.0, mean + half), n, groups, *shares)


def _pairs(every: list[Row], redrawn: list[Row], measured: Measured) -> list[_Pair]:
    published = {(*_asked(row), row.redefinition): row for row in every if not row.drawn}
    controls = {(*_asked(row), row.draw_tag): row for row in every if row.redefinition == DRAWN_CONTROL}
    found = []
    for fresh in redrawn:
        fixed = published.get((*_asked(fresh), fresh.draw_kind))
        fixed_control = published.get((*_asked(fresh), CONTROL))
        fresh_control = controls.get((*_asked(fresh), fresh.draw_tag))
        if fixed is None or fixed_control is None or fresh_control is None:
            continue
        scores = [float(row.outcome == measured) for row in (fixed, fresh)]
        known = [float(row.outcome == "correct") for row in (fixed_control, fresh_control)]
        score = (scores[0] - known[0]) - (scores[1] - known[1])
        found.append(_Pair(fresh.cluster, scores[0], scores[1], score))
    return found


def _asked(row: Row) -> tuple[str | int, ...]:
    return row.task, row.quantity, row.question, row.format, row.prompting, row.sample, row.rotation
