"""The truth of a case: everything an answer is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

DEFAULT_TOLERANCE = 0.02

Kind = Literal["number", "digit"]


@dataclass(frozen=True, slots=True)
class UnitRedefinition:
    """One unit of a redefined kind, as the prompt states it: ``1 unit = ratio derived``."""

    unit: str
    """Its name (``minute``, ``kelvin``)."""
    derived: str
    """What it is measured in, as Pint reads it (``second``, ``cm^3``, ``degC``)."""
    ratio: str
    """An exact decimal; of kelvin a map of ``C``, the temperature in °C: ``C + 300``, ``100*C + 500``."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What an answer is compared with; the fields are those that ``pytest-redefine grade`` reads.

    Values are decimal strings of at least 10 significant digits: ``"1500"``, ``"-4.14e-34"``, ``"0+1.5*I"``
    for complex numbers, ``"oo"`` where the answer is "infinite" or "has no value".
    """

    expected: str
    """The answer under the redefinition; in a control the ordinary answer."""
    default: str | None = None
    """The answer under the memorised value; None in a control, where nothing can be anchored."""
    kind: Kind = "number"
    """``digit``: one decimal digit, compared exactly."""
    unit: str = ""
    """The unit asked for, as Pint reads it (``m^3/(kg*s^2)``); empty for a bare number."""
    also_units: tuple[str, ...] = ()
    """Units accepted too, with the number as it stands (a swap: the other constant's carried-over unit)."""
    also_default: tuple[str, ...] = ()
    """Other values that count as the memorised answer."""
    undecidable: tuple[str, ...] = ()
    """Those of ``default`` and ``also_default`` that follow from the redefinition too, by another reading of the
    question: a match, or the option of that value, is ``hedged`` (ly q3 under ra1)."""
    tolerance: float = DEFAULT_TOLERANCE
    """Relative: |answer - reference| <= tolerance * |reference|."""
    format: Literal["ff", "mc"] = "ff"
    options: Mapping[str, str] | None = None
    """Multiple choice: letter -> the option's value, a decimal string. That of the right option is ``expected`` and
    that of the ordinary one ``default``, digit for digit; the prompt prints all of them with four digits."""
    symbol: str = ""
    """The redefined symbol as the prompt prints it (``π``), with its new and its memorised value."""
    symbol_value: str = ""
    symbol_default: str = ""
    unit_redefinition: UnitRedefinition | None = None
    prompt: str = ""
    """What was asked, without worked examples, so that an echo of it is told from an answer."""
    indistinct: bool = False
    """Both references lie within tolerance: a match is correct, never anchored, counted in neither rate."""
    contested: bool = False
    """An able solver may defend the default answer."""

    def to_json(self) -> dict[str, Any]:
        """Plain builtins only; what equals its default is left out."""
        out: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if value == field.default:
                continue
            if isinstance(value, UnitRedefinition):
                value = {"unit": value.unit, "derived": value.derived, "ratio": value.ratio}
            elif isinstance(value, tuple):
                value = list(value)
            elif isinstance(value, Mapping):
                value = dict(value)
            out[field.name] = value
        return out

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Truth:
        """The inverse of :meth:`to_json`; unknown keys are ignored.

        Raises:
            KeyError: ``expected`` is missing.
        """
        known = {field.name for field in fields(cls)}
        values = {name: value for name, value in data.items() if name in known and value is not None}
        if "expected" not in values:
            raise KeyError("expected")
        for name in ("also_units", "also_default", "undecidable"):
            if name in values:
                values[name] = tuple(values[name])
        if "unit_redefinition" in values:
            redefinition = values["unit_redefinition"]
            values["unit_redefinition"] = UnitRedefinition(
                redefinition["unit"], redefinition["derived"], str(redefinition["ratio"])
            )
        return cls(**values)
