"""--fresh, --fresh-seed and --fresh-from: the same cases in every process and run, and what to type without them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.plugin.conftest import MODES, Suite, outcomes, selected, timeless, two_ways, with_workers

FRESH = ("-k", "fresh", "--fresh=6", "--fresh-seed=7")


def test_every_way_to_run_draws_the_same_and_writes_the_same_records(suite: Suite) -> None:
    by_mode = {}
    for name, mode in MODES.items():
        assert suite.run(*FRESH, "--model=sim/mixed", f"--run={name}", *mode).ret == 0
        by_mode[name] = sorted(map(timeless, suite.records(name)), key=lambda record: str(record["nodeid"]))
    assert len(by_mode["n0"]) == 2 * 6 * 2  # two tasks, each case beside its control
    assert by_mode["n0"] == by_mode["n2"] == by_mode["no-xdist"]
    runs = [suite.run_json(name) for name in MODES]
    assert runs[0]["draws"] == runs[1]["draws"] == runs[2]["draws"]
    assert len(runs[0]["draws"]) == 12


def test_ids_hold_a_digest_and_select_a_case_with_its_control(suite: Suite) -> None:
    look = ("--collect-only", "-q", "--model=sim/adopts")
    names = selected(suite.run(*look, *FRESH))
    drawn = r"evals/test_fresh\.py::test_fresh\[[a-z0-9]+-(nr-)?fresh\d+-(q[123]|op[0-3])-[0-9a-f]{8}-ff-zs-s0-adopts\]"
    assert all(re.fullmatch(drawn, name) for name in names)
    third = selected(suite.run(*look, "-k", "fresh3", *FRESH[2:]))
    assert len(third) == 4
    assert set(third) < set(names)
    exact = selected(suite.run(*look, "-m", "case(redefinition='fresh', task='units')", *FRESH[2:]))
    assert len(exact) == 6


def test_the_cases_do_not_hang_on_their_number(suite: Suite) -> None:
    look = ("--collect-only", "-q", "--model=sim/adopts", "-k", "fresh", "--fresh-seed=7")
    few, many = (selected(suite.run(*look, f"--fresh={count}")) for count in (3, 12))
    assert len(few) == 12
    assert set(few) < set(many)


@two_ways
def test_the_seed_is_drawn_printed_and_stored(suite: Suite, mode: tuple[str, ...]) -> None:
    first = suite.run("-k", "fresh", "--fresh=2", "--model=sim/adopts", "--run=one", *mode)
    assert first.ret == 0
    (seed,) = re.findall(r"draws 2 fresh cases a task; the same again with --fresh-seed=(\d+)", first.stdout.str())
    assert suite.run_json("one")["parameters"]["drawn"]["seed"] == seed
    draws = suite.run_json("one")["draws"]
    assert {draw["seed"] for draw in draws} == {seed}
    again = suite.run("-k", "fresh", "--fresh=2", f"--fresh-seed={seed}", "--model=sim/adopts", "--run=two", *mode)
    assert again.ret == 0
    assert suite.run_json("two")["draws"] == draws
    # A run that is continued goes on with the seed that it was begun with.
    assert suite.run("-k", "fresh", "--fresh=2", "--model=sim/adopts", "--run=one", *mode).ret == 0


@with_workers
def test_a_run_is_replayed_from_its_record_alone(suite: Suite, mode: tuple[str, ...]) -> None:
    assert suite.run(*FRESH, "--model=sim/adopts", "--run=one", *mode).ret == 0
    before = {record["nodeid"]: record["draw"] for record in suite.records("one")}
    # As if another Hypothesis had drawn: only what stands in the record counts.
    path = suite.path / "reports" / "one" / "run.json"
    run = json.loads(path.read_text())
    changed = [{**draw, "value": "123"} if draw.get("kind") == "near" else draw for draw in run["draws"]]
    path.write_text(json.dumps({**run, "draws": changed}))
    result = suite.run("-k", "fresh", "--fresh-from=one", "--model=sim/adopts", "--run=two", *mode)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*asks cases as they were drawn before: 12 fresh, 0 dose"])
    after = {record["nodeid"]: record["draw"] for record in suite.records("two")}
    assert len(after) == len(before)
    assert suite.run_json("two")["draws"] == changed
    assert outcomes(suite.records("two")) == {"correct": 24}
    kept = {name for name, draw in before.items() if draw.get("kind") != "near"}
    assert kept <= set(after)


def test_records_can_be_paired_and_rebuilt(suite: Suite) -> None:
    result = suite.run("--fresh=8", "--fresh-seed=7", "--model=sim/anchors", "-n0")
    assert result.ret == 0
    drawn = [record for record in suite.records() if record["draw"]]
    for record in drawn:
        assert record["redefinition"] in ("fresh", "nr")
        assert record["question"] in ("q1", "q2", "q3", "op0", "op1", "op2", "op3")
        assert record["draw"]["quantity"] == record["quantity"]
    controls = {(record["task"], record["draw"]["index"]) for record in drawn if record["redefinition"] == "nr"}
    cases = {(record["task"], record["draw"]["index"]) for record in drawn if record["redefinition"] == "fresh"}
    assert controls == cases == {(task, at) for task in ("constants", "units") for at in range(8)}
    # The published cases were asked too, so that the gap is told.
    result.stdout.fnmatch_lines(["  fresh * 16 *", "  contamination gap  +0.0 points *n=8 pairs*"])


def test_multiple_choice_and_worked_examples(suite: Suite) -> None:
    arms = ("--formats=ff,mc", "--promptings=zs,fs,cot", "--rotate-options")
    assert suite.run(*FRESH, "--model=sim/anchors", *arms, "-n0", timeout=120).ret == 0
    records = suite.records()
    assert len(records) == 24 * 3 * (1 + 4)
    assert outcomes([one for one in records if one["redefinition"] == "fresh"]) == {"anchored": 180}
    assert outcomes([one for one in records if one["redefinition"] == "nr"]) == {"correct": 180}


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (("-k", "fresh"), "-k fresh: nothing is drawn without --fresh; type e.g. pytest evals -k fresh --fresh=50"),
        (("-k", "pi and fresh3"), "-k fresh: nothing is drawn without --fresh;"),
        (("--fresh=-1",), "--fresh=-1: at least 0"),
        (("--fresh-seed=7",), "--fresh-seed=7: nothing is drawn from it without e.g. --fresh=50 or --dose=9"),
        (("--fresh-from=nowhere",), "--fresh-from=nowhere: there is no such run in reports/"),
        (("--fresh-from=x", "--fresh=3"), "--fresh-from asks what a run drew: leave out --fresh, --dose"),
    ],
)
def test_what_to_type_is_said(suite: Suite, typed: tuple[str, ...], told: str) -> None:
    result = suite.refused(*typed, "--model=sim/adopts")
    assert told in result.stderr.str()
    assert not suite.runs()


@two_ways
def test_without_draws_the_rest_is_asked_as_ever(suite: Suite, mode: tuple[str, ...]) -> None:
    result = suite.run("-k", "not fresh and pi and q2 and ra1", "--model=sim/adopts", *mode)
    assert result.ret == 0
    assert outcomes(suite.records()) == {"correct": 1}
    assert suite.run_json()["parameters"]["drawn"] is None
    alone = suite.pytester.runpytest_subprocess("evals/test_fresh.py", "--model=sim/adopts")
    assert alone.ret == pytest.ExitCode.USAGE_ERROR
    assert "nothing is drawn without e.g. --fresh=50" in alone.stderr.str()


@pytest.mark.parametrize(
    ("run", "told"),
    [
        ({}, "nothing was drawn in this run"),
        ({"draws": 3}, "it holds no draws"),
        ({"draws": [{"family": "fresh"}]}, "a draw is incomplete"),
        ({"draws": [{"family": "fresh", "task": "constants", "quantity": "tau", "kind": "near", "question": "q2"}]},
         "no tau among the constants; its run was drawn from other data"),
    ],
)  # fmt: skip
def test_a_record_that_cannot_be_replayed_is_refused(suite: Suite, run: dict[str, Any], told: str) -> None:
    (suite.path / "reports" / "old").mkdir(parents=True)
    (suite.path / "reports" / "old" / "run.json").write_text(json.dumps(run))
    for mode in MODES.values():
        result = suite.run("--fresh-from=old", "--model=sim/adopts", *mode)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        assert told in result.stderr.str() + result.stdout.str()


def test_a_model_named_fresh_is_a_usage_error(suite: Suite) -> None:
    result = suite.run("--collect-only", *FRESH, "--model=openai/fresh-7b")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*-m \"case(redefinition='fresh')\"*"])
