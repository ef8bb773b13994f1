from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_redefine.records.run_folder import RunFolderError
from pytest_redefine.records.shrunk import SHRUNK_FILE, append_example, read_examples
from tests.reporting.runs import example


def test_the_last_example_of_a_case_and_model_counts(tmp_path: Path) -> None:
    assert read_examples(tmp_path) == []
    first, other = example(requests=3), example(model="vendor/other")
    for one in (first, other, example(requests=8)):
        append_example(tmp_path, one)
    assert read_examples(tmp_path) == [example(requests=8), other]


def test_what_is_no_example_is_passed_over(tmp_path: Path) -> None:
    good = example()
    lines = [
        "[]", "null", "{}", '{"torn": ', "\ud800", "[" * 100_000,
        json.dumps({**good, "schema": 2}),
        json.dumps({**good, "outcome": "<b>"}),
        json.dumps({**good, "sample": float("nan")}),
        json.dumps({**good, "drawn": {**good["drawn"], "expected": None}}),
        json.dumps({**good, "simplest": "short"}),
        json.dumps(good),
    ]  # fmt: skip
    (tmp_path / SHRUNK_FILE).write_text("\n".join(lines), encoding="utf-8", errors="backslashreplace")
    assert read_examples(tmp_path) == [good]


def test_a_folder_that_is_gone_is_said(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match="make room and run the same command again"):
        append_example(tmp_path / "gone", example())
