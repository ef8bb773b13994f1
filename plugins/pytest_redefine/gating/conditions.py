"""What must be so before figures are judged: the run whole, few errors, and the baseline about the same cases."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pytest_redefine.analysis.estimates import Estimate, estimate_share
from pytest_redefine.analysis.rows import Row, row
from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.model import FRESH
from pytest_redefine.gating.baseline import Baseline
from pytest_redefine.gating.groups import whole_benchmark
from pytest_redefine.gating.rules import BLANKS, COMPLETENESS, ERRORS, Gate, Rule
from pytest_redefine.gating.subject import Asked, Subject


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition: what was counted, and why it fails, if it does."""

    rule: Rule
    figure: Estimate
    reason: str = ""


def conditions(gate: Gate, subject: Subject, asked: Asked, baseline: Baseline | None) -> list[Condition]:
    """The gate's conditions on one model's part of a run: those it names, and the two that every gate has."""
    return [
        _completeness(gate, subject, asked, baseline),
        _errors(gate, asked),
        *([_blanks(gate, asked)] if any(rule.measure == BLANKS for rule in gate.rules) else []),
    ]


def _completeness(gate: Gate, subject: Subject, asked: Asked, baseline: Baseline | None) -> Condition:
    """Cases asked, of those that should have been: its baseline's, or all that were collected."""
    rule = gate.condition(COMPLETENESS)
    own = {one.case_id for one in asked.rows}
    models = len(subject.models) or 1
    lost = -(-(subject.announced - subject.records) // models)
    gone, why = 0, ""
    if baseline is not None:
        gone = sum(case not in own for case in baseline.answers)
        why = f"{gone} of the baseline's cases are not among this run's"
    elif gate.deselected == "fail" and subject.deselected:
        gone = -(-subject.deselected // models)
        why = (
            f"{gone} cases were deselected: without a baseline of this selection nobody knows whether that was meant; "
            'name a file or a baseline, or write deselected = "allow" into the gate'
        )
    # What was announced and has no record is among the baseline's cases, too; what was deselected was not announced.
    total = len(own) + (max(lost, gone) if baseline is not None else lost + gone)
    done = len(own) - asked.not_asked
    figure = _counted(done, total)
    if not subject.finished:
        return Condition(rule, figure, "incomplete: the run was killed or is still going on")
    if not total or done / total < rule.value:
        parts = [f"{asked.not_asked + lost} were not asked" if asked.not_asked + lost else "", why if gone else ""]
        told = "; ".join(part for part in parts if part) or "there is no case"
        return Condition(rule, figure, f"incomplete: {done} of {total} cases: {told}")
    return Condition(rule, figure)


def _errors(gate: Gate, asked: Asked) -> Condition:
    rule = gate.condition(ERRORS)
    total = len(asked.rows) - asked.not_asked
    figure = _counted(asked.errors, total)
    if asked.errors > rule.value * total:
        return Condition(
            rule,
            figure,
            f"errors: {asked.errors} of {total} cases have no answer or no verdict, and {100 * rule.value:g} % may; "
            "the same command asks only for those",
        )
    return Condition(rule, figure)


def _blanks(gate: Gate, asked: Asked) -> Condition:
    rule = gate.condition(BLANKS)
    answers = [one for one in asked.rows if one.answered]
    blank = sum(one.outcome == "blank" for one in answers)
    cut = sum(one.detail == "truncated" for one in answers)
    figure = _counted(blank, len(answers))
    if blank > rule.value * len(answers):
        how = f", {cut} of them cut off: raise --max-tokens" if cut else ""
        return Condition(
            rule, figure, f"unread: {blank} of {len(answers)} answers hold none{how}; {100 * rule.value:g} % may"
        )
    return Condition(rule, figure)


def _counted(k: int, n: int) -> Estimate:
    return estimate_share([(str(at), float(at < k)) for at in range(n)])


def unlike(baseline: Baseline, subject: Subject) -> list[str]:
    """Why a run cannot be compared with a baseline whatever its cases: they were graded otherwise."""
    told = []
    if baseline.grading != subject.grading:
        told.append(
            f"other grading: the baseline's is version {baseline.grading}, this run's {subject.grading}; "
            "regrade the older run (pytest-redefine regrade) and, if it is the baseline's, accept it again"
        )
    now = subject.conditions
    told += [
        f"other {name}: {was!r} in the baseline, {now.get(name)!r} now"
        for name, was in baseline.conditions.items()
        if was != now.get(name)
    ]
    return told


def gone(baseline: Baseline, asked: Asked, catalogue: Catalogue) -> list[Row]:
    """The cases of a baseline that a run has not, as rows: what they are about follows from their ids."""
    own = {one.case_id for one in asked.rows}
    lost = [case for case in baseline.answers if case not in own]
    if not lost:
        return []
    known = {_kind(row.case_id): row for row in whole_benchmark(catalogue)}
    return [
        replace(found, case_id=case) if (found := known.get(_kind(case))) is not None else _drawn(case) for case in lost
    ]


def _drawn(case_id: str) -> Row:
    """A case that no table has: it was drawn, and more of it than that nobody needs to know."""
    return row({"case_id": case_id, "model": "", "redefinition": FRESH, "draw": {"family": FRESH}})


def _kind(case_id: str) -> str:
    """A case's id without its sample and turn."""
    return re.sub(r"-s\d+(-rot\d)?$", "", case_id)


def case_set(asked: Asked, rows: Sequence[Row], lost: Sequence[Row], baseline: Baseline) -> str:
    """How the cases that a rule is about differ between run and baseline, in words; empty where they do not.

    Args:
        asked: The run's part.
        rows: Those of the rule in the run.
        lost: Those of the rule that only the baseline has.
        baseline: What is compared with.
    """
    new = [one.case_id for one in rows if one.case_id not in baseline.answers]
    other = [
        one.case_id
        for one in rows
        if (answer := baseline.answers.get(one.case_id)) is not None and answer.asked != asked.digests[one.case_id]
    ]
    if not (new or other or lost):
        return ""
    parts = [
        f"{len(lost)} only in the baseline" if lost else "",
        f"{len(new)} only in this run" if new else "",
        f"{len(other)} asked or compared otherwise" if other else "",
    ]
    some = lost[0].case_id if lost else (new or other)[0]
    return f"other case set: {', '.join(part for part in parts if part)}, e.g. {some}"
