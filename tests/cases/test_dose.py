"""Points of the dose-response curve: where they lie, what is left out, and that each can be told from the ordinary."""

from __future__ import annotations

from decimal import Decimal
from functools import cache

import pytest

from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.dose import FARTHEST, NEAREST, distances, draw_doses
from pytest_redefine.cases.drawn import Draw
from pytest_redefine.cases.drawn_truths import DrawnTruths
from pytest_redefine.cases.prompts import Prompts
from pytest_redefine.cases.templates import Templates
from pytest_redefine.grading.grader import grade
from pytest_redefine.respondents.callers import simulated

CATALOGUE = Catalogue.load()
TEMPLATES = Templates.load(CATALOGUE)


@cache
def drawn(count: int, seed: str) -> tuple[Draw, ...]:
    return tuple(draw for task in CATALOGUE.tasks for draw in draw_doses(CATALOGUE, TEMPLATES, task, count, seed))


@pytest.mark.parametrize("count", [2, 5, 9, 40])
def test_distances_span_the_range_and_miss_whole_decades(count: int) -> None:
    found = distances(count)
    assert len(set(found)) == count
    assert list(found) == sorted(found)
    assert found[0] == NEAREST
    assert FARTHEST - Decimal("0.05") < found[-1] <= FARTHEST
    assert not any(abs(one - whole) < Decimal("0.015") for one in found for whole in range(1, 13))


@pytest.mark.parametrize("count", [1, 0, -3])
def test_fewer_than_two_distances_are_refused(count: int) -> None:
    with pytest.raises(ValueError, match="no range"):
        distances(count)


def test_what_has_no_distance_is_left_out_and_so_are_digits() -> None:
    quantities = {draw.quantity for draw in drawn(9, "7")}
    everything = {key for task in CATALOGUE.tasks.values() for key in task}
    assert everything - quantities == {"zero", "infinity", "i", "K"}
    for draw in drawn(9, "7"):
        assert CATALOGUE.tasks[draw.task][draw.quantity].questions[draw.question].kind == "number"


def test_each_distance_is_there_larger_and_smaller_with_either_sign() -> None:
    points: dict[tuple[str, str, bool, bool], list[Decimal]] = {}
    for draw in drawn(9, "7"):
        value, start = Decimal(draw.value), Decimal(CATALOGUE.tasks[draw.task][draw.quantity].default)
        assert draw.dose is not None
        distance = Decimal(str(draw.dose))
        assert abs(abs((abs(value) / start).log10()) - distance) < Decimal("0.0002")
        points.setdefault((draw.task, draw.quantity, abs(value) > start, value < 0), []).append(distance)
    assert len(points) == 27 * 4
    # A point or two is left out where the two answers would be too near for any tolerance (5φ - 2, π at 1 %).
    assert all(len(found) >= 7 for found in points.values())


def test_near_the_ordinary_value_the_tolerance_is_a_third_of_the_gap() -> None:
    truths = DrawnTruths(CATALOGUE, TEMPLATES, Prompts.load())
    near = [draw for draw in drawn(9, "7") if draw.tolerance]
    assert near
    for one in truths.add(near):
        (case,) = one.cases(("ff",), ("zs",), 1, controls=())
        truth = truths.truth(case)
        assert truth.default is not None
        assert truth.tolerance == float(one.draw.tolerance) < 0.02
        new = Decimal(truth.expected)
        old = [Decimal(one) for one in (truth.default, *truth.also_default)]
        gap = float(min(abs(new - one) / max(abs(new), abs(one)) for one in old))
        assert truth.tolerance == pytest.approx(gap / 3, abs=2e-5)
        assert not truth.indistinct


def test_whoever_adopts_is_correct_and_whoever_anchors_anchored() -> None:
    truths = DrawnTruths(CATALOGUE, TEMPLATES, Prompts.load(), slips=False)
    for one in truths.add(drawn(6, "3")):
        for case in one.cases(("ff",), ("zs",), 1):
            truth = truths.truth(case)
            skeleton = {"case_id": case.case_id, "truth": truth.to_json()}
            assert grade(simulated._adopts(skeleton), truth).category == "correct"
            wanted = "correct" if case.is_control else "anchored"
            assert grade(simulated._anchors(skeleton), truth).category == wanted


def test_which_question_is_asked_hangs_on_the_seed_and_on_nothing_else() -> None:
    assert drawn(6, "3") == tuple(
        draw for task in CATALOGUE.tasks for draw in draw_doses(CATALOGUE, TEMPLATES, task, 6, "3")
    )
    asked = [(draw.quantity, draw.value, draw.question) for draw in drawn(6, "3")]
    assert asked != [(draw.quantity, draw.value, draw.question) for draw in drawn(6, "4")]
