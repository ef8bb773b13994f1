"""``sim/judge-exact``: a judge that looks for the references' own text in an answer. Free, to try and to test with."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from pytest_redefine.cases.judge_wording import MATCH, NO_MATCH, QUOTE
from pytest_redefine.respondents.callers import JUDGE_EXACT
from pytest_redefine.respondents.callers.simulated import shown, simulated_reply
from pytest_redefine.respondents.errors import CallError
from pytest_redefine.respondents.exchange import Reply, Request

_DECLINES: Final = re.compile(r"\b(?:can(?:no|')t|cannot|unable|won't|sorry)\b", re.IGNORECASE)
_EITHER: Final = re.compile(r"\beither\b", re.IGNORECASE)


class SimulatedJudge:
    """Says what follows from the case's references and the quoted answer; never stored.

    It is exact where answers are written as simulated respondents write them, and no measure of anything else.
    """

    stored = False
    width: int | None = None

    def identity(self) -> Mapping[str, str]:
        """Nothing: the replies are not stored."""
        return {}

    async def prepare(self) -> None:
        """Nothing to get ready."""

    async def call(self, request: Request, case: Mapping[str, Any]) -> Reply:
        """Reply with one word of the vocabulary."""
        judge = case.get("judge")
        if not judge:
            raise CallError("usage", f"{JUDGE_EXACT} judges and does not answer: type --judge={JUDGE_EXACT}")
        text = _verdict(str(request.messages[-1]["content"]), judge["references"])
        return simulated_reply(request, text, JUDGE_EXACT)

    async def close(self) -> None:
        """Nothing to let go of."""


def _verdict(prompt: str, references: list[Mapping[str, Any]]) -> str:
    lines = prompt.splitlines()
    answer = "\n".join(line.removeprefix(QUOTE) for line in lines if line.startswith(QUOTE))
    open_ended = _EITHER.search(answer) is not None
    found = [number for number, one in enumerate(references, start=1) if _stands_in(one, answer)]
    if any(NO_MATCH in line for line in lines if not line.startswith(QUOTE)):
        return MATCH.format(number=found[0]) if len(found) == 1 and not open_ended else NO_MATCH
    if not answer.strip():
        return "BLANK"
    if _DECLINES.search(answer):
        return "REFUSED"
    return "HEDGED" if len(found) > 1 or open_ended else "WRONG"


def _stands_in(reference: Mapping[str, Any], answer: str) -> bool:
    text = reference["letter"] or shown(reference["value"])
    return re.search(rf"(?<![\w.-]){re.escape(text)}(?![\w-]|\.\d)", answer) is not None
