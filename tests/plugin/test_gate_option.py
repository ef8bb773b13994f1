"""--gate and --baseline: the same model passes, a worse one does not, and nothing passes by half."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from pytest_redefine.gating.baseline import baseline_of, write_baseline
from pytest_redefine.gating.subject import subject_of
from tests.gating.samples import facts
from tests.plugin.conftest import KILLS_ITS_WORKER, Suite, with_workers
from tests.reporting.runs import records

Q1 = ("-k", "constants and q1")
"""75 redefined cases and 15 controls."""


@pytest.fixture(scope="module")
def accepted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What sim/mixed answers to the first questions, accepted as a baseline."""
    answers = [one for one in records({"sim/mixed": "sim/mixed"}) if one["question"] == "q1"]
    subject = subject_of(answers, facts(len(answers)), "base")
    (only,) = subject.models.values()
    path = tmp_path_factory.mktemp("accepted") / "main.json"
    write_baseline(path, baseline_of(subject, only, "main"))
    return path


@pytest.fixture
def gated(suite: Suite, accepted: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """A checkout with that baseline."""
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    (suite.path / "baselines").mkdir()
    (suite.path / "baselines" / "main.json").write_bytes(accepted.read_bytes())
    return suite


def gate_json(suite: Suite) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((suite.path / "reports" / "latest" / "gate.json").read_bytes())
    return found


def test_the_same_model_is_held(gated: Suite, mode: tuple[str, ...]) -> None:
    result = gated.run(*Q1, *mode, "--model=sim/mixed", "--baseline=main", "--junitxml=junit.xml")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        ["*= gate =*", "HELD *anchored_rate may rise by 12 points", "gate: held (exit status 0)*"]
    )
    assert gated.run_json()["exit_status"] == 0
    assert gate_json(gated)["verdict"] == "held"
    assert "gate: held" in (gated.path / "reports" / "latest" / "summary.md").read_text()
    (whole,) = ElementTree.parse(gated.path / "junit.xml").iter("testsuite")
    found = whole.find("properties")
    assert found is not None
    properties = {one.attrib["name"]: one.attrib["value"] for one in found}
    assert properties["gate"] == "held"
    assert "held: anchored_rate may rise by 12 points" in properties.values()


def test_one_that_anchors_15_points_more_is_not(
    gated: Suite, mode: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    result = gated.run(*Q1, *mode, "--model=sim/mixed+15", "--baseline=baselines/main.json")
    assert result.ret == 10
    result.stdout.fnmatch_lines([
        "REGRESSED *anchored_rate may rise by 12 points",
        "*rose by 18.7 points, more than the 12 points permitted*",
        "*14 flipped for the worse, 0 for the better",
        "*correct -> anchored  constants-*-q1-ff-zs-s0",
        "gate: regressed (exit status 10)*",
        "::error title=gate%3A regressed::anchored_rate may rise by 12 points: rose by 18.7 points*",
    ])  # fmt: skip
    assert gated.run_json()["exit_status"] == 10


@with_workers
def test_what_is_missing_shuts_it(gated: Suite, mode: tuple[str, ...]) -> None:
    result = gated.run("-k", "constants and q1 and not (ra3 or rs1)", *mode, "--model=sim/mixed", "--baseline=main")
    assert result.ret == 11
    result.stdout.fnmatch_lines(["*incomplete: 60 of 90 cases: 30 of the baseline's cases are not among this run's"])


@with_workers
def test_another_case_set_shuts_it(gated: Suite, mode: tuple[str, ...]) -> None:
    result = gated.run("-k", "constants and q2", *mode, "--model=sim/mixed", "--baseline=main")
    assert result.ret == 11
    result.stdout.fnmatch_lines(["*other case set: 75 only in the baseline, 75 only in this run, e.g. *"])


STRICT = """
schema = 1
[[rule]]
measure = "anchored_rate"
may_rise_by = 0.2
[[rule]]
measure = "error_share"
at_most = 0.0
"""


def test_a_killed_worker_costs_one_error_which_a_rule_may_permit(gated: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    gated.conftest(KILLS_ITS_WORKER)
    monkeypatch.setenv("KILL_AT", "pi-ra2-q1")
    command = (*Q1, "-n2", "--model=sim/mixed", "--baseline=main")
    assert gated.run(*command).ret == 0  # one of 90, and the suite's own gate permits 2 %
    (gated.path / "gate.toml").write_text(STRICT)
    result = gated.run(*command, "--gate=gate.toml")
    assert result.ret == 11
    result.stdout.fnmatch_lines(["*errors: 1 of 90 cases have no answer*"])
    # With nobody in its place the rest is not asked.
    result = gated.run(*Q1, "-n1", "--max-worker-restart=0", "--model=sim/mixed", "--baseline=main")
    assert result.ret == 11
    result.stdout.fnmatch_lines(["*incomplete: * of 90 cases: * were not asked"])


def test_a_test_that_fails_for_itself_is_no_permitted_error(gated: Suite) -> None:
    (gated.path / "evals" / "test_own.py").write_text("def test_own_q1_constants():\n    assert False\n")
    assert gated.run(*Q1, "-n0", "--model=sim/mixed", "--baseline=main").ret == 1
    assert gated.run("-k", "own", "-n0", "--model=sim/mixed", "--baseline=main").ret == 11
    assert gated.run("-k", "phlogiston", "-n0", "--model=sim/mixed", "--baseline=main").ret == 5


def test_a_run_that_is_continued_is_judged_whole(gated: Suite) -> None:
    command = ("-n0", "--model=sim/mixed", "--baseline=main", "--run=parts")
    assert gated.run("-k", "constants and q1 and not ra1", *command).ret == 11
    assert gated.run("-k", "constants and q1 and ra1", *command).ret == 0


@pytest.mark.parametrize(
    ("typed", "said"),
    [("--tolerance=0.1", "tolerance: None, now 0.1"), ("--formats=mc", "formats: ['ff'], now ['mc']")],
)
def test_a_baseline_asked_or_graded_otherwise_shuts_it_before_anything_is_asked(
    gated: Suite, typed: str, said: str
) -> None:
    result = gated.pytester.runpytest_inprocess("evals", *Q1, "--model=sim/mixed", "--baseline=main", typed)
    assert result.ret == 11
    assert said in result.stdout.str() + result.stderr.str()
    assert gated.runs() == []


@pytest.mark.parametrize(
    ("rule", "typed", "said"),
    [
        ("may_rise_by = 0.1", (), "*--gate: gate.toml:3: may_rise_by: * add --baseline=NAME"),
        ("may_rise_by = 0.1", ("--baseline=june",), "*--baseline: june: no such baseline; baselines/ has main;*"),
        ("at_most = 2", (), "*--gate: gate.toml:5: rule.at_most: a share from 0 to 1*"),
        (
            'at_most = 0.2\nwhere = {format = "mc"}',
            (),
            "*gate.toml:3: anchored_rate * these options ask no case of it*",
        ),
        ('may_rise_by = 0.1\ngeneralises = "cases"', ("--baseline=main",), "*gate.toml:3: * add --samples=3"),
        ("at_most = 0.2", ("--estimate",), "*--estimate asks nothing*"),
        ("at_most = 0.2", ("--collect-only",), "*--collect-only asks nothing*"),
    ],
)
def test_a_mistake_is_told_before_anything_is_asked(gated: Suite, rule: str, typed: tuple[str, ...], said: str) -> None:
    (gated.path / "gate.toml").write_text(f'\nschema = 1\n[[rule]]\nmeasure = "anchored_rate"\n{rule}\n')
    result = gated.refused(*Q1, "--model=sim/mixed", "--gate=gate.toml", *typed)
    result.stderr.fnmatch_lines([said])
