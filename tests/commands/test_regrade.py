"""``pytest-redefine regrade``: nothing is asked, nothing is lost, every change is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_redefine.cli import main
from pytest_redefine.grading.outcome import GRADING_VERSION
from pytest_redefine.records.record import Record
from tests.records.samples import answered, unanswered


def stale(case_id: str = "stale") -> Record:
    """A record whose verdict is not the grader's."""
    return answered(category="anchored", case_id=case_id)


@pytest.fixture
def reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "reports"


def run_of(reports: Path, *records: Record, name: str = "july", **run: Any) -> Path:
    folder = reports / name
    folder.mkdir(parents=True)
    lines = "".join(json.dumps(record) + "\n" for record in records)
    (folder / "records.jsonl").write_text(lines, encoding="utf-8")
    (folder / "run.json").write_text(json.dumps({"state": "finished", "counts": {}, **run}), encoding="utf-8")
    return folder / "records.jsonl"


def read(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_changed_verdict_is_listed_with_what_was_read(reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = run_of(reports, answered(case_id="same"), stale())
    before = path.read_bytes()
    assert main(["regrade", "july"]) == 0
    out = capsys.readouterr().out
    assert "stale openai/gpt-4o: anchored (marker: 500) -> correct (marker: 500)\n" in out
    assert "    The final answer is: 500\n" in out
    assert "same openai" not in out
    assert "2 answers graded again: 1 verdict changed" in out
    assert [record["outcome"] for record in read(path)] == ["correct", "correct"]
    assert read(path)[1]["grades"] == {"numeric": "correct"}
    assert path.with_name("records.1.jsonl").read_bytes() == before


def test_old_records_are_never_overwritten(reports: Path) -> None:
    path = run_of(reports, stale())
    kept = path.with_name("records.1.jsonl")
    kept.write_text("older\n", encoding="utf-8")
    before = path.read_bytes()
    assert main(["regrade", "july"]) == 0
    assert kept.read_text(encoding="utf-8") == "older\n"
    assert path.with_name("records.2.jsonl").read_bytes() == before
    assert sorted(file.name for file in path.parent.iterdir()) == [
        "records.1.jsonl", "records.2.jsonl", "records.jsonl", "run.json",
    ]  # fmt: skip


def test_the_counts_of_the_run_follow(reports: Path) -> None:
    path = run_of(reports, stale())
    assert main(["regrade", "july"]) == 0
    run = json.loads(path.with_name("run.json").read_text(encoding="utf-8"))
    assert run["counts"]["openai/gpt-4o"]["redefined"]["correct"] == 1
    assert run["state"] == "finished"


def test_the_run_says_by_which_grading_it_stands_even_where_nothing_changed(reports: Path) -> None:
    path = run_of(reports, answered())
    assert main(["regrade", "july"]) == 0
    versions = json.loads(path.with_name("run.json").read_text())["versions"]
    assert versions["grading"] == str(GRADING_VERSION)


def test_nothing_changed_nothing_written(reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = run_of(reports, answered(), unanswered("network", case_id="other"))
    before = path.read_bytes()
    assert main(["regrade", "july"]) == 0
    assert "1 answer graded again: 0 verdicts changed" in capsys.readouterr().out
    assert path.read_bytes() == before
    assert not path.with_name("records.1.jsonl").exists()


def test_output_elsewhere_and_dry_run_leave_the_run_alone(
    reports: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = run_of(reports, stale(), unanswered("network", case_id="failed"), state="running")
    before = path.read_bytes()
    target = tmp_path / "new.jsonl"
    assert main(["regrade", str(path.parent), "-o", str(target)]) == 0
    assert [record["outcome"] for record in read(target)] == ["correct", None]
    assert main(["regrade", str(path), "--dry-run"]) == 0
    assert "1 verdict changed; nothing written" in capsys.readouterr().out
    assert path.read_bytes() == before
    assert main(["regrade", "july", "-o", str(path)]) == 2


def test_a_run_that_goes_on_is_not_touched(reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_of(reports, stale(), state="running")
    assert main(["regrade", "july"]) == 2
    assert "is still running, or was killed" in capsys.readouterr().err


def test_the_same_verdict_read_otherwise_shows_with_verbose(reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_of(reports, answered(rule="sentence"))
    assert main(["regrade", "july", "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("1 answer graded again: 0 verdicts changed, 1 with the same verdict read otherwise")
    assert main(["regrade", "july", "-v", "--dry-run"]) == 0
    assert "correct (sentence: 500) -> correct (marker: 500)" in capsys.readouterr().out


def test_a_judges_decision_stands(reports: Path) -> None:
    path = run_of(reports, answered(category="wrong", grader="judge", grades={"judge": "wrong", "numeric": "blank"}))
    assert main(["regrade", "july"]) == 0
    (record,) = read(path)
    assert (record["outcome"], record["grader"]) == ("wrong", "judge")
    assert record["grades"] == {"judge": "wrong", "numeric": "correct"}


def test_a_terminal_is_not_told_what_to_do_by_a_reply(reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_of(reports, answered(category="wrong", reply="\x1b[2J\u202eThe final answer is: 500"))
    assert main(["regrade", "july", "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out


@pytest.mark.parametrize("truth", [None, {}, {"expected": "x"}, {"expected": "5", "unit_redefinition": 3}])
def test_a_spoilt_record_is_named_and_1(reports: Path, truth: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = run_of(reports, answered(truth=truth))
    assert main(["regrade", "july"]) == 1
    err = capsys.readouterr().err
    assert err.startswith("pytest-redefine regrade: reports/july/records.jsonl: the record of constants-pi-ra1-q1")
    assert err.count("\n") == 1
    assert [file.name for file in path.parent.glob("records*")] == ["records.jsonl"]


def test_a_run_that_is_not_there_says_which_are(reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["regrade", "july"]) == 2
    assert "there are no runs in reports/" in capsys.readouterr().err
    run_of(reports, answered(), name="may")
    assert main(["regrade", "july"]) == 2
    assert "the runs in reports/ are may" in capsys.readouterr().err


def test_latest_is_a_run(reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_of(reports, stale())
    (reports / "latest").symlink_to("july")
    assert main(["regrade", "latest", "--dry-run"]) == 0
    assert "1 verdict changed" in capsys.readouterr().out
