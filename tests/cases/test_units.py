"""The 192 cases about units: what is asked, what is true, and that a redefinition moves one unit alone."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pint
import pytest

from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.model import Case, Quantity
from pytest_redefine.cases.prompts import Prompts
from pytest_redefine.cases.truths import TruthTable
from pytest_redefine.cases.unit_answers import UnitAnswers
from pytest_redefine.cases.unit_system import Affine, read_value
from pytest_redefine.cases.wording import redefinition_text

from . import recomputed_units

WORDS = {
    "min": "minute",
    "kg": "kilogram",
    "m": "metre",
    "K": "kelvin",
    "mL": "millilitre",
    "cal": "calorie",
    "atm": "atmosphere",
    "V": "volt",
    "MHz": "megahertz",
    "N": "newton",
    "kW": "kilowatt",
    "T": "tesla",
    "ha": "hectare",
    "lx": "lux",
    "ly": "lightyear",
    "B": "byte",
}
REDEFINED = [(key, level) for key in WORDS for level in ("ra1", "ra2", "ra3")]


@pytest.fixture(scope="module")
def evaluated(catalogue: Catalogue) -> UnitAnswers:
    return UnitAnswers(catalogue.system)


def test_units_and_their_words(catalogue: Catalogue) -> None:
    assert {key: quantity.word for key, quantity in catalogue.tasks["units"].items()} == WORDS


def test_144_redefined_cases_and_48_controls(units: tuple[Case, ...]) -> None:
    assert len(units) == 192
    assert sum(case.is_control for case in units) == 48


def test_a_word_selects_its_unit_alone(units: tuple[Case, ...], cases: tuple[Case, ...]) -> None:
    for key, word in WORDS.items():
        assert {case.quantity for case in units if word in f"test_units[{case.id_stem}]"} == {key}
        assert not [case for case in cases if word in case.id_stem]
    for case in cases:
        assert not [unit for unit in units if case.word in unit.id_stem], case.word


@pytest.mark.parametrize("key", WORDS)
def test_answers_agree_with_an_independent_recomputation(key: str, units: tuple[Case, ...], table: TruthTable) -> None:
    mine = [case for case in units if case.quantity == key]
    assert len(mine) == 12
    for case in mine:
        truth = table.truth(case)
        wanted = recomputed_units.answer(key, case.redefinition, case.question)
        assert recomputed_units.same(truth.expected, wanted), (case, truth.expected, float(wanted))
        if case.is_control:
            assert truth.default is None
            assert truth.unit_redefinition is None
        else:
            assert truth.default is not None
            assert recomputed_units.same(truth.default, recomputed_units.answer(key, "nr", case.question)), case


# By hand, with the reason that makes each of them easy to get wrong.
TRICKY = {
    "metre-ra1-q3": "5400000",  # 60², not 60
    "metre-ra3-q3": "60000000",  # a negative length, squared
    "kelvin-ra3-q1": "500",  # an affine map, not a factor
    "kelvin-nr-q3": "287.15",
    "kelvin-ra2-q3": "15",
    "millilitre-ra1-q1": "0.5",  # how many of the new ones make 1 cm³
    "volt-ra1-q3": "10",  # 100,000 mV are 200 of the new volts
    "newton-ra1-q3": "0.477777777777778",  # 4,300 mN are 4.78 of the new newtons
    "tesla-ra3-q3": "-8",
    "lightyear-ra1-q3": "4730.5",  # at the speed that the question states
    "lightyear-ra2-q3": "5e-9",
    "hectare-ra1-q3": "5",
    "kilogram-ra2-q1": "2e-14",
    "byte-ra3-q3": "-1920000000",
    "calorie-nr-q3": "97514.3403441683",  # a minute of 60 s, since the calorie is what is redefined
    "minute-ra1-q3": "24705.8823529412",
    "atmosphere-ra3-q3": "-60",
}


@pytest.mark.parametrize(("stem", "answer"), TRICKY.items())
def test_tricky_answers(stem: str, answer: str, by_stem: dict[str, Case], table: TruthTable) -> None:
    assert table.truth(by_stem[stem]).expected == answer


def test_no_case_is_indistinct_and_these_are_contested(units: tuple[Case, ...], table: TruthTable) -> None:
    assert not [case for case in units if table.truth(case).indistinct]
    contested = {f"{case.quantity} {case.question}" for case in units if table.truth(case).contested}
    assert contested == {"min q3", "V q3", "N q3", "T q3", "ly q3"}


def test_a_light_year_has_a_second_ordinary_answer_and_is_undecided_once(
    by_stem: dict[str, Case], units: tuple[Case, ...], table: TruthTable
) -> None:
    for level in ("ra1", "ra2", "ra3"):
        truth = table.truth(by_stem[f"lightyear-{level}-q3"])
        assert truth.also_default == ("4730500000",)
        assert truth.undecidable == (("4730500",) if level == "ra1" else ())
        assert truth.default == "4730500"
    assert [case.id_stem for case in units if table.truth(case).undecidable] == ["lightyear-ra1-q3-ff-zs-s0"]


# What a redefinition moves


def _size(registry: pint.UnitRegistry[Any], name: str) -> tuple[Any, dict[str, Any]]:
    """What a unit is worth in base units, and of which dimension."""
    found = registry.Quantity(Fraction(1), name).to_root_units()
    return found.magnitude, dict(found._units)


def _aliases(quantity: Quantity) -> list[str]:
    assert quantity.scale
    return [quantity.word, quantity.symbol, *quantity.scale.aliases]


@pytest.mark.parametrize(("key", "level"), REDEFINED, ids=["-".join(pair) for pair in REDEFINED])
def test_every_alias_moves_and_no_relative_does(
    key: str, level: str, catalogue: Catalogue, evaluated: UnitAnswers
) -> None:
    quantity = catalogue.tasks["units"][key]
    assert quantity.scale
    value = quantity.redefinitions[level].value
    ordinary, redefined = evaluated.registry(), evaluated.registry(quantity.word, value)
    aliases = _aliases(quantity)
    for alias in (*aliases, f"{quantity.word}s"):  # Pint knows a plural of its own accord
        if key == "K":
            worth = read_value(value)
            assert isinstance(worth, Affine)
            for celsius in (-40, 0, 14, 100):
                got = redefined.Quantity(Fraction(celsius), "celsius").to(alias).magnitude
                assert got == Fraction(worth.scale) * celsius + Fraction(worth.offset)
        else:
            size, dimension = _size(redefined, alias)
            old, old_dimension = _size(ordinary, alias)
            assert size == old * Fraction(value) / Fraction(quantity.default)
            assert size != old
            assert dimension == old_dimension
    others = [name for name in catalogue.system.canonical if name not in aliases]
    assert len(others) > 50
    for name in others:
        if catalogue.system.canonical[name] != "kelvin":
            assert _size(redefined, name) == _size(ordinary, name), name


def test_the_ordinary_registry_agrees_with_pints_own(catalogue: Catalogue, evaluated: UnitAnswers) -> None:
    own: pint.UnitRegistry[Any] = pint.UnitRegistry(cache_folder=None)
    ordinary = evaluated.registry()
    for key, quantity in catalogue.tasks["units"].items():
        assert quantity.scale
        if key == "K":
            assert own.Quantity(0, "degC").to("kelvin").magnitude == pytest.approx(273.15)
            continue
        factor = own.Quantity(1, quantity.word).to(quantity.scale.derived).magnitude
        # The light-year of the benchmark is rounded, the rest are exact.
        assert factor == pytest.approx(float(Fraction(quantity.default)), rel=1e-4 if key == "ly" else 1e-12), key
    for name in ("joule", "watt", "watt_hour", "pascal", "ohm", "millivolt", "millinewton", "millitesla", "coulomb"):
        size = ordinary.Quantity(Fraction(1), name).to_root_units()
        theirs = own.Quantity(1, name).to("*".join(f"{unit}**{power}" for unit, power in size._units.items()))
        assert theirs.magnitude == pytest.approx(float(size.magnitude)), name


def test_every_unit_asked_for_is_one_that_pint_reads(units: tuple[Case, ...], table: TruthTable) -> None:
    own: pint.UnitRegistry[float] = pint.UnitRegistry(cache_folder=None)
    for case in units:
        truth = table.truth(case)
        assert truth.unit
        own.parse_units(truth.unit)
        if truth.unit_redefinition:
            own.parse_units(truth.unit_redefinition.unit)
            own.parse_units(truth.unit_redefinition.derived)


def test_what_the_grader_is_told(by_stem: dict[str, Case], table: TruthTable) -> None:
    def told(stem: str) -> tuple[str, str, str]:
        found = table.truth(by_stem[stem]).unit_redefinition
        assert found
        return found.unit, found.derived, found.ratio

    assert told("minute-ra1-q1") == ("minute", "second", "100")
    assert told("millilitre-ra3-q1") == ("millilitre", "cm^3", "-10")
    assert told("kelvin-ra1-q1") == ("kelvin", "degC", "C + 300")
    assert told("kelvin-ra3-q1") == ("kelvin", "degC", "100*C + 500")
    assert told("lightyear-ra1-q1") == ("lightyear", "kilometre", "9.461e9")


REDEFINITIONS = {
    "minute-ra1-q1": "Redefine the minute as 100 seconds.",
    "minute-ra2-q1": "Redefine the minute as 5 × 10⁸ seconds.",
    "minute-ra3-q1": "Redefine the minute as -50 seconds.",
    "kilogram-ra2-q1": "Redefine the kilogram as 1 × 10⁻¹⁴ grams.",
    "metre-ra2-q1": "Redefine the metre as 3 × 10¹⁰ centimetres.",
    "kelvin-ra1-q1": "Redefine the Kelvin scale as T(K) = T(°C) + 300.",
    "kelvin-ra3-q1": "Redefine the Kelvin scale as T(K) = 100 · T(°C) + 500.",
    "millilitre-ra1-q1": "Redefine the millilitre as 2 cm³.",
    "calorie-ra3-q1": "Redefine the calorie as -5 joules.",
    "atmosphere-ra1-q1": "Redefine the atmosphere (the unit atm) as 215000 pascals.",
    "kilowatt-ra2-q1": "Redefine the kilowatt as 5 × 10⁻⁵ watts.",
    "hectare-ra2-q1": "Redefine the hectare as 3 × 10⁻⁴ m².",
    "lux-ra1-q1": "Redefine the lux as 0.5 lm/m².",
    "lightyear-ra2-q1": "Redefine the light-year as 0.01 km.",
    "byte-ra1-q1": "Redefine the byte as 10 bits.",
}


@pytest.mark.parametrize(("stem", "text"), REDEFINITIONS.items())
def test_redefinitions_read_naturally(
    stem: str, text: str, by_stem: dict[str, Case], catalogue: Catalogue, prompts: Prompts
) -> None:
    assert redefinition_text(by_stem[stem], catalogue, prompts) == text


def test_the_prompt_states_the_value_and_no_ordinary_one(
    units: tuple[Case, ...], catalogue: Catalogue, prompts: Prompts, table: TruthTable
) -> None:
    for case in units:
        line = redefinition_text(case, catalogue, prompts)
        assert bool(line) is not case.is_control
        (message,) = table.messages(case)
        assert message["content"].startswith(line)
        assert "{" not in message["content"]
        assert "**" not in message["content"]
