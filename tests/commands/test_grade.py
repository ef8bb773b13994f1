"""``pytest-redefine grade``: a filter over JSON lines."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_redefine.cli import main
from pytest_redefine.commands import grade

GOOD = '{"id": 1, "answer": "The final answer is: 1,500", "expected": "1500", "default": "9.42"}'
COMMAND = [sys.executable, "-m", "pytest_redefine.cli", "grade", "-"]


def written(tmp_path: Path, content: bytes) -> str:
    path = tmp_path / "answers.jsonl"
    path.write_bytes(content)
    return str(path)


def test_lines_of_a_file_in_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [json.dumps({"answer": answer, "expected": "5", "default": "7"}) for answer in ("5", "7", "6", "")]
    file = written(tmp_path, b"\xef\xbb\xbf" + "\r\n".join(lines).encode())
    assert main(["grade", file]) == 0
    out = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["outcome"] for line in out] == ["correct", "anchored", "wrong", "blank"]
    assert {"answer", "expected", "default", "detail", "extracted", "rule"} <= out[0].keys()


def test_an_empty_file_is_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grade", written(tmp_path, b"\n\n")]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (b'{"answer": "5"}', "line 2 has no 'expected'"),
        (b"{", "line 2 is no JSON"),
        (b'{"answer": "\xff"}', "line 2 is not UTF-8 (byte 13): save the file as UTF-8"),
        (b'{"answer": "5", "expected": "x"}', "line 2: 'expected' is no number"),
    ],
)
def test_a_bad_line_is_one_line_on_stderr_and_1(
    bad: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path, GOOD.encode() + b"\n" + bad + b"\n" + GOOD.encode())
    assert main(["grade", file]) == 1
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 1, "what came before the bad line is there"
    assert err.startswith(f"pytest-redefine grade: {file}, {message}")
    assert err.count("\n") == 1


@pytest.mark.parametrize("name", ["", "missing.jsonl"])
def test_a_file_that_cannot_be_read_is_2(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / name)
    assert main(["grade", file]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"pytest-redefine grade: {file}: ")
    assert err.count("\n") == 1


def test_a_line_without_end_does_not_fill_the_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grade, "MAX_LINE", 1024)
    assert main(["grade", written(tmp_path, GOOD.encode() + b"\n" + b"[" * 5000)]) == 1
    assert "line 2 is longer than" in capsys.readouterr().err


def test_standard_input_is_answered_line_by_line() -> None:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in range(2):  # the second line is sent only when the first has its outcome
            process.stdin.write(GOOD + "\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["outcome"] == "correct"
        process.stdin.close()
        assert process.wait(timeout=60) == 0


def test_standard_input_is_named() -> None:
    done = subprocess.run(COMMAND, input="[]\n", capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("pytest-redefine grade: standard input, line 1 is a JSON object")


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    file = written(tmp_path, (GOOD + "\n").encode() * 2000)
    command = [sys.executable, "-m", "pytest_redefine.cli", "grade", file]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 141
