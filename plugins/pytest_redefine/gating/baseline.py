"""A baseline: what one model did, case by case, in a small file that is committed and read in diffs."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from pytest_redefine.analysis.estimates import group
from pytest_redefine.analysis.rows import Row
from pytest_redefine.gating.subject import Asked, Subject, digest_of
from pytest_redefine.grading.outcome import CATEGORIES

BASELINE_SCHEMA: Final = 1
FOLDER: Final = "baselines"
"""Of the project's root: where baselines are looked for by name."""

_CELL: Final = ("task", "format", "prompting", "redefinition", "question")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class BaselineError(Exception):
    """A baseline that cannot be read, written or accepted; one line that says why and what to type."""


class NewerBaseline(BaselineError):
    """A baseline that only a later version can read."""


@dataclass(frozen=True, slots=True)
class Answer:
    """How one case ended, and what it asked."""

    outcome: str
    """Empty where there was no answer."""
    asked: str
    """``subject.asked_digest``."""
    note: str = ""
    """What a measure needs beside the outcome: ``mirrors anchored`` (but for the sign), ``option C`` (named)."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """One model's answers."""

    name: str
    model: str
    versions: tuple[str, ...]
    run: str
    asked_at: str
    suite: str | None
    grading: str | None
    conditions: Mapping[str, Any]
    """``subject.comparable``."""
    parameters: Mapping[str, Any]
    """The model's."""
    asked_for: Mapping[str, Any]
    """Formats, promptings, controls and samples."""
    answers: Mapping[str, Answer]
    """By case id."""
    cells: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """``constants ff zs ra1 q1`` → outcome → cases; for whoever reads the file."""

    def rows(self, now: Sequence[Row], digests: Mapping[str, str]) -> list[Row]:
        """The baseline's answers as rows.

        Args:
            now: Rows of today's run, whose axes each takes: a case is the same only if its digest is.
            digests: Of today's cases.
        """
        return [
            _answered(one, answer, self.model)
            for one in now
            if (answer := self.answers.get(one.case_id)) is not None
            and answer.asked == digests.get(one.case_id)
            and answer.outcome
        ]


def _answered(one: Row, answer: Answer, model: str) -> Row:
    kind, _, value = answer.note.partition(" ")
    return replace(
        one,
        model=model,
        status="answered",
        outcome=answer.outcome,
        detail="",
        error_kind="",
        mirrored=value if kind == "mirrors" else "",
        letter=value if kind == "option" else "",
    )


def baseline_of(subject: Subject, asked: Asked, name: str) -> Baseline:
    """What to write down of one model of a run."""
    rows = sorted(asked.rows, key=lambda one: one.case_id)
    answers = {
        one.case_id: Answer(one.outcome if one.answered else "", asked.digests[one.case_id], _note(one)) for one in rows
    }
    parameters = subject.facts.get("parameters")
    parameters = parameters if isinstance(parameters, Mapping) else {}
    cells = {
        " ".join(key): dict(
            sorted(Counter(one.outcome or one.status for one in members).items(), key=lambda item: _rank(item[0]))
        )
        for key, members in sorted(group(rows, _CELL).items())
    }
    return Baseline(
        name,
        asked.model,
        asked.versions,
        subject.name,
        str(subject.facts.get("started_at") or ""),
        subject.suite,
        subject.grading,
        subject.conditions,
        asked.parameters,
        {axis: parameters.get(axis) for axis in ("formats", "promptings", "controls", "samples")},
        answers,
        cells,
    )


def _rank(outcome: str) -> int:
    return next((at for at, name in enumerate(CATEGORIES) if name == outcome), len(CATEGORIES))


def _note(one: Row) -> str:
    if one.mirrored:
        return f"mirrors {one.mirrored}"
    return f"option {one.letter}" if one.letter else ""


def text_of(baseline: Baseline) -> str:
    """The file's text: a line a cell and a line a case, in the order of their names."""
    head = {
        "schema": BASELINE_SCHEMA,
        "baseline": baseline.name,
        "model": baseline.model,
        "versions": list(baseline.versions),
        "run": baseline.run,
        "asked_at": baseline.asked_at,
        "suite": baseline.suite,
        "grading": baseline.grading,
        "asked_for": baseline.asked_for,
        "parameters": baseline.parameters,
        "conditions": baseline.conditions,
        "case_set": {
            "cases": len(baseline.answers),
            "digest": digest_of({case: one.asked for case, one in baseline.answers.items()}),
        },
    }
    lines = [f"  {_json(name)}: {_json(value)}" for name, value in head.items()]
    answers = {
        case: [one.outcome, one.asked, *([one.note] if one.note else [])] for case, one in baseline.answers.items()
    }
    for name, entries in (("cells", baseline.cells), ("cases", answers)):
        inside = ",\n".join(f"    {_json(key)}: {_json(value)}" for key, value in entries.items())
        lines.append(f"  {_json(name)}: {{\n{inside}\n  }}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def find_baseline(typed: str, root: Path, here: Path) -> Path:
    """The file of ``--baseline NAME|FILE``.

    Args:
        typed: A name below ``baselines/``, or a file.
        root: The project's root.
        here: What a relative file name starts from.

    Raises:
        BaselineError: there is none; says which there are.
    """
    if "/" not in typed and not typed.endswith(".json") and _NAME.fullmatch(typed):
        path = root / FOLDER / f"{typed}.json"
    else:
        path = here / typed
    if path.is_file():
        return path
    names = sorted(found.stem for found in (root / FOLDER).glob("*.json"))
    known = f"{FOLDER}/ has {', '.join(names[:12])}" if names else f"there is none in {FOLDER}/ yet"
    raise BaselineError(f"{typed}: no such baseline; {known}; make one with: pytest-redefine baseline accept RUN")


def check_name(name: str) -> str:
    """A baseline's name, which names its file.

    Raises:
        BaselineError: it cannot.
    """
    if not _NAME.fullmatch(name):
        raise BaselineError(f"{name!r}: write up to 100 letters, digits, dots, hyphens and underscores")
    return name


def read_baseline(path: Path) -> Baseline:
    """Read a baseline's file.

    Raises:
        NewerBaseline: it was written by a newer version.
        BaselineError: it cannot be read, or was spoilt (by a merge, for instance).
    """
    try:
        found = json.loads(path.read_bytes())
    except OSError as error:
        raise BaselineError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise BaselineError(f"{path}: is no JSON: {error}") from None
    schema = found.get("schema") if isinstance(found, dict) else None
    if not isinstance(schema, int):
        raise BaselineError(f"{path}: is no baseline; make one with: pytest-redefine baseline accept RUN")
    if schema > BASELINE_SCHEMA:
        raise NewerBaseline(f"{path}: written by a newer pytest-redefine (schema {schema}); upgrade to read it")
    try:
        answers = {str(case): _answer(entry) for case, entry in found["cases"].items()}
        baseline = Baseline(
            str(found["baseline"]), str(found["model"]), tuple(map(str, found["versions"])), str(found["run"]),
            str(found["asked_at"]), found["suite"], found["grading"], dict(found["conditions"]),
            dict(found["parameters"]), dict(found["asked_for"]), answers, dict(found["cells"]),
        )  # fmt: skip
        digest = found["case_set"]["digest"]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BaselineError(f"{path}: is spoilt ({type(error).__name__}: {error}); accept its run again") from None
    if digest != digest_of({case: one.asked for case, one in answers.items()}):
        raise BaselineError(f"{path}: its cases are not those it was written with; accept its run again")
    return baseline


def _answer(entry: Any) -> Answer:
    outcome, asked, *note = entry
    if outcome not in ("", *CATEGORIES):
        raise ValueError(f"{outcome!r} is no outcome")
    return Answer(str(outcome), str(asked), str(note[0]) if note else "")


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Write the file, whole or not at all.

    Raises:
        BaselineError: it cannot be written.
    """
    draft = path.with_name(f".{path.name}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(text_of(baseline), encoding="utf-8", errors="backslashreplace")
        draft.replace(path)
    except OSError as error:
        raise BaselineError(f"{path}: cannot be written: {error.strerror or error}") from None
