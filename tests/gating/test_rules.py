from __future__ import annotations

from pathlib import Path

import pytest

from pytest_redefine.cases.data import DataError
from pytest_redefine.gating.rules import COMPLETENESS, ERRORS, default_gate, read_gate
from tests.gating.samples import catalogue, gate


def test_a_rule_says_what_it_is_about(tmp_path: Path) -> None:
    found = gate(
        tmp_path,
        """
alpha = 0.01
undecided = "warn"

[[rule]]
measure = "anchored_rate"
at_most = 0.2
where = {quantity = ["planck", "pi"], question = "q3"}
contested = false
min_n = 12
by = "redefinition"

[[rule]]
measure = "correct_rate"
may_fall_by = 0.05
undecided = "fail"
""",
    )
    first, second = found.rules
    assert (found.alpha, first.undecided, second.undecided) == (0.01, "warn", "fail")
    assert first.where == {"quantity": ("h", "pi"), "question": ("q3",)}
    assert (first.by, first.min_n, first.contested) == (("redefinition",), 12, False)
    assert first.title == (
        "anchored_rate at most 20 % where quantity = h or pi and question = q3, without contested cases"
    )
    assert second.title == "correct_rate may fall by 5 points"
    assert (first.place, second.place) == ("gate.toml:6", "gate.toml:14")
    assert found.needs_baseline is second


MISTAKES = {
    'measure = "anchord_rate"\nat_most = 0.2': ("3", "'anchord_rate' is no measure; there are anchored_rate"),
    'measure = "anchored_rate"\nat_most = "0.2"': ("4", "a number is needed"),
    'measure = "anchored_rate"\nat_most = 20': ("4", "0.2 are 20 %"),
    'measure = "anchored_rate"\nmay_rise_by = 0': ("4", "a change above 0"),
    'measure = "anchored_rate"': ("2", "exactly one of at_most"),
    'measure = "anchored_rate"\nat_most = 0.2\nmay_rise_by = 0.1': ("5", "exactly one of at_most"),
    'measure = "anchored_rate"\nat_most = 0.2\natleast = 3': ("5", "unknown key"),
    'measure = "anchored_rate"\nat_most = 0.2\nmin_n = 2.5': ("5", "a whole number from 1"),
    'measure = "anchored_rate"\nat_most = 0.2\nundecided = "pass"': ("5", "one of fail, warn"),
    'measure = "anchored_rate"\nat_most = 0.2\nwhere = {questions = "q3"}': ("5", "unknown key; known are task"),
    'measure = "anchored_rate"\nat_most = 0.2\nwhere = {question = "q9"}': ("5", "'q9' is none of q1, q2, q3"),
    'measure = "anchored_rate"\nat_most = 0.2\n[rule.where]\nquestion = "q1"\nformat = 3': ("7", "3 is none of ff, mc"),
    'measure = "anchored_rate"\nat_most = 0.2\nby = "model"': ("5", "some of task, quantity"),
    'measure = "anchored_rate"\nat_most = 0.2\nwhere = {redefinition = "nr"}': ("5", "no case of the benchmark counts"),
    'measure = "anchored_rate"\nat_most = 0.2\nwhere = {task = "units", redefinition = "rs1"}': ("5", "no case"),
    'measure = "anchored_excess"\nat_most = 0.2\nwhere = {format = "ff"}': ("5", "no case"),
    'measure = "anchored_excess"\nmay_rise_by = 0.2\ngeneralises = "cases"': ("5", "is for shares"),
    'measure = "anchored_rate"\nat_most = 0.2\ngeneralises = "cases"': ("5", "pairs the same cases"),
    'measure = "error_share"\nat_least = 0.2': ("4", "a rule on error_share says at_most"),
    'measure = "error_share"\nat_most = 0.2\nwhere = {question = "q1"}': ("5", "unknown key"),
    'measure = "error_share"\nat_most = 0.2\n[[rule]]\nmeasure = "error_share"\nat_most = 0.1': ("6", "a second rule"),
}


@pytest.mark.parametrize("text", MISTAKES)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, text: str) -> None:
    line, problem = MISTAKES[text]
    with pytest.raises(DataError) as caught:
        gate(tmp_path, f"[[rule]]\n{text}\n")
    assert str(caught.value).startswith(f"gate.toml:{line}: ")
    assert problem in str(caught.value)


def test_the_line_is_that_of_the_rule_meant(tmp_path: Path) -> None:
    rule = '[[rule]]\nmeasure = "anchored_rate"\nat_most = 0.2\n[rule.where]\nquestion = "q1"\n'
    with pytest.raises(DataError, match=r"^gate\.toml:11: rule\.where\.question: 'q7'"):
        gate(tmp_path, rule + rule.replace("q1", "q7"))
    with pytest.raises(DataError, match=r"^gate\.toml: rule: is missing"):
        gate(tmp_path, "")
    with pytest.raises(DataError, match=r"^gate\.toml:2: rule\.at_most: "):
        gate(tmp_path, 'rule = [{measure = "anchored_rate", at_most = 3}]')


def test_what_no_rule_says_of_the_run_is_permitted_nothing(tmp_path: Path) -> None:
    found = gate(tmp_path, '[[rule]]\nmeasure = "anchored_rate"\nat_most = 0.2\n')
    assert found.condition(COMPLETENESS).value == 1
    assert found.condition(ERRORS).value == 0


def test_the_suite_s_own_gate_can_be_read() -> None:
    found = read_gate(default_gate(), catalogue())
    assert found.needs_baseline is not None
    assert {rule.measure for rule in found.rules} >= {"anchored_rate", "correct_rate", ERRORS, COMPLETENESS}
