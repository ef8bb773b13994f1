"""The draws of a session: made once, by the controller, and handed to its workers, so that all have the same cases."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import secrets
from collections.abc import Sequence
from typing import Any, Final

import pytest

from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.data import DataError
from pytest_redefine.cases.dose import draw_doses
from pytest_redefine.cases.drawn import Draw, DrawError, Drawn
from pytest_redefine.cases.fresh import NothingToDraw, draw_fresh
from pytest_redefine.cases.model import DOSE, FRESH
from pytest_redefine.cases.templates import Templates

WORKERINPUT: Final = "redefine_draws"
FAMILIES: Final = {FRESH: "--fresh=50", DOSE: "--dose=9"}
"""The families of drawn cases, and an option that draws some."""


def add_options(group: pytest.OptionGroup) -> None:
    """Add the options to the suite's group."""
    group.addoption(
        "--fresh", type=int, default=0, metavar="N", help="draw N fresh cases of each task, which no table has [0]"
    )
    group.addoption(
        "--fresh-seed",
        default=None,
        metavar="S",
        help="draw them, and what --dose leaves open, from S; the same S draws the same [printed by each run]",
    )
    group.addoption(
        "--fresh-from", default=None, metavar="RUN", help="ask the drawn cases of RUN again, from its run.json"
    )
    group.addoption(
        "--dose",
        type=int,
        default=0,
        metavar="K",
        help="redefine each quantity at K distances from its ordinary value, larger and smaller, of either sign [0]",
    )


class Drawing:
    """What was asked to be drawn, and the draws."""

    def __init__(self, fresh: int = 0, dose: int = 0, seed: str = "", *, replays: Sequence[Draw] | None = None) -> None:
        """``replays``: draws that are there already."""
        self.fresh = fresh
        self.dose = dose
        self.seed = seed
        self._replays = replays is not None
        self._made = not fresh and not dose and not replays
        self.draws: tuple[Draw, ...] = tuple(replays or ())

    def __bool__(self) -> bool:
        """Whether anything is drawn."""
        return bool(self.fresh or self.dose or self._replays)

    def draws_of(self, family: str) -> tuple[Draw, ...]:
        """The draws of a family, once they are made."""
        return tuple(draw for draw in self.draws if draw.family == family)

    def asks_for(self, family: str) -> bool:
        """Whether any of a family are drawn."""
        if self._replays:
            return bool(self.draws_of(family))
        return bool(self.fresh if family == FRESH else self.dose)

    def make(self, catalogue: Catalogue) -> None:
        """Draw, once; of draws that are there already, see that the data have all that they name.

        Not while pytest sets itself up: Hypothesis warns of whoever draws then.

        Raises:
            pytest.UsageError: The data leave nothing to draw, or have nothing of a name in a draw; one line.
        """
        if self._made:
            return
        self._made = True
        try:
            templates = Templates.load(catalogue)
            if self._replays:
                for draw in self.draws:
                    Drawn.build(draw, catalogue, templates)
                return
            made: list[Draw] = []
            for task in catalogue.tasks:
                made += draw_fresh(catalogue, templates, task, self.fresh, self.seed) if self.fresh else ()
                made += draw_doses(catalogue, templates, task, self.dose, self.seed) if self.dose else ()
            self.draws = tuple(made)
        except DrawError as error:
            raise pytest.UsageError(f"--fresh-from: {error}; its run was drawn from other data") from None
        except (NothingToDraw, DataError) as error:
            raise pytest.UsageError(str(error)) from None

    def to_worker(self) -> str:
        """All that a worker needs, as text."""
        return json.dumps([self.fresh, self.dose, self.seed, [draw.to_json() for draw in self.draws]])

    @classmethod
    def from_worker(cls, text: str) -> Drawing:
        """The inverse of :meth:`to_worker`."""
        fresh, dose, seed, draws = json.loads(text)
        drawing = cls(fresh, dose, seed, replays=[Draw.from_json(draw) for draw in draws])
        drawing._made = True
        return drawing

    def parameters(self) -> dict[str, Any] | None:
        """What must agree for a run to be continued: what is drawn from what, or a digest of what was."""
        if not self:
            return None
        digest = hashlib.sha256(json.dumps(self.stored(), sort_keys=True).encode()).hexdigest()
        return {"fresh": self.fresh, "dose": self.dose, "seed": self.seed, "sha256": digest}

    def stored(self) -> list[dict[str, Any]]:
        """The draws with every parameter, for run.json and ``--fresh-from``."""
        return [draw.to_json() for draw in self.draws]

    def lines(self) -> list[str]:
        """What the header says of it."""
        if not self:
            return []
        if self._replays:
            counts = ", ".join(f"{len(self.draws_of(family)):,} {family}" for family in FAMILIES)
            return [f"redefine: asks cases as they were drawn before: {counts}"]
        told = [f"{self.fresh:,} fresh cases a task"] if self.fresh else []
        told += [f"cases at {self.dose} distances"] if self.dose else []
        return [f"redefine: draws {' and '.join(told)}; the same again with --fresh-seed={self.seed}"]


def read(config: pytest.Config) -> Drawing:
    """Read the options: in a worker what the controller hands over.

    Raises:
        pytest.UsageError: One of them makes no sense; one line.
    """
    handed = getattr(config, "workerinput", {}).get(WORKERINPUT)
    if handed is not None:
        return Drawing.from_worker(handed)
    option = config.getoption
    fresh, dose, seed, source = (option(name) for name in ("fresh", "dose", "fresh_seed", "fresh_from"))
    if fresh < 0:
        raise pytest.UsageError(f"--fresh={fresh}: at least 0")
    if dose < 0 or dose == 1:
        raise pytest.UsageError(f"--dose={dose}: at least 2 distances make a curve, e.g. {FAMILIES[DOSE]}")
    if source:
        if fresh or dose or seed:
            raise pytest.UsageError("--fresh-from asks what a run drew: leave out --fresh, --dose and --fresh-seed")
        draws = _replayed(config, source)
        return Drawing(seed=draws[0].seed if draws else "", replays=draws)
    if seed and not fresh and not dose:
        drawn = " or ".join(FAMILIES.values())
        raise pytest.UsageError(f"--fresh-seed={seed}: nothing is drawn from it without e.g. {drawn}")
    return Drawing(fresh, dose, seed or _seed(config))


def check_keyword(config: pytest.Config, drawing: Drawing) -> None:
    """Say what to type where ``-k`` asks for drawn cases and none are drawn.

    Raises:
        pytest.UsageError: One line.
    """
    keyword = re.sub(r"\bnot\s+\w+", "", config.getoption("keyword"))
    for family, example in FAMILIES.items():
        if re.search(rf"\b{family}\d*\b", keyword, re.IGNORECASE) and not drawing.asks_for(family):
            told = f"-k {family}: nothing is drawn without --{family}; type e.g. pytest evals -k {family} {example}"
            raise pytest.UsageError(told)


def _seed(config: pytest.Config) -> str:
    """That of the run that is to be continued, else a new one."""
    name = config.getoption("run")
    if name:
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
            found = _run_json(config, name)["parameters"]["drawn"]["seed"]
            if isinstance(found, str) and found:
                return found
    return str(secrets.randbelow(10**8))


def _replayed(config: pytest.Config, name: str) -> list[Draw]:
    try:
        run = _run_json(config, name)
        stored = run["draws"]
        if not isinstance(stored, list):
            raise DrawError("it holds no draws")
        return [Draw.from_json(draw) for draw in stored]
    except FileNotFoundError:
        raise pytest.UsageError(f"--fresh-from={name}: there is no such run in reports/") from None
    except (KeyError, TypeError):
        raise pytest.UsageError(f"--fresh-from={name}: nothing was drawn in this run") from None
    except (OSError, ValueError) as error:
        raise pytest.UsageError(f"--fresh-from={name}: its run.json cannot be used: {error}") from None


def _run_json(config: pytest.Config, name: str) -> Any:
    path = config.rootpath / "reports" / name / "run.json"
    return json.loads(path.read_text(encoding="utf-8"))
