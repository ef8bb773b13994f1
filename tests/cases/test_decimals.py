from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_redefine.cases.decimals import complex_text, decimal_text, parse, within

numbers = st.decimals(allow_nan=False, allow_infinity=False, min_value="-1e60", max_value="1e60", places=70)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("0", "0"),
        ("-0", "0"),
        ("1500.000", "1500"),
        ("4.14E-34", "4.14e-34"),
        ("-0.00001", "-0.00001"),
        ("0.000001", "1e-6"),
        ("299792458", "299792458"),
        ("123456789012345", "123456789012345"),
        ("1234567890123456", "1.23456789012346e15"),
        ("9.999999999999999999", "10"),
        ("3E+50", "3e50"),
    ],
)
def test_notation(value: str, text: str) -> None:
    assert decimal_text(Decimal(value)) == text


def test_complex_notation() -> None:
    assert complex_text(Decimal(0), Decimal("-2.5")) == "0-2.5*I"
    assert complex_text(Decimal("1e-30"), Decimal(4)) == "1e-30+4*I"
    assert complex_text(Decimal(7), Decimal("0.0")) == "7"


@given(numbers, numbers)
def test_what_is_written_reads_as_the_same_number(real: Decimal, imaginary: Decimal) -> None:
    found = parse(complex_text(real, imaginary))
    assert found is not None
    for got, meant in zip(found, (real, imaginary), strict=True):
        assert abs(got - meant) <= abs(meant) * Decimal("1e-14")


@pytest.mark.parametrize("text", ["", "1,5", "1e5e5", "nan", "I", "1+2", "0x1", "١", "1 km", "--1"])
def test_other_notation_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no decimal string"):
        parse(text)


@pytest.mark.parametrize(
    ("first", "second", "near"),
    [
        ("100", "102", True),
        ("100", "103", False),
        ("-100", "100", False),
        ("6.626e-34", "0", False),
        ("6.626e-34", "1.38e-23", False),
        ("0", "0", True),
        ("oo", "oo", True),
        ("oo", "-oo", False),
        ("oo", "1e300", False),
        ("0+1*I", "0+1.01*I", True),
        ("0+1*I", "0-1*I", False),
        ("0+1*I", "1", False),
    ],
)
def test_within_is_relative(first: str, second: str, near: bool) -> None:
    assert within(first, second, 0.02) is near
    assert within(second, first, 0.02) is near
