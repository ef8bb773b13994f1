from __future__ import annotations

import difflib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_redefine.analysis.measures import MEASURES, Context
from pytest_redefine.gating.baseline import (
    BaselineError,
    baseline_of,
    find_baseline,
    read_baseline,
    text_of,
    write_baseline,
)
from pytest_redefine.gating.changes import changes
from pytest_redefine.gating.subject import subject_of
from pytest_redefine.reporting.baseline import lines
from tests.gating.samples import base, cases, catalogue, facts, mixed, record, rows, run, worse


def test_it_comes_back_as_it_was_written(tmp_path: Path) -> None:
    written = base()
    write_baseline(tmp_path / "deep" / "main.json", written)
    assert read_baseline(tmp_path / "deep" / "main.json") == written


def test_a_changed_answer_is_two_lines_of_a_diff() -> None:
    one = cases()[7]
    before, after = text_of(base()), text_of(base(lambda case: "blank" if case == one else mixed(case)))
    moved = [line for line in difflib.ndiff(before.splitlines(), after.splitlines()) if line[0] in "+-"]
    assert len(moved) == 4  # the case's line and its cell's
    assert sum(one.case_id in line for line in moved) == 2
    assert len(before.splitlines()) < len(cases()) + 80
    assert max(map(len, before.splitlines())) < 200


def test_its_rows_have_the_figures_of_the_run() -> None:
    options = {"A": "500", "B": "3.14159", "C": "7", "D": "8"}
    records = [
        record(case, "wrong", options=options, extracted=letter, detail=detail)
        | {"format": "mc", "expected": "500", "default": "3.14159"}
        for case, letter, detail in zip(cases()[1:4], ("C", "A", ""), ("", "", ""), strict=True)
    ]
    records += [record(case, "wrong", detail="sign", extracted="-3.14159") for case in cases()[5:9]]
    records += [record(case, mixed(case)) for case in cases()[20:]]
    subject = subject_of(records, facts(len(records)), "now")
    (asked,) = subject.models.values()
    accepted = baseline_of(subject, asked, "main")
    # As today's rows, but for who answered and how.
    blank = [replace(row, outcome="correct", letter="", mirrored="") for row in asked.rows]
    again = accepted.rows(blank, asked.digests)
    for measure in MEASURES.values():
        then, now = ([score for _, score in measure.scores(some, Context.of(some))] for some in (asked.rows, again))
        assert then == now, measure.name
    assert any(row.mirrored for row in again)
    assert any(row.letter for row in again)


def test_a_case_that_is_asked_otherwise_is_another() -> None:
    accepted, today = base(), run()
    digests = {row.case_id: accepted.answers[row.case_id].asked for row in rows(today)}
    one = rows(today)[3].case_id
    assert len(accepted.rows(rows(today), digests)) == 270
    assert len(accepted.rows(rows(today), {**digests, one: "other"})) == 269


@pytest.mark.parametrize(
    ("spoilt", "said"),
    [
        ("<<<<<<< HEAD\n", "is no JSON"),
        ("[]", "is no baseline"),
        ('{"schema": 99}', "written by a newer"),
        ('{"schema": 1}', "is spoilt"),
    ],
)
def test_a_file_that_is_none_is_told(tmp_path: Path, spoilt: str, said: str) -> None:
    path = tmp_path / "main.json"
    path.write_text(spoilt)
    with pytest.raises(BaselineError, match=said):
        read_baseline(path)


def test_a_merge_that_mixed_two_files_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "main.json"
    found = json.loads(text_of(base()))
    found["cases"].popitem()
    path.write_text(json.dumps(found))
    with pytest.raises(BaselineError, match="not those it was written with"):
        read_baseline(path)


def test_a_name_is_a_file_of_the_project_s_folder(tmp_path: Path) -> None:
    write_baseline(tmp_path / "baselines" / "july.json", base())
    assert find_baseline("july", tmp_path, Path("/")) == tmp_path / "baselines" / "july.json"
    assert find_baseline("baselines/july.json", Path("/"), tmp_path) == tmp_path / "baselines" / "july.json"
    with pytest.raises(BaselineError, match=r"june: no such baseline; baselines/ has july; .*baseline accept"):
        find_baseline("june", tmp_path, tmp_path)


def test_accepting_tells_what_changes() -> None:
    subject = run(worse(30), cases()[15:], model="b/model")
    (asked,) = subject.models.values()
    new = baseline_of(subject, asked, "main")
    told = changes(base(), new, asked, catalogue()).to_json()
    said = "\n".join(lines(told, name="main", model="b/model", cases=255, replaced="a/model of 2026-01-02"))
    assert "b/model, 255 cases" in said
    assert "in place of a/model of 2026-01-02" in said
    assert "model: a/model -> b/model" in said
    assert "other case set: 15 cases go" in said
    flips = len(told["flips"])
    assert flips > 25
    assert f"{flips} cases ended differently" in said
    assert f"... {flips - 20} more" in said
    assert "correct -> anchored" in said


def test_accepting_the_same_again_changes_nothing() -> None:
    subject = run()
    (asked,) = subject.models.values()
    told = changes(base(), base(), asked, catalogue()).to_json()
    assert (told["flips"], told["settings"], told["only_old"], told["otherwise"]) == ([], [], 0, 0)
    assert "every case ended as before" in "\n".join(lines(told, name="m", model="m", cases=270, replaced="it"))
