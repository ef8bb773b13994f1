"""Literals: which signs group digits and which mark decimals."""

from __future__ import annotations

from decimal import Decimal

import pytest

from pytest_redefine.grading.normalise import normalise
from pytest_redefine.grading.tokens import MAX_DIGITS, tokenise


def numbers(text: str) -> list[Decimal | None]:
    return [token.value for token in tokenise(normalise(text).text) if token.kind == "num"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,500", "1500"),
        ("0,500", "0.5"),
        ("4,5", "4.5"),
        ("1,2345", "1.2345"),
        ("1.234.567,8", "1234567.8"),
        ("1,234,567.8", "1234567.8"),
        ("12,34,567", "1234567"),
        ("1 234 567", "1234567"),
        ("1'234'567", "1234567"),
        ("1_234_567", "1234567"),
        (".5", "0.5"),
        ("1e-34", "1e-34"),
        ("1E+24", "1e24"),
        ("6.626(15)e-34", "6.626e-34"),
        ("٤٥", "45"),
    ],
)
def test_one_number(text: str, value: str) -> None:
    assert numbers(text) == [Decimal(value)]


@pytest.mark.parametrize(
    ("text", "values"), [("1,2,3", [1, 2, 3]), ("1.2.3", [1, 2, 3]), ("4, 5", [4, 5]), ("10 20", [10, 20])]
)
def test_several_numbers(text: str, values: list[int]) -> None:
    assert numbers(text) == [Decimal(value) for value in values]


def test_a_long_literal_keeps_its_size_and_loses_only_digits() -> None:
    (value,) = numbers("7" * 500)
    assert value is not None
    assert value.adjusted() == 499
    assert len(value.as_tuple().digits) <= MAX_DIGITS


def test_an_absurd_exponent_is_no_number() -> None:
    assert numbers("1e99999") == []
