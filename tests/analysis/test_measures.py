from __future__ import annotations

import pytest

from pytest_redefine.analysis.measures import MEASURES, Context
from pytest_redefine.analysis.rows import Row
from pytest_redefine.grading.outcome import CATEGORIES
from tests.analysis.samples import made, missing

EVERY = [made(category, quantity=category) for category in CATEGORIES]


def mean(name: str, rows: list[Row], context: Context | None = None) -> tuple[float, int]:
    scored = MEASURES[name].scores(rows, context or Context.of(rows))
    return sum(score for _, score in scored), len(scored)


@pytest.mark.parametrize("category", CATEGORIES)
def test_each_outcome_has_its_share(category: str) -> None:
    assert mean(f"{category}_rate", [*EVERY, made(category, question="q2")]) == (2, 7)


def test_controls_errors_and_indistinct_cases_stand_in_no_redefined_rate() -> None:
    others = [made("anchored", redefinition="nr"), missing(), made("anchored", indistinct=True)]
    assert mean("anchored_rate", [*EVERY, *others]) == (1, 6)


def test_refusals_among_the_completely_wrong_and_anchoring_without_refusals() -> None:
    assert mean("refusal_rate", EVERY) == (1, 4)
    assert mean("anchored_without_refusals", EVERY) == (1, 5)


def test_blind_to_the_sign() -> None:
    rows = [made("wrong", detail="sign", extracted="-3.14159265359"), made("anchored", question="q2")]
    assert mean("anchored_blind", rows) == (2, 2)
    assert mean("anchored_rate", rows) == (1, 2)
    assert mean("correct_blind", [made("wrong", detail="sign", extracted="-500")]) == (1, 1)


def test_given_known_asks_for_the_control_put_the_same_way() -> None:
    rows = [
        made("correct", redefinition="nr"),
        made("anchored"),
        made("anchored", prompting="cot"),  # its control was not asked
        made("wrong", redefinition="nr", question="q2"),
        made("anchored", question="q2"),  # its control was wrong
        made("anchored", model="another"),  # another model knew it
    ]
    assert mean("anchored_given_known", rows) == (1, 1)


def test_swaps_given_that_the_other_constant_is_known() -> None:
    rows = [
        made("correct", redefinition="nr", quantity="phi"),
        made("anchored", redefinition="rs1"),
        made("anchored", redefinition="rs2"),
        made("anchored", redefinition="ra1"),
    ]
    partners = {("constants", "pi", "rs1"): "phi", ("constants", "pi", "rs2"): "h"}
    assert mean("anchored_given_other_known", rows, Context.of(rows, partners)) == (1, 1)


def test_guessing_among_four_options_comes_to_nothing() -> None:
    options = {"A": "500", "B": "3.14159265359", "C": "3", "D": "4"}
    outcome = {"A": "correct", "B": "anchored", "C": "wrong", "D": "wrong"}
    rows = [made(outcome[letter], format="mc", options=options, extracted=letter, quantity=letter) for letter in "ABCD"]
    assert mean("anchored_excess", rows) == (0, 4)
    assert mean("anchored_excess", [made("anchored"), rows[1]]) == (1, 1)  # free form has no distractors
