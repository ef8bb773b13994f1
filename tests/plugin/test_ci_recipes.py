"""The recipes in docs/ci: their commands, run as a runner would run them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.plugin.conftest import REPOSITORY, Suite

RECIPES = REPOSITORY / "docs" / "ci"
SHARDS = ("1", "2")
"""In place of the recipes' four: each is a start of pytest."""


class Runner:
    """Runs a recipe's scripts in the miniature checkout, as one machine after another."""

    def __init__(self, suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path = suite.path
        (self.path / ".venv").symlink_to(sys.prefix)
        self.summary = self.path / "step-summary.md"
        self.artifacts = self.path / "artifacts"
        monkeypatch.chdir(self.path)

    def shell(self, script: str, **variables: str) -> int:
        """A step's exit status, by the shell that GitHub and GitLab use."""
        environment = {**os.environ, "GITHUB_STEP_SUMMARY": str(self.summary), **variables}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
        return subprocess.run(command, cwd=self.path, env=environment, check=False).returncode

    def accept(self, run: str) -> None:
        """Make a run the baseline."""
        assert self.shell(f".venv/bin/pytest-redefine baseline accept {run}") == 0


@pytest.fixture
def runner(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> Runner:
    return Runner(suite, monkeypatch)


def recipe(name: str) -> dict[str, Any]:
    loaded = YAML(typ="safe").load((RECIPES / name).read_text())
    assert isinstance(loaded, dict)
    return loaded


def test_shell(runner: Runner) -> None:
    script = f"{RECIPES / 'shards.sh'} -k constants --model="
    assert runner.shell(f"{script}sim/mixed", SHARDS="2") == 0
    runner.accept("ci")
    assert runner.shell(f"{script}sim/anchors", SHARDS="2", RUN="anchors", BASELINE="main") == 10
    assert runner.shell(f"{script}sim/mixed", SHARDS="2", BASELINE="main") == 0


def test_shell_stops_where_pytest_cannot_start(runner: Runner) -> None:
    assert runner.shell(f"{RECIPES / 'shards.sh'} --model=sim/nobody", SHARDS="1") == pytest.ExitCode.USAGE_ERROR
    assert runner.shell(f"{RECIPES / 'shards.sh'} --model=sim/adopts -k nothing", SHARDS="1") == 5
    assert not (runner.path / "reports" / "ci").exists()


def steps(job: Mapping[str, Any], values: Mapping[str, str]) -> list[dict[str, Any]]:
    """The steps of a GitHub job, its expressions replaced by their values."""

    def filled(value: Any) -> Any:
        if isinstance(value, str):
            return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: values[found[1]], value)
        if isinstance(value, dict):
            return {name: filled(one) for name, one in value.items()}
        return [filled(one) for one in value] if isinstance(value, list) else value

    found = filled(job["steps"])
    assert isinstance(found, list)
    return [{**step, "env": {**filled(job.get("env", {})), **step.get("env", {})}} for step in found]


def values(shard: str) -> dict[str, str]:
    return {
        "matrix.shard": shard,
        "strategy.job-total": str(len(SHARDS)),
        "github.run_id": "1",
        "github.run_attempt": "1",
        "secrets.OPENAI_API_KEY": "",
        "secrets.REDEFINE_STORE": "",
        "!cancelled()": "true",
    }


def test_github(runner: Runner) -> None:
    workflow = recipe("github.yml")
    given = {**workflow["env"], "MODEL": "sim/mixed", "GITHUB_ACTIONS": "true"}
    done: list[str] = []
    for job, shards in (("ask", SHARDS), ("gate", ("",))):
        for step in [step for shard in shards for step in steps(workflow["jobs"][job], values(shard))]:
            action = step.get("uses", "").partition("@")[0]
            if action == "actions/upload-artifact":
                shutil.copytree(step["with"]["path"], runner.artifacts / step["with"]["name"])
            elif action == "actions/download-artifact":
                for artifact in runner.artifacts.glob(step["with"]["pattern"]):
                    shutil.copytree(artifact, Path(step["with"]["path"]) / artifact.name)
            elif "run" in step and step["name"] != "Set up":
                if step["name"] == "Gate":
                    runner.accept("ci")
                assert runner.shell(step["run"], **given, **step["env"]) == 0
                done.append(step["name"])
    assert done == ["Ask", "Ask", "Merge", "Gate", "Tell"]
    assert "anchored" in runner.summary.read_text()
    assert (runner.artifacts / "report" / "report.html").is_file()


def test_gitlab(runner: Runner) -> None:
    pipeline = recipe("gitlab-ci.yml")
    given = {**pipeline["variables"], "MODEL": "sim/mixed"}
    ask, (*merge, gate) = "\n".join(pipeline["ask"]["script"]), pipeline["gate"]["script"]
    for shard in SHARDS:
        assert runner.shell(ask, **given, CI_NODE_INDEX=shard, CI_NODE_TOTAL=str(len(SHARDS))) == 0
    assert runner.shell("\n".join(merge), **given) == 0
    runner.accept("ci")
    assert runner.shell(gate, **given) == 0
