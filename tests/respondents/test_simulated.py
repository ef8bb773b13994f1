"""Simulated respondents in multiple choice; their whole runs are in tests/plugin."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pytest_redefine.cases.truth import Truth
from pytest_redefine.grading.grader import grade
from pytest_redefine.respondents.callers.simulated import SimulatedCaller
from pytest_redefine.respondents.exchange import Request

OPTIONS = {"A": "150", "B": "1500", "C": "9.42477796076938", "D": "94.2477796076938"}
REDEFINED = {"expected": "1500", "default": "9.42477796076938", "format": "mc", "options": OPTIONS}
CONTROL = {"expected": "9.42477796076938", "format": "mc", "options": OPTIONS}


def reply(name: str, truth: dict[str, Any], case_id: str = "one") -> str:
    request = Request("sim", ({"role": "user", "content": "?"},))
    return asyncio.run(SimulatedCaller(f"sim/{name}").call(request, {"case_id": case_id, "truth": truth})).text


@pytest.mark.parametrize(("name", "letter"), [("adopts", "B"), ("anchors", "C")])
def test_they_choose_letters(name: str, letter: str) -> None:
    assert reply(name, REDEFINED) == f"The final answer is: {letter}"
    assert reply(name, CONTROL) == "The final answer is: C"


@pytest.mark.parametrize("truth", [REDEFINED, CONTROL])
def test_a_mixed_one_has_every_outcome(truth: dict[str, Any]) -> None:
    replies = {reply("mixed", truth, f"case-{at}") for at in range(200)}
    outcomes = {grade(text, Truth.from_json(truth)).category for text in replies}
    anchored = {"anchored"} if "default" in truth else set()
    assert outcomes == {"correct", "wrong", "refused", "blank", "hedged"} | anchored
