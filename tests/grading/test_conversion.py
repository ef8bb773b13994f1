"""Units: a redefinition moves every spelling of its unit and no relative of it."""

from __future__ import annotations

from decimal import Decimal

import pytest

from pytest_redefine.cases.truth import UnitRedefinition
from pytest_redefine.grading.conversion import Linear, conversion
from pytest_redefine.grading.unit_reader import unit_of

# unit, its spellings, the derived unit, the ordinary ratio, relatives with their size in the derived unit
UNITS = [
    ("min", "min minute minutes mins", "s", "60", {"h": "3600", "day": "86400", "ms": "0.001"}),
    ("kg", "kg kilogram kilograms kgs kilo", "g", "1000", {"mg": "0.001", "t": "1e6", "lb": "453.59237"}),
    ("m", "m metre meters", "cm", "100", {"km": "1e5", "mm": "0.1", "nm": "1e-7", "ft": "30.48"}),
    ("mL", "mL ml millilitre milliliters", "cm^3", "1", {"L": "1000", "cc": "1", "m^3": "1e6"}),
    ("cal", "cal calorie calories", "J", "4.184", {"kcal": "4184", "kJ": "1000", "N*m": "1"}),
    ("atm", "atm atmosphere atmospheres", "Pa", "101325", {"bar": "1e5", "kPa": "1000", "N/m^2": "1"}),
    ("V", "V volt volts", "mV", "1000", {"kV": "1e6", "J/C": "1000"}),
    ("MHz", "MHz megahertz", "Hz", "1e6", {"kHz": "1000", "GHz": "1e9", "s^-1": "1"}),
    ("N", "N newton newtons", "mN", "1000", {"kN": "1e6", "kg*m/s^2": "1000"}),
    ("kW", "kW kilowatt kilowatts", "W", "1000", {"MW": "1e6", "mW": "0.001", "J/s": "1"}),
    ("T", "T tesla teslas", "mT", "1000", {"μT": "0.001", "Wb/m^2": "1000"}),
    ("ha", "ha hectare hectares", "m^2", "10000", {"km^2": "1e6", "acre": "4046.8564224"}),
    ("lx", "lx lux", "lm/m^2", "1", {"klx": "1000"}),
    ("ly", "ly light-year light-years lightyears", "km", "9.461e12", {"m": "0.001", "pc": "3.0857e13"}),
    ("B", "B byte bytes", "b", "8", {"kB": "8000", "Mb": "1e6"}),
]
LEVELS = {
    "min": ("100", "5e8", "-50"), "kg": ("900", "1e-14", "-100"), "m": ("60", "3e10", "-200"),
    "mL": ("2", "10000", "-10"), "cal": ("9", "1500", "-5"), "atm": ("215000", "0.55", "-5000"),
    "V": ("500", "4e9", "-10"), "MHz": ("1e5", "2", "-1e3"), "N": ("900", "2e15", "-3000"),
    "kW": ("1500", "5e-5", "-30"), "T": ("600", "1e23", "-90"), "ha": ("10500", "3e-4", "-25"),
    "lx": ("0.5", "1000", "-19"), "ly": ("9.461e9", "0.01", "-2e12"), "B": ("10", "6e8", "-4"),
}  # fmt: skip


def convert(written: str, asked: str, change: UnitRedefinition | None = None) -> Linear | None:
    unit, target = unit_of(written), unit_of(asked)
    assert unit is not None, written
    assert target is not None, asked
    return conversion(unit.factors, target.factors, change)


@pytest.mark.parametrize("level", range(3))
@pytest.mark.parametrize(
    ("unit", "spellings", "derived", "ordinary", "relatives"), UNITS, ids=[row[0] for row in UNITS]
)
def test_every_spelling_moves_and_no_relative(
    unit: str, spellings: str, derived: str, ordinary: str, relatives: dict[str, str], level: int
) -> None:
    ratio = LEVELS[unit][level]
    change = UnitRedefinition(unit, derived, ratio)
    for spelling in spellings.split():
        assert convert(spelling, derived) == Linear(Decimal(ordinary), Decimal(0)), spelling
        moved = convert(spelling, derived, change)
        assert moved is not None
        assert moved.scale == Decimal(ratio), spelling
    for relative, size in relatives.items():
        found = convert(relative, derived, change)
        assert found is not None, relative
        assert found.scale == Decimal(size), relative


@pytest.mark.parametrize(("ratio", "at_100"), [("C + 300", "400"), ("C + 1", "101"), ("100*C + 500", "10500")])
def test_kelvin_is_an_affine_map_of_celsius(ratio: str, at_100: str) -> None:
    found = convert("°C", "K", UnitRedefinition("kelvin", "°C", ratio))
    assert found is not None
    assert found.scale * 100 + found.offset == Decimal(at_100)
    ordinary = convert("°C", "K")
    assert ordinary is not None
    assert ordinary.scale * 100 + ordinary.offset == Decimal("373.15")


@pytest.mark.parametrize(
    ("written", "asked", "scale"),
    [
        ("km^2", "m^2", "1e6"),
        ("square kilometers", "km^2", "1"),
        ("sq. km", "km^2", "1"),
        ("km²", "m²", "1e6"),
        ("J·s", "J*s", "1"),
        ("joule-seconds", "J*s", "1"),
        ("m³ kg⁻¹ s⁻²", "m^3/(kg*s^2)", "1"),
        ("N m^2 kg^-2", "m^3/(kg*s^2)", "1"),
        ("meters per second squared", "m/s^2", "1"),
        ("kWh", "W*h", "1000"),
        ("watt-hours", "Wh", "1"),
        ("eV", "J", "1.602e-19"),
        ("gr", "g", "1"),
        ("Mhz", "Hz", "1e6"),
        ("m2", "m^2", "1"),
        ("s-1", "Hz", "1"),
    ],
)
def test_spellings(written: str, asked: str, scale: str) -> None:
    found = convert(written, asked)
    assert found is not None
    assert found.scale == Decimal(scale)


@pytest.mark.parametrize(("written", "asked"), [("m", "s"), ("J", "J*s"), ("km", "km^2"), ("K", "J"), ("B", "s")])
def test_another_dimension(written: str, asked: str) -> None:
    assert convert(written, asked) is None


@pytest.mark.parametrize("text", ["at", "is", "in", "a", "apples", "m" * 40, "__import__", "m^9999", ""])
def test_what_is_no_unit(text: str) -> None:
    unit = unit_of(text)
    assert unit is None or conversion(unit.factors, (), None) is None


@pytest.mark.parametrize("ratio", ["1; import os", "10**10**10", "x", "1e9999999", "C + C", ""])
def test_a_ratio_that_is_no_number_redefines_nothing(ratio: str) -> None:
    assert convert("min", "s", UnitRedefinition("min", "s", ratio)) == Linear(Decimal(60), Decimal(0))
