"""summary.json and summary.md, the figures in them, and reading runs from disk."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

import pytest

from pytest_redefine.records.reading import Place, RecordsError, read_at, read_places, read_records
from pytest_redefine.reporting.loading import NoRun, find_records, load, load_all
from pytest_redefine.reporting.markdown import LIMIT, markdown
from pytest_redefine.reporting.outputs import summary_text, write, write_outputs
from pytest_redefine.reporting.page.cases import case_data, marked
from pytest_redefine.reporting.text import code
from pytest_redefine.respondents.callers.hostile import REPLIES
from tests.reporting.runs import records, write_run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(
        tmp_path_factory.mktemp("reports") / "july",
        records({"sim/mixed": "sim/mixed", "v/a-7b": "sim/anchors", "v/a-70b": "sim/adopts", "v/a-700b": "sim/mixed"},
                formats=("ff", "mc"), promptings=("zs", "cot"), fault_every=101),
    )  # fmt: skip


@pytest.fixture(scope="module")
def summary(run: Path) -> dict[str, Any]:
    write_outputs(run)
    found = json.loads((run / "summary.json").read_text())
    assert isinstance(found, dict)
    return found


def test_three_files(run: Path) -> None:
    assert set(write_outputs(run)) == {"summary.json", "summary.md", "report.html"}
    assert set(write_outputs(run, html=False)) == {"summary.json", "summary.md"}


def test_a_summary_says_what_is_not_in_it(tmp_path: Path) -> None:
    some = list(records({"v/m": "sim/mixed"}))[:20]
    told: dict[str, dict[str, Any]] = {
        "whole": {"announced": 20},
        "part": {"announced": 31},
        "cut": {"state": "running"},
        "shard": {"parameters": {"shard": "2/4"}},
        "hostile": {"parameters": {"shard": "![](//x)/4"}},
    }
    said = {}
    for name, facts in told.items():
        write_run(tmp_path / name, some, **facts)
        write_outputs(tmp_path / name, html=False)
        said[name] = (tmp_path / name / "summary.md").read_text()
    assert "All were answered. Cost" in said["whole"]
    assert "20 answered, 11 more without a record." in said["part"]
    assert "still going on, or was killed: cases are missing." in said["cut"]
    assert "That is shard 2/4 of the selected cases only." in said["shard"]
    assert "//x" not in said["hostile"]


def test_every_figure_carries_its_n(summary: dict[str, Any]) -> None:
    def walk(value: Any) -> None:
        if isinstance(value, dict):
            if "value" in value and "low" in value:
                assert isinstance(value["n"], int)
                assert value["value"] is None or value["low"] <= value["value"] <= value["high"]
            for one in value.values():
                walk(one)
        elif isinstance(value, list):
            for one in value:
                walk(one)

    walk(summary)
    assert summary["schema"] == 1
    for name in ("models", "cells", "quantities", "promptings", "position_bias", "scale", "trends", "correlations"):
        assert summary[name], name


def test_totals_add_up(run: Path, summary: dict[str, Any]) -> None:
    every = read_records(run / "records.jsonl")
    totals = summary["totals"]
    assert totals["records"] == len(every) == totals["answered"] + totals["errors"] + totals["not_asked"]
    assert sum(sum(cell["outcomes"].values()) for cell in summary["cells"]) == totals["answered"]
    for model in summary["models"]:
        mine = [record for record in every if record["model"] == model["model"]]
        ends = sum(sum(model[kind].values()) for kind in ("redefined", "controls", "neutral"))
        assert ends + sum(model["errors"].values()) == len(mine)


def test_who_anchors_anchors(summary: dict[str, Any]) -> None:
    rates = {model["model"]: model["measures"]["anchored_rate"]["value"] for model in summary["models"]}
    assert rates["v/a-70b"] == 0
    assert rates["v/a-7b"] == 1
    assert 0 < rates["sim/mixed"] < 1


def test_a_summary_has_an_entry_a_line_and_comes_back(summary: dict[str, Any]) -> None:
    text = summary_text(summary)
    assert json.loads(text) == summary
    assert len(text.splitlines()) > len(summary["cells"])


def test_markdown_fits_and_names_are_code(run: Path, summary: dict[str, Any]) -> None:
    text = (run / "summary.md").read_text()
    assert len(text) < LIMIT
    assert "`v/a-7b`" in text
    many = {**summary, "models": [{**summary["models"][0], "model": f"m{n} {'x' * 90}"} for n in range(3000)]}
    assert len(markdown(many)) < LIMIT


@pytest.mark.parametrize("text", [*REPLIES, "a`b", "`", "|", "a\nb"])
def test_nothing_leaves_a_code_span(text: str) -> None:
    span = code(text)
    assert re.fullmatch(r"`[^`\n]*`", span)
    assert "|" not in span.replace("\\|", "")


def test_the_endings_of_names_say_what_is_written(run: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\.html, \.json"):
        write([load(run / "records.jsonl")], [tmp_path / "x.txt"])


def test_runs_are_found_by_name_folder_and_file(run: Path, tmp_path: Path) -> None:
    path = run / "records.jsonl"
    assert find_records("july", run.parent) == path
    assert find_records(str(run), tmp_path) == path
    assert find_records(str(path), tmp_path) == path
    with pytest.raises(NoRun, match=r"the runs in .* are july"):
        find_records("june", run.parent)
    with pytest.raises(NoRun, match="there are no runs"):
        find_records("june", tmp_path)


def test_a_continued_run_counts_each_case_once(tmp_path: Path) -> None:
    found = list(records({"m": "sim/adopts"}))[:5]
    fault = {**found[0], "status": "error", "outcome": None, "error": {"kind": "server", "message": "x"}}
    folder = write_run(tmp_path / "run", [fault, *found, {**fault, "case_id": found[0]["case_id"]}])
    loaded = load(folder / "records.jsonl")
    assert [row.outcome for row in loaded.rows.rows] == [record["outcome"] for record in found]
    assert [row.case_id for row in loaded.rows.rows] == [
        record["case_id"] for record in read_records(folder / "records.jsonl")
    ]
    again = read_at(loaded.path, loaded.places)
    assert [record["outcome"] for record in again] == [record["outcome"] for record in found]


def test_no_records_are_told(tmp_path: Path) -> None:
    (tmp_path / "records.jsonl").write_text("")
    with pytest.raises(NoRun, match="no records"):
        load(tmp_path / "records.jsonl")
    with pytest.raises(RecordsError):
        list(read_places(tmp_path / "missing.jsonl"))
    with pytest.raises(RecordsError, match="changed"):
        list(read_at(tmp_path / "records.jsonl", [Place(0, 10)]))


def test_models_of_two_runs_are_told_apart(run: Path) -> None:
    twice = load_all([run / "records.jsonl", run / "records.jsonl"])
    names = {row.model for one in twice for row in one.rows.rows}
    assert len(names) == 8
    assert "v/a-7b @ july (1)" in names


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        ([2, 4], ["ab", "cd", "ef"]),
        (None, ["abcdef", "", ""]),
        ([4, 99], ["abcd", "ef", ""]),
        ("x", ["abcdef", "", ""]),
    ],
)
def test_the_span_is_cut_out(span: object, expected: list[str]) -> None:
    assert marked("abcdef", span) == expected


def test_where_a_local_model_s_file_lies_is_not_shown(tmp_path: Path) -> None:
    (record, *_) = records({"local/m": "sim/adopts"})
    folder = write_run(tmp_path / "run", [record | {"model_version": "/home/me/models/m.gguf"}])
    data = case_data(load_all([folder / "records.jsonl"]))
    ((detail,),) = [json.loads(zlib.decompress(base64.b64decode(block))) for block in data.blocks]
    assert ["model_version", "m.gguf"] in detail["verdict"]
    assert "/home" not in json.dumps(detail)


def test_of_a_long_reply_the_span_is_shown() -> None:
    before, span, after = marked("x" * 50_000 + "\x1b7" + "y" * 50_000, [50_000, 50_002], limit=100)
    assert span == "\\x1b7"
    assert len(before) < 100
    assert before.startswith("[... more")
    assert after.endswith("records.jsonl]")
