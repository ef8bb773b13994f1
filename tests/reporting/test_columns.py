from __future__ import annotations

import html
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_redefine.reporting import columns
from tests.records.samples import answered, unanswered

HOSTILE = "</td></pre><script>alert('1')</script><img src=x onerror=\"alert(2)\">\x1b[2J\u202e\ud800 &amp;"
MARK = "<mark>"


class Page(HTMLParser):
    """The elements and the text of a piece of HTML."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def hostile_everywhere() -> dict[str, Any]:
    record = answered("wrong", HOSTILE)
    return record | {
        "model": HOSTILE,
        "extracted": HOSTILE,
        "detail": HOSTILE,
        "rule": HOSTILE,
        "reasoning": HOSTILE,
        "finish_reason": HOSTILE,
        "span": [3, 30],
        "messages": [{"role": HOSTILE, "content": HOSTILE}],
        "unit": HOSTILE,
    }


def row(record: dict[str, Any] | None) -> list[str]:
    cells = ["<td>result</td>", "<td>id</td>", "<td>duration</td>"]
    columns.row(record, cells)
    return cells


def test_columns_stand_behind_pytest_html_s_own_and_can_be_sorted() -> None:
    head = ["<th>Result</th>", "<th>Test</th>", "<th>Duration</th>"]
    columns.header(head)
    cells = row(answered("anchored", detail="unit"))
    assert len(head) == len(cells) == 8
    assert (head[0], head[1], head[-1]) == ("<th>Result</th>", "<th>Test</th>", "<th>Duration</th>")
    for title, cell in zip(head[2:-1], cells[2:-1], strict=True):
        (kind,) = re.findall('data-column-type="(.*?)"', title)
        assert 'class="sortable"' in title
        assert f'class="col-{kind}"' in cell
    assert [Page(title).text for title in head[2:-1]] == ["Outcome", "Model", "Expected", "Default", "Extracted"]
    shown = [Page(cell).text for cell in cells[2:-1]]
    assert shown == ["anchored (unit)", "openai/gpt-4o", "500", "3.14159265359", "500"]


def test_an_ordinary_test_has_empty_cells_and_one_without_an_answer_says_so() -> None:
    assert [Page(cell).text for cell in row(None)[2:-1]] == [""] * 5
    shown = [Page(cell).text for cell in row(unanswered("server") | {"default": None})[2:-1]]
    assert shown == ["error", "openai/gpt-4o", "500", "", ""]


def test_hostile_text_stays_text_wherever_it_stands() -> None:
    record = hostile_everywhere()
    for cell in row(record)[2:-1]:
        assert Page(cell).tags == ["td"]
    content = columns.details(record)["content"]
    page = Page(content)
    assert set(page.tags) <= {"div", "strong", "pre", "mark"}
    assert page.open == []
    assert "<script>alert('1')</script>" in page.text
    table = columns.summary_table(HOSTILE, [record])
    assert not set(Page(table).tags) & {"script", "img"}
    for shown in (*row(record), content, table):
        assert not set(shown) & {"\x1b", "\u202e", "\ud800"}


@given(st.text(st.characters(codec=None), max_size=40), st.integers(0, 45), st.integers(0, 45))
def test_the_part_that_was_read_is_marked_in_any_reply(text: str, first: int, second: int) -> None:
    start, end = sorted((first, second))
    content = columns.details(answered("wrong", text, span=[start, end]))["content"]
    page = Page(content)
    assert page.open == []
    assert page.tags.count("mark") == (1 if text else 0)


def test_a_reply_s_details() -> None:
    record = answered("correct", "It is 500.", span=[6, 9], reasoning="Let me think.", contested=True)
    content = columns.details(record)["content"]
    assert "It is <mark>500</mark>." in content
    text = Page(content).text
    for part in (
        "asked (user)", "Redefine π as 500. What is π?", "reasoning", "Let me think.", "said", "outcome: correct",
        "extracted: 500", "rule: marker", "expected: 500", "default: 3.14159265359", "marks: contested",
        "tokens: 30 in, 8 out; 1.5 s",
    ):  # fmt: skip
        assert part in text


def test_where_an_answer_came_from_and_how_it_ended() -> None:
    text = Page(columns.details(answered(from_store=True, finish_reason="length", usage=None))["content"]).text
    assert "said, ended by length" in text
    assert "tokens: ? in, ? out; from the store" in text


def test_an_empty_reply_and_none_are_told_apart() -> None:
    assert "(nothing)" in columns.details(answered("blank", ""))["content"]
    content = columns.details(unanswered("server", "<b>boom</b>"))["content"]
    assert "server: &lt;b&gt;boom&lt;/b&gt;" in content
    assert "outcome: error" in content
    assert "tokens" not in content


def test_a_long_reply_is_bounded() -> None:
    content = columns.details(answered("wrong", "<" * 1_000_000, span=[500_000, 900_000]))["content"]
    assert len(html.unescape(content)) < 70_000


def test_the_table_counts_and_names_the_simulated() -> None:
    records = [
        answered("anchored"),
        answered("correct"),
        answered("correct", redefinition="nr", simulated=True),
        unanswered("server"),
    ]
    table = columns.summary_table("july", records)
    rows = [re.findall("<t[hd].*?>(.*?)</t[hd]>", line) for line in table.split("<tr>")[1:]]
    assert rows[0] == [
        "",
        "asked",
        "correct",
        "anchored",
        "wrong",
        "refused",
        "blank",
        "hedged",
        "errors",
        "anchored rate",
    ]
    assert rows[1][:9] == ["openai/gpt-4o, redefined", "3", "1", "1", "0", "0", "0", "0", "1"]
    assert rows[1][9].endswith("n=2")
    assert rows[2] == ["openai/gpt-4o, controls", "1", "1", "0", "0", "0", "0", "0", "0", ""]
    assert "Run july" in table
    assert "Simulated respondents took part" in table
    assert "Simulated" not in columns.summary_table("july", records[:1])


@pytest.mark.parametrize("key", ["name", "format_type", "content", "mime_type", "extension"])
def test_the_extra_has_what_pytest_html_asks_for(key: str) -> None:
    assert key in columns.details(answered())


def test_the_choice_of_outcomes_holds_one_script_and_it_is_ours() -> None:
    page = Page(columns.filters([hostile_everywhere() | {"outcome": HOSTILE}, answered("anchored")]))
    assert page.tags.count("script") == 1
    assert "img" not in page.tags
    assert page.open == []
