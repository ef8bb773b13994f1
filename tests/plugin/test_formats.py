from __future__ import annotations

import pytest

from tests.plugin.conftest import Suite, outcomes, selected


def test_a_case_is_asked_in_each_format(suite: Suite, mode: tuple[str, ...]) -> None:
    result = suite.run("-k", "units and lightyear and q1", "--formats=mc,ff", "--model=sim/anchors", *mode)
    assert result.ret == 0
    records = suite.records()
    assert outcomes(records) == {"correct": 2, "anchored": 6}
    chosen = [record for record in records if record["format"] == "mc"]
    assert len(chosen) == 4
    for record in chosen:
        assert list(record["options"]) == list("ABCD")
        assert record["options"][record["extracted"]] == (record["default"] or record["expected"])
        assert record["rotation"] == 0
    assert all(record["options"] is None for record in records if record["format"] == "ff")


def test_the_whole_benchmark_is_2763_cases(suite: Suite) -> None:
    every = ("--collect-only", "-q", "--model=sim/adopts", "--formats=ff,mc", "--promptings=zs,fs,cot")
    assert len(selected(suite.run(*every))) == 2763
    assert len(selected(suite.run(*every, "-k", "constants and rs2 and q3 and mc"))) == 3 * 15
    assert len(selected(suite.run(*every, "-k", "units and lightyear"))) == 6 * 12
    contested = len(selected(suite.run(*every, "-m", "contested")))
    assert contested + len(selected(suite.run(*every, "-k", "not contested"))) == 2763


def test_no_indistinct_case_is_asked_as_multiple_choice(suite: Suite) -> None:
    ids = selected(suite.run("--collect-only", "-q", "--model=sim/adopts", "--formats=mc", "-k", "infinity and q3"))
    assert [name.split("[")[1].split("-q3")[0] for name in ids] == [
        "infinity-nr",
        "infinity-ra2",
        "infinity-ra3",
        "infinity-rs2",
    ]


@pytest.mark.parametrize("typed", ["free", "", "ff,"])
def test_an_unknown_format_is_a_usage_error(suite: Suite, typed: str) -> None:
    result = suite.refused(f"--formats={typed}", "--model=sim/adopts")
    result.stderr.fnmatch_lines([f"*--formats={typed}: *is none of ff, mc"])
