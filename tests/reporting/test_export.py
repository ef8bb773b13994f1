from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_redefine.reporting.export import cell, write_csv, write_parquet
from pytest_redefine.respondents.callers.hostile import REPLIES
from tests.records.samples import answered, unanswered


@pytest.mark.parametrize(
    "text", ["=1+1", "@SUM(1)", "+cmd|' /C calc'!A0", "-2+3", "\t=1", " =1", "|x", "\n=1", "-", "+", "=", "%1"]
)
def test_what_looks_like_a_formula_is_text(text: str) -> None:
    assert cell(text).startswith("'")


@pytest.mark.parametrize("text", ["-4.14e-34", "+5", "3.14", "6.02E+23", "", "plain", "500 kg", "0+2*I"])
def test_numbers_and_words_stay_as_they_are(text: str) -> None:
    assert cell(text) == text


@given(st.text())
def test_no_cell_begins_a_formula(text: str) -> None:
    shown = cell(text)
    first = shown.lstrip(" \n\t")[:1]
    assert first not in "=+-@|%" or not first or shown.replace(".", "").lstrip("+-").replace("e", "").isascii()
    assert "\0" not in shown


@pytest.mark.parametrize("reply", REPLIES)
def test_hostile_replies_stay_in_their_cell(reply: str) -> None:
    file = io.StringIO(newline="")
    assert write_csv(file, [answered(text=reply, extracted=reply), answered()]) == 2
    head, line, last = list(csv.reader(io.StringIO(file.getvalue(), newline="")))
    assert len(head) == len(line) == len(last)
    assert len(line[head.index("reply")]) < 33_000
    file.getvalue().encode()  # no lone surrogate is left


def test_a_line_a_case() -> None:
    file = io.StringIO(newline="")
    write_csv(file, [answered(), unanswered("server")])
    first, second = csv.DictReader(io.StringIO(file.getvalue(), newline=""))
    assert (first["outcome"], first["prompt_tokens"], first["contested"]) == ("correct", "30", "false")
    assert (second["status"], second["detail"], second["outcome"]) == ("error", "server", "")


def test_parquet_has_types(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "cases.parquet"
    assert write_parquet(path, [answered(text=text) for text in REPLIES] + [unanswered("server")]) == len(REPLIES) + 1
    table = parquet.read_table(path)
    assert table.num_rows == len(REPLIES) + 1
    types = {field.name: str(field.type) for field in table.schema}
    assert (types["reply"], types["sample"], types["latency_s"], types["contested"]) == (
        "string",
        "int64",
        "double",
        "bool",
    )
    assert table.column("reply")[0].as_py() == REPLIES[0]
