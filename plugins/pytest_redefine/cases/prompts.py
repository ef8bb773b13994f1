"""The templates that a case is worded with; any file of the same keys will do."""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .data import DataError, Table, fixtures_folder, read_toml

PROMPTS_FILE: Final = "prompts.toml"

_NAMES: Final = ("name", "symbol", "noun")
_UNIT_NAMES: Final = (*_NAMES, "plural")
_OTHERS: Final = ("other", "other_symbol", "other_noun")
_WHAT: Final = (("redefinition",), ("question",), ("options",))

Needed = Mapping[str, tuple[tuple[str, ...], ...]]
"""By ``section.name`` of a template the placeholders it must mention: of every group at least one, and no other."""

_NEEDED: Final[Needed] = {
    "redefinition.assignment": (_NAMES, ("value",)),
    "redefinition.swap": (_NAMES, _OTHERS),
    "redefinition.unit": (_UNIT_NAMES, ("value",)),
    "redefinition.neutral": (("name",), ("value",)),
    "instruction.ff": (),
    "instruction.mc": (),
    "option.mc": (("letter",), ("option",)),
    "ending.ff": (("marker",),),
    "ending.mc": (("marker",),),
    "example.ff": (("redefinition",), ("question",), ("marker",), ("answer",)),
    "example.mc": (*_WHAT, ("marker",), ("answer",)),
    "layout.zs": (*_WHAT, ("instruction",), ("ending",)),
    "layout.fs": (*_WHAT, ("instruction",), ("ending",), ("examples",)),
    "layout.cot": (*_WHAT, ("instruction",), ("ending",)),
}


@dataclass(frozen=True, slots=True)
class Prompts:
    """The templates, by what they word."""

    marker: str
    """What the reply's last line starts with, before the bare result."""
    redefinition: dict[str, str]
    """By kind: ``assignment`` and ``swap`` of a constant, ``unit``, ``neutral`` for a name that means nothing."""
    instruction: dict[str, str]
    """By format."""
    option: dict[str, str]
    """One line of multiple choice (``mc``)."""
    ending: dict[str, str]
    """By format."""
    example: dict[str, str]
    """One worked example, by format."""
    layout: dict[str, str]
    """The whole message, by prompting."""

    @classmethod
    def load(cls, path: Path | None = None) -> Prompts:
        """Read a file of templates (default: the project's own).

        Raises:
            DataError: It cannot be read or lacks a key, or a template lacks a placeholder or has an unknown
                one; it names the file, the line, the key and the placeholder.
        """
        file = read_toml(path or fixtures_folder() / PROMPTS_FILE)
        templates = read_templates(file, _NEEDED, ("marker",))
        marker = file.string("marker")
        if marker != marker.strip() or "\n" in marker:
            raise file.error("marker", "is one line without spaces around it")
        return cls(marker, **templates)


def placeholders(template: str) -> tuple[str, ...]:
    """The names in braces, in order, with repetitions.

    Raises:
        ValueError: The braces do not match, or hold more than a name (``{x.y}`` stays one name: ``x.y``).
    """
    names: list[str] = []
    for _, name, spec, conversion in string.Formatter().parse(template):
        if name is None:
            continue
        if spec or conversion:
            raise ValueError(f"{{{name}}} holds more than a name")
        names.append(name)
    return tuple(names)


def read_templates(file: Table, needed: Needed, others: tuple[str, ...] = ()) -> dict[str, dict[str, str]]:
    """The templates of a file, by section and name; it holds nothing else but its canary and the ``others``.

    Raises:
        DataError: A key is missing or unknown, or a template lacks a placeholder or has an unknown one.
    """
    file.only(("schema", "canary", *others, *dict.fromkeys(key.split(".")[0] for key in needed)))
    templates: dict[str, dict[str, str]] = {}
    for key, groups in needed.items():
        section, name = key.split(".")
        templates.setdefault(section, {})[name] = _template(file.table(section), name, groups)
    for section, found in templates.items():
        file.table(section).only(tuple(found))
    return templates


def _template(table: Table, name: str, groups: tuple[tuple[str, ...], ...]) -> str:
    text = table.string(name)
    try:
        found = placeholders(text)
    except ValueError as error:
        raise table.error(name, f"{error}; a brace itself is written {{{{ or }}}}") from error
    known = [item for group in groups for item in group]
    for item in found:
        if item not in known:
            raise table.error(name, f"unknown placeholder {{{item}}}; known: {_listed(known, ', ')}")
    for group in groups:
        if not set(group) & set(found):
            raise _missing(table, name, group)
    return text


def _missing(table: Table, name: str, group: tuple[str, ...]) -> DataError:
    return table.error(name, f"the placeholder {_listed(group, ' or ')} is missing")


def _listed(names: tuple[str, ...] | list[str], between: str) -> str:
    return between.join(f"{{{name}}}" for name in names) or "none"
