"""A process that runs a gateway: ``python -m tests.respondents.gateway.victim URL STORE FIRST LAST``.

Prints each question that was answered, until it is through or killed.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import aiohttp

from pytest_redefine.respondents.callers.openai_http import post_completion
from pytest_redefine.respondents.exchange import Reply, Request
from pytest_redefine.respondents.gateway import Gateway
from pytest_redefine.respondents.gateway.dispatcher import Dispatcher
from pytest_redefine.respondents.store import open_store
from tests.respondents.gateway.support import STEPS, FakeCaller, interview, rules


class HttpCaller(FakeCaller):
    """Asks a real server."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.url = url
        self.session: aiohttp.ClientSession | None = None

    async def call(self, request: Request, case: Mapping[str, Any]) -> Reply:
        self.session = self.session or aiohttp.ClientSession()
        body = {"model": "m", "messages": [dict(message) for message in request.messages]}
        return await post_completion(self.session, self.url, {}, body)

    async def close(self) -> None:
        if self.session is not None:
            await self.session.close()


def main(url: str, store: str, first: str, last: str) -> None:
    caller = HttpCaller(url)
    gateway = Gateway(Dispatcher(lambda name: caller, lambda: open_store(store, Path("/")), STEPS, rules(8)))
    questions = [f"q{number}" for number in range(int(first), int(last))]
    gateway.announce([interview(question) for question in questions])
    for question in questions:
        print(question, gateway.ask(question).reply.text, flush=True)  # noqa: T201 - whoever started it reads this
    gateway.close()
    print("asked", gateway.progress().asked, flush=True)  # noqa: T201 - likewise


if __name__ == "__main__":
    main(*sys.argv[1:])
