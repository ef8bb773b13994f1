"""Every provider that LiteLLM knows."""

from __future__ import annotations

import atexit
import dataclasses
import gc
import os
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from types import ModuleType
from typing import Any, Final

from pytest_redefine.respondents.callers.openai_http import kind_of_status, reply_from_completion
from pytest_redefine.respondents.callers.openai_server import DROP_HINT
from pytest_redefine.respondents.callers.retry_after import parse_retry_after
from pytest_redefine.respondents.errors import MESSAGE_LIMIT, CallError, RespondentUnavailable
from pytest_redefine.respondents.exchange import Reply, Request
from pytest_redefine.respondents.prices import PriceList

_NO_KEY: Final = "unused"

# LiteLLM's exception classes, most specific first, and what each is to us.
_KINDS: Final = (
    ("ContentPolicyViolationError", "content_filter"),
    ("UnsupportedParamsError", "unsupported"),
    ("AuthenticationError", "authentication"),
    ("PermissionDeniedError", "authentication"),
    ("NotFoundError", "model_not_found"),
    ("RateLimitError", "rate_limit"),
    ("Timeout", "timeout"),
    ("APIResponseValidationError", "malformed"),
    ("BadRequestError", "bad_request"),
)


def import_litellm() -> ModuleType:
    """LiteLLM, quiet and at home: no telemetry, no price list fetched from outside, no banner.

    Costs seconds and 200 MB the first time, which is why nothing imports it before a request needs it.
    """
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_LOG", "ERROR")
    import litellm

    # Hundred thousands of objects that live as long as the process: each full collection would walk them (0.5 s,
    # pytest makes one as it ends), and taking them apart at exit costs 0.8 s more. Frozen, both cost next to nothing.
    gc.freeze()
    atexit.register(gc.freeze)
    litellm.telemetry = False
    litellm.suppress_debug_info = True
    return litellm


class LiteLLMCaller:
    """Asks one model through ``litellm.acompletion``, with LiteLLM's own retries switched off."""

    stored = True
    width: int | None = None

    def __init__(
        self,
        model: str,
        api_base: str | None,
        secrets: Mapping[str, Any],
        *,
        drop_params: bool,
        prices: PriceList | None = None,
    ) -> None:
        """Note the names; nothing is imported or checked yet.

        Args:
            model: its LiteLLM name.
            api_base: the server to ask, where it is not the provider's own.
            secrets: parameters of each call that stand in no key, file or record.
            drop_params: leave out also what the user typed, where the model does not take it.
            prices: those that are stated in a file of known models go before LiteLLM's.
        """
        self._prices = prices or PriceList()
        self._drop_params = drop_params
        self._secrets = dict(secrets)
        self._model = model
        self._api_base = api_base
        self._litellm: ModuleType | None = None
        # By what a request is made of: the same model is asked without a thinking budget where it judges.
        self._refused: dict[frozenset[str], set[str]] = {}

    def identity(self) -> Mapping[str, str]:
        """Nothing: a provider's model has only its name."""
        return {}

    async def prepare(self) -> None:
        """Import LiteLLM; see that it knows the model and that its key is set.

        Raises:
            RespondentUnavailable: it does not, or it is not.
        """
        # In the foreground: while other threads only wait, an import in a thread of its own gains nothing.
        litellm = import_litellm()
        try:
            _, provider, _, _ = litellm.get_llm_provider(self._model, api_base=self._api_base)
        except Exception:
            raise RespondentUnavailable(
                f"--model={self._model}: unknown model; write PROVIDER/MODEL as LiteLLM names it "
                "(e.g. openai/gpt-4o, hosted_vllm/NAME with --api-base=URL), local/smollm2-135m, sim/adopts or a "
                "short name that `pytest-redefine models` lists"
            ) from None
        if self._api_base is None and not self._secrets:
            missing = litellm.validate_environment(self._model).get("missing_keys") or []
            if missing:
                also = f" (it needs {', '.join(missing)})" if len(missing) > 1 else ""
                raise RespondentUnavailable(
                    f"--model={self._model}: no key for {provider}; type: export {missing[0]}=... "
                    f"and run the same command again{also}"
                )
        elif not self._secrets and litellm.validate_environment(self._model).get("missing_keys"):
            # A server of one's own often wants no key, but the clients under LiteLLM insist on one.
            self._secrets["api_key"] = _NO_KEY
        self._litellm = litellm

    async def call(self, request: Request, case: Mapping[str, Any]) -> Reply:
        """Ask once; a default of the suite that the model does not take is left out and named in the reply.

        Raises:
            CallError: there was no answer.
        """
        assert self._litellm is not None, "prepare() comes first"
        supported = self._litellm.get_supported_openai_params(self._model) or list(request.parameters)
        dropped = [name for name in request.droppable if name in request.parameters and name not in supported]
        may_drop = set(request.parameters) if self._drop_params else set(request.droppable)
        refused = self._refused.setdefault(frozenset(request.parameters), set())
        dropped += sorted(refused.intersection(may_drop).difference(dropped))
        while True:
            try:
                return await self._complete(request, dropped)
            except CallError as error:
                if error.fault.kind != "unsupported":
                    raise
                # LiteLLM mostly refuses before anything is sent, and names what it refuses: some models take a
                # temperature, but only 1. What the provider refuses is remembered, not asked for every time.
                named = [name for name in may_drop.difference(dropped) if name in error.fault.message]
                if not named:
                    raise
                dropped += sorted(named)
                refused.update(named)

    async def _complete(self, request: Request, dropped: list[str]) -> Reply:
        litellm = self._litellm
        assert litellm is not None
        parameters = {name: value for name, value in request.parameters.items() if name not in dropped}
        asked_at = datetime.now(UTC).isoformat(timespec="seconds")
        start = time.monotonic()
        try:
            response = await litellm.acompletion(
                model=request.model,
                messages=[dict(message) for message in request.messages],
                api_base=self._api_base,
                max_retries=0,
                num_retries=0,
                **parameters,
                **self._secrets,
            )
        except Exception as error:
            raise self._call_error(error) from None
        reply = reply_from_completion(_plain(response), time.monotonic() - start, asked_at)
        price = self._prices.stated(self._model)
        if price is not None:
            usage = reply.usage
            usd = price.usd(usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)) if usage else None
            return dataclasses.replace(reply, cost_usd=usd, dropped_params=tuple(dropped))
        return _with_cost(litellm, response, reply, dropped)

    def _call_error(self, error: Exception) -> CallError:
        secrets = [str(secret) for secret in self._secrets.values() if secret != _NO_KEY]
        retry_after_s = _retry_after(error)
        for name, kind in _KINDS:
            known = getattr(self._litellm, name, None)
            if known is not None and isinstance(error, known):
                said = str(error)
                if kind in ("bad_request", "rate_limit"):
                    kind = _kind_of_cause(error) or kind_of_status(400 if kind == "bad_request" else 429, said)
                if kind == "unsupported" and not self._drop_params:
                    said = f"{said[: MESSAGE_LIMIT - 80]}{DROP_HINT}"
                return CallError(kind, said, secrets, retry_after_s=retry_after_s)
        said = str(error)
        named = said if said.startswith("litellm.") else f"{type(error).__name__}: {said}"
        # 500 is the status that LiteLLM writes where there was none.
        status = getattr(error, "status_code", None)
        kind = _kind_of_cause(error) or ("server" if isinstance(status, int) and status > 500 else "malformed")
        return CallError(kind, named, secrets, retry_after_s=retry_after_s)

    async def close(self) -> None:
        """Close the HTTP clients that LiteLLM keeps."""
        if self._litellm is not None:
            close = getattr(self._litellm, "close_litellm_async_clients", None)
            if close is not None:
                await close()


def _retry_after(error: Exception) -> float | None:
    """The header, which LiteLLM keeps in one of two places."""
    for headers in (
        getattr(error, "litellm_response_headers", None),
        getattr(getattr(error, "response", None), "headers", None),
    ):
        text = headers.get("retry-after") if headers is not None and hasattr(headers, "get") else None
        if text:
            return parse_retry_after(str(text))
    return None


def _kind_of_cause(error: BaseException) -> str | None:
    """What LiteLLM's catch-all errors are about; None where nothing went wrong on the way.

    Seen with 1.110: a reset connection, HTML with status 200 and a reply without choices all come as
    InternalServerError with status 500, and 403 as APIError; only what they were raised from tells them apart.
    """
    cause: BaseException | None = error
    for _ in range(20):  # a chain may be circular
        if cause is None:
            break
        names = {base.__name__ for base in type(cause).__mro__ if base.__module__.partition(".")[0] == "httpx"}
        if "HTTPStatusError" in names:
            response: Any = cause.response  # type: ignore[attr-defined]  # httpx's, as the name says
            return kind_of_status(int(response.status_code), str(response.text))
        if "TimeoutException" in names:
            return "timeout"
        if "TransportError" in names or isinstance(cause, OSError):
            return "network"
        cause = cause.__cause__ or cause.__context__
    return None


def _plain(response: Any) -> Any:
    return response.model_dump() if hasattr(response, "model_dump") else response


def _with_cost(litellm: ModuleType, response: Any, reply: Reply, dropped: list[str]) -> Reply:
    try:
        cost = litellm.completion_cost(completion_response=response)
    except Exception:  # a model without a known price: LiteLLM raises whatever comes
        cost = None
    return dataclasses.replace(reply, cost_usd=cost or None, dropped_params=tuple(dropped))
