from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.plugin.conftest import Suite, outcomes


def _asked(record: Mapping[str, Any]) -> str:
    return str(record["messages"][0]["content"])


def test_a_case_is_asked_in_each_prompting(suite: Suite, mode: tuple[str, ...]) -> None:
    result = suite.run("-k", "kilogram and q2", "--promptings=cot,zs,fs", "--model=sim/adopts", *mode)
    assert result.ret == 0
    records = suite.records()
    assert outcomes(records) == {"correct": 12}
    by_prompting = {record["prompting"]: _asked(record) for record in records if record["redefinition"] == "ra2"}
    assert "step by step" in by_prompting["cot"]
    assert by_prompting["fs"].count("The final answer is:") > 1 + by_prompting["zs"].count("The final answer is:")
    # What a model repeats of a worked example is no echo of its own question.
    truths = {record["prompting"]: record["truth"] for record in records if record["redefinition"] == "ra2"}
    assert truths["fs"]["prompt"] == by_prompting["zs"]


@pytest.mark.parametrize("model", ["sim/adopts", "sim/anchors"])
def test_every_arm_grades_the_same(suite: Suite, model: str) -> None:
    arms = ("--formats=ff,mc", "--promptings=zs,fs,cot")
    assert suite.run(f"--model={model}", *arms, "-n2", "-k", "q3", timeout=120).ret == 0
    records = suite.records()
    # Of 31 quantities' third questions: 3 are indistinct, in free form alone.
    redefined = [record for record in records if record["redefinition"] != "nr"]
    assert len(redefined) == 6 * (15 * 5 + 16 * 3) - 9
    found = {
        outcome: {record["case_id"] for record in redefined if record["outcome"] == outcome}
        for outcome in outcomes(redefined)
    }
    if model == "sim/adopts":
        assert set(found) == {"correct"}
        return
    assert found["correct"] == {record["case_id"] for record in redefined if record["indistinct"]}
    assert len(found["correct"]) == 9
    # Two readings of this question reach one value from different sides (docs/readings.md).
    assert {name.split("-s0")[0][:22] for name in found.pop("hedged")} == {"units-lightyear-ra1-q3"}
    assert set(found) == {"correct", "anchored"}
    assert outcomes([record for record in records if record["redefinition"] == "nr"]) == {"correct": 6 * 31}


def test_an_unknown_prompting_is_a_usage_error(suite: Suite) -> None:
    result = suite.refused("--promptings=zs,few", "--model=sim/adopts")
    result.stderr.fnmatch_lines(["*--promptings=zs,few: 'few' is none of zs, fs, cot"])
