from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.model import Case
from pytest_redefine.cases.prompts import Prompts
from pytest_redefine.cases.wording import messages, number_text, redefinition_text, unit_text

REDEFINITIONS = {
    "pi-ra3-q1": "Redefine π as -10.",
    "pi-rs1-q1": "Redefine π as φ, the golden ratio.",
    "euler-ra3-q1": "Redefine Euler's number e as 1.5 × 10⁻¹².",
    "golden-rs1-q1": "Redefine the golden ratio φ as e, Euler's number.",
    "lightspeed-ra1-q1": "Redefine the speed of light c as 2.3 × 10⁸ m/s.",
    "lightspeed-ra2-q1": "Redefine the speed of light c as 10 m/s.",
    "lightspeed-ra3-q1": "Redefine the speed of light c as -4 × 10⁸ m/s.",
    "gravitation-ra1-q1": "Redefine the gravitational constant G as 1.1 × 10⁻¹⁰ m³/(kg·s²).",
    "planck-ra1-q1": "Redefine the Planck constant h as 5 × 10⁻³³ J·s.",
    "charge-ra2-q1": "Redefine the elementary charge q_e as 30000 C.",
    "avogadro-ra3-q1": "Redefine the Avogadro constant N_A as -1 mol⁻¹.",
    "boltzmann-ra3-q1": "Redefine the Boltzmann constant k_B as -0.0099 J/K.",
    "gas-rs2-q1": "Redefine the molar gas constant R as c, the speed of light in vacuum.",
    "imaginary-ra1-q1": "Redefine the imaginary unit i as √(-2).",
    "sqrt2-ra2-q1": "Redefine √2 as 31.62.",
    "infinity-ra1-q1": "Redefine infinity (∞) as 1 × 10¹⁰.",
    "permittivity-rs1-q1": "Redefine the vacuum permittivity ε₀ as G, the gravitational constant.",
    "zero-ra1-q1": "Redefine zero (0) as -1.",
    "zero-rs1-q1": "Redefine zero (0) as h, the Planck constant.",
}


@pytest.mark.parametrize(("stem", "text"), REDEFINITIONS.items())
def test_redefinitions_read_naturally(
    stem: str, text: str, by_stem: dict[str, Case], catalogue: Catalogue, prompts: Prompts
) -> None:
    assert redefinition_text(by_stem[stem], catalogue, prompts) == text


def test_the_whole_message(by_stem: dict[str, Case], catalogue: Catalogue, prompts: Prompts) -> None:
    control, case = by_stem["planck-nr-q2"], by_stem["planck-ra1-q2"]
    body = (
        "Answer this question.\n\n"
        "A photon has a frequency of 4 Hz. Use E = h·ν to find its energy in joules.\n\n"
        'End your reply with the words "The final answer is:" and, after them, nothing but the result.'
    )
    assert messages(control, catalogue, prompts) == [{"role": "user", "content": body}]
    redefined = f"Redefine the Planck constant h as 5 × 10⁻³³ J·s.\n{body}"
    assert messages(case, catalogue, prompts) == [{"role": "user", "content": redefined}]


def test_a_control_differs_by_the_redefinition_alone(
    cases: tuple[Case, ...], by_stem: dict[str, Case], catalogue: Catalogue, prompts: Prompts
) -> None:
    for case in cases:
        control = by_stem[f"{case.word}-nr-{case.question}"]
        (plain,) = messages(control, catalogue, prompts)
        (full,) = messages(case, catalogue, prompts)
        line = redefinition_text(case, catalogue, prompts)
        assert full["content"] == (plain["content"] if case.is_control else f"{line}\n{plain['content']}")
        assert bool(line) is not case.is_control


# How the values of Table 1 might give themselves away.
VALUES = {
    "pi": "3.14|22/7",
    "e": "2.71",
    "phi": r"1.61|√5",
    "c": r"299|3 × 10⁸|3e8|2\.9+8",
    "h": "6.62",
    "q_e": r"1\.60|1\.6 ×",
    "N_A": r"6\.02",
    "k_B": r"1\.38",
    "R": r"8\.31",
    "epsilon_0": r"8\.85",
    "G": r"6\.67",
}


def test_a_swap_names_the_other_constant_and_never_its_value(
    cases: tuple[Case, ...], catalogue: Catalogue, prompts: Prompts
) -> None:
    swaps = [case for case in cases if case.redefinition.startswith("rs")]
    assert len(swaps) == 90
    for case in swaps:
        other = catalogue.quantity(case).redefinitions[case.redefinition].other
        (message,) = messages(case, catalogue, prompts)
        assert not re.search(VALUES[other], message["content"]), message
        assert catalogue.tasks["constants"][other].noun in message["content"]


def test_an_assignment_states_its_value_readably(
    cases: tuple[Case, ...], catalogue: Catalogue, prompts: Prompts
) -> None:
    plain = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
    for case in cases:
        value = "" if case.is_control else catalogue.quantity(case).redefinitions[case.redefinition].value
        if not value:
            continue
        text = redefinition_text(case, catalogue, prompts)
        assert "e-" not in text
        assert "*" not in text
        if value.startswith("sqrt"):
            assert text.endswith(f" as √({value[5:-1]}).")
            continue
        found = re.search(r" as (-?[0-9.]+)(?: × 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?(?: |\.$)", text)
        assert found, text
        exponent = int((found[2] or "⁰").translate(plain))
        assert Decimal(found[1].rstrip(".")).scaleb(exponent) == Decimal(value)


def test_no_message_has_raw_units_or_templates(cases: tuple[Case, ...], catalogue: Catalogue, prompts: Prompts) -> None:
    for case in cases:
        (message,) = messages(case, catalogue, prompts)
        assert not re.search(r"[{}^*]|  |\n\n\n", message["content"]), message
        assert prompts.marker in message["content"]


def test_boltzmann_q3_says_which_energy(by_stem: dict[str, Case], catalogue: Catalogue) -> None:
    assert "(3/2)·k_B·T" in catalogue.question(by_stem["boltzmann-nr-q3"]).text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("0", "0"),
        ("-10", "-10"),
        ("4.5", "4.5"),
        ("1300", "1300"),
        ("1e10", "1 × 10¹⁰"),
        ("999999", "999999"),
        ("1000000", "1 × 10⁶"),
        ("-9.9e-3", "-0.0099"),
        ("9.9e-4", "9.9 × 10⁻⁴"),
        ("3e4", "30000"),
        ("1.50", "1.5"),
        ("sqrt(-100)", "√(-100)"),
    ],
)
def test_numbers(value: str, text: str) -> None:
    assert number_text(value) == text


@given(st.integers(-(10**6), 10**6), st.integers(-60, 60))
def test_a_number_keeps_its_value(mantissa: int, exponent: int) -> None:
    plain = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
    text = number_text(f"{mantissa}e{exponent}")
    digits, _, power = text.partition(" × 10")
    assert Decimal(digits).scaleb(int(power.translate(plain) or 0)) == Decimal(mantissa).scaleb(exponent)


@pytest.mark.parametrize(
    ("unit", "text"),
    [("m^3/(kg*s^2)", "m³/(kg·s²)"), ("mol^-1", "mol⁻¹"), ("J/(mol*K)", "J/(mol·K)"), ("", "")],
)
def test_units(unit: str, text: str) -> None:
    assert unit_text(unit) == text


def test_braces_in_data_are_no_placeholders(own_folder: Path, by_stem: dict[str, Case], prompts: Prompts) -> None:
    file = own_folder / "constants.toml"
    file.write_text(file.read_text().replace("How much is π times 3?", "How much is {π} times {marker}?"))
    (message,) = messages(by_stem["pi-nr-q2"], Catalogue.load(own_folder), prompts)
    assert "How much is {π} times {marker}?" in message["content"]
