"""Draws the fresh cases of a run. Hypothesis is imported here, when there is something to draw, and nowhere else."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from .catalogue import Catalogue
from .drawn import Draw
from .posed import Judge
from .templates import Templates

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_BYTES: Final = 1024
"""Handed to Hypothesis for one draw: more than any takes."""
_ATTEMPTS: Final = 200


class NothingToDraw(ValueError):
    """No well-posed case was found: the data leave nothing to draw."""


def draw_fresh(catalogue: Catalogue, templates: Templates, task: str, count: int, seed: str) -> tuple[Draw, ...]:
    """The first so many fresh cases of a task.

    Every other one is a case of the benchmark with another value (for the contamination gap), the rest are put
    together. The same in every process, on every machine and for every ``PYTHONHASHSEED``, as long as Hypothesis
    and the data are; case ``i`` is the same whatever ``count`` is.

    Raises:
        NothingToDraw: The data leave nothing to draw.
    """
    from . import strategies

    stock = strategies.Stock(Judge(catalogue, templates))
    ways = [_catcher(way(stock, task)) for way in (strategies.redrawn, strategies.composed)]
    draws: list[Draw] = []
    taken: set[str] = set()
    for index in range(count):
        catch = ways[index % 2]
        found, digest = None, ""
        for attempt in range(_ATTEMPTS):
            buffer = random.Random(f"{seed}:{task}:{index}:{attempt}").randbytes(_BYTES)  # noqa: S311 - no secret
            caught = catch(buffer)
            if caught is not None:
                found, digest = caught, caught.digest
                if digest not in taken:
                    break
        if found is None:
            raise NothingToDraw(f"no well-posed case of the {task} in {_ATTEMPTS} attempts at seed {seed}")
        # Where all that can be drawn has been drawn (mL ra1 has few digits) a case comes twice.
        taken.add(digest)
        draws.append(replace(found, index=index, seed=seed))
    return tuple(draws)


def _catcher(strategy: SearchStrategy[Draw]) -> Callable[[bytes], Draw | None]:
    """What draws one example from bytes; None where they make no well-posed one."""
    from hypothesis import HealthCheck, Phase, given, settings

    caught: list[Draw] = []

    @settings(database=None, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
    @given(strategy)
    def keep(one: Draw) -> None:
        caught.append(one)

    fuzz = keep.hypothesis.fuzz_one_input  # type: ignore[attr-defined]  # set by @given, and in no hint of its

    def catch(buffer: bytes) -> Draw | None:
        caught.clear()
        fuzz(buffer)
        return caught[0] if caught else None

    return catch
