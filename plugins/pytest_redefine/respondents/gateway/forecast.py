"""Before anything is asked: what a run would ask and cost, and why the store does not have it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_redefine.respondents.callers.base import Caller
from pytest_redefine.respondents.exchange import Interview, Step, prompt_digest, stored_request
from pytest_redefine.respondents.prices import Price, PriceList
from pytest_redefine.respondents.store import Store

CHARACTERS_A_TOKEN: Final = 3.5
"""Of these prompts, by the tokenizers of the usual models: 3.2 to 3.9."""


@dataclass(slots=True)
class Forecast:
    """What one model would be asked."""

    to_ask: int = 0
    stored: int = 0
    prompt_tokens: int = 0
    """An estimate, by characters."""
    completion_tokens: int = 0
    """An upper bound: every reply as long as max_tokens allows."""
    price: Price | None = None
    at_most: bool = False
    """``to_ask`` is an upper bound: some of it hangs on answers."""

    @property
    def usd(self) -> float | None:
        """An upper bound of the cost; None where no price is known."""
        return self.price.usd(self.prompt_tokens, self.completion_tokens) if self.price else None


@dataclass(slots=True)
class Miss:
    """Why some requests are not in the store."""

    reason: str
    cases: list[str] = field(default_factory=list)


async def forecast(
    interviews: Sequence[Interview],
    callers: Mapping[str, Caller],
    steps: Mapping[str, Step],
    store: Store | None,
    prices: PriceList,
) -> dict[str, Forecast]:
    """Forecasts by model.

    Of an interview of several turns the first is looked up; the others hang on the answer, and count as if all that
    there may be had to be asked.

    Args:
        interviews: all that would be announced.
        callers: by model.
        steps: by name.
        store: where replies are looked up; None where all is asked again.
        prices: what models cost.

    Raises:
        RespondentUnavailable: a local model's files cannot be read.
    """
    forecasts: dict[str, Forecast] = {}
    keyed: dict[str, tuple[Interview, int]] = {}
    for interview in interviews:
        caller = callers[interview.model]
        mine = forecasts.setdefault(interview.model, Forecast(price=prices.price(interview.model)))
        request = steps[interview.step](interview, ())
        for later in interview.later:
            other = forecasts.setdefault(later.model, Forecast(price=prices.price(later.model)))
            other.to_ask += later.requests
            other.at_most = True
            if callers[later.model].stored:
                other.prompt_tokens += round(later.requests * later.characters / CHARACTERS_A_TOKEN)
                other.completion_tokens += later.requests * later.max_tokens
        if request is None:
            continue
        characters = sum(len(message["content"]) for message in request.messages)
        key = request.key(caller.identity())
        if not caller.stored:
            mine.to_ask += 1
        elif key not in keyed:  # what is asked twice in the same words is asked once
            keyed[key] = (interview, characters)
    known = {} if store is None else await store.get_many(keyed)
    for key, (interview, characters) in keyed.items():
        mine = forecasts[interview.model]
        if key in known:
            mine.stored += 1
            continue
        mine.to_ask += 1
        mine.prompt_tokens += round(characters / CHARACTERS_A_TOKEN)
        mine.completion_tokens += int(interview.parameters.get("max_tokens") or 0)
    return forecasts


async def misses(
    interviews: Sequence[Interview],
    callers: Mapping[str, Caller],
    steps: Mapping[str, Step],
    store: Store | None,
) -> list[Miss]:
    """Why what would be asked is not in the store: one entry a reason, the commonest first."""
    wanted: dict[str, dict[str, Any]] = {}
    cases: dict[str, list[str]] = {}
    for interview in interviews:
        caller = callers[interview.model]
        request = steps[interview.step](interview, ())
        if request is not None and caller.stored:
            key = request.key(caller.identity())
            wanted[key] = stored_request(request, caller.identity())
            cases.setdefault(key, []).append(str(interview.case["case_id"]))
    known = {} if store is None else await store.get_many(wanted)
    by_reason: dict[str, Miss] = {}
    for key in wanted.keys() - known.keys():
        if store is None:
            reason = "--refresh asks everything again"
        else:
            reason = explain(wanted[key], await store.similar(prompt_digest(wanted[key])))
        by_reason.setdefault(reason, Miss(reason)).cases.extend(cases[key])
    for miss in by_reason.values():
        miss.cases.sort()
    return sorted(by_reason.values(), key=lambda miss: (-len(miss.cases), miss.reason))


def explain(wanted: Mapping[str, Any], similar: Sequence[Mapping[str, Any]]) -> str:
    """In words, how the nearest stored request of the same prompt differs from the one that is wanted."""
    if not similar:
        return "this prompt was never answered into this store"
    differences = min((_differences(wanted, other) for other in similar), key=len)
    return "; ".join(differences) if differences else "stored in a form that this version does not read"


def _differences(wanted: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    found = []
    for name in ("model", "api_base", "sample"):
        if wanted[name] != other.get(name):
            found.append(f"{name} is {wanted[name]!r}, stored with {other.get(name)!r}")
    for name, what in (("parameters", ""), ("identity", "the local model's ")):
        now, then = wanted[name], other.get(name) or {}
        for part in sorted({*now, *then}):
            if now.get(part) != then.get(part):
                found.append(f"{what}{part} is {_short(now.get(part))}, stored with {_short(then.get(part))}")
    return found


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 24 else text[:20] + "...'"
