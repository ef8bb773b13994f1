from __future__ import annotations

from tests.plugin.conftest import Suite, outcomes, selected

TURNED = ("-k", "byte and ra1 and q2", "--formats=ff,mc", "--rotate-options")


def test_each_option_stands_under_each_letter_once(suite: Suite, mode: tuple[str, ...]) -> None:
    assert suite.run(*TURNED, "--model=sim/anchors", *mode).ret == 0
    records = suite.records()
    assert outcomes(records) == {"anchored": 5}
    turned = [record for record in records if record["format"] == "mc"]
    assert sorted(record["rotation"] for record in turned) == [0, 1, 2, 3]
    assert {record["extracted"] for record in turned} == set("ABCD")
    for letter in "ABCD":
        assert len({record["options"][letter] for record in turned}) == 4


def test_a_turn_is_in_the_id_and_the_mark(suite: Suite) -> None:
    look = ("--collect-only", "-q", "--model=sim/adopts")
    assert selected(suite.run(*look, *TURNED, "-m", "case(rotation=2)")) == [
        "evals/test_units.py::test_units[byte-ra1-q2-mc-zs-s0-rot2-adopts]"
    ]


def test_without_multiple_choice_it_is_a_usage_error(suite: Suite) -> None:
    result = suite.refused("--rotate-options", "--model=sim/adopts")
    result.stderr.fnmatch_lines(["*--rotate-options * add --formats=mc"])
