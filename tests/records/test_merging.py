"""Shards' runs joined: nothing lost, nothing mixed, nothing silently missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_redefine.records.case_set import case_set_digest
from pytest_redefine.records.merging import Merge
from pytest_redefine.records.record import Record
from pytest_redefine.records.shard_run import MergeError, ShardRun
from tests.records.shards import Change, write_shards
from tests.reporting.runs import records


@pytest.fixture(scope="module")
def whole() -> list[Record]:
    return list(records({"v/m": "sim/mixed"}))[:30]


def merge(folders: list[Path]) -> Merge:
    return Merge([ShardRun.read(folder / "records.jsonl") for folder in folders])


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_whole_is_there_again(tmp_path: Path, whole: list[Record]) -> None:
    merged = merge(write_shards(tmp_path, whole, 4))
    assert merged.complete
    assert merged.missing == []
    merged.write(tmp_path / "all.jsonl", "all")
    wanted = [json.loads(json.dumps({**record, "run": "all"})) for record in whole]
    assert lines(tmp_path / "all.jsonl") == sorted(wanted, key=lambda record: str(record["case_id"]))


def test_run_json_is_that_of_the_whole(tmp_path: Path, whole: list[Record]) -> None:
    facts = merge(write_shards(tmp_path, whole, 4)).facts("all")
    distinct = sorted({record["case_id"]: record for record in whole}.items())
    assert facts["case_set"] == {
        "cases": 30,
        "sha256": case_set_digest(record for _, record in distinct),
        "deselected": 7,
    }
    assert "shard" not in facts["parameters"]
    assert (facts["announced"], facts["complete"], facts["exit_status"]) == (30, True, 0)
    assert facts["requests"] == {"asked": 30, "from_store": 0, "sent_again": 4}
    assert facts["spent"] == {"usd": 0.4, "tokens": 40}
    assert facts["wall_s"] == 63.0
    assert facts["versions"] == {"pytest-redefine": "0.1.0", "python": "3.11.1, 3.12.1, 3.13.1, 3.14.1"}
    assert [shard["number"] for shard in facts["shards"]] == [1, 2, 3, 4]


def test_models_come_in_the_order_in_which_they_were_typed(tmp_path: Path) -> None:
    two = [record for model in ("v/m", "a/m") for record in list(records({model: "sim/adopts"}))[:9]]
    models: Change = lambda run: run["parameters"].update(models={"v/m": {}, "a/m": {}})  # noqa: E731 - short
    merged = merge(write_shards(tmp_path, two, 2, s1=models, s2=models))
    merged.write(tmp_path / "all.jsonl", "all")
    assert [record["model"] for record in lines(tmp_path / "all.jsonl")] == ["v/m"] * 9 + ["a/m"] * 9
    assert merged.facts("all")["case_set"]["cases"] == 9


def test_a_missing_shard_is_named_with_its_first_cases(tmp_path: Path, whole: list[Record]) -> None:
    folders = write_shards(tmp_path, whole, 4)
    gone = [record["case_id"] for record in lines(folders[2] / "records.jsonl")]
    merged = merge([folders[3], folders[0], folders[1]])
    (told,) = merged.missing
    assert told == f"shard 3/4 is missing: 7 cases ({', '.join(f'{case_id} v/m' for case_id in gone[:3])}, ...)"
    facts = merged.facts("all")
    assert (facts["announced"], facts["complete"], facts["exit_status"]) == (30, False, 1)


def test_a_shard_of_no_cases_is_not_missing(tmp_path: Path, whole: list[Record]) -> None:
    folders = write_shards(tmp_path, whole[:3], 4)
    assert lines(folders[3] / "records.jsonl") == []
    assert merge(folders[:3]).complete


def test_a_shard_that_was_killed_is_cut_short(tmp_path: Path, whole: list[Record]) -> None:
    def killed(run: dict[str, Any]) -> None:
        run["state"] = "running"
        for name in ("finished_at", "wall_s", "exit_status", "complete", "announced", "requests", "spent"):
            del run[name]

    folders = write_shards(tmp_path, whole, 2, s2=killed)
    path = folders[1] / "records.jsonl"
    path.write_bytes(path.read_bytes()[:-40])  # in the middle of the last line
    merged = merge(folders)
    assert merged.missing == [f"shard 2/2 ({folders[1]}) has records of 14 of its 15 cases: it was cut short"]
    assert merged.facts("all")["requests"]["asked"] == 15


def test_cases_without_an_answer_are_missing_until_they_have_one(tmp_path: Path) -> None:
    some = list(records({"v/m": "sim/mixed"}, fault_every=10))[:30]
    folders = write_shards(tmp_path, some, 2)
    merged = merge(folders)
    assert not merged.complete
    assert sum(int(told.split(": ")[1].split()[0]) for told in merged.missing) == 3
    assert all("error (server)" in told for told in merged.missing)
    good = {record["case_id"]: record for record in records({"v/m": "sim/mixed"})}
    for folder in folders:
        failed = [record for record in lines(folder / "records.jsonl") if record["status"] == "error"]
        with (folder / "records.jsonl").open("a") as file:  # the run was continued
            file.writelines(json.dumps(good[record["case_id"]]) + "\n" for record in failed)
    again = merge(folders)
    assert again.complete
    again.write(tmp_path / "all.jsonl", "all")
    assert len(lines(tmp_path / "all.jsonl")) == 30


def test_a_shard_that_was_not_done_with_more_than_its_cases(tmp_path: Path, whole: list[Record]) -> None:
    folders = write_shards(tmp_path, whole, 2, s2=lambda run: run.update(complete=False, exit_status=1))
    assert merge(folders).missing == [
        f"shard 2/2 ({folders[1]}) was not done, as with --shrink: the same command there goes on"
    ]


def test_a_budget_that_stopped_one_shard_stopped_the_whole(tmp_path: Path, whole: list[Record]) -> None:
    folders = write_shards(tmp_path, whole, 2, s2=lambda run: run.update(exit_status=12))
    assert merge(folders).facts("all")["exit_status"] == 12


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            lambda run: run["parameters"]["models"]["v/m"].update(temperature=0.5),
            r"shard 2/2 \(.*s2\) was asked otherwise than shard 1/2 \(.*s1\): models.v/m.temperature: 0.0, here 0.5",
        ),
        (lambda run: run["parameters"].update(formats=["ff", "mc"]), r'formats: \["ff"\], here \["ff", "mc"\]'),
        (lambda run: run["parameters"].update(tolerance=0.1), "tolerance: null, here 0.1"),
        (lambda run: run["versions"].update({"pytest-redefine": "0.2.0"}), 'version of pytest-redefine: "0.1.0", here'),
        (lambda run: run["versions"].update(grading="2"), 'version of grading: null, here "2"'),
        (lambda run: run["parameters"].update(drawn={"sha256": "ab" * 32}), "drawn: null, here"),
        (lambda run: run["shard"].update(data_sha256="ab" * 32), "data files: [0-9a-f]{8}…, here abababab…$"),
        (lambda run: run["shard"].update(sha256="00"), "split different cases .*the same -k, -m and paths"),
        (lambda run: run["shard"].update(of=3, shards=[{"cases": 10, "first": []}] * 3), "are not of one split"),
    ],
)
def test_what_differs_is_named(tmp_path: Path, whole: list[Record], change: Change, told: str) -> None:
    folders = write_shards(tmp_path, whole, 2, s2=change)
    with pytest.raises(MergeError, match=told) as caught:
        merge(folders)
    assert "\n" not in str(caught.value)


def test_the_same_shard_twice(tmp_path: Path, whole: list[Record]) -> None:
    one, two = write_shards(tmp_path, whole, 2)
    with pytest.raises(MergeError, match=r"s1\) and shard 1/2 .* are the same shard; leave one of them out"):
        merge([one, two, one])


def test_a_case_in_two_shards(tmp_path: Path, whole: list[Record]) -> None:
    one, two = write_shards(tmp_path, whole, 2)
    with (two / "records.jsonl").open("a") as file:
        file.write(json.dumps({**lines(one / "records.jsonl")[0], "reply": "another"}) + "\n")
    with pytest.raises(MergeError, match=r"stands in shard 1/2 .* and in shard 2/2 .* continued with other cases"):
        merge([one, two])


def test_cases_that_nobody_split(tmp_path: Path, whole: list[Record]) -> None:
    folders = write_shards(tmp_path, whole, 2)
    path = folders[1] / "records.jsonl"
    strange = lines(path)
    strange[0]["case_id"] += "-other"
    path.write_text("".join(json.dumps(record) + "\n" for record in strange))
    with pytest.raises(MergeError, match="not of the cases that were split"):
        merge(folders)
    with path.open("a") as file:
        file.write(json.dumps({**strange[0], "case_id": "more"}) + "\n")
    with pytest.raises(MergeError, match="records of 16 cases, of which 15 are its"):
        merge(folders)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "No such file or directory; merge needs it beside the records"),
        ("{", "no run of a shard"),
        ("[]", "no run of a shard"),
        ('{"run": "x"}', "is no shard: it was run without --shard"),
        ('{"shard": {"number": 1, "of": 2, "cases": "x", "shards": []}}', "no run of a shard"),
        ('{"shard": {"number": 1, "of": 1, "cases": 0, "shards": [{"cases": 0}]}}', "no run of a shard"),
        ('{"shard": {"number": 2, "of": 1, "cases": 0, "shards": [{"cases": 0}]}}', "no run of a shard"),
    ],
)
def test_a_folder_that_is_no_shard_s(tmp_path: Path, whole: list[Record], text: str | None, told: str) -> None:
    (folder,) = write_shards(tmp_path, whole, 1)
    (folder / "run.json").unlink()
    if text is not None:
        (folder / "run.json").write_text(text)
    with pytest.raises(MergeError, match=told):
        merge([folder])
