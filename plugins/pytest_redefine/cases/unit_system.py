"""The units that expressions may name, and what each is worth when one of them is redefined. No Pint: only text.

Pint's own definitions take 0.28 s to load and tie units to one another: redefine the minute there, and hour and day
move with it. So the data bring short ones of their own (6 ms; 1 ms for those of one question), and
:meth:`UnitSystem.lines` cuts the redefined unit out of the definition of every other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import cached_property
from typing import Final

from . import expressions

ORDINARY: Final = "ordinary_"
"""Before the name of the redefined unit: what the units defined by it go on being defined by."""

_NAME: Final = re.compile(r"(?<![\w.])[A-Za-z_]\w*", re.ASCII)
_NUMBER: Final = r"\d+(?:\.\d+)?(?:e-?\d+)?"
_SIGNED: Final = re.compile(rf"-?{_NUMBER}", re.ASCII)
_AFFINE: Final = re.compile(rf"(?:(?P<scale>-?{_NUMBER})\*)?C(?: (?P<sign>[+-]) (?P<offset>{_NUMBER}))?", re.ASCII)
_BASE: Final = re.compile(r"\[[a-z_]+\]", re.ASCII)
_EXACT: Final = Context(prec=60, Emin=-999_999, Emax=999_999)


@dataclass(frozen=True, slots=True)
class Affine:
    """``unit = scale * derived + offset``, read of a thermometer."""

    scale: Decimal
    offset: Decimal


def read_value(text: str) -> Decimal | Affine:
    """A unit's value: how many derived units make one, or an affine map of ``C`` degrees.

    Raises:
        ValueError: It is neither, or no unit could have it: one that is zero measures nothing.
    """
    affine = _AFFINE.fullmatch(text)
    value: Decimal | Affine
    if affine:
        value = Affine(Decimal(affine["scale"] or 1), Decimal((affine["sign"] or "") + (affine["offset"] or "0")))
    elif _SIGNED.fullmatch(text):
        value = Decimal(text)
    else:
        raise ValueError(f"{text!r} is neither a decimal number nor an affine map such as 100*C + 500")
    if not (value.scale if isinstance(value, Affine) else value):
        raise ValueError(f"{text!r} would make the unit measure nothing")
    return value


@dataclass(frozen=True)
class Unit:
    """One definition."""

    name: str
    spellings: tuple[str, ...]
    """Symbol first; ``_`` where there is none, as Pint has it."""
    definition: str
    """In units, or a base (``[time]``). Of a unit that can be redefined: its ``derived``."""
    value: str = ""
    """Of a unit that can be redefined: its ordinary value."""

    @property
    def names(self) -> tuple[str, ...]:
        """Every spelling."""
        return (self.name, *(spelling for spelling in self.spellings if spelling != "_"))


@dataclass(frozen=True)
class UnitSystem:
    """All units, by name."""

    units: Mapping[str, Unit]

    @classmethod
    def read(cls, definitions: str, redefinable: Iterable[Unit]) -> UnitSystem:
        """Put together what is fixed, in Pint's notation, and what can be redefined.

        Raises:
            ValueError: A line is no definition, a spelling means two units, or a definition names none.
        """
        units: dict[str, Unit] = {}
        lines = [line.split("#")[0].strip() for line in definitions.splitlines()]
        for unit in (*(_unit(line) for line in lines if line), *redefinable):
            if unit.name in units:
                raise ValueError(f"the unit {unit.name} is defined twice")
            units[unit.name] = unit
        system = cls(units)
        for unit in units.values():
            for spelling in unit.names:
                if not _NAME.fullmatch(spelling):
                    raise ValueError(f"{spelling!r} is no spelling of a unit")
                if system.canonical[spelling] != unit.name:
                    raise ValueError(f"{spelling!r} means both {unit.name} and {system.canonical[spelling]}")
            if not _BASE.fullmatch(unit.definition):
                expressions.check(plain(unit.definition), language=system.language)
        return system

    @cached_property
    def canonical(self) -> Mapping[str, str]:
        """Spelling → name of the unit."""
        return {spelling: unit.name for unit in self.units.values() for spelling in unit.names}

    @cached_property
    def language(self) -> expressions.Language:
        """What expressions in these units may use."""
        return expressions.Language(frozenset({*self.canonical, "pi"}), {"number": 2})

    def mentioned(self, text: str) -> frozenset[str]:
        """The units that an expression speaks of, by name."""
        return frozenset(self.canonical[name] for name in _NAME.findall(text) if name in self.canonical)

    def needed(self, *texts: str) -> frozenset[str]:
        """The units that expressions speak of, and those that they are defined by."""
        found: set[str] = set()
        new = self.mentioned(" ".join(texts))
        while new:
            found |= new
            new = self.mentioned(" ".join(self.units[name].definition for name in new)) - found
        return frozenset(found)

    def lines(self, redefined: str = "", value: str = "", names: frozenset[str] | None = None) -> list[str]:
        """Definitions for a Pint registry.

        Args:
            redefined: The unit of another value; empty for the ordinary registry.
            value: Its value, see :func:`read_value`.
            names: The units to define (see :meth:`needed`); all where not given.
        """
        lines = []
        for unit in self.units.values():
            if names is not None and unit.name not in names:
                continue
            own = unit.name == redefined
            definition = unit.definition if own else self._without(redefined, unit.definition)
            lines.append(_line(unit, definition, value if own else unit.value))
            if own:
                # No spellings: nobody but the definitions of other units is to find it.
                lines.append(_line(Unit(ORDINARY + unit.name, (), ""), definition, unit.value))
        return lines

    def _without(self, redefined: str, definition: str) -> str:
        def cut(found: re.Match[str]) -> str:
            name = found[0]
            return ORDINARY + redefined if self.canonical.get(name) == redefined else name

        return definition if _BASE.fullmatch(definition) else _NAME.sub(cut, definition)


def plain(text: str) -> str:
    """An expression as Python reads it: the data may write powers as Pint does, ``m^2``."""
    return text.replace("^", "**")


def _unit(line: str) -> Unit:
    name, _, rest = (part.strip() for part in line.partition("="))
    definition, *spellings = (part.strip() for part in rest.split("="))
    if not definition:
        raise ValueError(f"{line!r} is no definition of a unit")
    return Unit(name, tuple(spellings), definition)


def _line(unit: Unit, definition: str, value: str) -> str:
    spellings = "".join(f" = {spelling}" for spelling in unit.spellings)
    definition = plain(definition)
    if not value:
        return f"{unit.name} = {definition}{spellings}"
    worth = read_value(value)
    if isinstance(worth, Decimal):
        return f"{unit.name} = {value} * ({definition}){spellings}"
    # Pint goes from the unit to what it is defined by, the data the other way.
    scale = _EXACT.divide(Decimal(1), worth.scale)
    offset = _EXACT.divide(-worth.offset, worth.scale)
    return f"{unit.name} = {scale} * {definition}; offset: {offset}{spellings}"
