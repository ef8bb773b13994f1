"""Finds and reads the data files, and says where in them a mistake is."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SCHEMA = 1
"""The layout of the data files that this version reads."""


class DataError(ValueError):
    """A mistake in a data file.

    Attributes:
        file: The file's name.
        key: The dotted key (``pi.q3.answer``); empty where the file as a whole is meant.
        problem: What is wrong with it.
        line: Where, counted from 1; None where it could not be told.
    """

    def __init__(self, file: str, key: str, problem: str, line: int | None = None) -> None:
        place = file if line is None else f"{file}:{line}"
        super().__init__(": ".join(part for part in (place, key, problem) if part))
        self.file = file
        self.key = key
        self.problem = problem
        self.line = line


def fixtures_folder() -> Path:
    """The folder of data files: inside the installed package, or at the top of a checkout.

    Raises:
        FileNotFoundError: Neither is there, so the installation is broken.
    """
    package = Path(__file__).resolve().parents[1]
    installed, checkout = package / "fixtures", package.parents[1] / "fixtures"
    for folder in (installed, checkout):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"no data files in {installed} or {checkout}; install the package again")


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a data file, with accessors that check what they hand out."""

    file: str
    source: str
    """The whole file's text, to find the line of a mistake."""
    key: str
    """Dotted; empty for the file itself."""
    values: Mapping[str, Any]
    start: int = 0
    """Of a table in an array (``[[rule]]``) and of those inside it: the line of its header."""
    at: int | None = None
    """The line to name where no better one is found: that of an inline table."""

    def error(self, name: str, problem: str) -> DataError:
        """The error to raise about one key of this table (or about the table, where ``name`` is empty)."""
        return DataError(self.file, self._dotted(name), problem, self.line(name))

    def string(self, name: str, default: str | None = None) -> str:
        """A non-empty string; ``default`` where the key is missing, if one is given."""
        if name not in self.values and default is not None:
            return default
        value = self._value(name)
        if not isinstance(value, str) or not value.strip():
            raise self.error(name, f"a non-empty string is needed, not {value!r}")
        return value

    def strings(self, name: str) -> tuple[str, ...]:
        """A list of strings; empty where the key is missing."""
        value = self.values.get(name, [])
        if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
            raise self.error(name, f"a list of strings is needed, not {value!r}")
        return tuple(value)

    def flag(self, name: str) -> bool:
        """A boolean; false where the key is missing."""
        value = self.values.get(name, False)
        if not isinstance(value, bool):
            raise self.error(name, f"true or false is needed, not {value!r}")
        return value

    def fraction(self, name: str) -> float:
        """A number from 0 up to, not including, 1; 0 where the key is missing."""
        value = self.values.get(name, 0)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1:
            raise self.error(name, f"a number from 0 to below 1 is needed, not {value!r}")
        return float(value)

    def number(self, name: str) -> float | None:
        """A finite number; None where the key is missing."""
        value = self.values.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise self.error(name, f"a number is needed, not {value!r}")
        return float(value)

    def table(self, name: str) -> Table:
        """A table inside this one."""
        value = self._value(name)
        if not isinstance(value, dict):
            raise self.error(name, f"a table is needed, not {value!r}")
        return Table(self.file, self.source, self._dotted(name), value, self.start, self.line(name))

    def tables(self, name: str) -> tuple[Table, ...]:
        """A list of tables inside this one."""
        value = self._value(name)
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.error(name, f"a list of tables is needed, not {value!r}")
        key = self._dotted(name)
        starts = [
            number
            for number, line in enumerate(self.source.splitlines(), start=1)
            if (header := _header(line)) and header == ("[[", key)
        ]
        if len(starts) != len(value):  # written as a list of inline tables
            return tuple(Table(self.file, self.source, key, item, 0, self.line(name)) for item in value)
        return tuple(Table(self.file, self.source, key, item, start) for item, start in zip(value, starts, strict=True))

    def only(self, names: Collection[str]) -> None:
        """Refuse keys other than ``names``: a misspelt optional key would go unnoticed otherwise."""
        for name in self.values:
            if name not in names:
                raise self.error(name, f"unknown key; known are {', '.join(names)}")

    def _dotted(self, name: str) -> str:
        return ".".join(part for part in (self.key, name) if part)

    def _value(self, name: str) -> Any:
        try:
            return self.values[name]
        except KeyError:
            raise self.error(name, "is missing") from None

    def line(self, name: str) -> int | None:
        """Best effort, as tomllib keeps no positions: the key below its header, else the header."""
        found = None if self.key else 0
        inside = not self.key
        for number, line in enumerate(self.source.splitlines(), start=1):
            if number < self.start:
                continue
            header = _header(line)
            if header:
                kind, dotted = header
                if kind == "[[" and 0 < self.start < number and f"{self.key}.".startswith(f"{dotted}."):
                    break  # the next of the array
                if name and dotted == self._dotted(name):
                    return number
                inside = dotted == self.key
                found = number if inside else found
            elif inside and name and re.match(rf"\s*{re.escape(name)}\s*=", line):
                return number
        return found or self.at


def _header(line: str) -> tuple[str, str] | None:
    """``[`` or ``[[``, and the dotted key, of a line that opens a table."""
    found = re.match(r"\s*(\[\[?)([^\[\]]+)\]\]?\s*(?:#.*)?$", line)
    # A name with a dot in it stands in quotes.
    return (found[1], re.sub(r"[\"']", "", found[2]).strip()) if found else None


def read_toml(path: Path) -> Table:
    """Read one data file.

    Raises:
        DataError: It cannot be read, is no TOML, or has another ``schema``.
    """
    try:
        source = path.read_text(encoding="utf-8")
        values = tomllib.loads(source)
    except OSError as error:
        raise DataError(str(path), "", f"cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise DataError(str(path), "", f"is not UTF-8: {error.reason} at byte {error.start}") from error
    except tomllib.TOMLDecodeError as error:
        raise DataError(path.name, "", f"is not valid TOML: {error}") from error
    table = Table(path.name, source, "", values)
    if table.values.get("schema") != SCHEMA:
        raise table.error("schema", f"{SCHEMA} is needed, not {table.values.get('schema')!r}")
    return table
