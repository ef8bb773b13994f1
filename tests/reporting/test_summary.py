from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from pytest_redefine.analysis.rates import wilson
from pytest_redefine.reporting import header, summary
from pytest_redefine.respondents.names import parse_models
from tests.records.samples import answered, unanswered

ANSI = re.compile(r"\x1b\[[0-9;]*m")


class Terminal:
    """Takes what pytest's reporter takes, and remembers it."""

    def __init__(self) -> None:
        self.text = ""
        self.marked: list[tuple[str, frozenset[str]]] = []

    def ensure_newline(self) -> None:
        """Nothing stands in front of it here."""

    def section(self, title: str, sep: str = "=") -> None:
        self.text += f"{f' {title} ':{sep}^80}\n"

    def write(self, content: str, **markup: bool) -> None:
        self.text += content
        self.marked.append((content, frozenset(markup)))

    def write_line(self, content: str, **markup: bool) -> None:
        self.write(content + "\n", **markup)


def written(records: list[dict[str, Any]], **options: Any) -> Terminal:
    terminal = Terminal()
    told = {"folder": Path("reports/july"), "html": None, "verbose": False, **options}
    summary.write(terminal, records, **told)  # type: ignore[arg-type]  # all that it uses of the real one
    return terminal


def cut_off(count: int, **changes: Any) -> list[dict[str, Any]]:
    return [answered("blank", detail="truncated", **changes) for _ in range(count)]


def test_answers_that_are_often_cut_off_are_told_and_what_to_type() -> None:
    records = [*cut_off(2), *cut_off(2, reasoning="Let me see"), *[answered("correct") for _ in range(75)]]
    told = "  cut off before an answer: 4 of 79, 2 while thinking; raise --max-tokens (now 1024)\n"
    assert told in written(records).text
    assert "thinking" not in written([*cut_off(3), answered("correct")]).text


@pytest.mark.parametrize(
    "records",
    [
        [*cut_off(2), answered("correct")],
        [*cut_off(4), *[answered("correct") for _ in range(76)]],
        [*[answered("blank") for _ in range(9)], answered("wrong", detail="truncated")],
        [*cut_off(2, model="a"), *cut_off(2, model="b")],
    ],
    ids=["few", "5 % of many", "blank for another reason", "of two models"],
)
def test_answers_that_are_seldom_cut_off_are_not(records: list[dict[str, Any]]) -> None:
    assert "cut off" not in written(records).text


def test_the_table() -> None:
    records = [
        *[answered("anchored", model="local/smollm2-135m") for _ in range(70)],
        *[answered("wrong", model="local/smollm2-135m") for _ in range(150)],
        *[answered("correct", model="local/smollm2-135m", indistinct=True) for _ in range(3)],
        unanswered("server", model="local/smollm2-135m"),
        unanswered("offline", model="local/smollm2-135m"),
        *[answered("correct", model="local/smollm2-135m", redefinition="nr") for _ in range(40)],
    ]
    assert written(records).text.splitlines()[1:] == [
        "               asked correct anchored   wrong refused   blank  hedged  errors",
        "local/smollm2-135m",
        "  redefined      224       3       70     150       0       0       0       1",
        "  controls        40      40        0       0       0       0       0       0",
        "  anchored rate  31.8 % [26.0, 38.2] n=220",
        "  not asked: 1; the same command asks only for what is missing",
        "    offline: no answer",
        "",
        "C correct  A anchored  W wrong  R refused  B blank  H hedged",
        "records: reports/july/records.jsonl",
    ]


def test_it_is_80_columns_wide_whatever_the_model_is_called() -> None:
    records = [
        answered(model="x" * 300),
        answered(model="\u202e<b>\x1b[2J" * 30, simulated=True),
        *[unanswered("offline", model="x" * 300) for _ in range(2772)],
    ]
    text = written(records, verbose=True, html="reports/report.html").text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert max(map(len, text.splitlines())) <= 80
    assert "report:  reports/report.html" in text


def test_a_simulated_respondent_is_called_one() -> None:
    text = written([answered(model="sim/adopts", simulated=True), answered()]).text
    assert "sim/adopts (simulated)\n" in text
    assert "openai/gpt-4o\n" in text


def test_controls_alone_have_no_anchored_rate() -> None:
    text = written([answered(redefinition="nr")]).text
    assert "anchored rate" not in text
    assert "redefined" not in text
    assert "controls" in text


def test_errors_and_outcomes_are_coloured_and_noughts_are_not() -> None:
    marked = written([answered("anchored"), unanswered("server")]).marked
    counts = {frozenset(markup): int(text) for text, markup in marked if text.strip().isdigit()}
    assert counts[frozenset({"purple"})] == 1
    assert counts[frozenset({"red", "bold"})] == 1
    assert counts[frozenset()] == 0


@pytest.mark.parametrize(
    ("k", "n", "text"), [(0, 0, "-"), (70, 225, "31.1 % [25.4, 37.4] n=225"), (0, 20, "0.0 % [0.0, 16.1] n=20")]
)
def test_every_rate_carries_its_n_and_interval(k: int, n: int, text: str) -> None:
    assert summary.percent(wilson(k, n)) == text


def test_paths_are_relative_where_that_is_shorter(tmp_path: Path) -> None:
    assert f"records: {tmp_path / 'records.jsonl'}" in written([answered()], folder=tmp_path).text


def test_the_header_names_four_models_and_hides_the_store_s_password() -> None:
    models = parse_models(["sim/adopts,sim/anchors,gpt-4o,o3,gpt-5,claude"])
    assert header.lines(models, "redis://me:hunter2@cache:6379/0") == [
        "redefine: asks sim/adopts, sim/anchors, gpt-4o, o3 and 2 more; store: redis://***@cache:6379/0"
    ]
    assert header.lines(models[:1], "reports/store.sqlite") == [
        "redefine: asks sim/adopts; store: reports/store.sqlite"
    ]
