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
from pytest_redefine.cases.truths import TruthTable
from pytest_redefine.cases.wording import (
    answer_text,
    messages,
    number_text,
    redefinition_text,
    scale_text,
    unit_text,
)

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


# Multiple choice, chain of thought, neutral controls


def test_a_whole_message_of_multiple_choice(by_id: dict[str, Case], table: TruthTable) -> None:
    (message,) = table.messages(by_id["minute-ra1-q1-mc-zs-s0"])
    options = re.findall(r"^([A-D]): (.+)$", message["content"], re.MULTILINE)
    assert [letter for letter, _ in options] == list("ABCD")
    assert {"200.0 s", "120.0 s"} < {text for _, text in options}
    lines = "\n".join(f"{letter}: {text}" for letter, text in options)
    assert message["content"] == (
        "Redefine the minute as 100 seconds.\n"
        "Answer this question by picking one of the four options.\n\n"
        f"How many seconds do 2 minutes last?\n{lines}\n\n"
        'End your reply with the words "The final answer is:" and, after them, nothing but the letter of the option.'
    )


def test_thinking_and_a_bare_letter_do_not_contradict_each_other(by_id: dict[str, Case], table: TruthTable) -> None:
    # ERRATA 28: "think step by step" beside "give only the letter". Here only the end of the reply is laid down.
    (plain,), (thinking,) = (table.messages(by_id[f"pi-ra2-q2-mc-{prompting}-s0"]) for prompting in ("zs", "cot"))
    paragraphs = thinking["content"].split("\n\n")
    assert paragraphs[-2] == "Think it through step by step before you settle on an answer."
    assert paragraphs[-1].startswith("End your reply with")
    assert "\n\n".join((*paragraphs[:-2], paragraphs[-1])) == plain["content"]
    assert not re.search(r"\b(only|just|nothing else)\b", thinking["content"])


def test_no_message_of_any_arm_has_templates_left(everything: tuple[Case, ...], table: TruthTable) -> None:
    for case in everything:
        (message,) = table.messages(case)
        assert not re.search(r"[{}*]|  |\n\n\n", message["content"]), message
        assert message["content"].count("The final answer is:") == (5 if case.prompting == "fs" else 1)


NEUTRAL = {
    "pi-neutral2-q2-ff-zs-s0": ("Let ζ be 500.", "How much is ζ times 3?"),
    "planck-neutral1-q2-ff-zs-s0": (
        "Let κ be 5 × 10⁻³³ J·s.",
        "A photon has a frequency of 4 Hz. Use E = κ·ν to find its energy in joules.",
    ),
    "imaginary-neutral1-q1-ff-zs-s0": ("Let Ξ be √(-2).", "How much is Ξ²?"),
    "minute-neutral1-q1-ff-zs-s0": ("Let one zorn be 100 seconds.", "How many seconds do 2 zorns last?"),
    "kelvin-neutral3-q1-ff-zs-s0": (
        "Let the dorm scale be T(dorm) = 100 · T(°C) + 500.",
        "It is 0 °C. What is the temperature in dorms?",
    ),
}


@pytest.mark.parametrize(("stem", "texts"), NEUTRAL.items())
def test_neutral_controls_read_naturally(
    stem: str, texts: tuple[str, str], by_id: dict[str, Case], table: TruthTable
) -> None:
    (message,) = table.messages(by_id[stem])
    line, _, rest = message["content"].partition("\n")
    assert (line, rest.split("\n\n")[1]) == texts


def test_a_neutral_control_never_says_the_name(
    everything: tuple[Case, ...], catalogue: Catalogue, table: TruthTable
) -> None:
    for case in everything:
        # The options are those of the twin: one may be ∞.
        if not case.is_neutral or (case.format, case.prompting) != ("ff", "zs"):
            continue
        quantity = catalogue.quantity(case)
        (message,) = table.messages(case)
        text = message["content"].replace("Let ", "")
        assert not re.search(rf"\b{re.escape(quantity.noun)}s?\b", text), text
        # Two particles with a charge are no elementary charge, and a photon's energy no constant.
        if quantity.word != "charge":
            assert not re.search(rf"\b{quantity.word}\b", text, re.IGNORECASE), text
        if len(quantity.symbol) > 1 or quantity.symbol in "πφ∞":
            assert not re.search(rf"(?<![a-z]){re.escape(quantity.symbol)}(?![a-z])", text, re.IGNORECASE), text


def test_options_and_examples_are_asked_for_where_they_belong(
    by_id: dict[str, Case], catalogue: Catalogue, prompts: Prompts
) -> None:
    for stem, given_parts in (
        ("pi-ra2-q2-mc-zs-s0", {}),
        ("pi-ra2-q2-ff-fs-s0", {}),
        ("pi-ra2-q2-ff-zs-s0", {"options": "A: 1"}),
        ("pi-ra2-q2-ff-cot-s0", {"examples": "..."}),
    ):
        with pytest.raises(ValueError, match="options belong to mc and examples to fs"):
            messages(by_id[stem], catalogue, prompts, **given_parts)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        ("9.42477796076938", "", "9.425"),
        ("1500", "km^2", "1500 km²"),
        ("1.9878e-33", "J", "1.988 × 10⁻³³ J"),
        ("0-2.82842712474619*I", "", "-2.828i"),
        ("1-2.82842712474619*I", "", "1 - 2.828i"),
        ("1.5+2*I", "", "1.5 + 2i"),
        ("oo", "", "∞"),
        ("0.9", "kW", "0.9 kW"),
    ],
)
def test_answers_of_examples(value: str, unit: str, text: str) -> None:
    assert answer_text(value, unit) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("100", "100"),
        ("1e-14", "1 × 10⁻¹⁴"),
        ("C + 300", "T(°C) + 300"),
        ("100*C + 500", "100 · T(°C) + 500"),
        ("-2*C - 0.5", "-2 · T(°C) - 0.5"),
        ("3*C", "3 · T(°C)"),
    ],
)
def test_values_of_units(value: str, text: str) -> None:
    assert scale_text(value) == text
