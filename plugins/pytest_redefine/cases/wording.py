"""A case → what a model is told, in readable numbers and units."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from .catalogue import Catalogue
from .model import Case, Quantity
from .prompts import Prompts, placeholders

Message = dict[str, str]
"""``{"role": "user", "content": "..."}``"""

_SUPERSCRIPTS: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def messages(case: Case, catalogue: Catalogue, prompts: Prompts) -> list[Message]:
    """The messages of a case's first request: one of the user, no system prompt."""
    parts = {
        "redefinition": redefinition_text(case, catalogue, prompts),
        "instruction": prompts.instruction[case.format].format(),
        "question": catalogue.question(case).text,
        "ending": prompts.ending[case.format].format(marker=prompts.marker),
    }
    return [{"role": "user", "content": _lay_out(prompts.layout[case.prompting], parts)}]


def redefinition_text(case: Case, catalogue: Catalogue, prompts: Prompts) -> str:
    """The line that redefines; empty in a control. A swap names the other constant, never its value."""
    if case.is_control:
        return ""
    quantity = catalogue.quantity(case)
    redefinition = quantity.redefinitions[case.redefinition]
    words = {"name": quantity.name, "symbol": quantity.symbol, "noun": quantity.noun}
    if redefinition.other:
        other = catalogue.tasks[case.task][redefinition.other]
        words |= {"other": _explained(other), "other_symbol": other.symbol, "other_noun": other.noun}
        return prompts.redefinition["swap"].format(**words)
    words["value"] = value_text(redefinition.value, quantity.unit)
    return prompts.redefinition["assignment"].format(**words)


def value_text(value: str, unit: str) -> str:
    """A value with its unit as people write it: ``5 × 10⁻³³ J·s``, ``√(-2)``, ``-400``."""
    return f"{number_text(value)} {unit_text(unit)}".rstrip()


def number_text(value: str) -> str:
    """A decimal, or ``sqrt`` of one, as people write it: powers of ten from a million up and below 0.001."""
    if value.startswith("sqrt("):
        return f"√({number_text(value[5:-1])})"
    number = Decimal(value)
    exponent = number.adjusted()
    if not number or -3 <= exponent < 6:
        return f"{number.normalize():f}"
    mantissa = number.normalize().scaleb(-exponent)
    return f"{mantissa:f} × 10{str(exponent).translate(_SUPERSCRIPTS)}"


def unit_text(unit: str) -> str:
    """A unit as people write it: ``m^3/(kg*s^2)`` becomes ``m³/(kg·s²)``."""
    raised = re.sub(r"\^(-?\d+)", lambda power: power[1].translate(_SUPERSCRIPTS), unit)
    return raised.replace("*", "·")


def _explained(quantity: Quantity) -> str:
    return f"{quantity.symbol}, {quantity.noun}"


def _lay_out(layout: str, parts: Mapping[str, str]) -> str:
    lines = []
    for line in layout.splitlines():
        names = placeholders(line)
        # A line of which nothing is left goes: a control differs from its case by the redefinition alone.
        if names and not any(parts[name] for name in names):
            continue
        lines.append(line.format(**parts))
    return "\n".join(lines).strip()
