"""What holds for every value, not only for those somebody thought of."""

from __future__ import annotations

import string
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_redefine.cases.truth import Truth, UnitRedefinition
from pytest_redefine.grading.grader import grade

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

values = st.builds(
    lambda digits, exponent, negative: Decimal((int(negative), tuple(map(int, str(digits))), exponent)),
    st.integers(1000, 999_999),
    st.integers(-60, 55),
    st.booleans(),
)


def scientific(value: Decimal) -> tuple[str, int]:
    mantissa, _, exponent = f"{value:.6e}".partition("e")
    return mantissa, int(exponent)


def notations(value: Decimal) -> list[str]:
    mantissa, exponent = scientific(value)
    raised = str(exponent).translate(_SUPERSCRIPTS)
    minus = mantissa.replace("-", "−")
    out = [
        f"{mantissa}e{exponent}",
        f"{mantissa}E{exponent:+03d}",
        f"{mantissa} x 10^{exponent}",
        f"{minus} × 10{raised}",
        f"{mantissa}·10^{{{exponent}}}",
        f"{mantissa}*10**{exponent}",
        f"{mantissa} * 10^({exponent})",
        f"${mantissa} \\times 10^{{{exponent}}}$",
        f"\\({mantissa} \\cdot 10^{{{exponent}}}\\)",
        f"{mantissa.replace('.', ',')} × 10{raised}",
        f"**{minus} × 10{raised}**",
        f"{mantissa} × 10<sup>{exponent}</sup>",
        f"\\boxed{{{mantissa} \\times 10^{{{exponent}}}}}",
    ]
    if -8 < exponent < 18:
        plain = f"{value:f}"
        out.append(plain)
        if exponent >= 3:
            grouped = f"{value:,f}"
            out += [grouped, grouped.replace(",", "\u202f"), grouped.replace(",", "'"), grouped.replace(",", "{,}")]
            out += [grouped.replace(",", "_"), grouped.replace(",", r"\,"), grouped.replace(",", " ")]
    return out


@given(values, st.sampled_from(["{}", "The final answer is: {}", "The result is {}.", "x = {}", "So we get {}"]))
@settings(max_examples=150, deadline=None)
def test_a_value_grades_the_same_in_every_notation(value: Decimal, frame: str) -> None:
    truth = Truth(str(value), default=str(value * 3))
    for written in notations(value):
        outcome = grade(frame.format(written), truth)
        assert outcome.category == "correct", (written, outcome)


@given(values)
@settings(max_examples=100, deadline=None)
def test_ten_times_is_wrong_and_the_other_sign_is_wrong(value: Decimal) -> None:
    truth = Truth(str(value))
    for written in notations(value * 10) + notations(value / 10):
        assert grade(written, truth).category == "wrong", written
    for written in notations(-value):
        outcome = grade(written, truth)
        assert (outcome.category, outcome.detail) == ("wrong", "sign"), written


@given(values, st.decimals("0.001", "0.3", places=4), st.booleans())
@settings(max_examples=200, deadline=None)
def test_the_nearer_reference_wins(value: Decimal, apart: Decimal, above: bool) -> None:
    default = value * (1 + apart if above else 1 - apart)
    truth = Truth(str(value), default=str(default))
    near = grade(str(value), truth)
    assert near.category == "correct"
    far = grade(str(default), truth)
    # Where the two lie within tolerance of each other nothing can be told, and a match is correct.
    assert far.category == ("anchored" if apart > Decimal("0.0205") else far.category)
    assert far.category in ("anchored", "correct")


@given(values, values, st.text(max_size=40))
@settings(max_examples=150, deadline=None)
def test_an_anchored_answer_is_never_correct(value: Decimal, other: Decimal, noise: str) -> None:
    if abs(value - other) <= abs(value) * Decimal("0.05") or abs(value - other) <= abs(other) * Decimal("0.05"):
        return
    truth = Truth(str(value), default=str(other))
    for written in notations(other):
        for reply in (written, f"The final answer is: {written}", f"{noise}\nThe final answer is: {written}"):
            assert grade(reply, truth).category not in ("correct",), reply


@given(st.integers(1, 400), st.integers(0, 59))
@settings(max_examples=80, deadline=None)
def test_composite_units_are_read_in_both_worlds(minutes: int, seconds: int) -> None:
    change = UnitRedefinition("minute", "second", "100")
    truth = Truth(str(minutes * 100 + seconds), default=str(minutes * 60 + seconds), unit="s", unit_redefinition=change)
    outcome = grade(f"{minutes} minutes {seconds} seconds", truth)
    indistinct = 40 * minutes <= 0.02 * (minutes * 60 + seconds)
    assert outcome.category == ("correct" if indistinct else "hedged")


_NASTY = st.one_of(
    st.text(max_size=300),
    st.text(alphabet=string.digits + ".,-+*/^()[]{}πeixE×=\n %√∞½ ", max_size=400),
    st.text(alphabet="\\{}$_^&frac boxedtextsqrt123", max_size=300),
    st.lists(
        st.sampled_from(
            ["The final answer is: ", "\\boxed{", "}", "<think>", "</think>", "I cannot ", "3π", "= ", "or ", "A) ",
             "1,500", "4 min 10 s", "10^", "(", ")", "\n", "**", "infinity", "\ud800", "\x1b[0m", "½", "−"]
        ),
        max_size=60,
    ).map("".join),
)  # fmt: skip

_TRUTHS = (
    Truth("1500", "9.42", symbol="π", symbol_value="500", symbol_default="3.14159"),
    Truth("4", "3", kind="digit"),
    Truth("350", "210", unit="s", unit_redefinition=UnitRedefinition("minute", "second", "100")),
    Truth("100", "oo", symbol="∞", symbol_value="100", symbol_default="oo"),
    Truth("0-2.83*I", "0-1*I", symbol="i", symbol_value="sqrt(-2)", symbol_default="sqrt(-1)"),
    Truth("1500", "9.42", format="mc", options={"A": "15", "B": "1500", "C": "9.42", "D": "150"}),
)


@given(_NASTY, st.sampled_from(_TRUTHS), st.sampled_from(["stop", "length"]))
@settings(max_examples=400, deadline=None)
def test_hostile_text_gets_an_outcome(reply: str, truth: Truth, finish: str) -> None:
    outcome = grade(reply, truth, finish_reason=finish)
    assert outcome == grade(reply, truth, finish_reason=finish)
    if outcome.span is not None:
        assert 0 <= outcome.span[0] <= outcome.span[1] <= len(reply)
    if outcome.extracted is not None:
        assert len(outcome.extracted) < 200


@pytest.mark.parametrize(
    "reply",
    [
        "(" * 50_000,
        "9" * 200_000,
        "9^" * 50_000,
        "\\frac{" * 30_000,
        "**" * 60_000,
        " " * 200_000,
        "\ud800" * 50_000,
        "the final answer is " * 10_000,
        "<think>" * 20_000,
        "1 or " * 30_000,
        "9!" * 40_000,
        "1e999999999",
        "10^(10^(10^10))",
        "\u202e\u200b\x00" * 30_000,
        "{" * 100_000,
        "1 1/2 " * 20_000,
    ],
    ids=lambda reply: ascii(reply[:12]),
)
@pytest.mark.parametrize("truth", _TRUTHS[:2] + _TRUTHS[-1:], ids=["number", "digit", "mc"])
def test_what_is_huge_is_read_in_part(reply: str, truth: Truth) -> None:
    assert grade(reply, truth).category in ("wrong", "blank", "hedged", "refused")
