from __future__ import annotations

from typing import Any

import pytest

from pytest_redefine.cases.truth import Truth
from pytest_redefine.grading.grader import grade
from pytest_redefine.grading.outcome import CATEGORIES
from pytest_redefine.respondents.callers import hostile, published
from pytest_redefine.respondents.callers.simulated import SimulatedCaller
from pytest_redefine.respondents.errors import RespondentUnavailable

RESPONDENT = "sim/published-llama70b"


def case(**changes: Any) -> dict[str, Any]:
    axes = {"task": "constants", "prompting": "zs", "format": "ff", "redefinition": "ra3", "question": "q1"}
    truth = {"expected": "500", "default": "3.14159265359"}
    return {"quantity": "pi", "sample": 0, "truth": truth, "options": None, **axes, **changes}


def test_an_unknown_model_is_told_with_those_there_are() -> None:
    with pytest.raises(RespondentUnavailable, match=r"sim/published-claude-3\.7-sonnet"):
        SimulatedCaller("sim/published-gpt")
    with pytest.raises(RespondentUnavailable, match=r"sim/hostile, .*sim/published-"):
        SimulatedCaller("sim/nobody")


@pytest.mark.parametrize(
    ("changes", "printed"),
    [
        ({}, True),
        ({"redefinition": "ra1", "prompting": "cot", "format": "mc"}, True),  # Tables 14-16
        ({"redefinition": "nr"}, True),
        ({"redefinition": "nr", "format": "mc"}, False),
        ({"redefinition": "nr", "prompting": "fs"}, False),
        ({"redefinition": "neutral1"}, False),
        ({"redefinition": "fresh3"}, False),
        ({"task": "units"}, True),
        ({"task": "units", "redefinition": "ra1"}, False),
        ({"task": "units", "prompting": "cot"}, False),
        ({"sample": 1}, False),
        ({"rotation": 2}, False),
    ],
)
def test_only_printed_cells_are_asked(changes: dict[str, Any], printed: bool) -> None:
    assert published.is_printed(RESPONDENT, case(**changes)) is printed
    assert published.is_printed("sim/adopts", case(**changes))


def test_replies_say_what_is_filler() -> None:
    said = [published.reply("Llama70B", case(quantity=quantity)) for quantity in ("pi", "e", "phi", "c", "G", "h")]
    assert all(text.startswith((published.PRINTED, published.FILLER)) for text in said)
    assert published.reply("Llama70B", case(task="units", redefinition="ra1")).endswith(published.FILLER)


def test_multiple_choice_is_answered_by_letter() -> None:
    options = {"A": "1", "B": "500", "C": "3.14159265359", "D": "4"}
    truth = Truth("500", "3.14159265359", format="mc", options=options)
    ends = {
        grade(published.reply("Llama70B", case(format="mc", quantity=quantity, options=options)), truth).category
        for quantity in ("pi", "e", "phi", "c", "G", "h", "q_e", "N_A", "k_B", "R")
    }
    assert ends <= {"correct", "anchored", "wrong", "refused"}
    assert len(ends) > 1


def test_hostile_replies_are_said_each_to_some_case() -> None:
    said = {hostile.reply({"case_id": str(number)}) for number in range(300)}
    assert said == set(hostile.REPLIES)


@pytest.mark.parametrize("text", hostile.REPLIES)
def test_hostile_replies_are_graded(text: str) -> None:
    assert grade(text, Truth("500", "3.14159265359")).category in CATEGORIES
