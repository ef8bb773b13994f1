"""The room for values that no file states: whatever is drawn, truths, prompts and options follow from it.

Nothing here draws cases for a run; it shows that a catalogue with other levels than the published ones is a catalogue.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pytest_redefine.cases import decimals
from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.model import Redefinition
from pytest_redefine.cases.prompts import Prompts
from pytest_redefine.cases.truth import DEFAULT_TOLERANCE
from pytest_redefine.cases.truths import TruthTable
from pytest_redefine.cases.unit_answers import UnitAnswers

LEVEL = "fresh3"
ORDINARY = {"pi": "3.14159", "h": "6.626e-34", "c": "299792458", "phi": "1.61803", "k_B": "1.380649e-23"}

VALUES = st.builds(
    lambda sign, mantissa, exponent: f"{sign}{mantissa}e{exponent}",
    st.sampled_from(("", "-")),
    st.integers(1, 9999),
    st.integers(-40, 40),
)


def with_value(catalogue: Catalogue, task: str, key: str, value: str) -> Catalogue:
    quantity = catalogue.tasks[task][key]
    drawn = replace(quantity, redefinitions={LEVEL: Redefinition(LEVEL, value=value)})
    return Catalogue({task: {key: drawn}}, catalogue.system)


def check(catalogue: Catalogue, prompts: Prompts, task: str) -> None:
    table = TruthTable(catalogue, prompts)
    for case in catalogue.cases(task, formats=("ff", "mc")):
        truth = table.truth(case)
        assert truth.prompt.startswith("Redefine") is not case.is_control
        if truth.options is None:
            continue
        values = list(truth.options.values())
        assert truth.expected in values
        assert case.is_control or truth.default in values
        assert len(set(values)) == 4
        if truth.kind == "number":
            for at, one in enumerate(values):
                assert not any(decimals.within(one, other, DEFAULT_TOLERANCE) for other in values[at + 1 :])


@settings(max_examples=25, deadline=None)
@given(value=VALUES, key=st.sampled_from(("pi", "h", "c", "phi", "k_B")))
def test_any_value_of_a_constant(value: str, key: str, catalogue: Catalogue, prompts: Prompts) -> None:
    # A well-posed draw: not near the ordinary value, and its first digit another.
    assume(not decimals.within(decimals.decimal_text(Decimal(value)), ORDINARY[key], 0.1))
    assume(value.lstrip("-")[0] != ORDINARY[key][0])
    check(with_value(catalogue, "constants", key, value), prompts, "constants")


@settings(max_examples=25, deadline=None)
@given(value=VALUES, key=st.sampled_from(("min", "kg", "m", "mL", "MHz", "N", "ly")))
def test_any_value_of_a_unit(value: str, key: str, catalogue: Catalogue, prompts: Prompts) -> None:
    quantity = catalogue.tasks["units"][key]
    apart = abs(Fraction(value) / Fraction(quantity.default))
    assume(not Fraction(8, 10) < apart < Fraction(12, 10))
    check(with_value(catalogue, "units", key, value), prompts, "units")


@settings(max_examples=25, deadline=None)
@given(value=VALUES)
def test_any_value_moves_its_unit_exactly_and_leaves_the_others(value: str, catalogue: Catalogue) -> None:
    registry = UnitAnswers(catalogue.system).registry("metre", value)
    assert registry.Quantity(Fraction(1), "metre").to("cm").magnitude == Fraction(value)
    assert registry.Quantity(Fraction(1), "km").to("cm").magnitude == 100_000
    assert registry.Quantity(Fraction(1), "ha").to("cm**2").magnitude == 10**8
