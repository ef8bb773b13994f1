"""--models-file and short names: what stands in ids, records and reports, and the one line for a mistake."""

from __future__ import annotations

import json

import pytest

from tests.plugin.conftest import SIX, Suite, selected
from tests.servers import ChatServer

MINE = """schema = 1
["my-7b"]
name = "openai/some/long-name"
family = "Mine"
size_b = 7
usd_per_million_in = 1000000
usd_per_million_out = 2000000
"""


def test_a_short_name_ends_ids_and_the_full_one_stands_in_records(suite: Suite, mode: tuple[str, ...]) -> None:
    (suite.path / "mine.toml").write_text(MINE)
    with ChatServer() as server:
        options = ("--models-file=mine.toml", "--model=my-7b", f"--api-base={server.url}")
        assert suite.run(*SIX, *options, *mode).ret == 0
        assert {body["model"] for body in server.bodies} == {"some/long-name"}
    records = suite.records()
    assert len(records) == 6
    for record in records:
        assert record["nodeid"].endswith("-my-7b]")
        assert record["model"] == "openai/some/long-name"
        assert record["cost_usd"] == 11 + 2 * 7
    assert suite.run_json()["models"] == {
        "openai/some/long-name": {"family": "Mine", "size_b": 7.0, "size_source": "mine.toml"}
    }
    summary = json.loads((suite.path / "reports" / "latest" / "summary.json").read_text())
    assert [(model["family"], model["size_b"]) for model in summary["models"]] == [("Mine", 7.0)]


def test_the_short_names_of_the_project_need_no_file(suite: Suite) -> None:
    result = suite.run(*SIX, "--model=llama-3.1-8b,gpt-4o", "--collect-only", "-q", "-n0")
    assert result.ret == 0
    ids = selected(result)
    assert sum(one.endswith("-llama-3.1-8b]") for one in ids) == sum(one.endswith("-gpt-4o]") for one in ids) == 6


def test_the_judge_has_short_names_too(suite: Suite) -> None:
    (suite.path / "mine.toml").write_text('schema = 1\n["exact"]\nname = "sim/judge-exact"\n')
    options = ("--model=sim/adopts", "--judge=exact", "--grading=both", "--models-file=mine.toml")
    assert suite.run(*SIX, *options, "-n0").ret == 0
    assert {record["judge"]["model"] for record in suite.records()} == {"sim/judge-exact"}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('schema = 1\n["a"]\nsize_b = 7\n', "mine.toml:2: a.name: is missing"),
        ("schema = 2\n", "mine.toml:1: schema: 1 is needed, not 2"),
        (None, "mine.toml: cannot be read: No such file or directory"),
    ],
)
def test_a_mistake_is_one_line(suite: Suite, content: str | None, told: str) -> None:
    if content is not None:
        (suite.path / "mine.toml").write_text(content)
    result = suite.refused(*SIX, "--models-file=mine.toml", "--model=sim/adopts")
    lines = [line for line in result.outlines + result.errlines if told in line]
    assert len(lines) == 1
    assert lines[0].startswith("ERROR: --models-file: ")
    assert suite.runs() == []


def test_all_of_the_paper_s_models_are_collected_where_counts_are_printed(suite: Suite) -> None:
    options = ("--model=sim/published-titan-lite,sim/adopts", "--promptings=zs,cot", "--collect-only", "-q", "-n0")
    result = suite.run("-k", "constants and pi and q2", *options)
    assert result.ret == 0
    ids = selected(result)
    # No control with an invitation to think is printed.
    assert len(ids) == 11 + 12
    assert not any("nr-q2-ff-cot-s0-published" in one for one in ids)
