"""``pytest-redefine baseline accept`` and ``pytest-redefine gate``, on runs as they lie on disk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_redefine.cli import main
from pytest_redefine.records.record import Record
from tests.gating.samples import Says, cases, facts, mixed, record, worse
from tests.reporting.runs import write_run


def answers(says: Says, model: str = "a/model") -> list[Record]:
    return [record(case, says(case), model) for case in cases()]


def put(name: str, found: list[Record], **changes: object) -> None:
    write_run(Path("reports") / name, found, **{**facts(len(found)), "run": name, **changes})


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    put("july", answers(mixed))


def test_a_run_is_accepted_and_judges_the_next(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["baseline", "accept", "july"]) == 0
    said = capsys.readouterr().out
    assert "main: a/model, 270 cases" in said
    assert "written: baselines/main.json; commit it, and compare with: pytest evals --baseline=main" in said
    put("august", answers(worse(30), "b/model"))
    assert main(["gate", "july", "--baseline", "main"]) == 0
    capsys.readouterr()
    assert main(["gate", "july", "august", "--baseline", "main"]) == 10
    assert "gate: regressed (exit status 10)" in capsys.readouterr().out
    assert json.loads(Path("reports/august/gate.json").read_text())["status"] == 10
    assert "gate: regressed" in Path("reports/august/summary.md").read_text()


def test_accepting_anew_tells_what_moves_and_a_dry_run_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["baseline", "accept", "july", "--as", "x"]) == 0
    before = Path("baselines/x.json").read_bytes()
    put("august", answers(worse(30)))
    capsys.readouterr()
    assert main(["baseline", "accept", "august", "--as", "x", "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "cases ended differently" in said
    assert Path("baselines/x.json").read_bytes() == before


def test_a_spoilt_baseline_gives_way_and_a_newer_one_does_not(capsys: pytest.CaptureFixture[str]) -> None:
    path = Path("baselines/main.json")
    path.parent.mkdir()
    path.write_text('{"schema": 9}')
    assert main(["baseline", "accept", "july"]) == 2
    assert path.read_text() == '{"schema": 9}'
    path.write_text("<<<<<<< ours")
    assert main(["baseline", "accept", "july"]) == 0
    assert "is no JSON" in capsys.readouterr().out
    assert len(json.loads(path.read_text())["cases"]) == 270


@pytest.mark.parametrize(
    ("found", "changes", "why"),
    [
        (answers(lambda case: "error" if case.quantity == "pi" else "correct"), {}, "18 have no answer or no verdict"),
        (answers(lambda case: "not_asked" if case.quantity == "pi" else "correct"), {}, "18 cases were not asked"),
        (answers(mixed)[:100], {"announced": 270}, "170 cases were not asked"),
        (answers(mixed), {"state": "running"}, "it was killed or is still going on"),
    ],
)
def test_an_incomplete_run_is_accepted_only_where_that_is_meant(
    found: list[Record], changes: dict[str, object], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    put("half", found, **changes)
    assert main(["baseline", "accept", "half"]) == 1
    assert why in capsys.readouterr().err
    assert not Path("baselines").exists()
    assert main(["baseline", "accept", "half", "--incomplete"]) == 0
    assert len(json.loads(Path("baselines/main.json").read_text())["cases"]) == len(found)


def test_a_baseline_is_of_one_model(capsys: pytest.CaptureFixture[str]) -> None:
    put("two", [*answers(mixed), *answers(mixed, "b/model")])
    assert main(["baseline", "accept", "two"]) == 2
    assert "two has a/model, b/model: a baseline is of one model: add --model=NAME" in capsys.readouterr().err
    assert main(["baseline", "accept", "two", "--model", "c/model"]) == 2
    assert main(["baseline", "accept", "two", "--model", "b/model"]) == 0
    assert json.loads(Path("baselines/main.json").read_text())["model"] == "b/model"


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["gate", "july"], 4, "gate.toml:7: may_rise_by: needs something to compare with"),
        (["gate", "july", "--baseline", "nope"], 4, "nope: no such baseline; there is none in baselines/ yet"),
        (["gate", "july", "--gate", "nope.toml"], 4, "nope.toml: cannot be read"),
        (["gate", "nope", "--gate", "own.toml"], 2, "nope: no run of this name"),
        (["baseline", "accept", "nope"], 2, "nope: no run of this name"),
        (["baseline", "accept", "july", "--as", "../x"], 2, "write up to 100 letters"),
    ],
)
def test_mistakes(arguments: list[str], status: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("own.toml").write_text('schema = 1\n[[rule]]\nmeasure = "anchored_rate"\nat_most = 0.9\n')
    assert main(arguments) == status
    assert said in capsys.readouterr().err


def test_github_s_annotations_stand_on_lines_of_their_own(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["baseline", "accept", "july"]) == 0
    put("half", answers(mixed)[:200])
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    capsys.readouterr()
    assert main(["gate", "half", "--baseline", "main"]) == 11
    commands = [line for line in capsys.readouterr().out.splitlines() if line.startswith("::")]
    assert len(commands) == 3
    assert commands[0].startswith("::error title=gate%3A cannot decide::completeness at least 100 %25: incomplete")
