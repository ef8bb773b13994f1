"""What the terminal shows: letters, words, the table, and a live line that leaves nothing behind."""

from __future__ import annotations

import re

import pytest

from tests.plugin.conftest import SIX, Gate, Suite, asking, two_ways
from tests.plugin.tty import WIDTH, Tty
from tests.screen import Screen
from tests.servers import Behaviour, ChatServer, by_question, failure


@two_ways
def test_letters_stand_where_pytest_has_dots(suite: Suite, mode: tuple[str, ...]) -> None:
    answers = by_question(
        {
            "π as 4.5": Behaviour(text="The final answer is: 13.5"),
            "π as 500": Behaviour(text="The final answer is: 9.42477"),
            "π as -10": Behaviour(text="I'm sorry, but I can't answer that."),
            "golden ratio": Behaviour(text=""),
            "Planck": failure(400, "no such parameter"),
        },
        Behaviour(text="The final answer is: 77"),
    )
    with ChatServer(answers) as server:
        result = suite.run(*SIX, *mode, *asking(server))
    (letters,) = (
        found[1] for line in result.outlines if (found := re.match(r"(?:evals\S+ )?([A-Z]{6}) +\[100%\]", line))
    )
    assert sorted(letters) == sorted("WCARBF")
    if "2" not in mode:
        assert letters == "WCARBF"
    told = result.outlines[-1]
    for count in ("1 failed", "1 wrong", "1 correct", "1 anchored", "1 refused", "1 blank"):
        assert count in told


@two_ways
def test_words_stand_there_with_v(suite: Suite, mode: tuple[str, ...]) -> None:
    result = suite.run(*SIX, *mode, "-v", "--model=sim/mixed")
    by_case = {record["nodeid"]: record for record in suite.records()}
    assert len(by_case) == 6
    for nodeid, record in by_case.items():
        assert any(nodeid in line and record["outcome"].upper() in line for line in result.outlines)
    result.stdout.fnmatch_lines(["rates: share * n = answered cases whose references differ"])


def test_the_table_fits_80_columns(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    result = suite.run("-k", "constants and (pi or planck)", "-n0", "--model=sim/mixed,sim/anchors", "--run=table")
    start = next(i for i, line in enumerate(result.outlines) if re.match("=+ outcomes =+$", line))
    assert result.outlines[start + 1].split()[0] == "asked"
    end = next(i for i, line in enumerate(result.outlines) if line.startswith("records: "))
    table = result.outlines[start : end + 1]
    assert max(map(len, table)) <= WIDTH
    assert table[1].split() == ["asked", "correct", "anchored", "wrong", "refused", "blank", "hedged", "errors"]
    second = table[table.index("sim/anchors (simulated)") :]
    assert second[1].split() == ["redefined", "30", "0", "30", "0", "0", "0", "0", "0"]
    assert second[2].split() == ["controls", "6", "6", "0", "0", "0", "0", "0", "0"]
    assert second[3] == "  anchored rate  100.0 % [88.6, 100.0] n=30"
    assert table[-1] == "records: reports/table/records.jsonl"


def test_hostile_names_and_answers_cannot_write_to_the_terminal(suite: Suite) -> None:
    hostile = "\x1b]0;owned\x07\x1b[2J\x1b[31m\u202eThe final answer is: 13.5\x1b[0m\x9b31m"
    with ChatServer(Behaviour(text=hostile)) as server:
        result = suite.run(*SIX, "-n0", "-v", "-rA", *asking(server))
    shown = "\n".join(result.outlines + result.errlines)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)


@two_ways
def test_without_a_terminal_there_is_no_live_line(suite: Suite, mode: tuple[str, ...]) -> None:
    with ChatServer(Behaviour(latency_s=0.5)) as server:  # longer than the line takes to appear
        result = suite.run(*SIX, *mode, *asking(server))
    shown = "\n".join(result.outlines + result.errlines)
    assert "in flight" not in shown
    assert "\x1b" not in shown


def test_colours_alone_make_no_terminal(suite: Suite) -> None:
    with ChatServer(Behaviour(latency_s=0.5)) as server:
        result = suite.run(*SIX, "-n0", "--color=yes", *asking(server))
    shown = "\n".join(result.outlines + result.errlines)
    assert "\x1b[31mW\x1b[0m" in shown
    assert "in flight" not in shown


def test_the_live_line_appears_and_leaves_pytest_s_output_as_it_was(suite: Suite, mode: tuple[str, ...]) -> None:
    with ChatServer(Gate(2)) as server:
        tty = Tty(suite.start, *SIX, *mode, "--max-in-flight=3", *asking(server))
        tty.read_until(lambda text: "2/6 answered · 3 in flight" in "\n".join(Screen(text, WIDTH).lines[-1:]))
        server.release()
        assert tty.read_all() == 0
    lines = Screen(tty.text, WIDTH).lines
    assert not any("in flight" in line for line in lines)
    assert any(re.fullmatch(r"(evals/test_constants\.py )?[CAW]{6} +\[100%\]", line) for line in lines)
    assert any(re.fullmatch(r"=+ outcomes =+", line) for line in lines)
    assert re.fullmatch(r"=+ .*(wrong|correct).* in [\d.]+s =+", lines[-1])
    assert lines[0].startswith("=")


@pytest.mark.parametrize("unsuited", [{"TERM": "dumb"}, {"CI": "true"}])
def test_a_terminal_that_cannot_show_it_gets_none(suite: Suite, unsuited: dict[str, str]) -> None:
    with ChatServer(Behaviour(latency_s=0.5)) as server:
        tty = Tty(suite.start, *SIX, "-n0", *asking(server), **unsuited)
        assert tty.read_all() == 0
    assert "in flight" not in tty.text
