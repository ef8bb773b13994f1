"""The folder of one run: what was asked for, and its records as they come in."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Final

from pytest_redefine.records.reading import read_records
from pytest_redefine.records.record import Record

RUN_SCHEMA: Final = 1


class RunFolderError(Exception):
    """The run cannot be written; one line that says what is wrong and what to type."""


def default_run_name(now: datetime) -> str:
    """A run's name where --run gives none: its start, sortable."""
    return now.strftime("%Y%m%d-%H%M%S")


class RunFolder:
    """Owns ``reports/<run>/``: writes run.json, appends to records.jsonl and flushes after each record."""

    def __init__(self, reports: Path, name: str, *, new: bool) -> None:
        """Choose the folder; nothing is written yet.

        Args:
            reports: the folder of all runs.
            name: the run's name.
            new: the name was made up, so an existing folder is another run's and a number is added.

        Raises:
            RunFolderError: the name is no plain folder name.
        """
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", name) or name == "latest":
            raise RunFolderError(
                f"--run={name}: write up to 100 letters, digits, dots, hyphens and underscores, e.g. --run=gpt-4o-july"
            )
        self.name = name
        if new:
            number = 2
            while (reports / self.name / "run.json").exists():
                self.name = f"{name}-{number}"
                number += 1
        self.path = reports / self.name
        self._reports = reports
        self._records: IO[str] | None = None

    @property
    def records_path(self) -> Path:
        """``records.jsonl``."""
        return self.path / "records.jsonl"

    def check(self, parameters: Mapping[str, Any]) -> None:
        """See that an existing run of this name was asked with the same parameters.

        Raises:
            RunFolderError: it was not.
        """
        previous = self.previous()
        now = json.loads(json.dumps(parameters))
        if previous is not None and previous.get("parameters") != now:
            raise RunFolderError(
                f"--run={self.name} exists and was asked otherwise ({_differences(previous.get('parameters'), now)}); "
                "give another --run=NAME, or the same options to continue it"
            )

    def open(self, run: Mapping[str, Any]) -> None:
        """Start the run, or continue it.

        Args:
            run: run.json's content so far.

        Raises:
            RunFolderError: the folder cannot be written.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            torn = self._torn()
            # A lone surrogate cannot be encoded; what backslashreplace makes of it is JSON's own escape for it.
            self._records = self.records_path.open("a", encoding="utf-8", errors="backslashreplace", newline="\n")
            if torn:
                self._records.write("\n")  # the writer was killed in mid-line
            self.write_run(run)
            self.point_latest()
        except OSError as error:
            raise RunFolderError(f"{self.path}: {error}; make it writable or give another --run=NAME") from error

    def append(self, record: Record) -> None:
        """Write one record and hand it to the operating system: a kill of this process loses none.

        Raises:
            RunFolderError: it cannot be written (the disk is full); the reply is in the store all the same.
        """
        assert self._records is not None, "open() comes first"
        try:
            self._records.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")
            self._records.flush()
        except OSError as error:
            raise RunFolderError(
                f"{self.records_path}: {error}; make room and run the same command again: replies are in the store"
            ) from error

    def read(self) -> list[Record]:
        """The run's records so far, those of an earlier part of it included."""
        return read_records(self.records_path)

    def write_run(self, run: Mapping[str, Any]) -> None:
        """Replace run.json, whole or not at all.

        Raises:
            RunFolderError: it cannot be written.
        """
        path = self.path / "run.json"
        draft = path.with_suffix(".json.tmp")
        text = json.dumps(run, indent=2, ensure_ascii=False) + "\n"
        try:
            draft.write_text(text, encoding="utf-8", errors="backslashreplace")
            os.replace(draft, path)  # noqa: PTH105 - Path.replace does the same; this name says that it is atomic
        except OSError as error:
            raise RunFolderError(f"{path}: {error}; make room or give another --run=NAME") from error

    def close(self) -> None:
        """Close the records' file."""
        if self._records is not None:
            self._records.close()
            self._records = None

    def previous(self) -> dict[str, Any] | None:
        """run.json as it stands; None where there is none.

        Raises:
            RunFolderError: it cannot be read.
        """
        path = self.path / "run.json"
        try:
            previous = json.loads(path.read_bytes())
            if not isinstance(previous, dict):
                raise ValueError("it holds no JSON object")
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise RunFolderError(f"{path}: {error}; give another --run=NAME") from None
        return previous

    def _torn(self) -> bool:
        try:
            with self.records_path.open("rb") as file:
                file.seek(-1, os.SEEK_END)
                return file.read(1) != b"\n"
        except (FileNotFoundError, OSError):
            return False  # absent or empty

    def point_latest(self) -> None:
        """Let ``reports/latest`` be this run, where the file system has symbolic links."""
        link = self._reports / "latest"
        try:
            if link.is_symlink() or not link.exists():
                draft = self._reports / f".latest-{os.getpid()}"
                draft.symlink_to(self.name)
                draft.replace(link)
        except OSError:
            pass  # a file system without symbolic links: a convenience less


def _differences(before: Any, now: Mapping[str, Any]) -> str:
    old = before if isinstance(before, Mapping) else {}
    names = [name for name in {**old, **now} if old.get(name) != now.get(name)]
    return ", ".join(f"{name}: {old.get(name)!r}, now {now.get(name)!r}" for name in names) or "no parameters recorded"
