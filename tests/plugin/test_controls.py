from __future__ import annotations

import pytest

from tests.plugin.conftest import Suite, outcomes, selected


def test_neutral_controls_have_their_own_ids_words_and_row(suite: Suite, mode: tuple[str, ...]) -> None:
    result = suite.run("-k", "constants and pi and q2", "--controls=ns,nr", "--model=sim/anchors", *mode)
    assert result.ret == 0
    records = {record["redefinition"]: record for record in suite.records()}
    assert set(records) == {"nr", "neutral1", "neutral2", "neutral3", "ra1", "ra2", "ra3", "rs1", "rs2"}
    for level in (1, 2, 3):
        neutral = records[f"neutral{level}"]
        assert neutral["outcome"] == "correct"
        assert neutral["expected"] == records[f"ra{level}"]["expected"]
        assert neutral["default"] is None
        assert "π" not in neutral["messages"][0]["content"]
    # Whoever falls back on memory has none of a name that means nothing.
    result.stdout.fnmatch_lines(["  redefined * 5 *", "  controls * 1 *", "  neutral * 3 *", "*100.0 %*n=5"])


def test_drawn_assignments_have_them_too(suite: Suite) -> None:
    options = ("--fresh=6", "--dose=2", "--fresh-seed=7", "--controls=nr,ns", "--model=sim/anchors")
    result = suite.run("-k", "fresh or (dose and pi)", *options, "-n0")
    assert result.ret == 0
    records = suite.records()
    neutral = {record["case_id"]: record for record in records if record["redefinition"] == "neutral"}
    beside = {record["case_id"]: record for record in records if record["redefinition"] in ("fresh", "dose")}
    for case_id, record in neutral.items():
        assert record["outcome"] == "correct"
        assert record["expected"] == beside[case_id.replace("-neutral", "")]["expected"]
    assert {record["draw"]["family"] for record in neutral.values()} == {"fresh", "dose"}
    swaps = [record for record in beside.values() if record["draw"].get("other")]
    assert not {record["case_id"].replace("-fresh", "-neutral-fresh") for record in swaps} & set(neutral)
    result.stdout.fnmatch_lines([f"  neutral * {len(neutral)} *{len(neutral)} *"])


def test_neutral_controls_can_be_selected(suite: Suite) -> None:
    look = ("--collect-only", "-q", "--controls=nr,ns", "--model=sim/adopts")
    every = selected(suite.run(*look, "-k", "newton"))
    neutral = selected(suite.run(*look, "-m", "neutral", "-k", "newton"))
    assert neutral == [name for name in every if "-neutral" in name]
    assert neutral
    assert selected(suite.run(*look, "-k", "newton and neutral2")) == [name for name in every if "-neutral2" in name]


def test_a_model_named_like_a_neutral_control_is_a_usage_error(suite: Suite) -> None:
    result = suite.run("--collect-only", "-k", "neutral2", "--controls=ns", "--model=openai/neutral2-7b")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*-m \"case(redefinition='neutral2')\"*"])


def test_an_unknown_control_is_a_usage_error(suite: Suite) -> None:
    result = suite.refused("--controls=none", "--model=sim/adopts")
    result.stderr.fnmatch_lines(["*--controls=none: 'none' is none of nr, ns"])


def test_a_mixed_respondent_answers_every_kind_of_case(suite: Suite) -> None:
    arms = ("--controls=nr,ns", "--formats=ff,mc", "--promptings=zs")
    assert suite.run("--model=sim/mixed", "-k", "units", *arms, "-n0", timeout=120).ret == 0
    assert set(outcomes(suite.records())) == {"correct", "anchored", "wrong", "refused", "blank", "hedged"}
