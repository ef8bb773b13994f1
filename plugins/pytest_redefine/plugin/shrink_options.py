"""The options of shrinking: how far, how many cases, and which."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Final

import pytest

from pytest_redefine.grading.outcome import CATEGORIES
from pytest_redefine.plugin.drawing import FAMILIES, Drawing
from pytest_redefine.plugin.judge_options import JudgeSettings

DEFAULT_REQUESTS: Final = 30
"""Of a case; most cases take fewer than 20."""
DEFAULT_CASES: Final = 5

OUTCOMES: Final = tuple(name for name in CATEGORIES if name != "correct")


def add_options(group: pytest.OptionGroup) -> None:
    """Add them to the suite's group."""
    group.addoption(
        "--shrink",
        nargs="?",
        type=_requests,
        const=DEFAULT_REQUESTS,
        default=0,
        metavar="N",
        help="find the simplest redefinition and question that drawn cases are still anchored by, with at most N "
        f"requests a case [{DEFAULT_REQUESTS}]",
    )
    group.addoption(
        "--shrink-cases",
        type=int,
        default=None,
        metavar="N",
        help=f"shrink N cases of a model at most, of as many quantities as there are [{DEFAULT_CASES}]",
    )
    group.addoption(
        "--shrink-outcomes",
        default=None,
        metavar=",".join(OUTCOMES),
        help=f"shrink the cases that ended so [{OUTCOMES[0]}]",
    )


@dataclass(frozen=True, slots=True)
class ShrinkSettings:
    """These options, checked and read."""

    requests: int = 0
    """Of a case at most; 0 where nothing is shrunk."""
    cases: int = DEFAULT_CASES
    outcomes: tuple[str, ...] = OUTCOMES[:1]

    def __bool__(self) -> bool:
        """Whether anything is shrunk."""
        return bool(self.requests)

    def estimate_lines(self) -> list[str]:
        """What --estimate says of it."""
        if not self:
            return []
        return [f"--shrink may ask each model {self.requests * self.cases:,} questions more: it hangs on the answers."]


def read(config: pytest.Config, drawing: Drawing, judging: JudgeSettings) -> ShrinkSettings:
    """Read and check these options.

    Raises:
        pytest.UsageError: One of them makes no sense; one line.
    """
    requests, cases, typed = (config.getoption(name) for name in ("shrink", "shrink_cases", "shrink_outcomes"))
    if not requests:
        for option, value in (("--shrink-cases", cases), ("--shrink-outcomes", typed)):
            if value is not None:
                raise pytest.UsageError(f"{option}={value}: nothing is shrunk without --shrink")
        return ShrinkSettings()
    if not drawing:
        family, example = next(iter(FAMILIES.items()))
        typed = f"pytest evals -k {family} {example} --shrink"
        raise pytest.UsageError(f"--shrink makes drawn cases simpler, and none are drawn; type e.g. {typed}")
    if judging.grading == "judge":
        raise pytest.UsageError("--shrink compares outcomes by numbers: use --grading=both instead of --grading=judge")
    if config.getoption("hypothesis_seed", None) is not None:
        raise pytest.UsageError("--hypothesis-seed keeps Hypothesis from shrinking: leave it out with --shrink")
    if cases is not None and cases < 1:
        raise pytest.UsageError(f"--shrink-cases={cases}: at least 1")
    names = [name.strip() for name in (typed or OUTCOMES[0]).split(",")]
    for name in names:
        if name not in OUTCOMES:
            raise pytest.UsageError(
                f"--shrink-outcomes={typed}: {name or 'nothing'!r} is none of {', '.join(OUTCOMES)}"
            )
    return ShrinkSettings(requests, cases or DEFAULT_CASES, tuple(name for name in OUTCOMES if name in names))


def _requests(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no number of requests; write --shrink={DEFAULT_REQUESTS}, or --shrink at the end"
        )
    return int(text)
