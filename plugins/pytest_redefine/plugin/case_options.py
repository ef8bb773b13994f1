"""The options that say which cases there are, apart from those that say whom to ask and how."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_redefine.cases.catalogue import CONTROLS, FORMATS, PROMPTINGS, Catalogue
from pytest_redefine.cases.data import DataError
from pytest_redefine.cases.drawn import Drawn
from pytest_redefine.cases.model import DOSE, Case
from pytest_redefine.cases.prompts import Prompts
from pytest_redefine.cases.sharding import BadShard, Shard
from pytest_redefine.plugin import drawing

_AXES: Final = {"formats": FORMATS, "promptings": PROMPTINGS, "controls": CONTROLS}


def add_options(group: pytest.OptionGroup) -> None:
    """Add them to the suite's group."""
    group.addoption(
        "--formats",
        default=FORMATS[0],
        metavar="ff,mc",
        help=f"free form, multiple choice, or both [{FORMATS[0]}]",
    )
    group.addoption(
        "--promptings",
        default=PROMPTINGS[0],
        metavar="zs,fs,cot",
        help=f"zero shot, few shot, chain of thought, or several of them [{PROMPTINGS[0]}]",
    )
    group.addoption(
        "--controls",
        default=CONTROLS[0],
        metavar="nr,ns",
        help="what redefined cases are read beside: nr, the same question with nothing redefined; ns, the same value "
        f"under a name that means nothing [{CONTROLS[0]}]",
    )
    group.addoption(
        "--rotate-options",
        action="store_true",
        help="ask each case of multiple choice four times, its options turned by one place",
    )
    group.addoption("--prompts", default=None, metavar="FILE", help="word the cases by FILE instead of by the suite's")
    drawing.add_options(group)
    group.addoption(
        "--shard",
        default=None,
        metavar="I/N",
        help="ask the I-th of N equal parts of the selected cases; pytest-redefine merge joins the N runs",
    )


@dataclass(frozen=True, slots=True)
class CaseSettings:
    """These options, checked and read."""

    formats: tuple[str, ...] = FORMATS[:1]
    promptings: tuple[str, ...] = PROMPTINGS[:1]
    controls: tuple[str, ...] = CONTROLS[:1]
    rotate_options: bool = False
    prompts_file: Path | None = None
    drawing: drawing.Drawing = field(default_factory=drawing.Drawing)
    shard: Shard | None = None
    """Which part of the selected cases is asked; None for all."""

    def cases(self, catalogue: Catalogue, task: str, samples: int) -> tuple[Case, ...]:
        """The cases of a task that these options ask for."""
        return catalogue.cases(
            task,
            formats=self.formats,
            promptings=self.promptings,
            samples=samples,
            controls=self.controls,
            rotate_options=self.rotate_options,
        )

    def drawn_cases(self, drawn: Iterable[Drawn], samples: int) -> Iterator[Case]:
        """The cases of draws that these options ask for.

        Of a curve's points many share a question: its control is asked once, beside the first of them.
        """
        seen: set[tuple[str, str, str]] = set()
        for one in drawn:
            question = (one.draw.task, one.draw.quantity, one.draw.question)
            known = one.draw.family == DOSE and question in seen
            seen.add(question)
            controls = tuple(name for name in self.controls if name != CONTROLS[0] or not known)
            yield from one.cases(
                self.formats, self.promptings, samples, controls=controls, rotate_options=self.rotate_options
            )

    def prompts(self) -> Prompts:
        """The wording.

        Raises:
            pytest.UsageError: The file is bad; one line.
        """
        try:
            return Prompts.load(self.prompts_file)
        except DataError as error:
            raise pytest.UsageError(f"--prompts: {error}" if self.prompts_file else str(error)) from None

    def for_run_json(self) -> dict[str, Any]:
        """What must agree for a run to be continued; of the wording its content, wherever the file lies."""
        wording = hashlib.sha256(self.prompts_file.read_bytes()).hexdigest() if self.prompts_file else None
        return {
            "formats": list(self.formats),
            "promptings": list(self.promptings),
            "controls": list(self.controls),
            "rotate_options": self.rotate_options,
            "prompts": wording,
            "drawn": self.drawing.parameters(),
            **({"shard": str(self.shard)} if self.shard else {}),
        }


def read(config: pytest.Config) -> CaseSettings:
    """Read and check these options.

    Raises:
        pytest.UsageError: One of them makes no sense; one line.
    """
    option = config.getoption
    axes = {name: _some_of(f"--{name}", option(name), known) for name, known in _AXES.items()}
    if option("rotate_options") and "mc" not in axes["formats"]:
        raise pytest.UsageError("--rotate-options turns the options of multiple choice: add --formats=mc")
    prompts = option("prompts")
    drawn = drawing.read(config)
    return CaseSettings(
        **axes,
        rotate_options=option("rotate_options"),
        prompts_file=config.invocation_params.dir / prompts if prompts else None,
        drawing=drawn,
        shard=_shard(config, drawn),
    )


def _shard(config: pytest.Config, drawn: drawing.Drawing) -> Shard | None:
    option = config.getoption
    typed = option("shard")
    if typed is None:
        return None
    try:
        shard = Shard.parse(typed)
    except BadShard as error:
        raise pytest.UsageError(f"--shard={typed}: {error}") from None
    is_worker = hasattr(config, "workerinput")  # whose draws are the controller's
    if drawn and not (is_worker or option("fresh_seed") or option("fresh_from")):
        raise pytest.UsageError(
            f"--shard={shard}: every shard must draw the same cases; give all of them one seed, e.g. --fresh-seed=1"
        )
    for name, spelt in (("lf", "--lf"), ("stepwise", "--stepwise")):
        if config.getoption(name, False):
            raise pytest.UsageError(
                f"--shard={shard} {spelt}: what failed last differs from shard to shard, and so would the cases that "
                f"are split; leave {spelt} out: the same command again asks only what is missing"
            )
    return shard


def _some_of(option: str, typed: str, known: Iterable[str]) -> tuple[str, ...]:
    """The names typed, each once and in the order of ``known``: so that equal choices are equal runs."""
    known = tuple(known)
    names = [name.strip() for name in typed.split(",")]
    for name in names:
        if name not in known:
            raise pytest.UsageError(f"{option}={typed}: {name or 'nothing'!r} is none of {', '.join(known)}")
    return tuple(name for name in known if name in names)
