"""The options that say what a run must come up to, and what of that can be told before anything is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.data import DataError
from pytest_redefine.cases.model import DOSE, FRESH
from pytest_redefine.gating.baseline import Baseline, BaselineError, find_baseline, read_baseline
from pytest_redefine.gating.groups import covers, rows_of
from pytest_redefine.gating.judgement import UNDECIDED
from pytest_redefine.gating.rules import COMPLETENESS, MIN_REPEATS, Gate, default_gate, read_gate
from pytest_redefine.gating.subject import comparable
from pytest_redefine.plugin.options import Settings


def add_options(parser: pytest.Parser) -> None:
    """Add them to the suite's group."""
    group = parser.getgroup("redefine")
    group.addoption(
        "--gate",
        metavar="FILE",
        default=None,
        help="judge the run by the rules in FILE: exit status 0 held, 10 regressed, 11 cannot decide (docs/gate.md)",
    )
    group.addoption(
        "--baseline",
        metavar="NAME|FILE",
        default=None,
        help="what the gate compares with: baselines/NAME.json, written by pytest-redefine baseline accept, or FILE; "
        "without --gate by the suite's own rules",
    )


@dataclass(frozen=True, slots=True)
class GateSettings:
    """These options, checked and read."""

    gate: Gate
    baseline: Baseline | None
    catalogue: Catalogue


def read(config: pytest.Config, settings: Settings, catalogue: Catalogue) -> GateSettings | None:
    """Read and check these options; None where no gate is asked for.

    Raises:
        pytest.UsageError: One of them makes no sense, or a rule can find no case; one line.
        pytest.exit.Exception: The baseline was asked or graded otherwise: status 11 before anything is asked.
    """
    file, name = config.getoption("gate"), config.getoption("baseline")
    if file is None and name is None:
        return None
    for option in ("estimate", "why_ask", "collectonly"):
        if config.getoption(option):
            typed = {"collectonly": "--collect-only"}.get(option, f"--{option.replace('_', '-')}")
            raise pytest.UsageError(f"{typed} asks nothing, so there is nothing for --gate and --baseline to judge")
    here = config.invocation_params.dir
    try:
        gate = read_gate(default_gate() if file is None else here / file, catalogue)
    except DataError as error:
        raise pytest.UsageError(f"--gate: {error}") from None
    try:
        baseline = None if name is None else read_baseline(find_baseline(name, config.rootpath, here))
    except BaselineError as error:
        raise pytest.UsageError(f"--baseline: {error}") from None
    _check_rules(gate, baseline, settings, catalogue)
    if baseline is not None:
        _check_baseline(gate, baseline, settings)
    return GateSettings(gate, baseline, catalogue)


def _check_rules(gate: Gate, baseline: Baseline | None, settings: Settings, catalogue: Catalogue) -> None:
    relative = gate.needs_baseline
    if relative is not None and baseline is None:
        raise pytest.UsageError(
            f"--gate: {relative.place}: {relative.bound}: needs something to compare with: add --baseline=NAME"
        )
    cases = [case for task in catalogue.tasks for case in settings.cases.cases(catalogue, task, 1)]
    rows = list(rows_of(cases))
    drawn = {family for family in (FRESH, DOSE) if settings.cases.drawing.asks_for(family)}
    for rule in gate.rules:
        if rule.generalises == "cases" and settings.samples < MIN_REPEATS:
            raise pytest.UsageError(
                f'--gate: {rule.place}: generalises = "cases" needs each case {MIN_REPEATS} times: '
                f"add --samples={MIN_REPEATS}"
            )
        of_drawn = rule.measure.startswith("fresh_")
        if rule.is_condition or (of_drawn and FRESH in drawn):
            continue
        if of_drawn or not any(covers(rule, row) for row in rows):
            hint = "--fresh=N" if of_drawn else "--formats, --promptings or --controls"
            raise pytest.UsageError(
                f"--gate: {rule.place}: {rule.title}: these options ask no case of it; change it or {hint}"
            )


def _check_baseline(gate: Gate, baseline: Baseline, settings: Settings) -> None:
    """End the session where it is known already that nothing could be decided."""
    asked = settings.for_run_json()
    now = comparable(asked)
    unlike = [(name, was, now.get(name)) for name, was in baseline.conditions.items() if was != now.get(name)]
    if gate.condition(COMPLETENESS).value == 1:
        unlike += [(axis, was, asked[axis]) for axis, was in baseline.asked_for.items() if _more(was, asked[axis])]
    if unlike:
        told = "; ".join(f"{name}: {was!r}, now {new!r}" for name, was, new in unlike)
        pytest.exit(
            f"gate: cannot decide: the baseline {baseline.name} was asked or graded otherwise ({told}); nothing was "
            "asked. Give the same options, or accept a baseline with these",
            returncode=UNDECIDED,
        )


def _more(was: Any, now: Any) -> bool:
    """Whether the baseline was asked something that these options leave out."""
    if isinstance(was, list) and isinstance(now, list):
        return not set(was) <= set(now)
    return isinstance(was, int) and isinstance(now, int) and was > now
