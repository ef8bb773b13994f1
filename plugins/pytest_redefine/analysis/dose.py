"""From how far off does a model anchor? Rates by distance, and a curve where the points bear one."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from pytest_redefine.analysis.rates import Rate, wilson
from pytest_redefine.analysis.rows import Row
from pytest_redefine.cases.model import DOSE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.floating[Any]]

MIN_POINTS: Final = 40
MIN_QUANTITIES: Final = 5
"""Below either no curve is fitted."""

_FIRST_EDGE: Final = 0.015
_FITTED: Final = 40
"""Steps in which a fitted curve is told."""
_NODES: Final = 21
"""Of the quadrature over quantities: with 41 the likelihood changes in the sixth digit."""
_CHI2: Final = 3.841458820694124
"""The 95 % quantile of chi-squared with one degree of freedom."""
_LOG_SLOPE: Final = -3.0, 4.0
_LOG_SPREAD: Final = -4.0, 1.5
_BEYOND: Final = math.log(10)
"""How far outside the range, in its logarithm, an end of the interval is looked for."""


@dataclass(frozen=True, slots=True)
class Point:
    """One answered case."""

    quantity: str
    dose: float
    """|log10(new/ordinary)|."""
    minus: bool
    """Whether the new value has a minus sign."""
    anchored: bool


@dataclass(frozen=True, slots=True)
class Bin:
    """The cases of distances between two, of which the second is twice the first."""

    low: float
    high: float
    mean: float
    """Distance, over its cases."""
    rate: Rate
    quantities: int


@dataclass(frozen=True, slots=True)
class Curve:
    """P(anchored) = 1 / (1 + (dose/d50)^slope) of a quantity in the middle.

    Quantities differ by a normal shift in log odds.
    """

    bins: tuple[Bin, ...]
    n: int
    quantities: int
    d50: float | None = None
    """The distance at which half is anchored; None where the points do not bear it out, see ``reason``."""
    low: float = -math.inf
    high: float = math.inf
    """Of its 95 % profile interval."""
    slope: float | None = None
    spread: float | None = None
    """Standard deviation of the quantities, in log odds."""
    fitted: tuple[tuple[float, float], ...] = ()
    """Points of the curve, distance and share; none where none was fitted."""
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """Plain builtins."""
        return {
            "n": self.n,
            "quantities": self.quantities,
            "d50": self.d50,
            "low": self.low if math.isfinite(self.low) else None,
            "high": self.high if math.isfinite(self.high) else None,
            "slope": self.slope,
            "spread": self.spread,
            "fitted": [[round(dose, 5), round(share, 5)] for dose, share in self.fitted],
            "reason": self.reason,
            "bins": [
                {"low": one.low, "high": one.high, "mean": one.mean, "k": one.rate.k, "n": one.rate.n,
                 "rate_low": one.rate.low, "rate_high": one.rate.high, "quantities": one.quantities}
                for one in self.bins
            ],
        }  # fmt: skip


def points(rows: Iterable[Row]) -> list[Point]:
    """The answered cases whose distance is known and whose answers can be told apart; of one model."""
    return [
        Point(row.cluster, row.dose, row.minus, row.outcome == "anchored")
        for row in rows
        if row.redefinition == DOSE and row.answered and not row.indistinct and row.dose is not None
    ]


def curves(found: Sequence[Point]) -> dict[str, Curve]:
    """A curve for values of the ordinary sign (``same``) and one for the other (``minus``): distance is not all."""
    by_sign = {"same": [one for one in found if not one.minus], "minus": [one for one in found if one.minus]}
    return {name: curve(members) for name, members in by_sign.items() if members}


def curve(found: Sequence[Point]) -> Curve:
    """Rates by distance always; the logistic fit and d50 only where the points bear them.

    They do where they fall monotonely (no later bin's interval lies above an earlier one's, and the last bin's lies
    below the first's), where the curve crosses one half between the nearest and the farthest distance, and where the
    profile interval of d50 has two ends.
    """
    bins = _bins(found)
    n, quantities = len(found), len({one.quantity for one in found})
    reason = _unfit(bins, n, quantities)
    if reason:
        return Curve(bins, n, quantities, reason=reason)
    fit = _Fit(found)
    nearest, farthest = min(one.dose for one in found), max(one.dose for one in found)
    middle, slope, spread = (math.exp(value) for value in fit.best)
    ratio = (farthest / nearest) ** (1 / _FITTED)
    along = [nearest * ratio**at for at in range(_FITTED + 1)]
    fitted = tuple((dose, 1 / (1 + (dose / middle) ** slope)) for dose in along)
    shape = Curve(bins, n, quantities, slope=slope, spread=spread, fitted=fitted)
    if not nearest <= middle <= farthest:
        side = "below" if middle < nearest else "above"
        told = f"the curve is {side} one half from {nearest:.3g} to {farthest:.3g} decades"
        return replace(shape, reason=told)
    low, high = (fit.end(side, math.log(nearest), math.log(farthest)) for side in (-1, 1))
    if low is None or high is None:
        missing = "lower" if low is None else "upper"
        return replace(shape, reason=f"the interval of d50 has no {missing} end")
    return replace(shape, d50=middle, low=math.exp(low), high=math.exp(high))


def _bins(found: Sequence[Point]) -> tuple[Bin, ...]:
    members: defaultdict[int, list[Point]] = defaultdict(list)
    for one in found:
        members[math.floor(math.log2(one.dose / _FIRST_EDGE))].append(one)
    return tuple(
        Bin(
            _FIRST_EDGE * 2**at,
            _FIRST_EDGE * 2 ** (at + 1),
            sum(one.dose for one in inside) / len(inside),
            wilson(sum(one.anchored for one in inside), len(inside)),
            len({one.quantity for one in inside}),
        )
        for at, inside in sorted(members.items())
    )


def _unfit(bins: Sequence[Bin], n: int, quantities: int) -> str:
    if n < MIN_POINTS or quantities < MIN_QUANTITIES:
        return f"{n} cases of {quantities} quantities are too few: {MIN_POINTS} of {MIN_QUANTITIES} are needed"
    for at, later in enumerate(bins):
        for earlier in bins[:at]:
            if later.rate.low > earlier.rate.high:
                return (
                    f"the points do not fall monotonely: {_told(earlier)} and {_told(later)}, "
                    "whose intervals do not touch"
                )
    if len(bins) < 2 or bins[-1].rate.high >= bins[0].rate.low:
        return f"the points do not fall: {_told(bins[0])} and {_told(bins[-1])}, whose intervals touch"
    return ""


def _told(one: Bin) -> str:
    return f"{one.rate.k} of {one.rate.n} anchored at {one.mean:.3g} decades"


class _Fit:
    """Maximum likelihood, with the quantities' shifts integrated out by Gauss-Hermite quadrature.

    Written out because statsmodels has a mixed logistic model by Bayes' rule only, and no profile of d50.
    """

    def __init__(self, found: Sequence[Point]) -> None:
        import numpy as np

        ordered = sorted(found, key=lambda one: one.quantity)
        names = [one.quantity for one in ordered]
        self._starts = np.array([at for at, name in enumerate(names) if at == 0 or names[at - 1] != name])
        self._log_dose = np.log([one.dose for one in ordered])
        self._sign = np.where([one.anchored for one in ordered], 1.0, -1.0)
        nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
        self._nodes = nodes
        self._log_weights = np.log(weights / weights.sum())
        middle = float(np.median(self._log_dose))
        start = self._minimise(lambda x: -self._likelihood(x[0], x[1], x[2]), [middle, 0.5, -0.5])
        self.best: tuple[float, float, float] = (start[0][0], start[0][1], start[0][2])
        """log d50, log slope, log spread."""
        self._top = -start[1]

    def end(self, side: int, nearest: float, farthest: float) -> float | None:
        """The logarithm of the interval's lower (-1) or upper (1) end; None where the profile does not fall so far."""
        from scipy.optimize import brentq

        shape = [self.best[1], self.best[2]]

        def above(log_d50: float) -> float:
            found, value = self._minimise(lambda x: -self._likelihood(log_d50, x[0], x[1]), shape)
            shape[:] = found  # the next one is near
            return 2 * (self._top + value) - _CHI2

        limit = nearest - _BEYOND if side < 0 else farthest + _BEYOND
        inside, step = self.best[0], 0.1
        while True:
            outside = inside + side * step
            if (outside - limit) * side > 0:
                return None
            if above(outside) > 0:
                break
            inside, step = outside, step * 1.6
        first, second = sorted((inside, outside))
        return float(brentq(above, first, second, xtol=1e-4))

    def _likelihood(self, log_d50: float, log_slope: float, log_spread: float) -> float:
        import numpy as np

        fixed = -math.exp(log_slope) * (self._log_dose - log_d50)
        odds = fixed[:, None] + math.exp(log_spread) * self._nodes[None, :]
        each = -np.logaddexp(0.0, -self._sign[:, None] * odds)
        of_quantity = np.add.reduceat(each, self._starts, axis=0) + self._log_weights
        top = of_quantity.max(axis=1, keepdims=True)
        total = top[:, 0] + np.log(np.exp(of_quantity - top).sum(axis=1))
        return float(total.sum())

    @staticmethod
    def _minimise(cost: Any, start: Sequence[float]) -> tuple[list[float], float]:
        from scipy.optimize import minimize

        def bounded(x: Sequence[float]) -> float:
            slope, spread = x[-2], x[-1]
            outside = max(0.0, _LOG_SLOPE[0] - slope, slope - _LOG_SLOPE[1])
            outside += max(0.0, _LOG_SPREAD[0] - spread, spread - _LOG_SPREAD[1])
            inside = [*x[:-2], min(max(slope, _LOG_SLOPE[0]), _LOG_SLOPE[1])]
            inside.append(min(max(spread, _LOG_SPREAD[0]), _LOG_SPREAD[1]))
            return float(cost(inside)) + 10 * outside**2

        found = minimize(bounded, list(start), method="Nelder-Mead", options={"xatol": 1e-4, "fatol": 1e-5})
        return [float(value) for value in found.x], float(found.fun)
