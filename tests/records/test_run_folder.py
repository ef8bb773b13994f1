from __future__ import annotations

import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from pytest_redefine.records.run_folder import RunFolder, RunFolderError, default_run_name
from tests.records.samples import answered

PARAMETERS: dict[str, Any] = {"models": {"sim/adopts": {"temperature": 0.0}}, "samples": 1, "tolerance": None}


def opened(reports: Path, name: str = "july", *, new: bool = False, **run: Any) -> RunFolder:
    folder = RunFolder(reports, name, new=new)
    folder.open({"parameters": PARAMETERS, **run})
    return folder


def test_a_made_up_name_is_the_start_and_sorts() -> None:
    assert default_run_name(datetime(2026, 3, 4, 5, 6, 7)) == "20260304-050607"


@pytest.mark.parametrize("name", ["july", "gpt-4o_v1.2", "0", "a" * 100, "latest2"])
def test_plain_names_are_taken(tmp_path: Path, name: str) -> None:
    assert RunFolder(tmp_path, name, new=False).path == tmp_path / name


@pytest.mark.parametrize("name", ["", "..", ".hidden", "a/b", "/etc", "-x", "a b", "ä", "a" * 101, "latest", "a\n"])
def test_others_are_told(tmp_path: Path, name: str) -> None:
    with pytest.raises(RunFolderError, match=r"write up to 100 letters, digits, .* e\.g\. --run=gpt-4o-july"):
        RunFolder(tmp_path, name, new=False)


def test_nothing_is_written_before_it_is_opened(tmp_path: Path) -> None:
    RunFolder(tmp_path / "reports", "july", new=True).check(PARAMETERS)
    assert list(tmp_path.iterdir()) == []


def test_records_are_on_disk_as_soon_as_they_are_appended(tmp_path: Path) -> None:
    folder = opened(tmp_path / "reports", state="running")
    folder.append(answered(case_id="a", reply="π\n\u2028\x00"))
    assert folder.read() == [answered(case_id="a", reply="π\n\u2028\x00")]
    assert folder.records_path.read_bytes().count(b"\n") == 1
    assert json.loads((folder.path / "run.json").read_text())["state"] == "running"
    folder.write_run({"state": "finished"})
    assert json.loads((folder.path / "run.json").read_text()) == {"state": "finished"}
    folder.close()
    folder.close()
    assert sorted(path.name for path in folder.path.iterdir()) == ["records.jsonl", "run.json"]


def test_what_cannot_be_encoded_breaks_no_file(tmp_path: Path) -> None:
    folder = opened(tmp_path, note="\ud800")
    folder.append(answered(reply="lone \ud800 surrogate", model="openai/\udcff"))
    (record,) = folder.read()
    assert (record["reply"], record["model"]) == ("lone \ud800 surrogate", "openai/\udcff")
    assert json.loads((folder.path / "run.json").read_bytes())["note"] == "\ud800"


def test_a_made_up_name_never_continues_another_run(tmp_path: Path) -> None:
    names = []
    for _ in range(3):
        folder = opened(tmp_path, "20260304-050607", new=True)
        folder.close()
        names.append(folder.name)
    assert names == ["20260304-050607", "20260304-050607-2", "20260304-050607-3"]


def test_a_run_is_continued_with_the_same_parameters(tmp_path: Path) -> None:
    first = opened(tmp_path)
    first.append(answered(case_id="a"))
    first.close()
    second = RunFolder(tmp_path, "july", new=False)
    second.check({**PARAMETERS, "samples": 1})
    second.open({"parameters": PARAMETERS})
    second.append(answered(case_id="b"))
    assert [record["case_id"] for record in second.read()] == ["a", "b"]


def test_a_run_asked_otherwise_is_refused_and_the_difference_named(tmp_path: Path) -> None:
    opened(tmp_path).close()
    with pytest.raises(RunFolderError) as caught:
        RunFolder(tmp_path, "july", new=False).check({**PARAMETERS, "samples": 3, "tolerance": 0.1})
    assert str(caught.value) == (
        "--run=july exists and was asked otherwise (samples: 1, now 3, tolerance: None, now 0.1); "
        "give another --run=NAME, or the same options to continue it"
    )


def test_a_run_that_says_nothing_of_its_parameters_is_refused(tmp_path: Path) -> None:
    (tmp_path / "july").mkdir()
    (tmp_path / "july" / "run.json").write_text("{}")
    with pytest.raises(RunFolderError, match="asked otherwise"):
        RunFolder(tmp_path, "july", new=False).check(PARAMETERS)


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"null", b"\xff"])
def test_a_run_that_cannot_be_read_is_told(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "july").mkdir()
    (tmp_path / "july" / "run.json").write_bytes(content)
    with pytest.raises(RunFolderError, match=r"run\.json: .*; give another --run=NAME"):
        RunFolder(tmp_path, "july", new=False).check(PARAMETERS)


def test_a_file_in_the_folder_s_place_is_told(tmp_path: Path) -> None:
    (tmp_path / "july").write_text("")
    folder = RunFolder(tmp_path, "july", new=False)
    with pytest.raises(RunFolderError, match="give another --run=NAME"):
        folder.check(PARAMETERS)
    with pytest.raises(RunFolderError, match="make it writable or give another --run=NAME"):
        folder.open({})


def test_after_a_torn_line_a_continued_run_starts_a_line_of_its_own(tmp_path: Path) -> None:
    first = opened(tmp_path)
    first.append(answered(case_id="a"))
    first.append(answered(case_id="torn", reply="€"))
    first.close()
    whole = first.records_path.read_bytes()
    first.records_path.write_bytes(whole[: whole.index("€".encode()) + 1])  # killed in the middle of a character
    second = opened(tmp_path)
    second.append(answered(case_id="b"))
    assert [record["case_id"] for record in second.read()] == ["a", "b"]
    second.close()
    assert opened(tmp_path).records_path.read_bytes().count(b"\n") == 3


def test_latest_points_to_the_newest(tmp_path: Path) -> None:
    for name in ("one", "two"):
        opened(tmp_path, name).close()
        assert (tmp_path / "latest").resolve() == tmp_path / name
    assert not (tmp_path / "latest").readlink().is_absolute()  # the folder may be moved


def test_a_dangling_latest_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "latest").symlink_to("gone")
    opened(tmp_path, "one").close()
    assert (tmp_path / "latest").resolve() == tmp_path / "one"


def test_somebody_s_own_latest_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "latest").mkdir()
    opened(tmp_path, "one").close()
    assert not (tmp_path / "latest").is_symlink()


def test_a_killed_process_has_lost_no_record(tmp_path: Path) -> None:
    code = """
import os, signal, sys
from pathlib import Path
from pytest_redefine.records.run_folder import RunFolder
folder = RunFolder(Path(sys.argv[1]), "july", new=False)
folder.open({})
for number in range(20):
    folder.append({"case_id": str(number), "model": "m", "status": "answered", "reply": "x" * 3000})
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False).returncode == -9
    assert len(RunFolder(tmp_path, "july", new=False).read()) == 20
