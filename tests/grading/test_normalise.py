"""Dressing comes off, and spans still point into the original."""

from __future__ import annotations

import pytest

from pytest_redefine.grading.dress import BOX_CLOSE, BOX_OPEN, FRACTION, THIN
from pytest_redefine.grading.normalise import HEAD, TAIL, normalise


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("**5**", "5"),
        ("*5*", "5"),
        ("__5__", "5"),
        ("`5`", "5"),
        ("10**-34", "10^-34"),
        ("x ** 2", "x ^ 2"),
        ("3 * 5", "3 * 5"),
        ("3*5", "3*5"),
        ("* item", " item"),
        ("10⁻³⁴", "10^(-34)"),
        ("m²", "m^(2)"),
        ("ε₀", "ε_0"),
        ("k_{B}", "k_B"),
        (r"N_{\text{A}}", "N_A"),
        ("3½", "3 1/2"),
        (r"\frac{1}{2}", FRACTION + "{1}{2}"),
        (r"\boxed{5}", BOX_OPEN + "5" + BOX_CLOSE),
        (r"5\,000", "5" + THIN + "000"),
        ("5{,}000", "5,000"),
        (r"5\text{ km}", "5 km"),
        ("5&nbsp;000", "5" + THIN + "000"),
        ("10<sup>-3</sup>", "10^(-3)"),
        ("a<br>b", "a\nb"),
        ("\x1b[31m5\x1b[0m", "5"),
        ("\u202e5\u202c\u200b", "5"),
        ("\x005\ud800", "5"),
        ("𝟓", "5"),
        ("a   \n \n  b", "a\n\nb"),
    ],
)
def test_plain(text: str, plain: str) -> None:
    assert normalise(text).text == plain


@pytest.mark.parametrize(
    "text", ["**1,500** km", r"\(\boxed{1{,}500}\) km", "x\u200b 1\u202f500 km", "E = \x1b[1m1500"]
)
def test_spans_point_into_the_original(text: str) -> None:
    plain = normalise(text)
    start = plain.text.index("1")
    end = plain.text.index("500") + 3
    first, last = plain.span(start, end)
    assert text[first] == "1"
    assert text[first:last].endswith("500")


def test_a_long_reply_is_read_at_both_ends_and_around_its_last_announcement() -> None:
    reply = "start " + "a " * HEAD + "The final answer is: 77" + " b" * TAIL + " end"
    plain = normalise(reply)
    assert plain.text.startswith("start")
    assert plain.text.endswith("end")
    at = plain.text.index("77")
    first, last = plain.span(at, at + 2)
    assert reply[first:last] == "77"
