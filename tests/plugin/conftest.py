"""A checkout of the suite in miniature: evals/ and a conftest.py that loads the plugin, in a folder of its own."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[2]

MODES = {"n0": ("-n", "0"), "n2": ("-n", "2"), "no-xdist": ("-p", "no:xdist")}
"""The three ways every option must work in."""


@pytest.fixture(params=list(MODES))
def mode(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """The options of each way to run in turn."""
    return MODES[request.param]


class Suite:
    """Runs ``pytest evals`` in processes of its own and reads what they leave behind."""

    def __init__(self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pytester = pytester
        self.path = pytester.path
        monkeypatch.delenv("CI", raising=False)
        shutil.copytree(REPOSITORY / "evals", self.path / "evals", ignore=shutil.ignore_patterns("__pycache__"))
        (self.path / "conftest.py").write_text((REPOSITORY / "conftest.py").read_text())
        (self.path / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers -p no:cacheprovider\n")

    def run(self, *args: str, timeout: float = 60) -> pytest.RunResult:
        """Run ``pytest evals`` with options."""
        return self.pytester.runpytest_subprocess("evals", *args, timeout=timeout)

    def records(self, run: str = "latest") -> list[dict[str, Any]]:
        """The raw records of a run, in the order in which they were written."""
        path = self.path / "reports" / run / "records.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()]

    def run_json(self, run: str = "latest") -> dict[str, Any]:
        """The run's run.json."""
        data = json.loads((self.path / "reports" / run / "run.json").read_text())
        assert isinstance(data, dict)
        return data

    def runs(self) -> list[str]:
        """The names of all runs."""
        folder = self.path / "reports"
        return (
            sorted(entry.name for entry in folder.iterdir() if (entry / "run.json").exists()) if folder.exists() else []
        )

    def environment(self, **changes: str) -> dict[str, str]:
        """This process's environment with changes, for processes that the test starts by itself."""
        return {**os.environ, **changes}


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """The miniature checkout."""
    return Suite(pytester, monkeypatch)


def selected(result: pytest.RunResult) -> list[str]:
    """The ids that ``--collect-only -q`` printed."""
    return [line for line in result.outlines if "::" in line]


def outcomes(records: list[dict[str, Any]]) -> Mapping[str, int]:
    """How many records have each outcome, errors and cases not asked by their status."""
    counts: dict[str, int] = {}
    for record in records:
        word = record["outcome"] or record["status"]
        counts[word] = counts.get(word, 0) + 1
    return counts


def timeless(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record without what differs from run to run: its name and the clock."""
    return {name: value for name, value in record.items() if name not in ("run", "asked_at", "latency_s")}
