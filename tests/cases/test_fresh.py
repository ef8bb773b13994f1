"""What is drawn can be asked, is asked readably, and is graded as it should be, whatever is drawn."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from decimal import Decimal
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_redefine.cases import constant_answers, decimals
from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.dose import ordinary
from pytest_redefine.cases.drawn import NOTATIONS, Draw, DrawError, Drawn, written
from pytest_redefine.cases.drawn_truths import DrawnTruths
from pytest_redefine.cases.estimate import Estimator
from pytest_redefine.cases.fresh import draw_fresh
from pytest_redefine.cases.model import CONTROL, Case, Quantity
from pytest_redefine.cases.posed import Judge
from pytest_redefine.cases.prompts import Prompts
from pytest_redefine.cases.strategies import (
    FAR,
    Stock,
    at_distance,
    composed,
    has_distance,
    quantities,
    redrawn,
    values,
)
from pytest_redefine.cases.templates import Templates
from pytest_redefine.cases.unit_answers import UnitAnswers
from pytest_redefine.grading.grader import grade
from pytest_redefine.respondents.callers import simulated

CATALOGUE = Catalogue.load()
TEMPLATES = Templates.load(CATALOGUE)
STOCK = Stock(Judge(CATALOGUE, TEMPLATES))
DRAWS = st.one_of([way(STOCK, task) for task in CATALOGUE.tasks for way in (composed, redrawn)])

quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@cache
def prompts() -> Prompts:
    return Prompts.load()


def truths_of(draw: Draw) -> tuple[DrawnTruths, Drawn]:
    truths = DrawnTruths(CATALOGUE, TEMPLATES, prompts())
    (drawn,) = truths.add([draw])
    return truths, drawn


def cases_of(drawn: Drawn) -> dict[str, list[Case]]:
    found: dict[str, list[Case]] = {"control": [], "redefined": []}
    for case in drawn.cases(("ff", "mc"), ("zs",), 1):
        found["control" if case.is_control else "redefined"].append(case)
    return found


@quick
@given(DRAWS)
def test_whoever_adopts_is_correct_and_whoever_anchors_anchored(draw: Draw) -> None:
    truths, drawn = truths_of(draw)
    for part, cases in cases_of(drawn).items():
        for case in cases:
            truth = truths.truth(case)
            skeleton = {"case_id": case.case_id, "truth": truth.to_json()}
            assert not truth.indistinct
            adopts = grade(simulated._adopts(skeleton), truth)
            anchors = grade(simulated._anchors(skeleton), truth)
            assert adopts.category == "correct"
            assert anchors.category == ("correct" if part == "control" else "anchored")
            if truth.options:
                four = list(truth.options.values())
                assert len(four) == 4
                assert not any(decimals.within(a, b, 0.02) for at, a in enumerate(four) for b in four[:at])


_SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def read(text: str) -> Decimal:
    """A number as a person reads it."""
    found = re.search(r"(-?[\d.]+)(?:(?: × 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))|e(-?\d+)|\*10\^(-?\d+))?", text)
    assert found
    power = next((part for part in found.groups()[1:] if part), "0").translate(_SUPERSCRIPTS)
    return Decimal(found[1]).scaleb(int(power))


@quick
@given(DRAWS)
def test_the_prompt_holds_the_new_value_readably_and_the_control_none(draw: Draw) -> None:
    truths, drawn = truths_of(draw)
    (control, _), (case, _) = cases_of(drawn).values()
    text, plain = (truths.messages(one)[0]["content"] for one in (case, control))
    line, rest = text.split("\n", 1)
    assert rest == plain
    assert line.startswith("Redefine ")
    told = line.removesuffix(".").rsplit(" as ", 1)[1]
    if draw.other:
        assert CATALOGUE.tasks["constants"][draw.other].noun in line
    elif draw.value.startswith("sqrt("):
        assert read(told.removeprefix("√(")) == Decimal(draw.value[5:-1])
    elif draw.quantity == "K":
        assert f" {Decimal(draw.value.split()[-1]):f}".replace(".0", "") in told.replace(".0", "")
    else:
        assert read(told) == Decimal(draw.value)
        assert len(Decimal(draw.value).normalize().as_tuple().digits) <= 4
    assert draw.is_redrawn or not draw.name or draw.name in rest


@quick
@given(DRAWS)
def test_a_neutral_control_has_the_value_and_the_question_but_not_the_name(draw: Draw) -> None:
    truths, drawn = truths_of(draw)
    quantity = CATALOGUE.tasks[draw.task][draw.quantity]
    found = {case.redefinition: case for case in drawn.cases(("ff", "mc"), ("zs",), 1, controls=("nr", "ns"))}
    published = quantity.questions.get(draw.question)
    has_one = bool(draw.value) and (published is None or bool(published.neutral))
    assert set(found) == {"nr", "fresh"} | ({"neutral"} if has_one else set())
    if has_one:
        neutral, case = truths.truth(found["neutral"]), truths.truth(found["fresh"])
        assert (neutral.expected, neutral.default, neutral.options) == (case.expected, None, case.options)
        text, beside = (truths.messages(found[level])[0]["content"] for level in ("neutral", "fresh"))
        assert quantity.neutral in text
        assert quantity.neutral not in beside
        assert not re.search(rf"\b{re.escape(quantity.noun)}", text)
        assert draw.notation == NOTATIONS[0] or written(draw.value, draw.notation) in text
        assert drawn.draw.tag in found["neutral"].id_stem


@quick
@given(DRAWS)
def test_a_draw_is_plain_data_and_its_digest_stands_in_the_id(draw: Draw) -> None:
    stored = json.loads(json.dumps(draw.to_json()))
    again = Draw.from_json(stored)
    assert again == draw
    _, drawn = truths_of(again)
    for case in drawn.cases(("ff",), ("zs",), 1):
        assert re.fullmatch(r"[A-Za-z0-9._-]+", case.id_stem)
        assert draw.digest in case.id_stem
    for name in ("value", "other", "question", "notation", "name"):
        changed = Draw.from_json({**stored, name: "x"})
        assert changed.digest != draw.digest


@given(quantities(CATALOGUE), st.data())
def test_values_are_as_far_off_as_they_should_be(quantity: Quantity, data: st.DataObject) -> None:
    if not has_distance(quantity):
        with pytest.raises(ValueError, match=quantity.key):
            at_distance(quantity, least=1, most=2)
        assert data.draw(values(quantity, "far"))
        return
    start = ordinary(quantity)
    assert start is not None
    far = Decimal(data.draw(values(quantity, "far")))
    # Rounding to one digit moves a number by at most a factor of 1.5.
    assert FAR[0] - Decimal("0.2") < abs((abs(far) / abs(start)).log10()) < FAR[1] + Decimal("0.2")
    value = Decimal(data.draw(at_distance(quantity, least=3, most=5, larger=False, negative=True)))
    assert value < 0
    assert Decimal("2.8") < -(abs(value) / abs(start)).log10() < Decimal("5.2")


@pytest.mark.parametrize("task", CATALOGUE.tasks)
def test_a_case_hangs_neither_on_their_number_nor_on_the_process(task: str) -> None:
    draws = draw_fresh(CATALOGUE, TEMPLATES, task, 24, "7")
    assert draws[:9] == draw_fresh(CATALOGUE, TEMPLATES, task, 9, "7")
    assert draws[:9] != draw_fresh(CATALOGUE, TEMPLATES, task, 9, "8")
    assert len({draw.digest for draw in draws}) == 24
    assert [draw.is_redrawn for draw in draws[:4]] == [True, False, True, False]
    program = (
        "from pytest_redefine.cases.catalogue import Catalogue\n"
        "from pytest_redefine.cases.templates import Templates\n"
        "from pytest_redefine.cases.fresh import draw_fresh\n"
        "catalogue = Catalogue.load()\n"
        f"draws = draw_fresh(catalogue, Templates.load(catalogue), {task!r}, 24, '7')\n"
        "print(' '.join(draw.tag + draw.digest for draw in draws))"
    )
    for seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        assert done.stdout.split() == [draw.tag + draw.digest for draw in draws]


# Drawn once and written down: another machine, Python or Hypothesis draws the same, or this fails and says so.
def test_the_draws_are_those_that_they_were() -> None:
    stored = json.loads(Path(__file__).with_name("draws.json").read_text(encoding="utf-8"))
    for task, draws in stored.items():
        assert [draw.to_json() for draw in draw_fresh(CATALOGUE, TEMPLATES, task, len(draws), "7")] == draws


def test_collection_does_not_import_hypothesis() -> None:
    program = (
        "import sys\n"
        "from pytest_redefine.cases import drawn_truths, fresh, dose, posed\n"
        "print([name for name in ('hypothesis', 'sympy', 'pint') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_estimates_are_what_sympy_and_pint_derive() -> None:
    estimator = Estimator(CATALOGUE.system)
    units = UnitAnswers(CATALOGUE.system)
    for quantity in CATALOGUE.tasks["constants"].values():
        for question in quantity.questions.values():
            for value in (one.value for one in quantity.redefinitions.values() if one.value):
                if (quantity.key, question.name, value) == ("zero", "q3", "5e30"):
                    continue  # the sine of a number of thirty digits, of which a float has sixteen
                exact = decimals.parse(constant_answers.answer(question.answer, value))
                assert exact is not None
                found = estimator.answer(quantity, question, value)
                assert complex(found) == pytest.approx(complex(*map(float, exact)), rel=1e-9)
    for quantity in CATALOGUE.tasks["units"].values():
        for question in quantity.questions.values():
            pairs = [
                (
                    float(units.answer(question.answer, question.unit, quantity.word, value)),
                    estimator.answer(quantity, question, value),
                )
                for value in (quantity.default, *(one.value for one in quantity.redefinitions.values()))
            ]
            (ordinary_answer, estimate), *redefined = pairs
            for exact_one, found in redefined:
                assert found / estimate == pytest.approx(exact_one / ordinary_answer, rel=1e-9)


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        ("5e-33", ("5 × 10⁻³³", "5e-33", "5*10^-33")),
        ("-2920000000", ("-2.92 × 10⁹", "-2.92e9", "-2.92*10^9")),
        ("3.5", ("3.5",) * 3),
    ],
)
def test_notations(value: str, texts: tuple[str, ...]) -> None:
    assert tuple(written(value, notation) for notation in NOTATIONS) == texts


@pytest.mark.parametrize(
    "changes",
    [
        {"quantity": "tau"},
        {"task": "money"},
        {"other": "tau"},
        {"question": "q9"},
        {"question": "times", "operands": {"a": "3", "b": "4"}},
        {"question": "times", "operands": {"a": "__import__"}},
    ],
)
def test_a_draw_of_other_data_is_refused(changes: dict[str, object]) -> None:
    draw = Draw.from_json({"family": "fresh", "task": "constants", "quantity": "pi", "kind": "near", "question": "q2",
                           "value": "5", **changes})  # fmt: skip
    with pytest.raises(DrawError, match="fresh0"):
        Drawn.build(draw, CATALOGUE, TEMPLATES)


@pytest.mark.parametrize("data", [None, {}, {"family": "fresh"}, {"colour": "red"}, {"index": "3"}, {"value": 3}])
def test_what_is_no_draw_is_refused(data: object) -> None:
    with pytest.raises(DrawError):
        Draw.from_json(data)


def digits(value: str) -> int:
    return len(Decimal(value).normalize().as_tuple().digits)


def test_a_redrawn_case_has_the_published_text_and_a_value_like_it() -> None:
    for task in CATALOGUE.tasks:
        for draw in draw_fresh(CATALOGUE, TEMPLATES, task, 200, "3")[::2]:
            quantity = CATALOGUE.tasks[task][draw.quantity]
            fixed = quantity.redefinitions[draw.kind]
            drawn = Drawn.build(draw, CATALOGUE, TEMPLATES)
            assert drawn.question.text == quantity.questions[draw.question].text
            assert drawn.question.name == f"{draw.question}-{draw.digest}"
            assert (draw.value, draw.other) != (fixed.value, fixed.other)
            assert bool(draw.other) is bool(fixed.other)
            if draw.value and has_distance(quantity):
                assert digits(draw.value) <= max(2, digits(fixed.value))
                old, new, start = Decimal(fixed.value), Decimal(draw.value), ordinary(quantity)
                assert start is not None
                assert (old < 0) is (new < 0)
                assert Decimal("0.45") < new / old < Decimal("2.05")
                assert (abs(old) > start) is (abs(new) > start) or old < 0


def test_every_template_and_name_is_drawn_and_no_draw_is_like_another() -> None:
    draws = [draw for task in CATALOGUE.tasks for draw in draw_fresh(CATALOGUE, TEMPLATES, task, 600, "1")[1::2]]
    asked = {draw.question for draw in draws}
    assert asked == {name for group in TEMPLATES.groups.values() for name in group}
    assert {draw.quantity for draw in draws} == {key for task in CATALOGUE.tasks.values() for key in task}
    assert {draw.notation for draw in draws} == set(NOTATIONS)
    assert len({draw.digest for draw in draws}) == len(draws)
    assert {draw.kind for draw in draws} == {"near", "far", "unrealistic", "swap"}
    assert CONTROL not in asked
