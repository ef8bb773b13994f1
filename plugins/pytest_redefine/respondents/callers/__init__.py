"""How one request is put to one kind of respondent. Limits, retries, store and order are the gateway's."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_redefine.respondents.callers.base import Caller
from pytest_redefine.respondents.keys import KEYS, OWN_SERVERS
from pytest_redefine.respondents.names import ModelName
from pytest_redefine.respondents.prices import PriceList

__all__ = ["Access", "Caller", "make_caller"]

JUDGE_EXACT: Final = "sim/judge-exact"
"""The simulated judge: no respondent."""

_OPENAI_SERVERS: Final = ("openai", "custom_openai", *OWN_SERVERS)
"""Providers that, with an address of the user's, are a plain server of OpenAI's protocol."""


@dataclass(frozen=True, slots=True)
class Access:
    """How the user wants models to be reached."""

    api_base: str | None = None
    """The server to ask, where it is not the provider's own."""
    secrets: Mapping[str, Any] = field(default_factory=dict)
    """Parameters of each call that stand in no key, file or record."""
    drop_params: bool = False
    """Leave out also what was typed, where a model does not take it."""
    prices: PriceList = field(default_factory=PriceList)


def make_caller(model: ModelName, access: Access) -> Caller:
    """The caller for a model; nothing heavy is imported before its first request.

    Raises:
        RespondentUnavailable: the model cannot be asked; one line that says what to type.
    """
    if model.full == JUDGE_EXACT:
        from pytest_redefine.respondents.callers.simulated_judge import SimulatedJudge

        return SimulatedJudge()
    if model.kind == "sim":
        from pytest_redefine.respondents.callers.simulated import SimulatedCaller

        return SimulatedCaller(model.full)
    if model.kind == "local":
        from pytest_redefine.respondents.callers.local import LocalCaller

        return LocalCaller(model.full)
    provider = model.full.partition("/")[0]
    if access.api_base is not None and provider in _OPENAI_SERVERS:
        from pytest_redefine.respondents.callers.openai_server import OpenAIServerCaller

        key = os.environ.get(KEYS[provider][0])
        return OpenAIServerCaller(
            model.full, access.api_base, key, access.secrets, drop_params=access.drop_params, prices=access.prices
        )
    from pytest_redefine.respondents.callers.litellm_api import LiteLLMCaller

    return LiteLLMCaller(
        model.full, access.api_base, access.secrets, drop_params=access.drop_params, prices=access.prices
    )
