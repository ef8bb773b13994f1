"""A run, a gate and perhaps a baseline in; a verdict on every rule out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pytest_redefine.analysis.estimates import Estimate, estimate, estimate_mean, estimate_share
from pytest_redefine.analysis.measures import MEASURES, Context, swap_partners
from pytest_redefine.analysis.paired import Pair, pair
from pytest_redefine.analysis.rows import Row
from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.published import PREFIX
from pytest_redefine.gating import evidence as ev
from pytest_redefine.gating import reasons
from pytest_redefine.gating.baseline import Baseline
from pytest_redefine.gating.conditions import Condition, case_set, conditions, gone, unlike
from pytest_redefine.gating.groups import split
from pytest_redefine.gating.judgement import Finding, Judgement
from pytest_redefine.gating.rules import MIN_REPEATS, Gate
from pytest_redefine.gating.subject import Asked, Subject


def judge(gate: Gate, subject: Subject, baseline: Baseline | None, catalogue: Catalogue) -> Judgement:
    """Judge a run; every model of it against the same baseline.

    Args:
        gate: The rules.
        subject: The run, finished or not.
        baseline: What relative rules compare with.
        catalogue: What can be asked: it tells what a case of the baseline is about that this run has not.

    Raises:
        ValueError: a relative rule and no baseline; see before.
    """
    relative = gate.needs_baseline
    if relative is not None and baseline is None:
        raise ValueError(f"{relative.place}: {relative.bound} needs a baseline")
    judging = _Judging(gate, subject, baseline, catalogue)
    findings = [finding for asked in subject.models.values() for finding in judging.model(asked)]
    return Judgement(gate, subject, baseline, tuple(_corrected(findings, gate.alpha)), tuple(judging.notes()))


class _Judging:
    """What the rules share: the baseline's rows, and what speaks against any verdict."""

    def __init__(self, gate: Gate, subject: Subject, baseline: Baseline | None, catalogue: Catalogue) -> None:
        self._gate = gate
        self._subject = subject
        self._baseline = baseline
        self._catalogue = catalogue
        self._partners = swap_partners(catalogue)

    def notes(self) -> list[str]:
        base = self._baseline
        if base is None:
            return []
        told = []
        for asked in self._subject.models.values():
            names = dict.fromkeys([*base.parameters, *asked.parameters])
            told += [
                f"{asked.model}: {name} was {base.parameters.get(name)!r} in the baseline, is {now!r}"
                for name in names
                if base.parameters.get(name) != (now := asked.parameters.get(name))
            ]
        if base.suite != self._subject.suite:
            told.append(f"the baseline was asked by version {base.suite}, this run by {self._subject.suite}")
        return told

    def model(self, asked: Asked) -> list[Finding]:
        found = [self._condition(asked, one) for one in conditions(self._gate, self._subject, asked, self._baseline)]
        spoilt = tuple(one.reasons[0] for one in found if one.fails)
        base = self._baseline
        before = base.rows(asked.rows, asked.digests) if base is not None else []
        lost = gone(base, asked, self._catalogue) if base is not None else []
        contexts = Context.of(before, self._partners), Context.of(asked.rows, self._partners)
        for rule in self._gate.rules:
            if rule.is_condition:
                continue
            there, missing = split(rule, asked.rows), split(rule, lost)
            # A group that the run lacks altogether is judged too: it must not pass by being absent.
            for key in dict.fromkeys([*there, *missing]) or [("",) * len(rule.by)]:
                rows, named = there.get(key, []), dict(zip(rule.by, key, strict=True))
                chosen = {row.case_id for row in rows}
                old = [row for row in before if row.case_id in chosen]
                finding = Finding(rule, asked.model, named, "cannot decide", spoilt)
                if rule.relative:
                    finding = self._comparable(finding, asked, rows, missing.get(key, []))
                    found.append(self._relative(finding, rows, old, contexts))
                else:
                    found.append(self._absolute(finding, rows, old, contexts))
        return found

    @staticmethod
    def _condition(asked: Asked, one: Condition) -> Finding:
        if one.reason:
            return Finding(one.rule, asked.model, {}, "cannot decide", (one.reason,), after=one.figure)
        return Finding(one.rule, asked.model, {}, "held", after=one.figure)

    def _absolute(
        self, finding: Finding, rows: Sequence[Row], old: Sequence[Row], contexts: tuple[Context, Context]
    ) -> Finding:
        rule, measure = finding.rule, MEASURES[finding.rule.measure]
        scores = [(row.cluster, score) for row, score in measure.scores(rows, contexts[1])]
        before = estimate(measure, old, contexts[0])
        finding = replace(finding, before=before if before.n else None, after=estimate(measure, rows, contexts[1]))
        if not scores:
            return _also(finding, "no case that counts was answered")
        found = ev.level_against(
            scores, rule.value, self._gate.alpha, worse_when_higher=rule.worse_when_higher, share=measure.share
        )
        return self._enough(replace(finding, evidence=found))

    def _comparable(self, finding: Finding, asked: Asked, rows: Sequence[Row], lost: Sequence[Row]) -> Finding:
        """With what speaks against any comparison."""
        base = self._baseline
        assert base is not None, "seen to at the start"
        finding = _also(finding, *unlike(base, self._subject))
        if asked.model.startswith(PREFIX):
            finding = _also(
                finding, "a respondent that repeats printed counts, dealt to cases by chance, pairs nothing"
            )
        other = case_set(asked, rows, lost, base)
        return _also(finding, other) if other else finding

    def _relative(
        self, finding: Finding, rows: Sequence[Row], old: Sequence[Row], contexts: tuple[Context, Context]
    ) -> Finding:
        rule, measure = finding.rule, MEASURES[finding.rule.measure]
        pairs = pair(measure, old, rows, context_before=contexts[0], context_after=contexts[1]).pairs
        if not pairs:
            return _also(finding, "no case that counts was answered in both")
        up = rule.worse_when_higher
        finding = replace(
            finding,
            before=_side(pairs, share=measure.share, after=False),
            after=_side(pairs, share=measure.share, after=True),
            worse=tuple(one for one in pairs if (one.difference > 0 if up else one.difference < 0)),
            better=tuple(one for one in pairs if (one.difference < 0 if up else one.difference > 0)),
        )
        if rule.generalises == "cases":
            evidence = ev.change_over_cases(pairs, self._gate.alpha, worse_when_higher=up, min_repeats=MIN_REPEATS)
            if evidence is None:
                return _also(finding, f"no case was asked {MIN_REPEATS} times or more: --samples={MIN_REPEATS}")
        else:
            evidence = ev.change_over_quantities(pairs, self._gate.alpha, worse_when_higher=up, share=measure.share)
        return self._enough(replace(finding, evidence=evidence))

    @staticmethod
    def _enough(finding: Finding) -> Finding:
        rule, found = finding.rule, finding.evidence
        assert found is not None, "called with some"
        if found.n < rule.min_n:
            finding = _also(finding, f"too few cases: {found.n}, and the rule asks for {rule.min_n}")
        if found.clusters < rule.min_quantities:
            finding = _also(
                finding, f"too few quantities: {found.clusters}, and the rule asks for {rule.min_quantities}"
            )
        return finding


def _side(pairs: Sequence[Pair], *, share: bool, after: bool) -> Estimate:
    scores = [(one.before.cluster, one.score_after if after else one.score_before) for one in pairs]
    return estimate_share(scores) if share else estimate_mean(scores)


def _also(finding: Finding, *reasons: str) -> Finding:
    return replace(finding, reasons=(*finding.reasons, *(one for one in reasons if one not in finding.reasons)))


def _corrected(findings: Sequence[Finding], alpha: float) -> list[Finding]:
    """Decide what nothing speaks against, p corrected by Holm over all that has one.

    What is held needs no correction: the gate opens only if every rule is held, and a broken one slips through at
    most as often as its own limit is wrong.
    """
    tested = [one for one in findings if one.evidence is not None]
    worse = holm([one.evidence.p_worse for one in tested if one.evidence])
    better = holm([one.evidence.p_better for one in tested if one.evidence])
    decided = {
        id(one): _decided(replace(one, p_holm=p, tests=len(tested)), q, alpha)
        for one, p, q in zip(tested, worse, better, strict=True)
    }
    return [decided.get(id(one), one) for one in findings]


def holm(ps: Sequence[float]) -> list[float]:
    """Holm's adjusted p, in the order given (S. Holm, Scandinavian Journal of Statistics 6, 1979)."""
    order = sorted(range(len(ps)), key=lambda at: ps[at])
    adjusted = [0.0] * len(ps)
    least = 0.0
    for rank, at in enumerate(order):
        least = max(least, min(1.0, (len(ps) - rank) * ps[at]))
        adjusted[at] = least
    return adjusted


def _decided(finding: Finding, p_better: float, alpha: float) -> Finding:
    rule, found = finding.rule, finding.evidence
    assert found is not None, "only such are decided"
    assert finding.p_holm is not None, "as above"
    if finding.reasons:
        return finding
    worst = found.high if rule.worse_when_higher else -found.low
    bound = rule.value if rule.worse_when_higher or rule.relative else -rule.value
    value = found.value if rule.worse_when_higher else -found.value
    if value > bound and finding.p_holm <= alpha:
        return replace(finding, verdict="regressed", reasons=(reasons.regressed(finding),))
    if worst < bound or (worst <= bound and not rule.relative):
        better = rule.relative and value < 0 and p_better <= alpha
        return replace(finding, verdict="improved" if better else "held")
    return _also(finding, reasons.undecided(finding, alpha))
