"""Whole runs on simulated respondents: what is selected, how it ends, that all ways to run agree."""

from __future__ import annotations

from tests.plugin.conftest import MODES, Suite, outcomes, timeless

EXPECTED = {
    "sim/adopts": {"correct": 18},
    "sim/anchors": {"correct": 3, "anchored": 15},
    "sim/refuses": {"refused": 18},
    "sim/blank": {"blank": 18},
}


def test_the_18_cases_of_pi_asked_of_several_models_in_one_run(suite: Suite, mode: tuple[str, ...]) -> None:
    first, second, *rest = EXPECTED
    result = suite.run("-k", "constants and pi", f"--model={first},{second}", *(f"--model={m}" for m in rest), *mode)
    assert result.ret == 0
    records = suite.records()
    by_model = {model: [record for record in records if record["model"] == model] for model in EXPECTED}
    assert {model: outcomes(of_model) for model, of_model in by_model.items()} == EXPECTED
    assert {record["quantity"] for record in records} == {"pi"}
    assert len({record["case_id"] for record in records}) == 18


def test_adopting_everything_is_always_correct(suite: Suite) -> None:
    assert suite.run("--model=sim/adopts", "-n0").ret == 0
    assert outcomes(suite.records()) == {"correct": 462}


def test_anchoring_is_seen_wherever_the_references_differ(suite: Suite) -> None:
    assert suite.run("--model=sim/anchors", "-n0").ret == 0
    redefined = [record for record in suite.records() if record["redefinition"] != "nr"]
    assert outcomes(redefined) == {"anchored": 222 + 143, "correct": 3, "hedged": 1}
    assert {record["case_id"] for record in redefined if record["indistinct"]} == {
        "constants-infinity-ra1-q3-ff-zs-s0",
        "constants-infinity-rs1-q3-ff-zs-s0",
        "constants-zero-rs1-q3-ff-zs-s0",
    }
    assert all((record["outcome"] == "correct") == record["indistinct"] for record in redefined)
    # Its memorised answer is the redefined one by another reading (docs/readings.md).
    (hedged,) = (record["case_id"] for record in redefined if record["outcome"] == "hedged")
    assert hedged == "units-lightyear-ra1-q3-ff-zs-s0"


def test_every_way_to_run_writes_the_same_records(suite: Suite) -> None:
    by_mode = {}
    for name, mode in MODES.items():
        assert suite.run("--model=sim/mixed", f"--run={name}", *mode).ret == 0
        records = [timeless(record) for record in suite.records(name)]
        by_mode[name] = sorted(records, key=lambda record: str(record["nodeid"]))
    assert len(by_mode["n0"]) == 462
    assert by_mode["n0"] == by_mode["n2"] == by_mode["no-xdist"]


def test_the_mixed_respondent_shows_every_outcome(suite: Suite) -> None:
    assert suite.run("--model=sim/mixed", "-n0").ret == 0
    assert set(outcomes(suite.records())) == {"correct", "anchored", "wrong", "refused", "blank", "hedged"}
