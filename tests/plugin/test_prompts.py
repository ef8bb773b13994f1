from __future__ import annotations

import pytest

from tests.plugin.conftest import REPOSITORY, Suite, two_ways

WORDING = (REPOSITORY / "fixtures" / "prompts.toml").read_text(encoding="utf-8")
PI = ("-k", "constants and pi and ra2 and q2", "--model=sim/adopts")


def write(suite: Suite, text: str) -> str:
    (suite.path / "mine.toml").write_text(text, encoding="utf-8")
    return "--prompts=mine.toml"


@two_ways
def test_another_file_words_the_cases(suite: Suite, mode: tuple[str, ...]) -> None:
    mine = write(suite, WORDING.replace("Redefine {name} as {value}.", "From now on {name} is {value}."))
    assert suite.run(*PI, mine, *mode).ret == 0
    (record,) = suite.records()
    assert "From now on π is 500." in record["messages"][0]["content"]
    assert record["outcome"] == "correct"


def test_a_missing_placeholder_is_named_before_anything_is_collected(suite: Suite) -> None:
    mine = write(suite, WORDING.replace("Redefine {name} as {value}.", "Redefine {name}.", 1))
    result = suite.refused(*PI, mine)
    result.stderr.fnmatch_lines(["*--prompts: mine.toml:*redefinition.assignment: the placeholder {value} is missing"])
    assert not suite.runs()


@two_ways
def test_a_missing_file_is_named(suite: Suite, mode: tuple[str, ...]) -> None:
    result = suite.run(*PI, "--prompts=nowhere.toml", *mode)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--prompts: *nowhere.toml: cannot be read: *"])


def test_a_run_is_not_continued_in_other_words(suite: Suite) -> None:
    mine = write(suite, WORDING)
    assert suite.run(*PI, mine, "--run=one").ret == 0
    assert suite.run(*PI, mine, "--run=one").ret == 0
    write(suite, WORDING.replace("Redefine {name} as {value}.", "From now on {name} is {value}."))
    result = suite.run(*PI, mine, "--run=one")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--run=one exists and was asked otherwise (prompts: *"])
