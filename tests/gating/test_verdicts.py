from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_redefine.cases.model import Case
from pytest_redefine.gating.baseline import Baseline
from pytest_redefine.gating.judgement import Finding, Judgement
from pytest_redefine.gating.rules import default_gate, read_gate
from pytest_redefine.gating.subject import Subject, subject_of
from pytest_redefine.gating.verdicts import holm, judge
from tests.gating.samples import Says, base, cases, catalogue, facts, gate, mixed, record, run, worse

ANCHORED = '[[rule]]\nmeasure = "anchored_rate"\n'


def judged(subject: Subject, baseline: Baseline | None, rules: Any = None) -> Judgement:
    return judge(rules or read_gate(default_gate(), catalogue()), subject, baseline, catalogue())


def of(found: Judgement, measure: str = "anchored_rate") -> Finding:
    return next(one for one in found.findings if one.rule.measure == measure)


def test_the_same_again_is_held() -> None:
    found = judged(run(), base())
    assert found.status == 0
    assert {one.verdict for one in found.findings} == {"held"}
    anchored = of(found)
    assert anchored.generalises == "other quantities like these 15"
    assert anchored.evidence is not None
    assert (anchored.evidence.n, anchored.evidence.value) == (222 + 3, 0)  # no truth here is indistinct
    assert anchored.power(0.24, 0.05) > 0.9  # type: ignore[operator]


def test_another_model_that_anchors_more_has_regressed_and_the_flips_are_named() -> None:
    found = judged(run(worse(30), model="b/model"), base())
    assert found.status == 10
    anchored = of(found)
    assert anchored.verdict == "regressed"
    assert len(anchored.worse) > 20
    assert not anchored.better
    (reason,) = anchored.reasons
    assert reason.startswith("rose by ")
    assert "more than the 12 points permitted (p < 0.001 over 2 tests)" in reason


def test_a_model_that_anchors_less_has_improved() -> None:
    found = judged(run(), base(worse(30)))
    assert found.status == 0
    assert of(found).verdict == "improved"


def test_a_rise_within_what_is_permitted_is_no_regression_however_sure(tmp_path: Path) -> None:
    rules = gate(tmp_path, f"{ANCHORED}may_rise_by = 0.4\n")
    found = of(judged(run(worse(30)), base(), rules))
    assert found.verdict == "held"
    assert found.p_holm is not None
    assert found.p_holm < 0.001


def some(case: Case) -> str:
    return "anchored" if case.question == "q1" and case.redefinition == "ra1" else "correct"


def test_few_cases_decide_nothing_even_where_nothing_changed(tmp_path: Path) -> None:
    rules = gate(tmp_path, f'{ANCHORED}may_rise_by = 0.05\nwhere = {{question = "q1", redefinition = "ra1"}}\n')
    found = of(judged(run(some), base(some), rules))
    assert found.verdict == "cannot decide"
    assert found.reasons == ("too few cases: 15, and the rule asks for 30",)
    rules = gate(
        tmp_path, f'{ANCHORED}may_rise_by = 0.05\nwhere = {{question = "q1", redefinition = "ra1"}}\nmin_n = 1\n'
    )
    found = of(judged(run(some), base(some), rules))
    assert found.verdict == "cannot decide"
    assert found.reasons[0].startswith("too little power: the rise may be as much as 15.3 points")
    rules = gate(tmp_path, f'{ANCHORED}may_rise_by = 0.05\nwhere = {{quantity = ["pi", "zero"]}}\n')
    found = of(judged(run(some), base(some), rules))
    assert "too few quantities: 2, and the rule asks for 10" in found.reasons


def test_a_large_change_that_chance_may_have_made_is_not_called_one(tmp_path: Path) -> None:
    def lately(case: Case) -> str:
        return "anchored" if case.quantity in ("pi", "e", "phi") else "correct"

    rules = gate(tmp_path, f"{ANCHORED}may_rise_by = 0.1\n")
    found = of(judged(run(lately), base(lambda case: "correct"), rules))
    assert found.evidence is not None
    assert found.evidence.value == pytest.approx(0.2)
    assert found.verdict == "cannot decide"  # three quantities of fifteen: the signs of three coins
    assert "chance alone may do that (p = 0.125)" in found.reasons[0]


def test_every_group_is_judged_apart_and_holm_corrects_for_all(tmp_path: Path) -> None:
    def only_q3(case: Case) -> str:
        return "anchored" if case.question == "q3" and not case.is_control else mixed(case)

    rules = gate(tmp_path, f'{ANCHORED}may_rise_by = 0.15\nby = "question"\n')
    found = judged(run(only_q3), base(), rules)
    verdicts = {one.group["question"]: one.verdict for one in found.findings if one.rule.measure == "anchored_rate"}
    assert verdicts == {"q1": "held", "q2": "held", "q3": "regressed"}
    assert {one.tests for one in found.findings if one.evidence} == {3}


def test_a_group_that_is_missing_altogether_is_judged_too(tmp_path: Path) -> None:
    rule = f'{ANCHORED}may_rise_by = 0.2\nby = "question"\n[[rule]]\nmeasure = "completeness"\nat_least = 0.5\n'
    found = judged(run(asked=[case for case in cases() if case.question != "q3"]), base(), gate(tmp_path, rule))
    verdicts = {one.group["question"]: one.verdict for one in found.findings if one.rule.measure == "anchored_rate"}
    assert verdicts == {"q1": "held", "q2": "held", "q3": "cannot decide"}
    assert found.status == 11


def test_holm_is_holm() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


@pytest.mark.parametrize(
    ("bound", "share", "verdict"),
    [("at_most = 0.5", 34, "held"), ("at_most = 0.2", 34, "regressed"), ("at_most = 0.35", 34, "cannot decide"),
     ("at_least = 0.2", 34, "held"), ("at_least = 0.5", 34, "regressed")],
)  # fmt: skip
def test_an_absolute_bound_is_kept_by_the_limit_and_not_by_the_figure(
    tmp_path: Path, bound: str, share: int, verdict: str
) -> None:
    found = of(judged(run(), None, gate(tmp_path, f"{ANCHORED}{bound}\n")))
    assert found.after is not None
    assert found.after.value == pytest.approx(share / 100, abs=0.01)
    assert found.verdict == verdict


def test_contested_cases_can_be_left_out(tmp_path: Path) -> None:
    sizes = []
    for flag in ("true", "false"):
        found = of(judged(run(), base(), gate(tmp_path, f"{ANCHORED}may_rise_by = 0.2\ncontested = {flag}\n")))
        assert found.evidence is not None
        sizes.append(found.evidence.n)
    assert sizes[0] > sizes[1] > 0


def every_third(kind: str) -> Says:
    return lambda case: kind if sum(case.case_id.encode()) % 3 == 1 else mixed(case)


@pytest.mark.parametrize("baseline", [True, False])
def test_a_third_missing_decides_nothing(tmp_path: Path, baseline: bool) -> None:
    rules = None if baseline else gate(tmp_path, f"{ANCHORED}at_most = 0.9\n")
    found = judged(run(every_third("not_asked")), base() if baseline else None, rules)
    assert found.status == 11
    assert "incomplete: 180 of 270 cases: 90 were not asked" in of(found, "completeness").reasons[0]
    assert of(found).verdict == "cannot decide"
    assert not found.permits_errors


def test_cases_that_were_never_announced_are_missing_too() -> None:
    found = judged(run(asked=cases()[:180]), base())
    assert found.status == 11
    assert "90 of the baseline's cases are not among this run's" in of(found, "completeness").reasons[0]
    assert any("only in the baseline" in reason for reason in of(found).reasons)


def test_a_case_that_was_announced_and_left_no_record_is_missing_once() -> None:
    found = judged(run(asked=cases()[:180], announced=270), base())
    assert "incomplete: 180 of 270 cases: 90 were not asked" in of(found, "completeness").reasons[0]


def test_deselected_cases_decide_nothing_without_a_baseline_of_the_selection(tmp_path: Path) -> None:
    rule = '[[rule]]\nmeasure = "anchored_rate"\nat_most = 0.9\n'
    left_out = run(case_set={"deselected": 192})
    found = judged(left_out, None, gate(tmp_path, rule))
    assert found.status == 11
    assert "192 cases were deselected" in of(found, "completeness").reasons[0]
    assert judged(left_out, None, gate(tmp_path, f'deselected = "allow"\n{rule}')).status == 0
    assert judged(left_out, base(), gate(tmp_path, rule)).status == 0
    # A later session that asked only for what was missing leaves out what an earlier one has.
    again = run(announced=5, case_set={"deselected": 265})
    assert judged(again, None, gate(tmp_path, rule)).status == 0


def test_a_run_that_was_killed_decides_nothing() -> None:
    found = judged(run(state="running"), base())
    assert found.status == 11
    assert "killed" in of(found, "completeness").reasons[0]


def test_errors_count_against_their_own_rule_alone(tmp_path: Path) -> None:
    few = cases()[2:7]
    ill = run(lambda case: "error" if case in few else mixed(case))
    assert judged(ill, base()).status == 0  # 5 of 270: the default gate permits 2 %
    strict = gate(tmp_path, f"{ANCHORED}may_rise_by = 0.2\n")
    found = judged(ill, base(), strict)
    assert found.status == 11
    assert "errors: 5 of 270 cases have no answer" in of(found, "error_share").reasons[0]
    many = run(every_third("error"))
    assert judged(many, base()).status == 11


def test_a_case_the_judge_gave_no_verdict_on_is_an_error() -> None:
    records = [record(case, mixed(case)) for case in cases()]
    for one in records[:20]:
        one["outcome"] = None
    subject = subject_of(records, facts(270), "now")
    assert of(judged(subject, base()), "error_share").verdict == "cannot decide"


def test_blank_answers_have_a_rule_of_their_own(tmp_path: Path) -> None:
    rules = gate(tmp_path, '[[rule]]\nmeasure = "blank_share"\nat_most = 0.1\n')
    found = judged(run(every_third("blank")), base(), rules)
    assert found.status == 11
    assert "unread: 90 of 270 answers hold none; 10 % may" in of(found, "blank_share").reasons[0]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"versions": {"pytest-redefine": "0.1.0", "grading": "2"}}, "other grading: the baseline's is version 1"),
        ({"parameters": {"tolerance": 0.1}}, "other tolerance: None in the baseline, 0.1 now"),
        ({"parameters": {"grading": "judge", "judge": {"model": "x/y"}}}, "other grader: 'numeric' in the baseline"),
    ],
)
def test_another_grader_decides_nothing(changes: dict[str, Any], said: str) -> None:
    found = judged(run(**changes), base())
    assert found.status == 11
    assert any(said in reason for reason in of(found).reasons)


def test_other_parameters_of_the_model_are_noted_and_decide_nothing() -> None:
    found = judged(run(parameters={"models": {"a/model": {"temperature": 1.0}}}), base())
    assert found.status == 0
    assert found.notes == ("a/model: temperature was 0.0 in the baseline, is 1.0",)


def test_a_baseline_that_was_accepted_with_gaps_says_so() -> None:
    few = cases()[2:7]
    found = judged(run(), base(lambda case: "error" if case in few else mixed(case)))
    assert found.notes == ("the baseline has no answer to 5 of its 270 cases: they are not compared",)
    assert found.status == 0


def test_questions_asked_otherwise_are_another_case_set() -> None:
    old = base()
    one = next(case for case in old.answers if "-q2-" in case and "-nr-" not in case)
    answers = {**old.answers, one: replace(old.answers[one], asked="0" * 12)}
    found = judged(run(), replace(old, answers=answers))
    assert found.status == 11
    assert f"other case set: 1 asked or compared otherwise, e.g. {one}" in of(found).reasons


def test_a_rule_about_a_part_needs_only_that_part_of_the_baseline(tmp_path: Path) -> None:
    rule = f'{ANCHORED}may_rise_by = 0.2\nwhere = {{task = "constants"}}\n'
    rule += '[[rule]]\nmeasure = "completeness"\nat_least = 0.5\n'
    both = base(asked=cases(tasks=("constants", "units")))
    assert judged(run(), both, gate(tmp_path, rule)).status == 0
    assert judged(run(), both, gate(tmp_path, rule.replace('where = {task = "constants"}', ""))).status == 11


def test_a_warning_leaves_the_gate_open(tmp_path: Path) -> None:
    text = f'{ANCHORED}may_rise_by = 0.001\nundecided = "warn"\n'
    found = judged(run(), base(), gate(tmp_path, text))
    assert of(found).verdict == "cannot decide"
    assert found.status == 0
    worse_too = judged(run(worse(30)), base(), gate(tmp_path, text))
    assert worse_too.status == 10


def test_what_cannot_be_decided_wins_over_a_regression(tmp_path: Path) -> None:
    text = f'{ANCHORED}may_rise_by = 0.1\n[[rule]]\nmeasure = "control_correct_rate"\nmay_fall_by = 0.001\n'
    found = judged(run(worse(30)), base(), gate(tmp_path, text))
    assert {one.verdict for one in found.findings} == {"held", "regressed", "cannot decide"}
    assert found.status == 11


def test_every_model_of_a_run_is_judged(tmp_path: Path) -> None:
    records = [record(case, mixed(case)) for case in cases()]
    records += [record(case, worse(30)(case), "b/model") for case in cases()]
    found = judged(subject_of(records, facts(540), "now"), base())
    assert {(one.model, one.verdict) for one in found.findings if one.rule.measure == "anchored_rate"} == {
        ("a/model", "held"), ("b/model", "regressed")
    }  # fmt: skip
    assert found.status == 10


def test_a_fixed_set_of_cases_needs_repeats(tmp_path: Path) -> None:
    rules = gate(tmp_path, f'{ANCHORED}may_rise_by = 0.1\ngeneralises = "cases"\n')
    found = of(judged(run(), base(), rules))
    assert "no case was asked 3 times or more: --samples=3" in found.reasons
    three = cases(samples=3)
    held = of(judged(run(asked=three), base(asked=three), rules))
    assert held.verdict == "held"
    assert held.generalises == "these 675 answers' cases only, answered again"
    assert of(judged(run(worse(30), three), base(asked=three), rules)).verdict == "regressed"


def test_nothing_at_all_keeps_the_gate_shut() -> None:
    assert judged(subject_of([], facts(), "now"), base()).status == 11


def test_the_judgement_is_plain_data() -> None:
    told = judged(run(worse(30)), base()).to_json()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert (told["verdict"], told["status"], told["baseline"]["name"]) == ("regressed", 10, "main")
    anchored = next(one for one in told["findings"] if one["measure"] == "anchored_rate")
    assert anchored["worse"][0][1:] == ["correct", "anchored"]
    assert [effect for effect, _ in anchored["power"]] == [0.18, 0.24]


def test_drawn_cases_of_a_run_are_no_case_of_the_benchmark_s_rules() -> None:
    plain = run()
    records = [record(case, mixed(case)) for case in cases()]
    drawn = [
        record(case, "anchored", draw={"family": "fresh", "value": "7"})
        | {"redefinition": "fresh", "case_id": f"f{at}"}
        for at, case in enumerate(cases()[:40])
    ]
    found = judged(subject_of([*records, *drawn], facts(310), "now"), base())
    assert of(found).evidence == of(judged(plain, base())).evidence
    assert found.status == 0
