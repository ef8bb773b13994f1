"""The grader against its peers on the labelled corpus: python benchmarks/grading.py [--list PEER].

One decision that every one of them can take: is this free-form answer the expected one? Rows that hedge are left out,
and cut-off ones, and expected values that are complex or infinite. Each peer is called as its documentation says, and
favoured where it can be: it may match the expected value as given or rounded to 3, 4, 5 or 6 digits, while our own
grader is held to the corpus's labels. The peers come with: pip install 'pytest-redefine[bench]'; those that are missing
are left out.

A false wrong is a right answer turned down, a false right another one accepted. An anchored answer accepted is the
worst of these: it turns the benchmark's finding into its opposite.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Context, Decimal
from importlib import metadata
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "plugins"), str(ROOT)]  # it runs where the package is not installed, beside the peers

from tests.grading.conftest import Row, rows, truths  # noqa: E402

from pytest_redefine.cases.truth import Truth  # noqa: E402 - after the path
from pytest_redefine.grading.grader import grade  # noqa: E402

Decide = Callable[[str, Truth], bool]

_REAL = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
_LAST = re.compile(r"-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][+-]?\d+)?")


def applies(row: Row) -> bool:
    """Whether "is it the expected value?" has an answer that any numeric grader could give."""
    truth = truths()[row.truth]
    return (
        truth.format == "ff"
        and row.outcome != "hedged"
        and row.finish_reason == "stop"
        and _REAL.fullmatch(truth.expected) is not None
        and truth.default != "oo"
    )


def targets(expected: str) -> list[str]:
    """The expected value as given and rounded, each as a plain or scientific literal."""
    value = Decimal(expected)
    out = [expected]
    for digits in (6, 5, 4, 3):
        rounded = Context(prec=digits).plus(value).normalize()
        plain = format(rounded, "f") if -6 < rounded.adjusted() < 16 else format(rounded, "e").replace("e+", "e")
        if plain not in out:
            out.append(plain)
    return out


def latex(literal: str) -> str:
    """A literal as the maths graders expect it."""
    mantissa, _, exponent = literal.partition("e")
    return f"{mantissa} \\times 10^{{{exponent}}}" if exponent else mantissa


def last_number(answer: str, truth: Truth) -> bool:
    """The pattern in use everywhere: the last number of the text, within 2 %."""
    found = _LAST.findall(answer)
    if not found:
        return False
    value, expected = float(found[-1].replace(",", "")), float(truth.expected)
    return abs(value - expected) <= 0.02 * abs(expected)


def ours(answer: str, truth: Truth) -> bool:
    """This project's grader."""
    return grade(answer, truth).category == "correct"


def inspect_scorer(name: str) -> Decide:
    """A scorer of Inspect, scoring a state with this one reply against a list of targets (any of them counts)."""
    from inspect_ai import scorer
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import Target
    from inspect_ai.solver import TaskState

    score = scorer.match(numeric=True) if name == "match" else scorer.math()
    loop = asyncio.new_event_loop()

    def decide(answer: str, truth: Truth) -> bool:
        output = ModelOutput.from_content("none", answer)
        state = TaskState(model="none", sample_id=0, epoch=0, input="", messages=[], output=output)  # type: ignore[arg-type, unused-ignore] # a model's name is a str of its own type
        wanted = targets(truth.expected)
        result = loop.run_until_complete(score(state, Target(wanted if name == "match" else list(map(latex, wanted)))))
        return result is not None and result.value == "C"

    return decide


def math_verify() -> Decide:
    """Math-Verify with its defaults: parse both sides, verify."""
    from math_verify import parse, verify

    def decide(answer: str, truth: Truth) -> bool:
        found = parse(answer)
        return any(verify(parse(f"${latex(target)}$"), found) for target in targets(truth.expected))

    return decide


PEERS: dict[str, tuple[str, str, Callable[[], Decide]]] = {
    "ours": ("pytest-redefine", "pytest-redefine", lambda: ours),
    "match": ("Inspect match(numeric=True)", "inspect-ai", lambda: inspect_scorer("match")),
    "math": ("Inspect math()", "inspect-ai", lambda: inspect_scorer("math")),
    "math-verify": ("Math-Verify", "math-verify", math_verify),
    "last": ("last number, 2 %", "", lambda: last_number),
}


@dataclass
class Result:
    """How one grader did."""

    name: str
    seconds: float = 0.0
    """Of CPU, all threads: the machine may be busy with something else."""
    asked: int = 0
    rights: int = 0
    others: int = 0
    anchored: int = 0
    false_wrong: list[Row] = field(default_factory=list)
    false_right: list[Row] = field(default_factory=list)

    @property
    def anchored_taken(self) -> int:
        """Anchored answers accepted as right."""
        return sum(row.outcome == "anchored" for row in self.false_right)

    def add(self, row: Row, accepted: bool) -> None:
        """Count one decision."""
        self.asked += 1
        if row.outcome == "correct":
            self.rights += 1
            if not accepted:
                self.false_wrong.append(row)
            return
        self.others += 1
        self.anchored += row.outcome == "anchored"
        if accepted:
            self.false_right.append(row)


def measure(name: str, decide: Decide, chosen: list[Row]) -> Result:
    """Run one grader over the rows; an exception or a timeout is an answer turned down."""
    result = Result(name)
    for timed in (False, True):  # the second time imports are done and caches warm, for everybody
        for row in chosen:
            start = time.process_time()
            try:
                accepted = decide(row.answer, truths()[row.truth])
            except Exception:  # whatever it raises, the user has no verdict
                accepted = False
            if timed:
                result.seconds += time.process_time() - start
                result.add(row, accepted)
    return result


@contextmanager
def quiet() -> Iterator[None]:
    """Peers warn about every answer that they cannot read."""
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


def version(package: str) -> str:
    """Of an installed package, with a space before it."""
    try:
        return " " + metadata.version(package) if package else ""
    except metadata.PackageNotFoundError:
        return ""


def table(title: str, results: list[Result]) -> None:
    """A Markdown table."""
    print(f"\n{title}\n")
    print("| grader | right answers turned down | others accepted | of which anchored | answers a second |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for r in results:
        speed = f"{r.asked / r.seconds:,.0f}" if r.seconds else "-"
        print(
            f"| {r.name} | {len(r.false_wrong)} of {r.rights} | {len(r.false_right)} of {r.others} "
            f"| {r.anchored_taken} of {r.anchored} | {speed} |"
        )


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", choices=PEERS, metavar="PEER", help=f"list its mistakes: {', '.join(PEERS)}")
    args = parser.parse_args()
    chosen = [row for row in rows() if applies(row)]
    plain = [row for row in chosen if not truths()[row.truth].unit]
    units = [row for row in chosen if truths()[row.truth].unit]
    missing = []
    results: dict[str, tuple[Result, Result]] = {}
    with quiet():
        for key, (title, package, make) in PEERS.items():
            if args.list not in (None, key):
                continue
            try:
                decide = make()
            except ImportError:
                missing.append(title)
                continue
            name = title + version(package) * (key != "ours")
            results[key] = measure(name, decide, plain), measure(name, decide, units)
    print(f"{len(chosen)} of the corpus's {len(rows())} rows: free form, a real expected value, no hedge, not cut off.")
    table(f"No unit asked ({len(plain)} answers)", [bare for bare, _ in results.values()])
    table(f"A unit asked ({len(units)} answers)", [with_unit for _, with_unit in results.values()])
    if args.list:
        for row in chain.from_iterable((r.false_wrong + r.false_right) for r in results[args.list]):
            print(f"{row.outcome:9} {truths()[row.truth].expected:>20}  {row.answer!r}")
    if missing:
        print(f"\nnot installed: {', '.join(missing)}. They come with: pip install 'pytest-redefine[bench]'")
    return 0


if __name__ == "__main__":
    sys.exit(main())
