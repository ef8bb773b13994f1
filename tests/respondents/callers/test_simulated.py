from __future__ import annotations

import asyncio
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from pytest_redefine.cases.truth import Truth
from pytest_redefine.grading.grader import grade
from pytest_redefine.respondents.callers import Access, make_caller, simulated
from pytest_redefine.respondents.callers.simulated import SimulatedCaller
from pytest_redefine.respondents.errors import RespondentUnavailable
from pytest_redefine.respondents.exchange import Reply, Request
from pytest_redefine.respondents.names import parse_model

REQUEST = Request("sim/x", ({"role": "user", "content": "How long is it?"},))


def case(case_id: str = "c", **truth: Any) -> dict[str, Any]:
    return {"case_id": case_id, "truth": {"expected": "500", "default": "3.14159265359", **truth}}


def reply(name: str, about: Mapping[str, Any]) -> Reply:
    return asyncio.run(SimulatedCaller(f"sim/{name}").call(REQUEST, about))


@pytest.mark.parametrize(
    ("name", "truth", "text"),
    [
        ("adopts", {}, "Working it through step by step. The final answer is: 500"),
        ("adopts", {"unit": "m/s"}, "Working it through step by step. The final answer is: 500 m/s"),
        ("adopts", {"expected": "1.5+2*I"}, "Working it through step by step. The final answer is: 1.5+2i"),
        ("adopts", {"expected": "5", "kind": "digit"}, "The final answer is: 5"),
        ("anchors", {}, "Working it through step by step. The final answer is: 3.14159265359"),
        ("anchors", {"default": None}, "Working it through step by step. The final answer is: 500"),
        ("anchors", {"default": "3", "kind": "digit"}, "The final answer is: 3"),
        ("blank", {}, ""),
    ],
)
def test_what_each_says(name: str, truth: Mapping[str, Any], text: str) -> None:
    assert reply(name, case(**truth)).text == text


def test_infinity_is_said_in_words() -> None:
    text = reply("adopts", case(expected="oo")).text
    assert text.endswith("The final answer is: it has no value, it is unbounded")


def test_a_refusal_names_no_value() -> None:
    text = reply("refuses", case()).text
    assert "can't answer" in text
    assert not any(character.isdigit() for character in text)


def test_a_worse_mixed_anchors_so_many_more_and_answers_the_rest_as_ever() -> None:
    cases = [case(f"case{number}") for number in range(400)]
    as_ever, worse = ([reply(name, one).text for one in cases] for name in ("mixed", "mixed+15"))
    turned = [(was, now) for was, now in zip(as_ever, worse, strict=True) if was != now]
    assert set(turned) == {(reply("adopts", cases[0]).text, reply("anchors", cases[0]).text)}
    assert len(turned) == pytest.approx(60, abs=15)


@pytest.mark.parametrize("name", ["sim/mixed+0", "sim/mixed+41", "sim/mixed+x", "sim/anchors+5"])
def test_a_change_that_mixed_cannot_have_is_no_respondent(name: str) -> None:
    with pytest.raises(RespondentUnavailable, match="no such simulated respondent"):
        SimulatedCaller(name)


def test_mixed_depends_on_the_case_alone_and_shows_every_outcome() -> None:
    texts = [reply("mixed", case(f"case{number}")).text for number in range(300)]
    assert texts == [reply("mixed", case(f"case{number}")).text for number in range(300)]
    kinds = Counter(
        "adopts" if text.endswith(": 500")
        else "anchors" if text.endswith(": 3.14159265359")
        else "errs" if text.endswith("7.7e77")
        else "refuses" if "can't" in text
        else "hedges" if "either 500 or 3.14159265359" in text
        else "blank" if not text
        else "other"
        for text in texts
    )  # fmt: skip
    assert set(kinds) == {"adopts", "anchors", "errs", "refuses", "hedges", "blank"}
    assert kinds.most_common(2)[0][0] == "adopts"


OPTIONS = {"A": "50", "B": "500", "C": "3.14159265359", "D": "31.4159265359"}


@pytest.mark.parametrize(("name", "letter"), [("adopts", "B"), ("anchors", "C")])
def test_in_multiple_choice_they_name_letters(name: str, letter: str) -> None:
    assert reply(name, case(format="mc", options=OPTIONS)).text == f"The final answer is: {letter}"
    control = case(format="mc", options=OPTIONS, expected="3.14159265359", default=None)
    assert reply(name, control).text == "The final answer is: C"


@pytest.mark.parametrize("is_control", [False, True])
def test_in_multiple_choice_too_mixed_shows_every_outcome(is_control: bool) -> None:
    answers = {"expected": "3.14159265359", "default": None} if is_control else {}
    about = [case(f"case{number}", format="mc", options=OPTIONS, **answers) for number in range(200)]
    outcomes = {grade(reply("mixed", one).text, Truth.from_json(one["truth"])).category for one in about}
    assert outcomes == {"correct", "wrong", "refused", "blank", "hedged"} | (set() if is_control else {"anchored"})


def dosed(dose: float, quantity: str = "pi", seed: str = "7") -> dict[str, Any]:
    return {"family": "dose", "task": "constants", "quantity": quantity, "dose": dose, "value": "3", "seed": seed}


def test_logistic_anchors_near_and_adopts_far_off_and_where_no_dose_is_stated() -> None:
    def anchored(dose: float) -> int:
        draws = [dosed(dose, f"q{at}", str(at)) for at in range(400)]
        return sum("3.14" in reply("logistic", {**case(), "draw": draw}).text for draw in draws)

    assert anchored(0.01) == 400
    assert 160 < anchored(simulated.LOGISTIC_D50) < 240
    assert anchored(100) == 0
    assert reply("logistic", case()).text.endswith("500")
    assert reply("logistic", {**case(default=None), "draw": dosed(0.01)}).text.endswith("500")


def test_a_reply_costs_nothing_counts_words_and_is_not_worth_storing() -> None:
    said = reply("adopts", case())
    assert said.cost_usd == 0
    assert said.usage == {"prompt_tokens": 4, "completion_tokens": 11}
    assert said.model_version == "sim/adopts"
    assert not SimulatedCaller("sim/adopts").stored


def test_an_unknown_one_is_told_with_those_there_are() -> None:
    with pytest.raises(
        RespondentUnavailable, match=r"--model=sim/nobody: no such .* sim/adopts, sim/anchors, .*sim/mixed"
    ):
        make_caller(parse_model("sim/nobody"), Access())


def test_nothing_heavy_is_imported() -> None:
    code = (
        "import sys; from pytest_redefine.respondents.callers import Access, make_caller;"
        "from pytest_redefine.respondents.names import parse_model; make_caller(parse_model('sim/mixed'), Access());"
        "make_caller(parse_model('openai/gpt-4o'), Access());"
        "make_caller(parse_model('hosted_vllm/m'), Access('http://127.0.0.1:1/v1'));"
        "print(*{'litellm', 'aiohttp', 'sympy', 'redis', 'openai'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
