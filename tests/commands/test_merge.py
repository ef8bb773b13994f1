"""``pytest-redefine merge``, called as the command line calls it."""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

import pytest

from pytest_redefine import cli
from pytest_redefine.commands import CommandError, merge, regrade
from pytest_redefine.records.shrunk import append_example, read_examples
from tests.records.shards import write_shards
from tests.reporting.runs import example, records, write_run


def call(*args: str) -> int:
    parser = argparse.ArgumentParser()
    merge.configure(parser)
    return merge.run(parser.parse_args(args))


@pytest.fixture
def shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_shards(tmp_path / "reports", list(records({"v/m": "sim/mixed"})), 3)
    return tmp_path


def test_the_whole_reads_like_a_run_that_was_never_split(shards: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("s1", "s2", "s3", "--run=all") == 0
    assert capsys.readouterr().out == "reports/all: 270 of 270 cases from 3 of 3 shards\n"
    folder = shards / "reports" / "all"
    names = ["records.jsonl", "report.html", "run.json", "summary.json", "summary.md"]
    assert sorted(path.name for path in folder.iterdir()) == names
    assert (shards / "reports" / "latest").resolve() == folder
    write_run(shards / "reports" / "never", list(records({"v/m": "sim/mixed"})))
    from pytest_redefine.reporting.outputs import write_outputs

    write_outputs(shards / "reports" / "never")
    (ours, theirs) = (json.loads((shards / "reports" / name / "summary.json").read_text()) for name in ("all", "never"))
    assert ours["totals"] == theirs["totals"]
    (model,), (other) = ours["models"], theirs["models"]
    assert [{**model, "run": "never"}] == other
    assert sorted(map(json.dumps, ours["cells"])) == sorted(map(json.dumps, theirs["cells"]))
    run = json.loads((folder / "run.json").read_text())
    assert run["counts"]["v/m"]["redefined"] == model["redefined"]
    parser = argparse.ArgumentParser()
    regrade.configure(parser)
    assert regrade.run(parser.parse_args(["all", "--dry-run"])) == 0
    assert "270 answers graded again: 0 verdicts changed" in capsys.readouterr().out


def test_a_missing_shard_can_be_brought_later(shards: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.move(shards / "reports" / "s2", shards / "artifact")
    assert call("reports/s1", "s3", "--run=all") == 1
    missing, told = capsys.readouterr().out.splitlines()
    assert missing.startswith("shard 2/3 is missing: 90 cases (")
    assert told == "reports/all: 180 of 270 cases from 2 of 3 shards; incomplete"
    run = json.loads((shards / "reports/all/run.json").read_text())
    assert (run["complete"], run["announced"]) == (False, 270)
    assert "180 answered, 90 more without a record." in (shards / "reports/all/summary.md").read_text()
    assert call("s1", "artifact/records.jsonl", "s3", "--run=all") == 0
    run = json.loads((shards / "reports/all/run.json").read_text())
    assert (run["complete"], run["announced"], len(run["shards"])) == (True, 270, 3)


def test_what_shrinking_found_comes_along(shards: Path) -> None:
    for number, case_id in ((1, "one"), (2, "two")):
        append_example(shards / "reports" / f"s{number}", example("v/m", case_id=case_id))
    assert call("s1", "s2", "s3", "--run=all") == 0
    found = read_examples(shards / "reports" / "all")
    assert [(one["case_id"], one["run"]) for one in found] == [("one", "all"), ("two", "all")]
    for number in (1, 2):
        (shards / "reports" / f"s{number}" / "shrunk.jsonl").unlink()
    assert call("s1", "s2", "s3", "--run=all") == 0
    assert read_examples(shards / "reports" / "all") == []


def test_the_whole_gates_like_a_run_that_was_never_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    same = list(records({"v/m": "sim/mixed"}))
    write_shards(tmp_path / "never", same, 1)
    for name, respondent in (("same", same), ("worse", list(records({"v/m": "sim/anchors"})))):
        folders = write_shards(tmp_path / name, respondent, 4)
        assert call(*map(str, folders), f"--run={name}") == 0
    assert call("never/s1", "--run=never") == 0
    assert cli.main(["baseline", "accept", "never"]) == 0
    assert [cli.main(["gate", run, "--baseline=main"]) for run in ("same", "worse")] == [0, 10]
    assert call(*(f"same/s{number}" for number in (1, 2, 4)), "--run=same") == 1
    assert cli.main(["gate", "same", "--baseline=main"]) == 11
    assert cli.main(["gate", "same/s1", "--baseline=main"]) == 11


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["s1", "s9", "--run=all"], "s9: no run of this name"),
        (["s1", "s1", "--run=all"], "are the same shard"),
        (["s1", "--run=s2"], "--run=s2 exists and was not merged; give another"),
        (["s1", "--run=../x"], "--run=../x: write up to 100 letters"),
    ],
)
def test_mistakes_are_told_in_a_line_and_write_nothing(shards: Path, args: list[str], told: str) -> None:
    before = {path: path.stat().st_mtime_ns for path in shards.rglob("*")}
    with pytest.raises(CommandError, match=told) as caught:
        call(*args)
    assert caught.value.status == 2
    assert "\n" not in str(caught.value)
    assert {path: path.stat().st_mtime_ns for path in shards.rglob("*")} == before


def test_what_runs_from_elsewhere_say_reaches_no_terminal_raw(shards: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = shards / "reports" / "s1" / "run.json"
    run = json.loads(path.read_text())
    run["shard"]["shards"][1]["first"] = ["\x1b[2J" + "x" * 5000]
    path.write_text(json.dumps(run))
    assert call("s1", "--run=all") == 1
    said = capsys.readouterr().out
    assert "\x1b" not in said
    assert "\\x1b[2J" in said
    assert max(map(len, said.splitlines())) <= 1000
