"""Tables of the data files → quantities, every mistake named by its key."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final, cast

from . import expressions
from .data import DataError, Table
from .model import Quantity, Question, Redefinition, Scale
from .truth import Kind
from .unit_system import Unit, UnitSystem, plain, read_value

SLIPS: Final = ("inverse", "square", "one", "tenfold", "tenth", "sign")
"""The slips that a distractor may come from, see :mod:`.slips`."""

_ASSIGNMENTS: Final = ("ra1", "ra2", "ra3")
_SWAPS: Final = ("rs1", "rs2")
_QUESTIONS: Final = ("q1", "q2", "q3")
_KINDS: Final = ("number", "digit")
_PLACEHOLDER: Final = "{x}"

_KEY: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)
_WORD: Final = re.compile(r"[a-z][a-z0-9]+", re.ASCII)
_VALUE: Final = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?|sqrt\(-?\d+(?:\.\d+)?\)", re.ASCII)
_UNIT: Final = re.compile(r"[A-Za-z0-9_^*/()\-]*", re.ASCII)

_COMMON_KEYS: Final = ("word", "symbol", "name", "noun", "neutral", "default", *_ASSIGNMENTS, *_QUESTIONS)
_CONSTANT_KEYS: Final = (*_COMMON_KEYS, "exact", "unit", *_SWAPS)
_UNIT_KEYS: Final = (*_COMMON_KEYS, "neutral_name", "plural", "derived", "aliases", "value", "relatives")
_QUESTION_KEYS: Final = (
    *("text", "answer", "kind", "unit", "reading", "others", "why", "contested", "indistinct"),
    *("also_default", "min_tolerance", "unfair", "neutral"),
)

_Check = Callable[[Table, str, str], None]
"""Refuses an expression: the table, the key in it, the text."""


def read_constants(file: Table) -> dict[str, Quantity]:
    """The constants of a file.

    Raises:
        DataError: A table has a mistake.
    """
    file.string("canary")
    keys = [key for key in file.values if key not in ("schema", "canary")]
    found = {key: _constant(file.table(key), key, keys) for key in keys}
    _words_apart(file, found.values())
    return found


def read_units(file: Table) -> tuple[dict[str, Quantity], UnitSystem]:
    """The units of a file, and the system that their questions' steps are evaluated in.

    Raises:
        DataError: A table or a definition has a mistake.
    """
    file.string("canary")
    definitions = file.string("definitions")
    tables = [file.table(key) for key in file.values if key not in ("schema", "canary", "definitions")]
    try:
        system = UnitSystem.read(definitions, [_definition(table) for table in tables])
    except DataError:
        raise
    except ValueError as error:
        raise file.error("definitions", str(error)) from error
    found = {table.key: _unit_quantity(table, system) for table in tables}
    _words_apart(file, found.values())
    return found, system


def _words_apart(file: Table, quantities: Iterable[Quantity]) -> None:
    quantities = list(quantities)
    for quantity in quantities:
        for other in quantities:
            # -k matches parts of words: a word inside another could not be selected alone.
            if other.key != quantity.key and quantity.word in other.word:
                raise file.table(quantity.key).error("word", f"{quantity.word!r} is part of the word of {other.key}")


def _constant(table: Table, key: str, keys: list[str]) -> Quantity:
    table.only(_CONSTANT_KEYS)
    word = _names(table)
    redefinitions: dict[str, Redefinition] = {}
    for level in _ASSIGNMENTS:
        value = table.string(level)
        if not _VALUE.fullmatch(value):
            raise table.error(level, f"{value!r} is neither a decimal number nor sqrt of one")
        redefinitions[level] = Redefinition(level, value=value)
    for level in _SWAPS:
        other = table.string(level)
        if other not in keys or other == key:
            raise table.error(level, f"{other!r} is no other constant of this file")
        redefinitions[level] = Redefinition(level, other=other)
    for name in ("default", "exact"):
        if name in table.values or name == "default":
            _check(table, name, table.string(name))
    neutral = table.string("neutral")
    return Quantity(
        key=key,
        word=word,
        symbol=table.string("symbol"),
        name=table.string("name"),
        noun=table.string("noun"),
        default=table.string("default"),
        exact=table.string("exact", ""),
        unit=_unit(table),
        redefinitions=redefinitions,
        questions={name: _question(table.table(name), name, [*redefinitions], _check_x) for name in _QUESTIONS},
        neutral=neutral,
        neutral_name=neutral,
    )


def _definition(table: Table) -> Unit:
    """What a unit's table says to the system of units."""
    table.only(_UNIT_KEYS)
    word = _names(table)
    _scale_value(table, "default")
    return Unit(
        name=word,
        spellings=(table.string("symbol"), *table.strings("aliases")),
        definition=table.string("derived"),
        value=table.string("default"),
    )


def _unit_quantity(table: Table, system: UnitSystem) -> Quantity:
    for name in _ASSIGNMENTS:
        _scale_value(table, name)
    wording = table.string("value")
    if "{number}" not in wording:
        raise table.error("value", "the placeholder {number} is missing")

    def check(place: Table, name: str, text: str) -> None:
        _check(place, name, plain(text), language=system.language)

    redefinitions = {level: Redefinition(level, value=table.string(level)) for level in _ASSIGNMENTS}
    neutral = table.string("neutral")
    return Quantity(
        key=table.key,
        word=table.string("word"),
        symbol=table.string("symbol"),
        name=table.string("name"),
        noun=table.string("noun"),
        default=table.string("default"),
        exact="",
        unit="",
        redefinitions=redefinitions,
        questions={name: _unit_question(table.table(name), name, [*redefinitions], check) for name in _QUESTIONS},
        neutral=neutral,
        neutral_name=table.string("neutral_name", f"one {neutral}"),
        scale=Scale(
            derived=table.string("derived"),
            plural=table.string("plural"),
            aliases=table.strings("aliases"),
            wording=wording,
            relatives=table.string("relatives"),
        ),
    )


def _names(table: Table) -> str:
    if not _KEY.fullmatch(table.key):
        raise table.error("", "a key is a letter followed by letters, digits and _")
    word = table.string("word")
    if not _WORD.fullmatch(word):
        raise table.error("word", f"{word!r} is not of small letters and digits, so it would not do in an id")
    return word


def _scale_value(table: Table, name: str) -> None:
    try:
        read_value(table.string(name))
    except DataError:
        raise
    except ValueError as error:
        raise table.error(name, str(error)) from error


def _unit_question(table: Table, name: str, levels: list[str], check: _Check) -> Question:
    question = _question(table, name, levels, check)
    if question.unit:
        check(table, "unit", question.unit)
    return question


def _question(table: Table, name: str, levels: list[str], check: _Check) -> Question:
    table.only(_QUESTION_KEYS)
    kind = table.string("kind", "number")
    if kind not in _KINDS:
        raise table.error("kind", f"{kind!r} is none of {', '.join(_KINDS)}")
    answer = table.string("answer")
    check(table, "answer", answer)
    also_default = table.strings("also_default")
    for text in also_default:
        check(table, "also_default", text)
    others = table.strings("others")
    neutral = table.string("neutral", "")
    if neutral and _PLACEHOLDER not in neutral:
        raise table.error("neutral", f"the placeholder {_PLACEHOLDER} is missing")
    return Question(
        name=name,
        text=table.string("text"),
        answer=answer,
        kind=cast(Kind, kind),
        unit=_unit(table),
        reading=table.string("reading"),
        others=others,
        why=table.string("why") if others else table.string("why", ""),
        contested=table.flag("contested"),
        indistinct=_some_of(table, "indistinct", levels),
        also_default=also_default,
        min_tolerance=table.fraction("min_tolerance"),
        unfair=_some_of(table, "unfair", SLIPS),
        neutral=neutral,
    )


def _some_of(table: Table, name: str, known: Iterable[str]) -> tuple[str, ...]:
    known = tuple(known)
    for item in table.strings(name):
        if item not in known:
            raise table.error(name, f"{item!r} is none of {', '.join(known)}")
    return table.strings(name)


def _check_x(table: Table, name: str, text: str) -> None:
    _check(table, name, text, with_x=True)


def _check(
    table: Table,
    name: str,
    text: str,
    *,
    with_x: bool = False,
    language: expressions.Language = expressions.CONSTANTS,
) -> None:
    try:
        expressions.check(text, with_x=with_x, language=language)
    except expressions.ExpressionError as error:
        raise table.error(name, str(error)) from error


def _unit(table: Table) -> str:
    unit = table.string("unit", "")
    if not _UNIT.fullmatch(unit):
        raise table.error("unit", f"{unit!r} is not written as Pint reads it (m^3/(kg*s^2))")
    return unit
