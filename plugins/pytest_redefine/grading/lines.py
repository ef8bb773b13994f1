"""``pytest-redefine grade``: JSON lines in, the same lines with their outcomes out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from pytest_redefine.cases.truth import Truth
from pytest_redefine.grading.constants import reference
from pytest_redefine.grading.grader import grade

_STRINGS: Final = ("expected", "default", "unit", "symbol", "symbol_value", "symbol_default", "prompt")
_LISTS: Final = ("also_units", "also_default", "undecidable")
_KINDS: Final = ("number", "digit")
_FORMATS: Final = ("ff", "mc")


class LineError(ValueError):
    """A line that cannot be graded; the message says which, what is wrong and what to write instead."""


def grade_line(line: Mapping[str, Any], *, number: int = 1) -> dict[str, Any]:
    """One line's fields with ``outcome``, ``detail``, ``extracted``, ``rule``, ``span`` and ``relative_error``.

    Args:
        line: ``answer`` and ``expected``, and optionally the other fields of :class:`Truth` and
            ``finish_reason``. An ``answer`` of null is an empty one. Other fields are handed through.
        number: Of the line, for messages.

    Raises:
        LineError: A field is missing or of the wrong kind.
    """
    answer = line.get("answer")
    if "answer" not in line:
        raise _error(number, "has no 'answer'")
    if answer is not None and not isinstance(answer, str):
        raise _error(number, f"'answer' is a text, not {_kind(answer)}")
    finish = line.get("finish_reason")
    if finish is not None and not isinstance(finish, str):
        raise _error(number, f"'finish_reason' is a text, not {_kind(finish)}")
    try:
        truth = truth_of(line)
    except LineError as error:
        raise _error(number, str(error)) from None
    outcome = grade(answer or "", truth, finish_reason=finish or "stop")
    return {**line, **outcome.to_json()}


def grade_lines(lines: Iterable[str]) -> Iterator[str]:
    """JSON lines graded one by one, in order; empty lines are left out.

    Raises:
        LineError: At the first line that cannot be graded.
    """
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            line = json.loads(text.lstrip("\ufeff"))
        except (ValueError, RecursionError) as fault:
            raise _error(number, f"is no JSON: {str(fault)[:120]}") from None
        if not isinstance(line, dict):
            raise _error(number, f"is a JSON object with 'answer' and 'expected', not {_kind(line)}")
        # Lone surrogates in an answer survive only as escapes.
        yield json.dumps(grade_line(line, number=number), ensure_ascii=True)


def truth_of(line: Mapping[str, Any]) -> Truth:
    """The truth that stands in a line or a record, checked field by field.

    Raises:
        LineError: A field is missing or of the wrong kind; its message has no line number yet.
    """
    data = {name: value for name, value in line.items() if value is not None}
    if "expected" not in data:
        raise LineError("has no 'expected'")
    for name in _STRINGS:
        value = data.get(name, "")
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise LineError(f"'{name}' is a text, not {_kind(value)}")
        if name in data:
            data[name] = str(value)
    for name in _LISTS:
        values = data.get(name, [])
        if isinstance(values, str):
            values = [values]
        if not isinstance(values, list) or not all(isinstance(value, str | int | float) for value in values):
            raise LineError(f"'{name}' is a list of texts, not {_kind(values)}")
        data[name] = [str(value) for value in values]
    for name, allowed in (("kind", _KINDS), ("format", _FORMATS)):
        if data.get(name, allowed[0]) not in allowed:
            raise LineError(f"'{name}' is {' or '.join(allowed)}, not {data[name]!r}")
    tolerance = data.get("tolerance", 0.02)
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not 0 <= tolerance < 1:
        raise LineError(f"'tolerance' is a number from 0 to below 1, not {tolerance!r}")
    _check_options(data)
    _check_unit_redefinition(data)
    for name in ("expected", "default"):
        if name in data and reference(data[name]) is None:
            raise LineError(f"'{name}' is no number ({data[name][:40]!r}): write 1500, -4.1e-34, 0+1.5*I or oo")
    return Truth.from_json(data)


def _check_options(data: dict[str, Any]) -> None:
    options = data.get("options")
    if options is not None:
        if not isinstance(options, dict):
            raise LineError(f"'options' is an object letter → value, not {_kind(options)}")
        data["options"] = {str(letter): str(value) for letter, value in options.items()}
    elif data.get("format") == "mc":
        raise LineError("has 'format' mc but no 'options'")


def _check_unit_redefinition(data: dict[str, Any]) -> None:
    change = data.get("unit_redefinition")
    if change is None:
        return
    if not isinstance(change, dict) or not {"unit", "derived", "ratio"} <= change.keys():
        raise LineError("'unit_redefinition' is an object with 'unit', 'derived' and 'ratio'")
    data["unit_redefinition"] = {name: str(change[name]) for name in ("unit", "derived", "ratio")}


def _error(number: int, what: str) -> LineError:
    return LineError(f"line {number} {what}" if what.startswith(("has", "is")) else f"line {number}: {what}")


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(value), "nothing" if value is None else "a text")
