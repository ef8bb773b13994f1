from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_redefine.analysis.agreement import LISTED, Agreement, agreement_by_model, cohen_kappa
from pytest_redefine.grading.outcome import CATEGORIES
from tests.records.samples import judged, unanswered


# Both by the definition, (observed - chance) / (1 - chance), by hand.
@pytest.mark.parametrize(
    ("table", "kappa"),
    [
        ({("a", "a"): 20, ("a", "b"): 5, ("b", "a"): 10, ("b", "b"): 15}, 0.4),  # observed 0.7, chance 0.5
        ({("a", "a"): 45, ("a", "b"): 15, ("b", "a"): 25, ("b", "b"): 15}, 0.1304),  # observed 0.6, chance 0.54
        ({("a", "a"): 3, ("b", "b"): 2}, 1.0),
        ({("a", "b"): 1, ("b", "a"): 1}, -1.0),
        ({("a", "b"): 4}, 0.0),
    ],
)
def test_kappa(table: dict[tuple[str, str], int], kappa: float) -> None:
    assert cohen_kappa(Counter(table)) == pytest.approx(kappa, abs=5e-5)


@pytest.mark.parametrize("table", [{}, {("a", "a"): 7}])
def test_there_is_none_where_chance_explains_all(table: dict[tuple[str, str], int]) -> None:
    assert cohen_kappa(Counter(table)) is None


tables = st.dictionaries(
    st.tuples(st.sampled_from(CATEGORIES), st.sampled_from(CATEGORIES)), st.integers(1, 500), min_size=1
)


@given(tables)
def test_it_lies_within_its_bounds_whoever_is_called_first(table: dict[tuple[str, str], int]) -> None:
    kappa = cohen_kappa(Counter(table))
    mirrored = Counter({(other, one): count for (one, other), count in table.items()})
    assert cohen_kappa(mirrored) == kappa
    if kappa is not None:
        assert -1 <= kappa <= 1
        assert (kappa == 1) is all(one == other for one, other in table)


def of(*records: dict[str, Any]) -> Agreement:
    (found,) = agreement_by_model(records).values()
    return found


def test_it_counts_what_was_graded_twice_and_names_the_rest() -> None:
    found = of(
        judged("correct", "correct"),
        judged("wrong", "correct", case_id="c1"),
        judged("wrong", None),
        judged("anchored", error="server"),
        unanswered("server", judge={"model": "j", "references": [], "error": None}),
    )
    assert (found.n, found.agree, found.ungraded, found.errors) == (2, 1, 1, {"server": 1})
    assert [(one.case_id, one.numeric, one.judge) for one in found.disagreements] == [("c1", "wrong", "correct")]
    assert found.to_json() == {
        "n": 2,
        "agree": 1,
        "kappa": 0.0,
        "table": [["correct", "correct", 1], ["wrong", "correct", 1]],
        "ungraded": 1,
        "errors": {"server": 1},
        "disagreements": [["c1", "wrong", "correct"]],
    }


def test_the_list_is_bounded_and_the_count_is_not() -> None:
    found = of(*[judged("wrong", "correct") for _ in range(LISTED + 5)])
    assert len(found.to_json()["disagreements"]) == LISTED
    assert (found.n, found.agree) == (LISTED + 5, 0)


def test_a_judge_that_grades_alone_agrees_with_nobody() -> None:
    record = judged("correct", "correct")
    record["grades"] = {"judge": "correct"}
    assert of(record).n == 0


def test_models_by_themselves_and_none_without_a_judge() -> None:
    found = agreement_by_model([judged("correct", "wrong", model="a"), judged("correct", "correct", model="b")])
    assert {model: one.agree for model, one in found.items()} == {"a": 0, "b": 1}
    assert agreement_by_model([unanswered("server")]) == {}
