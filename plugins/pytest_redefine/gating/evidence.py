"""What the answers say about one rule: a figure or a change, its one-sided limits, p, and what it could have found.

Limits and p agree: a limit at ``alpha`` lies beyond a value where p against that value is at most ``alpha``. "Worse" is
the direction in which the rule is broken.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final, Literal

from pytest_redefine.analysis.estimates import estimate_mean, estimate_share
from pytest_redefine.analysis.paired import Flips, Pair, case_without, mcnemar

Side = Literal["low", "high"]

ASSUMED_ICC: Final = 0.1
"""How far changes of one quantity are taken to hang together where the answers cannot tell, because hardly any changed:
what a spread of one logit of the change between quantities comes to (benchmarks/gate.py)."""

SHOWN_EFFECTS: Final = (1.5, 2.0)
"""Times what is permitted: changes for the worse whose power is told."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Of a share, or of a change of one."""

    value: float
    """The share, or its change: after minus before."""
    low: float
    """One-sided limits, each at alpha."""
    high: float
    p_worse: float
    """Against no change, or against the bound of an absolute rule, towards the worse."""
    p_better: float
    n: int
    clusters: int
    se: float
    """Of the value, as it scatters here; 0 where nothing scatters."""
    effective_n: float
    """Independent cases that n come to."""


def effective_n(sizes: Sequence[int], icc: float = ASSUMED_ICC) -> float:
    """Independent cases that clusters of some sizes come to (Kish's design effect)."""
    n = sum(sizes)
    return n / (1 + (sum(size * size for size in sizes) / n - 1) * icc)


def change_over_quantities(
    pairs: Sequence[Pair], alpha: float, *, worse_when_higher: bool, share: bool = True
) -> Evidence:
    """A change that generalises to other quantities.

    p is that of the sign-flip test over quantities. Each limit is the outer one of two: where that test, turned round,
    rejects, and where Newcombe's square-and-add of what rose and what fell ends, each with a Wilson interval clustered
    by quantity. The first holds where much changes either way; it closes upon the value where little changed, and upon
    nothing where nothing did, and there the second holds (benchmarks/gate.py). Of scores other than 0 and 1 the second
    is that of Student's t over quantities.

    Args:
        pairs: Cases answered on both sides; at least one.
        alpha: Of each limit.
        worse_when_higher: Which way the rule is broken.
        share: Scores are 0 and 1.
    """
    flips = Flips(pairs)
    sums: defaultdict[str, float] = defaultdict(float)
    sizes: defaultdict[str, int] = defaultdict(int)
    for one in pairs:
        sums[one.before.cluster] += one.difference
        sizes[one.before.cluster] += 1
    n, groups, value = flips.n, flips.clusters, flips.effect
    spread = sum((sums[name] - value * sizes[name]) ** 2 for name in sizes)
    se = math.sqrt(spread * groups / (groups - 1)) / n if groups > 1 else math.inf
    independent = effective_n(list(sizes.values()))
    level = 1 - 2 * alpha
    if share or not any(one.flipped for one in pairs):
        low, high = square_and_add(pairs, level, independent)
    else:
        means = estimate_mean([(one.before.cluster, one.difference) for one in pairs], level)
        low, high = means.low, means.high
    rose, fell = flips.p(0.0, "greater"), flips.p(0.0, "less")
    return Evidence(
        value,
        min(flips.limit("low", level), low),
        max(flips.limit("high", level), high),
        rose if worse_when_higher else fell,
        fell if worse_when_higher else rose,
        n,
        groups,
        se,
        independent,
    )


def square_and_add(pairs: Sequence[Pair], level: float, if_alike: float) -> tuple[float, float]:
    """The limits of (rose - fell)/n from those of either (R. G. Newcombe, Statistics in Medicine 17, 1998).

    Args:
        pairs: Cases answered on both sides.
        level: Two-sided.
        if_alike: Independent cases that all come to where none rose, or none fell.
    """
    rose, fell = (
        estimate_share(
            [(one.before.cluster, float(one.difference * sign > 0)) for one in pairs], level, if_alike=if_alike
        )
        for sign in (1, -1)
    )
    assert rose.value is not None, "there is at least one pair"
    assert fell.value is not None, "as above"
    value = rose.value - fell.value
    return (
        value - math.hypot(rose.value - rose.low, fell.high - fell.value),
        value + math.hypot(rose.high - rose.value, fell.value - fell.low),
    )


def change_over_cases(
    pairs: Sequence[Pair], alpha: float, *, worse_when_higher: bool, min_repeats: int
) -> Evidence | None:
    """A change of this fixed set of cases: McNemar's exact test on repeated cases, Tango's score limits.

    Returns:
        None where no case has so many samples on both sides.
    """
    repeats: defaultdict[object, int] = defaultdict(int)
    case = case_without("sample")
    for one in pairs:
        repeats[case(one.before)] += 1
    used = [one for one in pairs if repeats[case(one.before)] >= min_repeats]
    if not used:
        return None
    found = mcnemar(used)
    n, rose, fell = found.n, found.rose, found.fell
    up, down = _binomial_tail(rose, rose + fell), _binomial_tail(fell, rose + fell)
    return Evidence(
        (rose - fell) / n,
        tango_limit(rose, fell, n, alpha, "low"),
        tango_limit(rose, fell, n, alpha, "high"),
        up if worse_when_higher else down,
        down if worse_when_higher else up,
        n,
        len({one.before.cluster for one in used}),
        math.sqrt(max(0.0, rose + fell - (rose - fell) ** 2 / n)) / n,
        float(n),
    )


def _binomial_tail(k: int, n: int) -> float:
    """P(at least k of n at one half); exact."""
    return float(sum(math.comb(n, i) for i in range(k, n + 1)) / 2**n) if n else 1.0


def tango_limit(rose: int, fell: int, n: int, alpha: float, side: Side) -> float:
    """One end of Tango's score interval of (rose - fell)/n (Statistics in Medicine 17, 1998), one-sided at alpha.

    Written out because neither SciPy nor statsmodels has it, and Wald's interval has no width where nothing changed.
    """
    if side == "low":
        return -tango_limit(fell, rose, n, alpha, "high")
    z = NormalDist().inv_cdf(1 - alpha)

    def score(shift: float) -> float:
        """How far the rise lies below a shift, in standard deviations under it."""
        a, c = 2 * n, -fell * shift * (1 - shift)
        b = -rose - fell + (2 * n - rose + fell) * shift
        # The share that fell, most likely under the shift.
        falls = (math.sqrt(max(0.0, b * b - 4 * a * c)) - b) / (2 * a)
        scatter = n * (2 * falls + shift * (1 - shift))
        return (n * shift - (rose - fell)) / math.sqrt(scatter) if scatter > 0 else math.inf

    inside, outside = (rose - fell) / n, 1.0
    for _ in range(50):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if score(middle) < z else (inside, middle)
    return outside


def level_against(
    pairs: Sequence[tuple[str, float]], bound: float, alpha: float, *, worse_when_higher: bool, share: bool
) -> Evidence:
    """A share (or a mean) and its limits, clustered by quantity, against a bound.

    Args:
        pairs: (cluster, score), at least one.
        bound: Of the rule.
        alpha: Of each limit.
        worse_when_higher: Which way the rule is broken.
        share: Scores are 0 and 1.
    """
    find = estimate_share if share else estimate_mean
    found = find(pairs, 1 - 2 * alpha)
    assert found.value is not None, "there is at least one pair"
    above = _least_level(pairs, bound, "low", share=share)
    below = _least_level(pairs, bound, "high", share=share)
    half = (found.high - found.low) / 2 / NormalDist().inv_cdf(1 - alpha)
    return Evidence(
        found.value,
        found.low,
        found.high,
        above if worse_when_higher else below,
        below if worse_when_higher else above,
        found.n,
        found.clusters,
        half,
        found.n,
    )


def _least_level(pairs: Sequence[tuple[str, float]], bound: float, side: Side, *, share: bool) -> float:
    """The one-sided p against a bound: the alpha at which that limit touches it; 1 where the value is on its side."""
    find = estimate_share if share else estimate_mean
    value = find(pairs).value
    assert value is not None, "there is at least one pair"
    if (value <= bound) if side == "low" else (value >= bound):
        return 1.0
    low, high = 1e-6, 0.5
    for _ in range(24):
        middle = math.sqrt(low * high)
        found = find(pairs, 1 - 2 * middle)
        beyond = found.low > bound if side == "low" else found.high < bound
        low, high = (low, middle) if beyond else (middle, high)
    return high


def power(evidence: Evidence, effect: float, permitted: float, alpha: float) -> float:
    """How likely a change for the worse of some size would be called a regression, with as much scatter as here.

    By a normal approximation; a change scatters by itself, too. ``benchmarks/gate.py`` holds it against simulations.

    Args:
        evidence: Of a change.
        effect: The true change for the worse.
        permitted: By the rule: the least effect that is called one.
        alpha: Of this rule after the correction for several.
    """
    normal = NormalDist()
    se = math.sqrt(evidence.se**2 + effect * (1 - effect) / evidence.effective_n)
    if not math.isfinite(se):
        return 0.0
    critical = max(permitted, normal.inv_cdf(1 - alpha) * se)
    return normal.cdf((effect - critical) / se)


def cases_to_hold(evidence: Evidence, permitted: float, alpha: float) -> int | None:
    """Cases like these that would let an unchanged model be held nine times in ten; None where nothing scatters."""
    if not 0 < evidence.se < math.inf:
        return None
    normal = NormalDist()
    wanted = permitted / (normal.inv_cdf(1 - alpha) + normal.inv_cdf(0.9))
    return math.ceil(evidence.n * (evidence.se / wanted) ** 2)
