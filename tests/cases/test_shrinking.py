"""Shrinking asks nobody: here the answers are a rule, and what is asked hangs on them alone."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import settings

from pytest_redefine.cases.dose import dosed, draw_doses
from pytest_redefine.cases.drawn import Draw
from pytest_redefine.cases.fresh import draw_fresh
from pytest_redefine.cases.shrinking import Shrinker
from tests.cases.test_fresh import CATALOGUE, STOCK, TEMPLATES

JUDGE = STOCK.judge


def draw(task: str, quantity: str, question: str, value: str = "", **changes: object) -> Draw:
    return Draw.from_json(
        {"family": "fresh", "task": task, "quantity": quantity, "kind": "far", "question": question, "value": value,
         "index": 3, "seed": "7", **changes}
    )  # fmt: skip


def shrunk(start: Draw, ends_alike: Callable[[Draw], bool], most: int = 40) -> tuple[Draw, list[Draw]]:
    """The simplest draw, and all that were asked about."""
    shrinker, answers, trials = Shrinker(JUDGE, start), list[bool](), list[Draw]()
    while True:
        found = shrinker.advance(answers)
        if found.trial is None or len(answers) == most:
            return found.simplest, trials
        trials.append(found.trial)
        answers.append(ends_alike(found.trial))


def always(_: Draw) -> bool:
    return True


def never(_: Draw) -> bool:
    return False


# No property of Hypothesis' own: it warns of a search inside a search.
@pytest.mark.parametrize("task", CATALOGUE.tasks)
def test_every_trial_can_be_asked_and_none_is_asked_twice(task: str) -> None:
    def by_chance(trial: Draw) -> bool:
        return int(trial.digest, 16) % 3 == 0

    for start in draw_fresh(CATALOGUE, TEMPLATES, task, 10, "11"):
        simplest, trials = shrunk(start, by_chance, most=15)
        assert simplest == start or by_chance(simplest)
        assert len({trial.digest for trial in trials} | {start.digest}) == len(trials) + 1
        for trial in trials:
            assert JUDGE.well_posed(trial)
            assert (trial.quantity, trial.tag, trial.seed) == (start.quantity, start.tag, start.seed)
        assert shrunk(start, never, most=5)[0] == start


def test_what_is_asked_hangs_on_the_answers_alone() -> None:
    start = draw("constants", "G", "square", "6.1e12", name="the gravitational constant")
    answers = [False, True, False, False, True, True]
    one, other = Shrinker(JUDGE, start), Shrinker(JUDGE, start)
    along = [one.advance(answers[:at]) for at in range(len(answers) + 1)]
    assert [other.advance(answers[:at]) for at in reversed(range(len(answers) + 1))] == along[::-1]
    assert len({found.trial.digest for found in along if found.trial}) == len(along)


@pytest.mark.parametrize(
    ("start", "simplest"),
    [
        (draw("constants", "G", "chain", "3.27e16", operands={"a": "40", "b": "30", "c": "3"}, notation="caret"),
         {"question": "value", "value": "1"}),
        (draw("constants", "e", "q3", kind="rs2", value="", other="phi"), {"question": "value", "value": "1"}),
        (draw("constants", "i", "q2", "sqrt(-34)"), {"question": "value", "value": "1"}),
        (draw("units", "K", "q3", "190*C + 920"), {"question": "at", "value": "C + 1", "operands": {"a": "2"}}),
        (draw("units", "V", "sum", "2010", name="V", operands={"a": "5", "b": "90"}),
         {"question": "to_derived", "value": "2", "operands": {"a": "2"}}),
    ],
)  # fmt: skip
def test_what_always_ends_alike_becomes_as_simple_as_can_be(start: Draw, simplest: dict[str, object]) -> None:
    found, trials = shrunk(start, always)
    told = {name: value for name, value in found.to_json().items() if name in ("question", "value", "operands", "name")}
    assert told == simplest
    assert found.kind == "shrunk"
    assert len(trials) < 12


def test_only_what_the_outcome_needs_is_kept() -> None:
    start = draw("constants", "h", "scaled", "-3.27e12", operands={"a": "60", "b": "13"}, name="the Planck constant")
    large, _ = shrunk(start, lambda trial: bool(trial.value) and abs(Decimal(trial.value)) >= 2000)
    assert (large.question, large.value) == ("value", "2000")
    asked, _ = shrunk(start, lambda trial: trial.question == "scaled" and int(trial.operands["a"]) > 20, 60)
    assert (asked.question, asked.value, asked.operands["a"]) == ("scaled", "1", "21")
    called, _ = shrunk(start, lambda trial: trial.name == "the Planck constant")
    assert (called.value, called.name) == ("1", "the Planck constant")
    minus, _ = shrunk(start, lambda trial: trial.value.startswith("-"))
    assert minus.value == "-1"


def test_a_dose_keeps_its_distance_and_its_tolerance_right() -> None:
    start = next(one for one in draw_doses(CATALOGUE, TEMPLATES, "constants", 9, "7") if one.quantity == "pi")
    near, trials = shrunk(start, lambda trial: trial.dose is not None and trial.dose < 0.3)
    assert near.family == near.kind == "dose"
    assert near.dose is not None
    assert near.dose < 0.3
    assert len(near.value) == 1
    assert all(dosed(JUDGE, trial) == trial for trial in trials)


def test_hypothesis_own_profile_for_ci_changes_nothing() -> None:
    start = draw("constants", "pi", "line", "9.54", operands={"a": "12", "b": "60"})
    before = shrunk(start, always)
    settings.register_profile("as-in-ci", derandomize=True, database=None)
    settings.load_profile("as-in-ci")
    try:
        assert shrunk(start, always) == before
    finally:
        settings.load_profile("default")
