"""Why a rule was decided as it was, in words."""

from __future__ import annotations

from pytest_redefine.gating import evidence as ev
from pytest_redefine.gating.judgement import Finding


def regressed(finding: Finding) -> str:
    """How far past the bound, and how sure that is."""
    rule, found = finding.rule, finding.evidence
    assert found is not None, "only such are decided"
    over = f" over {finding.tests} tests" if finding.tests > 1 else ""
    p = f"p {_p(finding)}{over}"
    if rule.relative:
        direction = "rose" if rule.worse_when_higher else "fell"
        return f"{direction} by {_points(abs(found.value))}, more than the {_points(rule.value)} permitted ({p})"
    side = "above" if rule.worse_when_higher else "below"
    return f"{_percent(found.value)} is {side} the bound of {_percent(rule.value)} beyond chance ({p})"


def undecided(finding: Finding, alpha: float) -> str:
    """What keeps it from being decided, and what would help."""
    rule, found = finding.rule, finding.evidence
    assert found is not None, "only such are decided"
    if not rule.relative:
        past = found.value > rule.value if rule.worse_when_higher else found.value < rule.value
        if past:
            return (
                f"{_percent(found.value)} is past the bound of {_percent(rule.value)}, but chance alone may do that "
                f"(p {_p(finding)})"
            )
        most = found.high if rule.worse_when_higher else found.low
        return (
            f"too little power: {_percent(found.value)} is within the bound of {_percent(rule.value)}, but the truth "
            f"may be {'as much' if rule.worse_when_higher else 'as little'} as {_percent(most)}"
        )
    direction = "rise" if rule.worse_when_higher else "fall"
    change, most = (found.value, found.high) if rule.worse_when_higher else (-found.value, -found.low)
    if change > rule.value:
        return (
            f"the {direction} of {_points(change)} is more than the {_points(rule.value)} permitted, but chance alone "
            f"may do that (p {_p(finding)})"
        )
    needed = ev.cases_to_hold(found, rule.value, alpha)
    enough = f"; about {needed:,} cases like these would hold an unchanged model" if (needed or 0) > found.n else ""
    limit = _points(most) if most < float("inf") else "anything"
    return (
        f"too little power: the {direction} may be as much as {limit}, and {_points(rule.value)} are permitted{enough}"
    )


def _points(value: float) -> str:
    return f"{100 * value:.1f} points".replace(".0 points", " points")


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %".replace(".0 %", " %")


def _p(finding: Finding) -> str:
    p = 1.0 if finding.p_holm is None else finding.p_holm
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"
