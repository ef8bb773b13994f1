"""What fresh cases are made of beside drawn values: other names of the constants, and questions with gaps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from . import expressions
from .catalogue import Catalogue
from .data import Table, fixtures_folder, read_toml
from .model import Quantity, Question
from .prompts import placeholders
from .unit_system import UnitSystem, plain

FRESH_FILE: Final = "fresh.toml"

OPERANDS: Final = ("a", "b", "c")
_GROUPS: Final = ("constants", "units", "kelvin")
_ASKS: Final = ("unit", "derived")
_MOST_STEPS: Final = 3


@dataclass(frozen=True, slots=True)
class Template:
    """A question with gaps."""

    name: str
    text: str
    answer: str
    steps: int
    power: int | None
    """Constants: of their unit in the answer; None where the sum makes sense of bare numbers only."""
    asks: str
    """Units: ``unit`` or ``derived``, what the answer is measured in."""
    operands: Mapping[str, tuple[int, int]]
    """By name, from which whole number to which; in the order ``a b c``."""

    def fits(self, quantity: Quantity) -> bool:
        """Whether the question makes sense of a quantity of this group."""
        return bool(quantity.scale) or self.power is not None or not quantity.unit


@dataclass(frozen=True, slots=True)
class Templates:
    """The file, read and checked."""

    si: str
    """What asks for a result in SI units."""
    names: Mapping[str, tuple[str, ...]]
    """Of each constant."""
    groups: Mapping[str, Mapping[str, Template]]

    @classmethod
    def load(cls, catalogue: Catalogue, path: Path | None = None) -> Templates:
        """Read the file (default: the project's own).

        Raises:
            DataError: It is missing or has a mistake.
        """
        file = read_toml(path or fixtures_folder() / FRESH_FILE)
        file.only(("schema", "canary", "si", "names", *_GROUPS))
        file.string("canary")
        names = file.table("names")
        names.only(tuple(catalogue.tasks["constants"]))
        groups = {
            group: {
                name: _template(file.table(group).table(name), name, group, catalogue.system)
                for name in file.table(group).values
            }
            for group in _GROUPS
        }
        return cls(file.string("si"), {name: names.strings(name) for name in names.values}, groups)

    def of(self, quantity: Quantity) -> Mapping[str, Template]:
        """The questions that make sense of a quantity, by name."""
        group = "kelvin" if is_affine(quantity) else "units" if quantity.scale else "constants"
        return {name: template for name, template in self.groups[group].items() if template.fits(quantity)}

    def names_of(self, quantity: Quantity) -> tuple[str, ...]:
        """How a quantity may be called; of a unit how it reads in a question: its plural, its symbol."""
        if quantity.scale:
            return quantity.scale.plural, quantity.symbol
        return self.names.get(quantity.key, (quantity.name,))

    def question(self, quantity: Quantity, name: str, template: Template, operands: Mapping[str, str]) -> Question:
        """A question asked of a quantity, without gaps. ``name`` is one of :meth:`names_of`."""
        if quantity.scale:
            scale = quantity.scale
            derived_words = "" if is_affine(quantity) else scale.wording.replace("{number}", "").strip()
            text = template.text.format(unit=name, derived=derived_words, **operands)
            neutral = template.text.format(unit="{x}s", derived=derived_words, **operands)
            derived = "celsius" if is_affine(quantity) else scale.derived
            answer = template.answer.format(unit=quantity.word, derived=f"({derived})", **operands)
            unit = quantity.symbol if template.asks == "unit" else scale.derived
        else:
            text, neutral = (
                " ".join((template.text.format(x=one, **operands), *((self.si,) if quantity.unit else ())))
                for one in (name, "{x}")
            )
            answer = template.answer.format(**operands)
            unit = raised(quantity.unit, template.power or 0)
        return Question(
            name=f"op{template.steps}",
            text=text,
            answer=answer,
            kind="number",
            unit=unit,
            reading="",
            others=(),
            why="",
            contested=False,
            indistinct=(),
            also_default=(),
            min_tolerance=0.0,
            # 1 mL = 2 cm³ and 1 cm³ = 2 mL are read for one another by those who are careless, not by those who anchor.
            unfair=("inverse",) if quantity.scale else (),
            neutral=neutral,
        )


def is_affine(quantity: Quantity) -> bool:
    """Whether a unit is redefined by a map of degrees and not by a factor: the kelvin."""
    return quantity.scale is not None and quantity.scale.derived == "degC"


def raised(unit: str, power: int) -> str:
    """A unit to a power, as Pint reads it."""
    if not unit or power == 0:
        return ""
    return unit if power == 1 else f"({unit})^{power}"


def _template(table: Table, name: str, group: str, system: UnitSystem) -> Template:
    of_units = group != "constants"
    table.only(("text", "answer", "steps", "asks" if of_units else "power", *OPERANDS))
    text, answer = table.string("text"), table.string("answer")
    used = [operand for operand in OPERANDS if operand in table.values]
    spoken = {*used, *(("unit", "derived") if of_units else ("x",))}
    for key, found in (("text", text), ("answer", answer)):
        try:
            unknown = set(placeholders(found)) - spoken
        except ValueError as error:
            raise table.error(key, str(error)) from error
        if unknown:
            raise table.error(key, f"unknown placeholder {{{min(unknown)}}}; known: {', '.join(sorted(spoken))}")
    gaps = dict.fromkeys(used, "2")
    language = system.language if of_units else expressions.CONSTANTS
    filled = answer.format(unit="(minute)", derived="(second)", **gaps)
    try:
        expressions.check(plain(filled), with_x=not of_units, language=language)
    except expressions.ExpressionError as error:
        raise table.error("answer", str(error)) from error
    asks = table.string("asks", "") if of_units else ""
    if of_units and asks not in _ASKS:
        raise table.error("asks", f"{asks!r} is none of {', '.join(_ASKS)}")
    return Template(
        name=name,
        text=text,
        answer=answer,
        steps=_whole(table, "steps", 0, _MOST_STEPS),
        power=_whole(table, "power", -4, 4) if "power" in table.values else None,
        asks=asks,
        operands={operand: _range(table, operand) for operand in used},
    )


def _whole(table: Table, name: str, least: int, most: int) -> int:
    value = table.values.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise table.error(name, f"a whole number from {least} to {most} is needed, not {value!r}")
    return value


def _range(table: Table, name: str) -> tuple[int, int]:
    match table.values[name]:
        case [int(least), int(most)] if 0 < least <= most:
            return least, most
        case value:
            raise table.error(name, f"two whole numbers [least, most] above 0 are needed, not {value!r}")
