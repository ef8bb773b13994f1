"""Two respondents, two runs or two arms on the same cases: what moved, by how much, and what that generalises to.

Cases of one quantity hang together, so a test that takes them for independent cries wolf (plain McNemar at 225 cases:
11-21 % false alarms instead of 5 %). Two tests remain, and they answer different questions:

* :func:`sign_flip` generalises to other quantities: under no change, the sum of the differences of each quantity is as
  likely to have either sign.
* :func:`mcnemar` speaks of this fixed set of cases only, and of the chance in answering them again.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from pytest_redefine.analysis.measures import Context, Measure
from pytest_redefine.analysis.rows import Row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EXACT_CLUSTERS: Final = 15
"""Up to here all 2^n ways to flip are gone through (32,768); beyond, as many drawn ones."""

Alternative = Literal["two-sided", "greater", "less"]


@dataclass(frozen=True, slots=True)
class Pair:
    """One case answered on both sides."""

    before: Row
    after: Row
    score_before: float
    score_after: float

    @property
    def difference(self) -> float:
        """After minus before."""
        return self.score_after - self.score_before

    @property
    def flipped(self) -> bool:
        """Whether the score changed."""
        return self.difference != 0


@dataclass(frozen=True, slots=True)
class Pairing:
    """What two sides have in common, and what they have not."""

    pairs: tuple[Pair, ...]
    only_before: int
    """Cases in the measure's denominator before, but not answered, not asked or not in it after."""
    only_after: int


def case_of(row: Row) -> Hashable:
    """What pairs the same case over models and runs."""
    return row.case_id


def case_without(*axes: str) -> Callable[[Row], Hashable]:
    """What pairs the same case over two arms: all axes of a case but those."""
    kept = [
        axis
        for axis in ("task", "quantity", "redefinition", "question", "format", "prompting", "sample", "rotation")
        if axis not in axes
    ]
    return lambda row: tuple(getattr(row, axis) for axis in kept)


def pair(
    measure: Measure,
    before: Sequence[Row],
    after: Sequence[Row],
    *,
    key: Callable[[Row], Hashable] = case_of,
    context_before: Context | None = None,
    context_after: Context | None = None,
) -> Pairing:
    """Pair the cases that have a score on both sides.

    Args:
        measure: What is scored.
        before: Rows of one model (of one arm).
        after: Of the other.
        key: What is the same case on both sides.
        context_before: What the controls show; by default those among ``before``.
        context_after: Likewise.

    Raises:
        ValueError: a case stands twice on one side: rows of two models or arms were mixed.
    """
    scored = [
        _by_key(measure.scores(rows, context or Context.of(rows)), key)
        for rows, context in ((before, context_before), (after, context_after))
    ]
    pairs = tuple(
        Pair(row, other[0], score, other[1])
        for name, (row, score) in scored[0].items()
        if (other := scored[1].get(name)) is not None
    )
    return Pairing(pairs, len(scored[0]) - len(pairs), len(scored[1]) - len(pairs))


def _by_key(scores: Iterable[tuple[Row, float]], key: Callable[[Row], Hashable]) -> dict[Hashable, tuple[Row, float]]:
    found: dict[Hashable, tuple[Row, float]] = {}
    for row, score in scores:
        name = key(row)
        if name in found:
            raise ValueError(f"{row.case_id} stands twice on one side: pair one model and one arm at a time")
        found[name] = row, score
    return found


@dataclass(frozen=True, slots=True)
class SignFlip:
    """The sign-flip permutation test over quantities, and the interval it gives when turned round."""

    effect: float
    """Mean difference over all pairs."""
    n: int
    clusters: int
    p: float
    low: float
    """Of the 95 % interval: the shifts that the two-sided test does not reject. Infinite where there are too few
    quantities for any rejection (fewer than six)."""
    high: float


class Flips:
    """The ways to flip the signs of some clusters' differences, made once and used for every shift.

    SciPy's permutation_test draws them anew for each call, and an interval takes forty.
    """

    def __init__(self, pairs: Iterable[Pair], *, seed: int = 0) -> None:
        """``seed`` draws the ways where there are too many to go through."""
        import numpy as np  # 0.2 s of import: only those who compare pay it

        sums: defaultdict[str, float] = defaultdict(float)
        sizes: defaultdict[str, int] = defaultdict(int)
        for one in pairs:
            sums[one.before.cluster] += one.difference
            sizes[one.before.cluster] += 1
        self.clusters = len(sums)
        self.n = sum(sizes.values())
        self._sums = np.array([sums[name] for name in sums], dtype=float)
        self._sizes = np.array([sizes[name] for name in sums], dtype=float)
        count = self.clusters
        signs: NDArray[np.floating[Any]]
        if count <= EXACT_CLUSTERS:
            ways = np.arange(2**count)[:, None] >> np.arange(count)[None, :]
            signs = 1.0 - 2.0 * (ways & 1)
        else:
            signs = 1.0 - 2.0 * np.random.default_rng(seed).integers(0, 2, (2**EXACT_CLUSTERS, count))
            signs[0] = 1.0  # the ways that are drawn include the one that was seen, so that p is never 0
        # Every shift moves both by known amounts, so the ways are gone through once and not for each shift anew.
        self._flipped_sums = signs @ self._sums
        self._flipped_sizes = signs @ self._sizes

    @property
    def effect(self) -> float:
        """Mean difference over all pairs."""
        return float(self._sums.sum()) / self.n if self.n else math.nan

    def p(self, shift: float = 0.0, alternative: Alternative = "two-sided") -> float:
        """The share of ways at least as extreme as what was seen, were the true mean difference ``shift``."""
        import numpy as np

        if not self.n:
            return 1.0
        centred = self._sums - shift * self._sizes
        seen = float(centred.sum())
        flipped = self._flipped_sums - shift * self._flipped_sizes
        slack = 1e-9 * float(np.abs(centred).sum())  # sums of the same numbers in another order
        if alternative == "greater":
            return float(np.mean(flipped >= seen - slack))
        if alternative == "less":
            return float(np.mean(flipped <= seen + slack))
        return float(np.mean(np.abs(flipped) >= abs(seen) - slack))

    def limit(self, side: Literal["low", "high"], level: float = 0.95) -> float:
        """One end of the interval of the shifts that are not rejected; one-sided at (1 + level)/2."""
        alpha = (1 - level) / 2
        if not self.n or 0.5**self.clusters > alpha:
            return -math.inf if side == "low" else math.inf
        alternative: Alternative = "greater" if side == "low" else "less"
        inside, outside = self.effect, self.effect + (-2.5 if side == "low" else 2.5) - 1e-9
        for _ in range(40):
            middle = (inside + outside) / 2
            if self.p(middle, alternative) > alpha:
                inside = middle
            else:
                outside = middle
        return inside


def sign_flip(pairs: Sequence[Pair], *, seed: int = 0) -> SignFlip:
    """Test for no change, generalising to other quantities; deterministic."""
    flips = Flips(pairs, seed=seed)
    return SignFlip(flips.effect, flips.n, flips.clusters, flips.p(), flips.limit("low"), flips.limit("high"))


@dataclass(frozen=True, slots=True)
class McNemar:
    """The exact test on pairs of 0 and 1."""

    rose: int
    fell: int
    p: float
    n: int
    """Pairs it looked at."""


def mcnemar(pairs: Iterable[Pair], *, min_repeats: int = 1) -> McNemar:
    """McNemar's exact test. It says nothing of other cases: repeats tell chance in answering from change.

    Args:
        pairs: With scores of 0 and 1.
        min_repeats: Leave out cases with fewer samples than this (PROTOCOL's gate asks for 3).

    Raises:
        ValueError: a score is neither 0 nor 1.
    """
    every = list(pairs)
    if any(score not in (0, 1) for one in every for score in (one.score_before, one.score_after)):
        raise ValueError("McNemar's test is of shares; this measure has other scores")
    repeats: defaultdict[Hashable, int] = defaultdict(int)
    case = case_without("sample")
    for one in every:
        repeats[case(one.before)] += 1
    used = [one for one in every if repeats[case(one.before)] >= min_repeats]
    rose = sum(one.difference > 0 for one in used)
    fell = sum(one.difference < 0 for one in used)
    return McNemar(rose, fell, _binomial_p(min(rose, fell), rose + fell), len(used))


def _binomial_p(k: int, n: int) -> float:
    """Two-sided, of k out of n at one half, k at most n/2; exact, so that no import is needed."""
    return min(1.0, 2 * sum(math.comb(n, i) for i in range(k + 1)) / 2**n) if n else 1.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """One measure on two sides."""

    measure: Measure
    pairing: Pairing
    before: float | None
    after: float | None
    test: SignFlip
    exact: McNemar | None
    """None where the measure is no share."""

    @property
    def estimand(self) -> str:
        """What the effect is an estimate of, in words."""
        return (
            f"mean change of '{self.measure.title}' over the {self.test.n} cases both sides answered; interval and p "
            f"by flipping the signs of {self.test.clusters} quantities, so they speak of other quantities like these"
        )

    def to_json(self) -> dict[str, Any]:
        """Plain builtins."""
        test = self.test
        return {
            "measure": self.measure.name,
            "estimand": self.estimand,
            "before": self.before,
            "after": self.after,
            "effect": test.effect if test.n else None,
            "low": _finite(test.low),
            "high": _finite(test.high),
            "n": test.n,
            "quantities": test.clusters,
            "p_sign_flip": test.p if test.n else None,
            "rose": self.exact.rose if self.exact else None,
            "fell": self.exact.fell if self.exact else None,
            "p_mcnemar_this_set_only": self.exact.p if self.exact else None,
            "only_before": self.pairing.only_before,
            "only_after": self.pairing.only_after,
        }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def compare(measure: Measure, pairing: Pairing) -> Comparison:
    """Both sides of one measure, with its tests."""
    pairs = pairing.pairs
    n = len(pairs)
    return Comparison(
        measure,
        pairing,
        sum(one.score_before for one in pairs) / n if n else None,
        sum(one.score_after for one in pairs) / n if n else None,
        sign_flip(pairs),
        mcnemar(pairs) if measure.share else None,
    )
