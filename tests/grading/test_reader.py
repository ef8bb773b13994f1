"""Expressions, and that they are read twice."""

from __future__ import annotations

from decimal import Decimal, localcontext

import pytest

from pytest_redefine.grading import arithmetic as ar
from pytest_redefine.grading.constants import constants, reference, symbol_key
from pytest_redefine.grading.normalise import normalise
from pytest_redefine.grading.reader import Reader
from pytest_redefine.grading.tokens import tokenise
from pytest_redefine.grading.values import Value


def read(text: str, symbol: str = "", new: str = "", old: str = "") -> Value | None:
    names = constants(symbol, new, old, False)
    tokens = tokenise(normalise(text).text)
    with localcontext(ar.context()):
        found = Reader(tokens, names.names, names.root2).read(0)
    return None if found is None or found[1] != len(tokens) else found[0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 + 3 * 4", "14"),
        ("(2 + 3) * 4", "20"),
        ("2^3^2", "512"),
        ("-2^2", "-4"),
        ("(-2)^2", "4"),
        ("10/4", "2.5"),
        ("3 × 10^8 / 6 × 10^5", "500"),
        (r"\frac{3}{4}", "0.75"),
        (r"\frac12", "0.5"),
        ("1 1/2", "1.5"),
        (r"3\frac{1}{2}", "3.5"),
        ("√16", "4"),
        ("∛27", "3"),
        (r"\sqrt[3]{8}", "2"),
        ("the", None),
        ("square root of 9", "3"),
        ("5 squared", "25"),
        ("ten to the 23rd power", "1e23"),
        ("two hundred and five", "205"),
        ("twenty-one thousand", "21000"),
        ("four point two five", "4.25"),
        ("three and a half", "3.5"),
        ("2 times 4", "8"),
        ("9 divided by 2", "4.5"),
        ("1/0", None),
        ("0^0", "1"),
        ("(1 + i)(1 - i)", "2"),
        ("i^2", "-1"),
        ("√-4", "0+2*I"),
        ("2 - 3i", "2-3*I"),
        ("9^9^9", None),
        ("10^100000", None),
        ("((((1))))", "1"),
        ("(" * 60 + "1" + ")" * 60, None),
    ],
)
def test_values(text: str, value: str | None) -> None:
    found = read(text)
    if value is None:
        assert found is None
        return
    expected = reference(value)
    assert found is not None
    assert expected is not None
    assert abs(found.new.re - expected.re) < Decimal("1e-20")
    assert abs(found.new.im - expected.im) < Decimal("1e-20")


def test_the_redefined_symbol_is_read_twice() -> None:
    found = read("4π", "π", "500", "3.14159265358979")
    assert found is not None
    assert found.symbol
    assert found.new.re == 2000
    assert abs(found.old.re - Decimal("12.566370614")) < Decimal("1e-8")


def test_root_two_is_a_symbol_only_where_it_is_redefined() -> None:
    ordinary, redefined = read("3√2"), read("3√2", "√2", "5", "1.41421356237")
    assert ordinary is not None
    assert not ordinary.symbol
    assert redefined is not None
    assert redefined.symbol
    assert redefined.new.re == 15


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("π", "pi"),
        ("ε₀", "epsilon_0"),
        ("ε0", "epsilon_0"),
        ("√2", "sqrt2"),
        ("N_A", "N_A"),
        ("∞", "infinity"),
        ("0", "zero"),
    ],
)
def test_symbols_are_known_by_how_the_prompt_prints_them(written: str, key: str) -> None:
    assert symbol_key(written) == key


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1500", "1500"),
        ("-4.14e-34", "-4.14e-34"),
        ("0+1.5*I", "0+1.5*I"),
        ("0-1*I", "0-1*I"),
        ("oo", "oo"),
        ("-oo", "-oo"),
    ],
)
def test_references_survive_being_written(text: str, value: str) -> None:
    found = reference(text)
    assert found is not None
    assert ar.text(found) == value


@pytest.mark.parametrize("text", ["", "x", "1e999999999", "__import__('os')", "1;2", "nan"])
def test_what_is_no_reference(text: str) -> None:
    assert reference(text) is None


def test_costly_steps_are_counted_as_such_and_reading_ends() -> None:
    tokens = tokenise("9^9.42, " * 400)
    reader = Reader(tokens, constants("", "", "", False).names)
    with localcontext(ar.context()):
        found = [reader.read(at) for at in range(0, len(tokens), 4)]
    assert found[0] is not None
    assert found[-1] is None
    assert reader.exhausted
    assert sum(one is not None for one in found) < 100


def test_one_over_infinity_is_zero() -> None:
    with localcontext(ar.context()):
        assert not ar.divide(ar.Z(ar.ONE), ar.INFINITE).re
