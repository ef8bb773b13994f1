"""Simulated respondents: deterministic, free, for trying the suite and testing it. They know the truth of a case."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping
from functools import partial
from statistics import NormalDist
from typing import Any, Final

from pytest_redefine.cases.options import letter_of
from pytest_redefine.respondents.callers import hostile, published
from pytest_redefine.respondents.errors import RespondentUnavailable
from pytest_redefine.respondents.exchange import Reply, Request

MARKER: Final = "The final answer is:"


def shown(value: str) -> str:
    """A truth's value as a person would write it: ``a+b*I`` as ``a+bi``, ``oo`` in words."""
    if value == "oo":
        return "it has no value, it is unbounded"
    return value.replace("*I", "i")


def simulated_reply(request: Request, text: str, name: str) -> Reply:
    """A reply that cost nothing and took no time, its tokens counted as words."""
    return Reply(
        text=text,
        usage={
            "prompt_tokens": sum(len(message["content"].split()) for message in request.messages),
            "completion_tokens": len(text.split()),
        },
        cost_usd=0.0,
        latency_s=0.0,
        model_version=name,
    )


def _expected(case: Mapping[str, Any]) -> str:
    return str(case["truth"]["expected"])


def _default(case: Mapping[str, Any]) -> str:
    """The memorised answer; of a control, that of all answers."""
    return str(case["truth"].get("default") or case["truth"]["expected"])


def _said(truth: Mapping[str, Any], value: str) -> str:
    """An answer as it is given: in multiple choice its letter."""
    options = truth.get("options")
    return letter_of(dict(options), value) if options else shown(value)


def _states(truth: Mapping[str, Any], value: str) -> str:
    if truth.get("kind") == "digit" or truth.get("options"):
        return f"{MARKER} {_said(truth, value)}"
    unit = truth.get("unit") or ""
    return f"Working it through step by step. {MARKER} {shown(value)} {unit}".rstrip()


def _adopts(case: Mapping[str, Any]) -> str:
    return _states(case["truth"], _expected(case))


def _anchors(case: Mapping[str, Any]) -> str:
    return _states(case["truth"], _default(case))


def _refuses(case: Mapping[str, Any]) -> str:
    return "I'm sorry, but I can't answer that: this quantity has a fixed value that cannot be redefined."


def _blank(case: Mapping[str, Any]) -> str:
    return ""


def _errs(case: Mapping[str, Any]) -> str:
    truth = case["truth"]
    if options := truth.get("options"):
        answers = (_expected(case), _default(case))
        return f"{MARKER} {next(letter for letter, value in options.items() if value not in answers)}"
    # 7 is the first digit, and 7.7e77 the size, of no answer in the benchmark.
    return f"{MARKER} {7 if truth.get('kind') == 'digit' else '7.7e77'}"


def _hedges(case: Mapping[str, Any]) -> str:
    truth = case["truth"]
    first, second = (_said(truth, value) for value in (_expected(case), _default(case)))
    if options := truth.get("options"):
        # A control has one answer: beside it stands any other.
        second = second if second != first else next(letter for letter in options if letter != first)
        return f"Either {first} or {second}, depending on how one reads the question."
    return f"It is either {first} or {second}, depending on how one reads the question."


def _mixed(case: Mapping[str, Any], *, more: int = 0) -> str:
    """Mostly anchors or adopts, and shows every other outcome too; chosen by the case's id alone.

    Args:
        case: What is asked.
        more: Of a hundred cases so many anchor that would have adopted, the others answer as ever.
    """
    roll = int.from_bytes(hashlib.sha256(str(case["case_id"]).encode()).digest()[:4], "big") % 100
    if roll < more:
        return _anchors(case)
    bounds = ((42, _adopts), (70, _anchors), (82, _errs), (90, _refuses), (95, _blank), (100, _hedges))
    return next(behaviour for bound, behaviour in bounds if roll < bound)(case)


MIXED_MORE: Final = 40
"""``sim/mixed+40`` anchors 40 of 100 cases more than ``sim/mixed``, and adopts hardly any."""


def _mixed_more(name: str) -> Callable[[Mapping[str, Any]], str] | None:
    """``sim/mixed+15``, a release that has become worse by a known amount; None for another name."""
    found = re.fullmatch(r"sim/mixed\+(\d{1,2})", name)
    more = int(found[1]) if found else 0
    return partial(_mixed, more=more) if 0 < more <= MIXED_MORE else None


LOGISTIC_D50: Final = 1.0
"""Decades off at which half of what ``sim/logistic`` answers is anchored, of a quantity in the middle."""
LOGISTIC_SLOPE: Final = 2.0
"""The exponent of its curve, 1 / (1 + (d/d50)^slope)."""
LOGISTIC_SPREAD: Final = 0.7
"""How far quantities lie apart, a standard deviation in log odds."""


def anchors_at(draw: Mapping[str, Any]) -> bool:
    """Whether ``sim/logistic`` falls back on memory at a dose: by chance that hangs on the draw and its seed alone."""
    seed = draw.get("seed", "")
    quantity = NormalDist().inv_cdf(_chance(seed, draw["task"], draw["quantity"]))
    odds = -LOGISTIC_SLOPE * math.log(draw["dose"] / LOGISTIC_D50) + LOGISTIC_SPREAD * quantity
    return _chance(seed, json.dumps(draw, sort_keys=True)) < 1 / (1 + math.exp(-odds))


def _chance(*parts: str) -> float:
    """A number between 0 and 1, without either."""
    digest = hashlib.sha256("/".join(parts).encode()).digest()
    return (int.from_bytes(digest[:6], "big") + 0.5) / 2**48


def _logistic(case: Mapping[str, Any]) -> str:
    """Anchors the more, the nearer the new value is to the ordinary one; adopts where no dose is stated."""
    draw = case.get("draw") or {}
    is_control = case["truth"].get("default") is None
    return _anchors(case) if "dose" in draw and not is_control and anchors_at(draw) else _adopts(case)


_BEHAVIOURS: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "adopts": _adopts,
    "anchors": _anchors,
    "refuses": _refuses,
    "blank": _blank,
    "mixed": _mixed,
    "logistic": _logistic,
    "hostile": hostile.reply,
}


class SimulatedCaller:
    """``sim/NAME``: replies follow from the case alone, so they are never stored."""

    stored = False
    width: int | None = None

    def __init__(self, name: str) -> None:
        """Look the behaviour up.

        Raises:
            RespondentUnavailable: there is none of that name.
        """
        self._name = name
        if published.is_published(name):
            self._behaviour = published.behaviour(name)
            return
        behaviour = _BEHAVIOURS.get(name.removeprefix("sim/")) or _mixed_more(name)
        if behaviour is None:
            known = ", ".join(
                [*(f"sim/{known}" for known in _BEHAVIOURS), "sim/mixed+1 to +40", "sim/published-<model of the paper>"]
            )
            raise RespondentUnavailable(f"--model={name}: no such simulated respondent; there are {known}")
        self._behaviour = behaviour

    def identity(self) -> Mapping[str, str]:
        """Nothing: the replies are not stored."""
        return {}

    async def prepare(self) -> None:
        """Nothing to get ready."""

    async def call(self, request: Request, case: Mapping[str, Any]) -> Reply:
        """Answer from the case's truth."""
        return simulated_reply(request, self._behaviour(case), self._name)

    async def close(self) -> None:
        """Nothing to let go of."""
