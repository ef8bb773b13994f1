from __future__ import annotations

import html
import unicodedata
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_redefine.reporting.text import SHOWN_LIMIT, escaped, one_line, visible

ANY_TEXT = st.text(st.characters(codec=None), max_size=60)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("π ≈ 3.14 · 10⁻³⁴, 猫 🙂", "π ≈ 3.14 · 10⁻³⁴, 猫 🙂"),
        ("a\n\tb", "a\n\tb"),
        ("\x1b[31mred\x1b]0;title\x07", r"\x1b[31mred\x1b]0;title\x07"),
        ("over\rwritten\b", r"over\rwritten\x08"),
        ("\x00\x7f\x9b", r"\x00\x7f\x9b"),
        ("abc\u202edef\u2066\u200f", r"abc\u202edef\u2066\u200f"),
        ("zero\u200bwidth\ufeff", r"zero\u200bwidth\ufeff"),
        ("\ud800\udfff", r"\ud800\udfff"),
        ("\u2028\u2029", r"\u2028\u2029"),
        ("\ue000", r"\ue000"),
        ("\ufffe\U0001ffff", r"\ufffe\U0001ffff"),
    ],
)
def test_what_cannot_be_seen_is_spelt_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(ANY_TEXT)
def test_no_text_moves_a_cursor_turns_a_line_or_breaks_an_encoding(text: str) -> None:
    shown = visible(text)
    shown.encode("utf-8")
    assert not any(unicodedata.category(character) in {"Cf", "Cs", "Co", "Zl", "Zp"} for character in shown)
    assert all(character in "\n\t" for character in shown if unicodedata.category(character) == "Cc")


def test_a_long_text_says_how_much_is_left_out() -> None:
    assert visible("x" * 12, 10) == "x" * 10 + "\n[... 2 more characters in records.jsonl]"
    assert visible("x" * 10, 10) == "x" * 10
    assert len(visible("x" * 1_000_000)) < SHOWN_LIMIT + 60


@given(ANY_TEXT | st.text(" \n\tx", max_size=200), st.integers(2, 20))
def test_one_line_is_one_bounded_line(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1
    assert bool(line) == bool(text.strip())


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (" a\n\n b\t", "a b"),
        ("x" * 10, "x" * 10),
        ("x" * 11, "x" * 9 + "…"),
        (" " * 500 + "late", "late"),
        ("a" + " " * 500 + "b", "a…"),
        ("\x1b[31mred", "\\x1b[31mr…"),
        ("", ""),
    ],
)
def test_one_line(text: str, shown: str) -> None:
    assert one_line(text, 10) == shown


@given(ANY_TEXT)
def test_escaped_text_is_text_in_html(text: str) -> None:
    shown = escaped(text)
    assert not set(shown) & set("<>\"'")
    assert html.unescape(shown) == html.unescape(html.escape(visible(text)))


@given(ANY_TEXT)
def test_escaped_text_is_well_formed_and_reads_as_what_is_shown(text: str) -> None:
    # Through a real parser, in an attribute and in the body; XML turns new lines of an attribute into blanks.
    element = ElementTree.fromstring(f'<p title="{escaped(text)}">{escaped(text)}</p>')
    assert (element.text or "") == visible(text)
    assert element.get("title") == visible(text).replace("\n", " ").replace("\t", " ")
