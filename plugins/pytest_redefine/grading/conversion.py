"""How a number in one unit becomes one in another when a third is redefined: Pint's work, in a registry of our own."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from pytest_redefine.cases.truth import UnitRedefinition
from pytest_redefine.grading.unit_reader import unit_of
from pytest_redefine.grading.units import BASES, TABLE, Factor

if TYPE_CHECKING:
    import pint

_RATIO: Final = re.compile(r"\s*[+-]?(?:\d{1,40}\.?\d{0,40}|\.\d{1,40})(?:[eE][+-]?\d{1,3})?\s*")
_AFFINE: Final = re.compile(
    r"\s*(?:(?P<scale>-?\d{1,20}(?:\.\d{1,20})?)\s*\*\s*)?C"
    r"\s*(?:(?P<sign>[+-])\s*(?P<offset>\d{1,20}(?:\.\d{1,20})?))?\s*"
)
_MAX_POWER: Final = 12


class Linear(NamedTuple):
    """``asked = scale * written + offset``."""

    scale: Decimal
    offset: Decimal


@lru_cache(maxsize=256)
def _registry(derived: tuple[Factor, ...], ratio: str) -> pint.UnitRegistry[Decimal]:
    """A registry in which ``redefined`` is ``ratio`` times ``derived``; the ordinary one without a ratio.

    Pint's own definitions take 0.28 s to load, these 3 ms.
    """
    import pint

    affine = _AFFINE.fullmatch(ratio) if ratio else None
    lines = list(BASES)
    for name, definition, _, _, _ in TABLE:
        if affine is not None and name in ("degree_celsius", "degree_fahrenheit"):
            scale = Decimal(affine["scale"] or 1)
            offset = Decimal((affine["sign"] or "") + (affine["offset"] or "0"))
            if name == "degree_fahrenheit":
                scale, offset = scale * 5 / 9, offset - scale * 160 / 9
            definition = f"{scale} * xK; offset: {offset}"
        lines.append(f"{name} = {definition}")
    if ratio and affine is None:
        product = " * ".join(f"(1e{prefix} * {name}) ** {power}" for prefix, name, power in derived) or "1"
        lines.append(f"redefined = {ratio} * {product}")
    return pint.UnitRegistry(lines, non_int_type=Decimal)


@lru_cache(maxsize=16384)
def conversion(
    written: tuple[Factor, ...], asked: tuple[Factor, ...], change: UnitRedefinition | None
) -> Linear | None:
    """How a number in ``written`` becomes one in ``asked`` when ``change`` holds.

    Returns:
        None where the dimensions differ.
    """
    if written == asked:
        return Linear(Decimal(1), Decimal(0))
    redefined, derived, ratio = _change(change)
    key = redefined if len(redefined) == 1 else None
    source, source_scale = _container(written, key)
    target, target_scale = _container(asked, key)
    if source is None or target is None:
        return None
    registry = _registry(derived, ratio)
    import pint

    containers = registry.UnitsContainer(source), registry.UnitsContainer(target)
    try:
        if any(name.startswith("degree_") for name in (*source, *target)):
            zero = Decimal(registry.convert(Decimal(0), *containers))
            one = Decimal(registry.convert(Decimal(1), *containers))
            return Linear((one - zero) * source_scale / target_scale, zero / target_scale)
        scale = Decimal(registry.convert(Decimal(1), *containers))
    except (pint.PintError, ArithmeticError):
        return None
    return Linear(scale * source_scale / target_scale, Decimal(0))


def _change(change: UnitRedefinition | None) -> tuple[tuple[Factor, ...], tuple[Factor, ...], str]:
    if change is None:
        return (), (), ""
    unit, derived = unit_of(change.unit), unit_of(change.derived)
    # The ratio goes into a definition: nothing but a number or an affine map may.
    known = _RATIO.fullmatch(change.ratio) or _AFFINE.fullmatch(change.ratio)
    if unit is None or derived is None or not known:
        return (), (), ""
    return unit.factors, derived.factors, change.ratio


def _container(
    factors: tuple[Factor, ...], redefined: tuple[Factor, ...] | None
) -> tuple[dict[str, Decimal] | None, Decimal]:
    """Pint's exponents by name, and the power of ten of the prefixes."""
    exponents: dict[str, Decimal] = {}
    shift = 0
    for prefix, name, power in factors:
        if abs(power) > _MAX_POWER:
            return None, Decimal(1)
        if redefined is not None and redefined[0][:2] == (prefix, name):
            key = "redefined" if name != "kelvin" else name
        else:
            key, shift = name, shift + prefix * power
        exponents[key] = exponents.get(key, Decimal(0)) + power
    return {name: power for name, power in exponents.items() if power}, Decimal(10) ** shift
