from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_redefine.records.reading import RecordsError, latest, read_records
from pytest_redefine.records.record import Record
from tests.records.samples import answered, unanswered


def written(tmp_path: Path, *lines: bytes) -> Path:
    path = tmp_path / "records.jsonl"
    path.write_bytes(b"".join(lines))
    return path


def line(record: Record) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


def refusal(path: Path) -> str:
    with pytest.raises(RecordsError) as caught:
        read_records(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_records_come_back_in_order(tmp_path: Path) -> None:
    records = [answered(case_id=name, reply="π\u2028 \\") for name in "bca"]
    assert read_records(written(tmp_path, *map(line, records))) == records


def test_an_empty_file_holds_none(tmp_path: Path) -> None:
    assert read_records(written(tmp_path)) == []


WHOLE = line(answered(case_id="torn", reply="π is 500"))


def test_a_line_torn_anywhere_is_passed_over(tmp_path: Path) -> None:
    """In the middle of a character too; at the end of the file, or before what a continued run wrote."""
    one, two = answered(case_id="one"), answered(case_id="two")
    in_characters = [index for index, byte in enumerate(WHOLE) if 0x80 <= byte < 0xC0]
    assert in_characters
    for cut in (1, 40, len(WHOLE) // 2, len(WHOLE) - 2, *in_characters):
        assert read_records(written(tmp_path, line(one), WHOLE[:cut])) == [one]
        assert read_records(written(tmp_path, line(one), WHOLE[:cut], b"\n", line(two))) == [one, two]


def test_a_continued_run_counts_each_case_once(tmp_path: Path) -> None:
    records = [
        unanswered("server", case_id="a"),
        answered(case_id="b", reply="first"),
        unanswered("offline", case_id="c"),
        answered(case_id="a", reply="second try"),
        answered(case_id="b", reply="again"),
        unanswered("interrupted", case_id="c"),
        answered(case_id="a", model="other"),
    ]
    found = read_records(written(tmp_path, *map(line, records)))
    assert [(record["case_id"], record["model"]) for record in found] == [
        ("a", "openai/gpt-4o"), ("b", "openai/gpt-4o"), ("c", "openai/gpt-4o"), ("a", "other"),
    ]  # fmt: skip
    assert [record["reply"] for record in found[:2]] == ["second try", "again"]
    assert found[2]["error"]["kind"] == "interrupted"


def test_an_answer_is_not_lost_to_a_later_error() -> None:
    assert latest([answered(reply="kept"), unanswered("server")])[0]["reply"] == "kept"


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, line(answered()), line(answered(schema=2)))
    assert refusal(path) == f"{path}:2: written by a newer pytest-redefine (schema 2); upgrade to read it"


@pytest.mark.parametrize("schema", ["1", None, [], 1.5])
def test_a_schema_that_is_no_number_is_told(tmp_path: Path, schema: Any) -> None:
    path = written(tmp_path, line(answered(schema=schema)))
    assert refusal(path).startswith(f"{path}:1: no record (its schema is ")


@pytest.mark.parametrize("content", [b"[]\n", b"7\n", b'{"model": "m"}\n', b'{"case_id": "c"}\n'])
def test_json_that_is_no_record_is_told_with_its_line(tmp_path: Path, content: bytes) -> None:
    path = written(tmp_path, line(answered()), content)
    assert refusal(path) == f"{path}:2: no record (it has no case_id and model)"


def test_a_line_nested_without_end_is_passed_over(tmp_path: Path) -> None:
    assert read_records(written(tmp_path, b"[" * 200_000 + b"\n", line(answered()))) == [answered()]


def test_a_file_that_is_not_there_or_cannot_be_read_is_told(tmp_path: Path) -> None:
    assert "No such file" in refusal(tmp_path / "none.jsonl")
    assert "Is a directory" in refusal(tmp_path)
