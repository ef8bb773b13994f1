from __future__ import annotations

import json
import re
from dataclasses import replace

import pint
import pytest

from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.model import Case
from pytest_redefine.cases.prompts import Prompts
from pytest_redefine.cases.truth import Truth
from pytest_redefine.cases.truths import TruthTable

from . import recomputed


@pytest.mark.parametrize("key", recomputed.LEVELS)
def test_answers_agree_with_an_independent_recomputation(
    key: str, catalogue: Catalogue, cases: tuple[Case, ...], table: TruthTable
) -> None:
    mine = [case for case in cases if case.quantity == key]
    assert len(mine) == 18
    for case in mine:
        truth = table.truth(case)
        assert recomputed.same(truth.expected, recomputed.answer(key, case.redefinition, case.question)), case
        assert recomputed.same(truth.symbol_value, recomputed.number(key, case.redefinition)), case
        assert recomputed.same(truth.symbol_default, recomputed.number(key, "nr")), case
        if case.is_control:
            assert truth.default is None
        else:
            assert truth.default is not None
            assert recomputed.same(truth.default, recomputed.answer(key, "nr", case.question)), case


# By hand, with the reason that makes each of them easy to get wrong.
TRICKY = {
    "imaginary-ra1-q2": "0-2.82842712474619*I",  # (i√2)³ = -2√2 i, with the ordinary i
    "imaginary-ra2-q1": "-100",
    "imaginary-ra2-q2": "0-1000*I",
    "imaginary-ra3-q1": "1",  # differs from -1 in the sign alone
    "imaginary-ra1-q3": "3",
    "imaginary-ra3-q3": "0",  # a reference of exactly zero
    "imaginary-nr-q2": "0-1*I",
    "zero-ra3-q3": "-8.72085429987137e-32",  # sin(5e30)/5e30: a double has no digit of the sine right
    "zero-rs1-q3": "1",  # 1 - h²/6, which 15 digits do not tell from 1
    "zero-nr-q3": "1",  # a limit: sin(0)/0 has no value
    "zero-nr-q1": "0",
    "infinity-nr-q1": "oo",
    "infinity-nr-q2": "0",
    "infinity-nr-q3": "5",
    "infinity-ra1-q3": "5.00000249999975",
    "infinity-ra3-q2": "-1",
    "infinity-rs2-q3": "30",
    "euler-rs2-q3": "3.71570854615913e-12",  # √k_B
    "euler-ra1-q3": "3",
    "charge-nr-q2": "-3.204e-19",  # electrons are negative
    "boltzmann-ra3-q1": "9",  # -0.0099
    "planck-ra3-q1": "2",  # -0.2
    "lightspeed-ra3-q3": "1.28e15",  # a negative speed, squared
    "golden-nr-q3": "4.94427190999916",
    "permittivity-ra3-q3": "2.76310665090096e-27",
}


@pytest.mark.parametrize(("stem", "answer"), TRICKY.items())
def test_tricky_answers(stem: str, answer: str, by_stem: dict[str, Case], table: TruthTable) -> None:
    assert table.truth(by_stem[stem]).expected == answer


def test_indistinct_are_exactly_the_three_that_the_protocol_names(cases: tuple[Case, ...], table: TruthTable) -> None:
    found = {f"{case.quantity} {case.redefinition} {case.question}" for case in cases if table.truth(case).indistinct}
    assert found == {"infinity ra1 q3", "infinity rs1 q3", "zero rs1 q3"}


def test_indistinct_follows_the_tolerance(catalogue: Catalogue, prompts: Prompts, by_stem: dict[str, Case]) -> None:
    # 1.7725 against 1.6487: 7 % apart.
    case = by_stem["euler-rs1-q3"]
    assert not TruthTable(catalogue, prompts).truth(case).indistinct
    assert TruthTable(catalogue, prompts, tolerance=0.08).truth(case).indistinct
    # 5.0000025 against 5: not within a tolerance of a ten-millionth.
    assert not TruthTable(catalogue, prompts, tolerance=1e-7).truth(by_stem["infinity-ra1-q3"]).indistinct


def test_contested_are_those_of_the_protocol(cases: tuple[Case, ...], table: TruthTable) -> None:
    found = {f"{case.quantity} {case.question}" for case in cases if table.truth(case).contested}
    assert found == {
        "pi q3",
        "e q3",
        "i q3",
        "sqrt2 q3",
        "infinity q2",
        "infinity q3",
        "epsilon_0 q3",
        "zero q3",
    }
    assert all(table.truth(case).contested is case.contested for case in cases)


def test_earths_radius_leaves_a_percent_whatever_tolerance_is_asked_for(
    catalogue: Catalogue, prompts: Prompts, by_stem: dict[str, Case]
) -> None:
    strict = TruthTable(catalogue, prompts, tolerance=1e-6)
    assert strict.truth(by_stem["pi-ra2-q3"]).tolerance == 0.01
    assert strict.truth(by_stem["pi-ra2-q2"]).tolerance == 1e-6
    assert TruthTable(catalogue, prompts).truth(by_stem["pi-ra2-q3"]).tolerance == 0.02


def test_first_digits_are_digits_of_real_constants(cases: tuple[Case, ...], table: TruthTable) -> None:
    for case in cases:
        truth = table.truth(case)
        own_q1 = case.quantity in ("c", "i", "infinity", "zero")
        assert (truth.kind == "digit") == (case.question == "q1" and not own_q1)
        if truth.kind == "digit":
            assert re.fullmatch("[1-9]", truth.expected)
            assert not truth.unit
            assert not truth.also_units


def test_a_swap_accepts_the_unit_that_comes_with_the_number(by_stem: dict[str, Case], table: TruthTable) -> None:
    registry: pint.UnitRegistry[float] = pint.UnitRegistry(cache_folder=None)

    def accepted(stem: str) -> list[pint.Unit]:
        return [registry.parse_units(unit) for unit in table.truth(by_stem[stem]).also_units]

    assert accepted("pi-rs2-q2") == [registry.Unit("J*s")]
    assert registry.Unit("km^2*J*s") in accepted("pi-rs2-q3")
    assert registry.Unit("J^2/K^2") in accepted("euler-rs2-q2")
    assert registry.Unit("J^0.5/K^0.5") in accepted("euler-rs2-q3")
    assert registry.Unit("C") in accepted("gravitation-rs1-q2")
    assert registry.Unit("C") in accepted("charge-rs2-q3")  # 3.2e-18 C over a bare π
    assert accepted("pi-rs1-q2") == []
    assert accepted("charge-rs2-q2") == []  # a bare number is accepted anyway


def test_only_swaps_carry_units_and_all_units_are_readable(cases: tuple[Case, ...], table: TruthTable) -> None:
    registry: pint.UnitRegistry[float] = pint.UnitRegistry(cache_folder=None)
    for case in cases:
        truth = table.truth(case)
        for unit in (truth.unit, *truth.also_units):
            registry.parse_units(unit)
        if not case.redefinition.startswith("rs"):
            assert truth.also_units == ()
        assert truth.unit not in truth.also_units


def test_other_ordinary_answers_stand_beside_the_default(by_stem: dict[str, Case], table: TruthTable) -> None:
    assert table.truth(by_stem["euler-ra2-q3"]).also_default == ("1.62889462677744",)  # 1.05¹⁰
    assert table.truth(by_stem["permittivity-ra2-q3"]).also_default == ("0.000936458333333333",)  # k = 8.99e9
    assert table.truth(by_stem["euler-nr-q3"]).also_default == ()


def test_truth_survives_json(cases: tuple[Case, ...], table: TruthTable) -> None:
    for case in cases:
        truth = table.truth(case)
        assert Truth.from_json(json.loads(json.dumps(truth.to_json()))) == truth


def test_samples_share_their_truth(by_stem: dict[str, Case], table: TruthTable) -> None:
    case = by_stem["pi-ra2-q2"]
    assert table.truth(replace(case, sample=7)) == table.truth(case)


def test_a_neutral_control_has_nothing_to_anchor_on(by_id: dict[str, Case], table: TruthTable) -> None:
    neutral, twin = table.truth(by_id["pi-neutral2-q2-ff-zs-s0"]), table.truth(by_id["pi-ra2-q2-ff-zs-s0"])
    assert (neutral.expected, neutral.default, neutral.also_default) == (twin.expected, None, ())
    assert (neutral.symbol, neutral.symbol_value, neutral.symbol_default) == ("ζ", "500", "500")
    assert not neutral.indistinct
    unit = table.truth(by_id["kilowatt-neutral1-q2-ff-zs-s0"])
    assert unit.unit == ""  # 0.6 of what means nothing to a reader of units either
    assert unit.unit_redefinition
    assert unit.unit_redefinition.unit == "murk"
    assert table.truth(by_id["kilowatt-neutral1-q1-ff-zs-s0"]).unit == "W"


def test_the_options_of_a_neutral_control_are_its_twins(by_id: dict[str, Case], table: TruthTable) -> None:
    for stem, case in by_id.items():
        if case.is_neutral and case.format == "mc":
            twin = by_id[stem.replace(case.redefinition, case.level)]
            assert table.truth(case).options == table.truth(twin).options


def test_free_form_has_no_options(everything: tuple[Case, ...], table: TruthTable) -> None:
    for case in everything:
        truth = table.truth(case)
        assert (truth.options is None) is (truth.format == "ff") is (case.format == "ff")
        assert Truth.from_json(json.loads(json.dumps(truth.to_json()))) == truth


def test_the_prompt_of_a_truth_is_what_is_asked_without_worked_examples(
    everything: tuple[Case, ...], table: TruthTable
) -> None:
    # A grader takes a repetition of the prompt for an echo: "The final answer is: B" after examples would be one.
    for case in everything:
        plain = replace(case, prompting="zs") if case.prompting == "fs" else case
        assert [{"role": "user", "content": table.truth(case).prompt}] == table.messages(plain)
        assert table.truth(case).prompt.count("The final answer is:") == 1
