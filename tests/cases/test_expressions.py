from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from pytest_redefine.cases.expressions import ExpressionError, check, evaluate, first_digit

HOSTILE = [
    "",
    " ",
    "x +",
    "x.__class__",
    "().__class__.__bases__",
    "__import__('os')",
    "eval('1')",
    "lambda: 1",
    "[1, 2]",
    "x if x else 1",
    "x := 1",
    "'a' * 3",
    "True",
    "None",
    "1j",
    "0x10",
    "1_000",
    "x // 2",
    "x % 2",
    "x @ x",
    "~x",
    "not x",
    "x == 1",
    "sqrt(x, 2)",
    "sqrt()",
    "sqrt(*x)",
    "sqrt(x=1)",
    "limit(t, x, 1)",
    "limit(1/t, t)",
    "t",
    "limit(1, t, t)",
    "9**9**9",
    "(9**9)**9",
    "1e9999",
    "1" * 300,
    "(" * 150,
    "x\x00",
    "x; x",
    "import os",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_outside_the_language_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        check(text, with_x=True)


@given(st.text(max_size=60))
def test_any_text_is_an_expression_or_an_error(text: str) -> None:
    try:
        check(text, with_x=True)
    except ExpressionError:
        return
    assert set(text) <= set("0123456789.eE+-*/() \t\fpiIoxtsqrnabflmdg_,\n\r#") or "#" in text


@pytest.mark.parametrize(
    ("text", "x", "value"),
    [
        ("0.1 + 0.2", None, sympy.Rational(3, 10)),
        ("3.2e-18/x", sympy.Rational("1.6e-19"), 20),
        ("-x**2", 3, -9),
        ("x**0.5", -10, sympy.sqrt(10) * sympy.I),  # the principal root
        ("sqrt(-2)**3", None, -2 * sympy.sqrt(2) * sympy.I),
        ("limit(1/t, t, x)", sympy.oo, 0),
        ("limit(sin(t)/t, t, x)", 0, 1),
        ("abs(x)", -3, 3),
        ("(1 + sqrt(5))/2", None, sympy.GoldenRatio.expand(func=True)),
        ("E", None, sympy.E),
        ("I*I", None, -1),
    ],
)
def test_values_are_exact(text: str, x: Any, value: Any) -> None:
    got = evaluate(text, None if x is None else sympy.sympify(x))
    assert sympy.simplify(got - value) == 0
    assert not got.has(sympy.Float)


@pytest.mark.parametrize(
    ("text", "x"),
    [
        ("1/x", 0),
        ("x/x", sympy.oo),
        ("sin(t)/x", 1),
        ("2**x", 5000),
        ("2**x", sympy.I),
        ("first_digit(x)", 0),
    ],
)
def test_what_has_no_value_is_refused(text: str, x: Any) -> None:
    with pytest.raises(ExpressionError):
        evaluate(text, sympy.sympify(x))


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value="1e-40", max_value="1e40", places=60))
def test_the_first_digit_is_that_of_the_notation(value: Any) -> None:
    if value:
        written = next(mark for mark in f"{value:f}" if mark in "123456789")
        fraction = Fraction(value)
        for sign in (1, -1):
            assert first_digit(sympy.Rational(sign * fraction.numerator, fraction.denominator)) == int(written)


@pytest.mark.parametrize("exponent", [-34, -1, 0, 1, 2, 3, 23, 50])
def test_the_first_digit_at_powers_of_ten(exponent: int) -> None:
    power = sympy.Integer(10) ** exponent
    assert first_digit(power) == 1
    assert first_digit(power * (1 - sympy.Rational(1, 10**45))) == 9
    assert first_digit(power * (1 + sympy.Rational(1, 10**45))) == 1


@pytest.mark.parametrize("value", [sympy.S.Zero, sympy.oo, sympy.I])
def test_no_first_digit(value: Any) -> None:
    with pytest.raises(ExpressionError, match="no first non-zero digit"):
        first_digit(value)
