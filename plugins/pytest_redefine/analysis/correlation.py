"""Does knowing more go with anchoring more? Over models, per cell, as the paper's Tables 7 and 20 have it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

Z95: Final = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Correlation:
    """Pearson's r over n models with Fisher's 95 % interval; r is None where either side does not vary."""

    r: float | None
    n: int
    low: float
    high: float


def pearson(pairs: Sequence[tuple[float, float]]) -> Correlation:
    """Correlate control knowledge with anchoring, one pair a model.

    The interval is Fisher's (1921) and needs four models; below that it is [-1, 1].
    """
    n = len(pairs)
    xs, ys = [x for x, _ in pairs], [y for _, y in pairs]
    if n < 2 or len(set(xs)) < 2 or len(set(ys)) < 2:
        return Correlation(None, n, -1.0, 1.0)
    r = statistics.correlation(xs, ys)
    if n < 4 or abs(r) >= 1:
        return Correlation(r, n, -1.0, 1.0)
    half = Z95 / math.sqrt(n - 3)
    return Correlation(r, n, math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half))
