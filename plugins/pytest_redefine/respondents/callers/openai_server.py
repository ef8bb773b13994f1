"""A server of one's own (--api-base) that speaks OpenAI's protocol, without LiteLLM."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from pytest_redefine.respondents.callers.openai_http import post_completion
from pytest_redefine.respondents.errors import MESSAGE_LIMIT, CallError, RespondentUnavailable
from pytest_redefine.respondents.exchange import Reply, Request
from pytest_redefine.respondents.prices import PriceList

if TYPE_CHECKING:
    import aiohttp

_OLD_BOUND: Final = "max_tokens"
_NEW_BOUND: Final = "max_completion_tokens"
"""What OpenAI's reasoning models call the bound on a reply: the same parameter, so it is renamed and not dropped."""

DROP_HINT: Final = "; leave it out, or give --drop-params"


def unsupported(message: str) -> CallError:
    """The error of a typed parameter that a model does not take, with what to type."""
    return CallError("unsupported", f"{message[: MESSAGE_LIMIT - 80]}{DROP_HINT}")


class OpenAIServerCaller:
    """Asks one model of the server.

    LiteLLM would cost seconds of import and 8 ms of CPU a request where this takes 0.1 s and under 1 ms; names,
    records and errors are the same either way.
    """

    stored = True
    width: int | None = None

    def __init__(
        self,
        model: str,
        api_base: str,
        api_key: str | None,
        secrets: Mapping[str, Any],
        *,
        drop_params: bool = False,
        prices: PriceList | None = None,
    ) -> None:
        """Note the address; nothing is connected yet.

        Args:
            model: the LiteLLM name; what follows its provider is the server's own name for the model.
            api_base: up to and without ``/chat/completions``.
            api_key: sent as a bearer token, if there is one.
            secrets: further parameters that stand in no file; ``api_key`` among them wins.
            drop_params: leave out also what the user typed, where the model does not take it.
            prices: what models cost; LiteLLM's own list by default.
        """
        rest = dict(secrets)
        key = rest.pop("api_key", None) or api_key
        self._secret_values = tuple(str(value) for value in (key, *rest.values()) if value)
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._extra = rest
        self._model = model
        self._name = model.partition("/")[2] or model
        self._base = api_base.rstrip("/")
        self._drop_params = drop_params
        self._refused: set[str] = set()
        self._renamed: dict[str, str] = {}
        self._prices = prices or PriceList()
        self._session: aiohttp.ClientSession | None = None

    def identity(self) -> Mapping[str, str]:
        """Nothing: the address stands in the key already."""
        return {}

    async def prepare(self) -> None:
        """Open the connection pool; as many connections as requests in flight, which the gateway bounds."""
        from urllib.request import getproxies

        import aiohttp

        try:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=30),
                trust_env=bool(getproxies()),  # as LiteLLM does; looked up for each request, so only where it matters
            )
        except ValueError as error:
            raise RespondentUnavailable(f"--api-base={self._base}: {error}") from None

    async def call(self, request: Request, case: Mapping[str, Any]) -> Reply:
        """Ask once; a default of the suite that the model does not take is left out and named in the reply.

        Raises:
            CallError: there was no answer.
        """
        may_drop = set(request.parameters) if self._drop_params else set(request.droppable)
        while True:
            # What this request is sent with: another one may learn more meanwhile.
            sent = {self._renamed.get(name, name): value for name, value in request.parameters.items()}
            dropped = sorted(may_drop & self._refused & set(request.parameters))
            for name in dropped:
                del sent[self._renamed.get(name, name)]
            try:
                return await self._complete(request, sent, dropped)
            except CallError as error:
                if error.fault.kind != "unsupported" or not self._learn(error.fault.message, sent, may_drop):
                    raise

    def _learn(self, said: str, sent: Mapping[str, Any], may_drop: set[str]) -> bool:
        """Whether another form of the request may be taken; OpenAI names one parameter at a time, in quotes.

        Raises:
            CallError: what is not taken was typed, and may not be left out.
        """
        named = {name for name in sent if f"'{name}'" in said}
        if _OLD_BOUND in named and _NEW_BOUND in said:
            self._renamed[_OLD_BOUND] = _NEW_BOUND
            return True
        if named and not named & may_drop:
            raise unsupported(said)
        self._refused |= named & may_drop
        return bool(named)

    async def _complete(self, request: Request, parameters: Mapping[str, Any], dropped: list[str]) -> Reply:
        assert self._session is not None, "prepare() comes first"
        body = {
            "model": self._name,
            "messages": [dict(message) for message in request.messages],
            **parameters,
            **self._extra,
        }
        reply = await post_completion(self._session, self._base, self._headers, body, self._secret_values)
        price = self._prices.price(self._model)
        usd = None
        if price is not None and reply.usage:
            usd = price.usd(reply.usage.get("prompt_tokens", 0), reply.usage.get("completion_tokens", 0))
        return dataclasses.replace(reply, cost_usd=usd, dropped_params=tuple(dropped))

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
