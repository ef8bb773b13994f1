"""How one request is put to one kind of respondent. Limits, retries, store and order are the gateway's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_redefine.respondents.callers.base import Caller
from pytest_redefine.respondents.names import ModelName

__all__ = ["Caller", "make_caller"]


def make_caller(model: ModelName, api_base: str | None, secrets: Mapping[str, Any]) -> Caller:
    """The caller for a model; nothing heavy is imported before its first request.

    Args:
        model: whom to ask.
        api_base: the server to ask, where it is not the provider's own.
        secrets: parameters of each call that stand in no key, file or record.

    Raises:
        RespondentUnavailable: the model cannot be asked; one line that says what to type.
    """
    if model.kind == "sim":
        from pytest_redefine.respondents.callers.simulated import SimulatedCaller

        return SimulatedCaller(model.full)
    if model.kind == "local":
        from pytest_redefine.respondents.callers.local import LocalCaller

        return LocalCaller(model.full)
    from pytest_redefine.respondents.callers.litellm_api import LiteLLMCaller

    return LiteLLMCaller(model.full, api_base, secrets)
