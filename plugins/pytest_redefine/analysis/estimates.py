"""A mean with its n and an interval that knows that cases of one quantity hang together."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Any, Final

from pytest_redefine.analysis.measures import Context, Measure
from pytest_redefine.analysis.rates import wilson
from pytest_redefine.analysis.rows import Row

SMALL_N: Final = 10
SMALL_CLUSTERS: Final = 5
"""Below either, a figure says of itself that it is small: its interval spans most of what is possible."""

HANDFUL: Final = 5
"""So few cases that differ from all others do not tell how far cases of one quantity hang together."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean of n scores. Where n is 0 there is no mean, and the value is None."""

    value: float | None
    n: int
    low: float
    high: float
    clusters: int
    """How many quantities the n cases are about."""
    k: int | None = None
    """How many, where the value is k/n."""
    method: str = ""
    """Of the interval: ``wilson``, ``clustered wilson``, ``clustered t``."""

    @property
    def small(self) -> bool:
        """Too few cases or quantities to rest anything on."""
        return self.n < SMALL_N or self.clusters < SMALL_CLUSTERS

    def to_json(self) -> dict[str, Any]:
        """Plain builtins, rounded to what the figure can bear."""
        out: dict[str, Any] = {"value": _rounded(self.value), "n": self.n}
        if self.k is not None:
            out["k"] = self.k
        out |= {"low": _rounded(self.low), "high": _rounded(self.high), "quantities": self.clusters}
        out["interval"] = self.method
        if self.small:
            out["small"] = True
        return out


def _rounded(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else round(value, 6)


@lru_cache(maxsize=256)
def t_quantile(df: int, level: float = 0.95) -> float:
    """The two-sided quantile of Student's t; infinite without a degree of freedom."""
    if df < 1:
        return math.inf
    from scipy.special import stdtrit  # 0.2 s of import, which a run without repeated quantities does not need

    return float(stdtrit(df, (1 + level) / 2))


def estimate_share(
    pairs: Iterable[tuple[str, float]], level: float = 0.95, *, if_alike: float | None = None
) -> Estimate:
    """A share of cases, from (cluster, 0 or 1), with an interval of some level.

    One case a cluster: Wilson's interval. Else Wilson's with an effective n, after Korn and Graubard (Survey
    Methodology 24, 1998): n over the design effect (never under 1), times (z/t)² for the few clusters that effect
    is estimated from. Where all cases agree nothing tells how far they hang together: each cluster counts once.
    With ``if_alike`` all but a handful agreeing is taken for that, too, and they count as so many independent ones.
    Written out because statsmodels and SciPy have Wilson's interval for independent cases only.
    """
    sums, sizes = _by_cluster(pairs)
    n, k, groups = sum(sizes.values()), round(sum(sums.values())), len(sizes)
    if n == groups and if_alike is None:
        plain = wilson(k, n, level)
        return Estimate(k / n if n else None, n, plain.low, plain.high, groups, k, "wilson")
    share = k / n
    if groups < 2:
        return Estimate(share, n, 0.0, 1.0, groups, k, "one quantity: none")
    if k in (0, n):
        effective = float(groups) if if_alike is None else if_alike
    else:
        spread = sum((sums[name] - share * sizes[name]) ** 2 for name in sizes) * groups / (groups - 1) / n**2
        effective = min(float(n), share * (1 - share) / spread) if spread else float(n)
        effective *= (NormalDist().inv_cdf((1 + level) / 2) / t_quantile(groups - 1, level)) ** 2
        if if_alike is not None and min(k, n - k) <= HANDFUL:
            effective = min(effective, if_alike)
    low, high = _wilson_of(share, effective, level)
    # Rounding may put a bound that is the share itself, at 0 or 1, a hair beyond it.
    return Estimate(share, n, min(low, share), max(high, share), groups, k, "clustered wilson")


def estimate_mean(pairs: Iterable[tuple[str, float]], level: float = 0.95) -> Estimate:
    """A mean of scores of any size, from (cluster, score), with Student's t over the clusters."""
    sums, sizes = _by_cluster(pairs)
    n, groups = sum(sizes.values()), len(sizes)
    if not n:
        return Estimate(None, 0, -math.inf, math.inf, 0, method="clustered t")
    mean = sum(sums.values()) / n
    if groups < 2:
        return Estimate(mean, n, -math.inf, math.inf, groups, method="one quantity: none")
    spread = sum((sums[name] - mean * sizes[name]) ** 2 for name in sizes) * groups / (groups - 1) / n**2
    half = t_quantile(groups - 1, level) * math.sqrt(spread)
    return Estimate(mean, n, mean - half, mean + half, groups, method="clustered t")


def estimate(measure: Measure, rows: Iterable[Row], context: Context, level: float = 0.95) -> Estimate:
    """One measure over some cases, with an interval of some level."""
    pairs = [(row.cluster, score) for row, score in measure.scores(rows, context)]
    return estimate_share(pairs, level) if measure.share else estimate_mean(pairs, level)


def group(rows: Iterable[Row], by: Sequence[str]) -> dict[tuple[Any, ...], list[Row]]:
    """Rows by the values of some of their fields, in the order of first appearance."""
    groups: defaultdict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        groups[tuple(getattr(row, name) for name in by)].append(row)
    return dict(groups)


def estimates(
    measure: Measure, rows: Iterable[Row], context: Context, by: Sequence[str]
) -> dict[tuple[Any, ...], Estimate]:
    """One measure for each group of rows."""
    return {key: estimate(measure, members, context) for key, members in group(rows, by).items()}


def _by_cluster(pairs: Iterable[tuple[str, float]]) -> tuple[Mapping[str, float], Mapping[str, int]]:
    sums: defaultdict[str, float] = defaultdict(float)
    sizes: defaultdict[str, int] = defaultdict(int)
    for cluster, score in pairs:
        sums[cluster] += score
        sizes[cluster] += 1
    return sums, sizes


def _wilson_of(share: float, n: float, level: float) -> tuple[float, float]:
    """Wilson's interval for an n that is no whole number."""
    z2 = NormalDist().inv_cdf((1 + level) / 2) ** 2
    centre = (share * n + z2 / 2) / (n + z2)
    half = math.sqrt(z2) / (n + z2) * math.sqrt(share * (1 - share) * n + z2 / 4)
    # The ends are exact where the share is: rounding must not leave it outside its own interval.
    return max(0.0, centre - half) if share else 0.0, min(1.0, centre + half) if share < 1 else 1.0
