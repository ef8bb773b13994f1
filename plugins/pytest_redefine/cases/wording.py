"""The parts of a prompt: numbers, units, redefinitions, questions and options as people write them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Context, Decimal
from typing import Final

from . import decimals
from .catalogue import Catalogue
from .model import Case, Quantity
from .options import Options
from .prompts import Prompts, placeholders
from .unit_system import Affine, read_value

Message = dict[str, str]
"""``{"role": "user", "content": "..."}``"""

DIGITS: Final = 4
"""Significant digits of an option: far finer than the tolerance, so that the printed number stands for the exact."""

_PLAIN: Final = range(-3, DIGITS)
"""Powers of ten that are written out where four digits are printed: 0.001234 to 1234."""

_SUPERSCRIPTS: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def messages(
    case: Case, catalogue: Catalogue, prompts: Prompts, *, options: str = "", examples: str = ""
) -> list[Message]:
    """The messages of a case's first request: one of the user, no system prompt.

    Args:
        case: What is asked.
        catalogue: Where its words are.
        prompts: How it is put.
        options: Multiple choice: the options, see :func:`options_text`.
        examples: Few shot: the worked examples.

    Raises:
        ValueError: Options or examples are missing. They follow from derived answers, so ask
            :meth:`.truths.TruthTable.messages`, which puts in whatever a case needs.
    """
    if (case.format == "mc") != bool(options) or (case.prompting == "fs") != bool(examples):
        raise ValueError(f"{case.case_id}: options belong to mc and examples to fs, no less and no more")
    parts = {
        "redefinition": redefinition_text(case, catalogue, prompts),
        "instruction": prompts.instruction[case.format].format(),
        "question": question_text(case, catalogue),
        "options": options,
        "examples": examples,
        "ending": prompts.ending[case.format].format(marker=prompts.marker),
    }
    return [{"role": "user", "content": lay_out(prompts.layout[case.prompting], parts)}]


def redefinition_text(case: Case, catalogue: Catalogue, prompts: Prompts) -> str:
    """The line that redefines; empty in a control. A swap names the other constant, never its value."""
    if case.is_control:
        return ""
    quantity = catalogue.quantity(case)
    redefinition = quantity.redefinitions[case.level]
    words = {"name": quantity.name, "symbol": quantity.symbol, "noun": quantity.noun}
    if redefinition.other:
        other = catalogue.tasks[case.task][redefinition.other]
        words |= {"other": _explained(other), "other_symbol": other.symbol, "other_noun": other.noun}
        return prompts.redefinition["swap"].format(**words)
    symbol = quantity.neutral if case.is_neutral else quantity.symbol
    if quantity.scale:
        words["plural"] = quantity.scale.plural
        number = redefinition.text or scale_text(redefinition.value)
        words["value"] = quantity.scale.wording.replace("{number}", number).replace("{symbol}", symbol)
    else:
        number = redefinition.text or number_text(redefinition.value)
        words["value"] = f"{number} {unit_text(quantity.unit)}".rstrip()
    if case.is_neutral:
        return prompts.redefinition["neutral"].format(name=quantity.neutral_name, value=words["value"])
    return prompts.redefinition["unit" if quantity.scale else "assignment"].format(**words)


def question_text(case: Case, catalogue: Catalogue) -> str:
    """The question, of a neutral control asked of the name that means nothing."""
    question = catalogue.question(case)
    if case.is_neutral:
        return question.neutral.replace("{x}", catalogue.quantity(case).neutral)
    return question.text


def asked_unit(case: Case, catalogue: Catalogue) -> str:
    """The unit of the answer; where it is the redefined one, a neutral control has its neutral name."""
    quantity, unit = catalogue.quantity(case), catalogue.question(case).unit
    if case.is_neutral and quantity.scale and quantity.word in catalogue.system.mentioned(unit):
        return quantity.neutral
    return unit


def value_text(value: str, unit: str) -> str:
    """A value with its unit as people write it: ``5 × 10⁻³³ J·s``, ``√(-2)``, ``-400``."""
    return f"{number_text(value)} {unit_text(unit)}".rstrip()


def scale_text(value: str) -> str:
    """A unit's value as people write it: ``100``, ``9.461 × 10⁹``, ``100 · T(°C) + 500``."""
    worth = read_value(value)
    if isinstance(worth, Decimal):
        return number_text(value)
    return _affine_text(worth)


def number_text(value: str) -> str:
    """A decimal, or ``sqrt`` of one, as people write it: powers of ten from a million up and below 0.001."""
    if value.startswith("sqrt("):
        return f"√({number_text(value[5:-1])})"
    if decimals.is_infinite(value):
        return _infinite(value)
    number = Decimal(value)
    exponent = number.adjusted()
    if not number or -3 <= exponent < 6:
        return f"{number.normalize():f}"
    mantissa = number.normalize().scaleb(-exponent)
    return f"{mantissa:f} × {_power(exponent)}"


def unit_text(unit: str) -> str:
    """A unit as people write it: ``m^3/(kg*s^2)`` becomes ``m³/(kg·s²)``."""
    raised = re.sub(r"\^(-?\d+)", lambda power: power[1].translate(_SUPERSCRIPTS), unit)
    return raised.replace("*", "·")


def answer_text(value: str, unit: str) -> str:
    """An answer in a worked example: rounded to four digits, without zeros that say nothing."""
    parts = decimals.parse(value)
    if parts is None:
        return _infinite(value)
    real, imaginary = (str(_rounded(part)) for part in parts)
    if not parts[1]:
        return value_text(real, unit)
    if not parts[0]:
        return f"{number_text(imaginary)}i"
    return f"{number_text(real)} {'-' if parts[1] < 0 else '+'} {number_text(imaginary.lstrip('-'))}i"


def options_text(options: Options, kind: str, unit: str, prompts: Prompts) -> str:
    """The lines of options, all in one form."""
    texts = option_texts(list(options.values()), kind, unit)
    line = prompts.option["mc"]
    return "\n".join(line.format(letter=letter, option=text) for letter, text in zip(options, texts, strict=True))


def option_texts(values: Sequence[str], kind: str, unit: str) -> list[str]:
    """Values with as many digits, in the same notation and with the same unit, so that the form tells nothing.

    One number that needs a power of ten gives it to all, one that is complex a second part to all.
    """
    if kind == "digit":
        return list(values)
    numbers = [decimals.parse(value) for value in values]
    parts = [_rounded(part) for number in numbers if number for part in number]
    plain = all(part.adjusted() in _PLAIN for part in parts if part)
    is_complex = any(number[1] for number in numbers if number)
    suffix = f" {unit_text(unit)}" if unit else ""
    texts = []
    for value, number in zip(values, numbers, strict=True):
        if number is None:
            text = _infinite(value)
        elif is_complex:
            text = _complex(*number, plain=plain)
        else:
            text = _four_digits(number[0], plain=plain)
        texts.append(text + suffix)
    return texts


def lay_out(layout: str, parts: Mapping[str, str]) -> str:
    """Put parts into a template; a line of which nothing is left goes.

    So a control differs from its case by the redefinition alone.
    """
    lines = []
    for line in layout.splitlines():
        names = placeholders(line)
        if names and not any(parts[name] for name in names):
            continue
        lines.append(line.format(**parts))
    return "\n".join(lines).strip()


def _explained(quantity: Quantity) -> str:
    return f"{quantity.symbol}, {quantity.noun}"


def _affine_text(map_: Affine) -> str:
    scale = "" if map_.scale == 1 else f"{number_text(str(map_.scale))} · "
    sign = "-" if map_.offset < 0 else "+"
    offset = f" {sign} {number_text(str(abs(map_.offset)))}" if map_.offset else ""
    return f"{scale}T(°C){offset}"


def _rounded(number: Decimal) -> Decimal:
    return Context(prec=DIGITS, Emin=-999_999, Emax=999_999).plus(number)


def _four_digits(number: Decimal, *, plain: bool) -> str:
    number = _rounded(number)
    exponent = number.adjusted() if number else 0
    if plain:
        return f"{number:.{DIGITS - 1 - exponent}f}"
    return f"{number.scaleb(-exponent):.{DIGITS - 1}f} × {_power(exponent)}"


def _complex(real: Decimal, imaginary: Decimal, *, plain: bool) -> str:
    sign = "-" if imaginary < 0 else "+"
    first, second = _four_digits(real, plain=plain), _four_digits(abs(imaginary), plain=plain)
    return f"{first} {sign} {second}i" if plain else f"{first} {sign} ({second})i"


def _infinite(value: str) -> str:
    return "-∞" if value.startswith("-") else "∞"


def _power(exponent: int) -> str:
    return f"10{str(exponent).translate(_SUPERSCRIPTS)}"
