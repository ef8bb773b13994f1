"""How often the gate cries wolf, misses a wolf, or cannot tell? ``python benchmarks/gate.py [RUNS]`` simulates it.

Every answer is drawn anew on both sides. A case is anchored with log odds that scatter by quantity and by case (a
standard deviation of one each); a change shifts them, by quantity with a spread of 0, 0.5 or 1 logit, so that the mean
rise over all quantities there could be is 0, 5, 10 or 20 points. Prints shares of RUNS simulated pairs of runs, beside
the power that the gate foretells from runs without a change; then how often the default gate holds a model that has not
changed. Fails where no change is called one in more than the stated 5 %, or where an unchanged model is held less than
nine times in ten. One process, a minute.
"""

from __future__ import annotations

import math
import sys
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import binom, norm
from scipy.stats import t as student

from pytest_redefine.analysis.estimates import HANDFUL
from pytest_redefine.analysis.paired import EXACT_CLUSTERS, Pair
from pytest_redefine.analysis.rows import row
from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.gating.evidence import Evidence, change_over_quantities, effective_n, power, tango_limit
from pytest_redefine.gating.rules import default_gate, read_gate

Array = NDArray[np.floating[Any]]

ALPHA = 0.05
PERMITTED = (0.05, 0.12)
SPREADS = (0.0, 0.5, 1.0)
RISES = (0.0, 0.05, 0.10, 0.20)
LAYOUTS = {"45": [3] * 15, "225": [15] * 15, "992": [32] * 31}
"""Cases of each quantity: one level of the constants; all five; constants and units, each in several arms."""
DEFAULT_SET = [15] * 15 + [9] * 16
"""Constants and units, zero shot, free form; the three indistinct cases are not worth telling apart here."""


class Signs:
    """The ways to flip, for many simulated runs at once: what ``paired.Flips`` does one run at a time."""

    def __init__(self, sizes: list[int], seed: int = 0) -> None:
        count = len(sizes)
        if count <= EXACT_CLUSTERS:
            ways = np.arange(2**count)[:, None] >> np.arange(count)[None, :]
            self.signs = (1.0 - 2.0 * (ways & 1)).astype(np.float32)
        else:
            drawn = np.random.default_rng(seed).integers(0, 2, (2**EXACT_CLUSTERS, count))
            self.signs = (1.0 - 2.0 * drawn).astype(np.float32)
            self.signs[0] = 1.0
        self.sizes = np.array(sizes, dtype=np.float32)

    def p(self, sums: Array, shift: float, *, greater: bool) -> Array:
        """One p a row of ``sums`` (runs by quantities)."""
        centred = sums.astype(np.float32) - np.float32(shift) * self.sizes
        out = np.empty(len(sums))
        for start in range(0, len(sums), 200):
            part = centred[start : start + 200]
            seen = part.sum(axis=1)
            slack = 1e-5 * np.abs(part).sum(axis=1) + 1e-6
            flipped = self.signs @ part.T
            extreme = flipped >= seen - slack if greater else flipped <= seen + slack
            out[start : start + 200] = extreme.mean(axis=0)
        return out


@dataclass
class Simulated:
    """What rose and what fell, by run and quantity."""

    rose: Array
    fell: Array

    @property
    def sums(self) -> Array:
        """Sums of differences."""
        return self.rose - self.fell


def simulated(difference: Array, sizes: list[int]) -> Simulated:
    """From differences of single cases, a row a run, quantity by quantity."""
    edges = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return Simulated(
        np.add.reduceat((difference > 0).astype(float), edges, axis=1),
        np.add.reduceat((difference < 0).astype(float), edges, axis=1),
    )


def wilson_limits(hits: Array, sizes: list[int]) -> tuple[Array, Array, Array]:
    """Shares and their one-sided limits, clustered by quantity: ``estimates.estimate_share`` for many runs at once."""
    weights, n, groups = np.array(sizes), sum(sizes), len(sizes)
    share = hits.sum(axis=1) / n
    spread = ((hits - share[:, None] * weights) ** 2).sum(axis=1) * groups / (groups - 1) / n**2
    z = norm.ppf(1 - ALPHA)
    scatter = share * (1 - share)
    independent = np.minimum(n, np.divide(scatter, spread, out=np.full_like(share, n), where=spread > 0))
    independent *= (z / student.ppf(1 - ALPHA, groups - 1)) ** 2
    hits_all = hits.sum(axis=1)
    alone = np.minimum(hits_all, n - hits_all)
    few = np.minimum(independent, effective_n(sizes))
    independent = np.where(alone == 0, effective_n(sizes), np.where(alone <= HANDFUL, few, independent))
    centre = (share * independent + z * z / 2) / (independent + z * z)
    half = z / (independent + z * z) * np.sqrt(scatter * independent + z * z / 4)
    return share, np.where(share > 0, centre - half, 0.0), np.where(share < 1, centre + half, 1.0)


def draw(
    sizes: list[int], rise: float, spread: float, runs: int, source: np.random.Generator, base: float = 0.3
) -> Simulated:
    """Pairs of runs."""
    centre, shift = calibrated(base, rise, spread)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    quantity = source.normal(0, 1, (runs, len(sizes)))
    change = shift + source.normal(0, spread, (runs, len(sizes))) if spread else np.full((runs, len(sizes)), shift)
    odds = centre + quantity[:, owner] + source.normal(0, 1, (runs, len(owner)))
    before = source.random(odds.shape) < expit(odds)
    after = source.random(odds.shape) < expit(odds + change[:, owner])
    difference = after.astype(float) - before
    return simulated(difference, sizes)


def calibrated(base: float, rise: float, spread: float) -> tuple[float, float]:
    """The centre of the log odds that gives a mean rate, and the shift that lets it rise by so much."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()

    def rate(at: float, deviation: float) -> float:
        return float(weights @ expit(at + deviation * nodes))

    centre = float(brentq(lambda at: rate(at, math.sqrt(2)) - base, -10, 10))
    wanted = math.sqrt(2 + spread**2)
    return centre, float(brentq(lambda by: rate(centre + by, wanted) - base - rise, -10, 10))


def verdicts(found: Simulated, signs: Signs, permitted: float) -> dict[str, Array]:
    """Which runs the relative rule calls what, as the gate does with one rule."""
    sizes = [int(size) for size in signs.sizes]
    sums = found.sums
    rise = sums.sum(axis=1) / sum(sizes)
    significant = signs.p(sums, 0.0, greater=True) <= ALPHA
    # The upper limit lies below what is permitted where the test rejects that the rise were as large ...
    below = signs.p(sums, permitted, greater=False) <= ALPHA
    # ... and where what rose and what fell, each with its interval, leave no room for it.
    up, _, most = wilson_limits(found.rose, sizes)
    down, least, _ = wilson_limits(found.fell, sizes)
    held = below & (up - down + np.hypot(most - up, down - least) < permitted)
    regressed = significant & (rise > permitted)
    return {"significant": significant, "regressed": regressed, "test alone": below, "held": held & ~regressed}


def mcnemar(found: Simulated) -> Array:
    """One-sided exact p, cases taken for independent."""
    rose, fell = found.rose.sum(axis=1), found.fell.sum(axis=1)
    return np.asarray(binom.sf(rose - 1, rose + fell, 0.5))


def check(signs: Signs, sizes: list[int], source: np.random.Generator) -> None:
    """See that the figures are the gate's own, on a few runs."""
    found = draw(sizes, 0.05, 0.5, 6, source)
    for at in range(6):
        alone = Simulated(found.rose[at : at + 1], found.fell[at : at + 1])
        pairs = [
            Pair(one, one, float(kind < 0), float(kind > 0))
            for quantity, (rose, fell, size) in enumerate(zip(alone.rose[0], alone.fell[0], sizes, strict=True))
            for one in (row({"case_id": "", "model": "", "task": "t", "quantity": str(quantity)}),)
            for kind in [1] * int(rose) + [-1] * int(fell) + [0] * int(size - rose - fell)
        ]
        real = change_over_quantities(pairs, ALPHA, worse_when_higher=True)
        assert abs(real.p_worse - signs.p(alone.sums, 0.0, greater=True)[0]) < 0.01
        for permitted in PERMITTED:
            held = bool(verdicts(alone, signs, permitted)["held"][0])
            assert held == (real.high < permitted), (real, permitted)


def rare(runs: int, source: np.random.Generator) -> None:
    """Print how often a rise as large as permitted is held where hardly anything else changes."""
    print(
        "\nheld although the rise is what is permitted; else the same answers (temperature 0); alike: of one quantity"
    )
    print(f"{'cases':>6}{'permitted':>11}{'alike':>7}{'test alone':>12}{'gate':>8}")
    for name, sizes in {**LAYOUTS, "369": DEFAULT_SET}.items():
        signs = Signs(sizes)
        for permitted in (0.05, 0.12):
            for alike in (0.0, 0.1):
                size = (runs, len(sizes))
                a, b = (share * (1 / alike - 1) if alike else 0.0 for share in (permitted, 1 - permitted))
                chance = source.beta(a, b, size) if alike else np.full(size, permitted)
                rose = source.binomial(np.array(sizes), chance).astype(float)
                found = verdicts(Simulated(rose, np.zeros_like(rose)), signs, permitted)
                alone, held = found["test alone"].mean(), found["held"].mean()
                print(f"{name:>6}{permitted:>11.2f}{alike:>7.1f}{alone:>12.3f}{held:>8.3f}")


def foretold(unchanged: Simulated, sizes: list[int], rise: float, permitted: float) -> float:
    """The mean power that the gate tells of a rise, from the scatter of runs in which nothing changed."""
    n, groups, weights = sum(sizes), len(sizes), np.array(sizes)
    value = unchanged.sums.sum(axis=1) / n
    spread = ((unchanged.sums - value[:, None] * weights) ** 2).sum(axis=1)
    told = [
        power(Evidence(0.0, 0.0, 0.0, 1.0, 1.0, n, groups, float(se), effective_n(sizes)), rise, permitted, ALPHA)
        for se in np.sqrt(spread * groups / (groups - 1))[:200] / n
    ]
    return float(np.mean(told))


def tables(runs: int, source: np.random.Generator) -> bool:
    """Print what becomes of no change and of three changes; whether no change is called one seldom enough."""
    fine = True
    print("share of simulated pairs of runs, one rule, base rate 30 %")
    head = "".join(f"{f'may rise {100 * one:.0f}: regr.':>20}{'foretold':>9}{'held':>7}" for one in PERMITTED)
    print(f"{'cases':>6}{'spread':>8}{'rise':>6}{'McNemar':>9}{'sign-flip':>10}{head}")
    for name, sizes in LAYOUTS.items():
        signs = Signs(sizes)
        check(signs, sizes, source)
        for spread in SPREADS:
            for rise in RISES:
                found = draw(sizes, rise, spread, runs, source)
                wide = [verdicts(found, signs, one) for one in PERMITTED]
                if rise == 0:
                    unchanged = found
                shares = "".join(
                    f"{one['regressed'].mean():>20.3f}{told:>9.3f}{one['held'].mean():>7.3f}"
                    for one, at in zip(wide, PERMITTED, strict=True)
                    for told in (foretold(unchanged, sizes, rise, at),)
                )
                alarm = wide[0]["significant"].mean()
                print(
                    f"{name:>6}{spread:>8}{100 * rise:>6.0f}{(mcnemar(found) <= ALPHA).mean():>9.3f}{alarm:>10.3f}"
                    f"{shares}"
                )
                slack = 3 * math.sqrt(ALPHA * (1 - ALPHA) / runs)
                if rise == 0:
                    fine &= alarm <= ALPHA + slack and all(one["regressed"].mean() <= ALPHA for one in wide)
                fine &= all(
                    one["held"].mean() <= ALPHA + slack for one, at in zip(wide, PERMITTED, strict=True) if rise >= at
                )
    return fine


def absolute(runs: int, source: np.random.Generator) -> bool:
    """Print how often a share that lies on its bound is called held or regressed; whether either is seldom enough."""
    print("\nabsolute rule, the rate is the bound; quantities scatter by one logit")
    print(f"{'cases':>6}{'bound':>7}{'regressed':>11}{'held':>8}")
    fine = True
    for name, sizes in {**LAYOUTS, "369": DEFAULT_SET}.items():
        for bound in (0.1, 0.3):
            odds = calibrated(bound, 0.0, 0.0)[0] + math.sqrt(2) * source.normal(0, 1, (runs, len(sizes)))
            hits = source.binomial(np.array(sizes), expit(odds)).astype(float)
            _, low, high = wilson_limits(hits, sizes)
            regressed, held = (low > bound).mean(), (high <= bound).mean()
            print(f"{name:>6}{bound:>7.1f}{regressed:>11.3f}{held:>8.3f}")
            fine &= bool(max(regressed, held) <= 2 * ALPHA)
    return fine


def fixed_set(runs: int, source: np.random.Generator) -> bool:
    """Print how often the test on a fixed set finds a change, or holds one as large as permitted, that is not there."""
    print('\ngeneralises = "cases": 75 cases, each asked three times; cases scatter by two logits')
    print(f"{'rise':>6}{'regr. at 12':>13}{'held at 12':>12}")
    fine = True
    for rise in (0.0, 0.12, 0.20):
        centre, shift = calibrated(0.3, rise, 0.0)
        odds = np.repeat(centre + math.sqrt(2) * source.normal(0, 1, (runs, 75)), 3, axis=1)
        # The rise of this set, not of all there could be: what the verdict speaks of.
        there = (expit(odds + shift) - expit(odds)).mean(axis=1)
        before, after = source.random(odds.shape) < expit(odds), source.random(odds.shape) < expit(odds + shift)
        rose, fell = (after & ~before).sum(axis=1), (before & ~after).sum(axis=1)
        p = binom.sf(rose - 1, rose + fell, 0.5)
        regressed = (p <= ALPHA) & (rose - fell > 0.12 * 225)
        limits = [tango_limit(int(up), int(down), 225, ALPHA, "high") for up, down in zip(rose, fell, strict=True)]
        held = np.array(limits) < 0.12
        wrong = held[there >= 0.12].mean() if (there >= 0.12).any() else 0.0
        print(f"{100 * rise:>6.0f}{regressed.mean():>13.3f}{held.mean():>12.3f}")
        fine &= bool(wrong <= ALPHA + 0.02) and (rise > 0 or bool(regressed.mean() <= ALPHA))
    return fine


def default_gate_holds(runs: int, source: np.random.Generator) -> bool:
    """Print how often the default gate holds an unchanged model; whether that is nine times in ten."""
    rules = [rule for rule in read_gate(default_gate(), Catalogue.load()).rules if rule.relative]
    permitted = {rule.measure: rule.value for rule in rules}
    signs = Signs(DEFAULT_SET)
    owner = np.repeat(np.arange(len(DEFAULT_SET)), DEFAULT_SET)
    print(f"\ndefault gate, unchanged model, {sum(DEFAULT_SET)} redefined cases: {permitted}")
    print(f"{'anchored':>9}{'correct':>9}{'cases scatter':>15}{'unlike':>8}{'all held':>10}{'regressed':>11}")
    fine = True
    for anchored, correct in ((0.1, 0.8), (0.3, 0.5), (0.5, 0.4), (0.3, 0.1), (0.05, 0.1)):
        for scatter in (0.0, 1.0, 2.0):
            deviation = scatter * math.sqrt(2)
            first, second = centred(anchored, deviation), centred(correct / (1 - anchored), deviation)
            shape = (runs, len(owner))
            odds = [
                at + scatter * (source.normal(0, 1, (runs, len(DEFAULT_SET)))[:, owner] + source.normal(0, 1, shape))
                for at in (first, second)
            ]
            sides = []
            for _ in range(2):
                is_anchored = source.random(shape) < expit(odds[0])
                sides.append((is_anchored, ~is_anchored & (source.random(shape) < expit(odds[1]))))
            held, regressed = np.ones(runs, dtype=bool), np.zeros(runs, dtype=bool)
            for at, measure in enumerate(("anchored_rate", "correct_rate")):
                difference = sides[1][at].astype(float) - sides[0][at]
                worse = difference if measure == "anchored_rate" else -difference
                found = verdicts(simulated(worse, DEFAULT_SET), signs, permitted[measure])
                held &= found["held"]
                regressed |= found["regressed"]
            unlike = (sides[0][0] != sides[1][0]).mean()
            print(
                f"{anchored:>9.2f}{correct:>9.2f}{scatter:>15.0f}{unlike:>8.2f}{held.mean():>10.3f}{regressed.mean():>11.3f}"
            )
            fine &= bool(held.mean() >= 0.9) and bool(regressed.mean() <= ALPHA)
    return fine


def centred(share: float, deviation: float) -> float:
    """The centre of log odds with some deviation whose mean share is that."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()
    return float(brentq(lambda at: float(weights @ expit(at + deviation * nodes)) - share, -20, 20))


def main(runs: int) -> int:
    """Run it; the exit status."""
    source = np.random.default_rng(20260101)
    start = time.perf_counter()
    seldom = tables(runs, source)
    rare(runs, source)
    others = absolute(runs, source) and fixed_set(runs, source)
    holds = default_gate_holds(runs, source)
    print(f"\n{runs} pairs of runs each; {time.perf_counter() - start:.0f} s")
    return int(not (seldom and others and holds))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000))
