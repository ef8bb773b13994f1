"""The gate on a run's folder: what the plugin calls when a session ends, and ``pytest-redefine gate`` at any time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.gating.baseline import Baseline
from pytest_redefine.gating.judgement import Judgement
from pytest_redefine.gating.rules import Gate
from pytest_redefine.gating.subject import Subject, subject_of
from pytest_redefine.gating.verdicts import judge
from pytest_redefine.records.reading import read_places

FILE: Final = "gate.json"


def read_subject(records: Path, facts: Mapping[str, Any] | None = None) -> Subject:
    """Read a run.

    Args:
        records: Its records.jsonl.
        facts: What its run.json says or is about to say; by default that beside the records. Without any the run
            counts as unfinished.

    Raises:
        RecordsError: the records cannot be read.
    """
    if facts is None:
        facts = _facts(records.with_name("run.json"))
    name = str(facts.get("run") or records.parent.name)
    return subject_of((record for _, record in read_places(records)), facts, name)


def judge_run(
    records: Path,
    gate: Gate,
    baseline: Baseline | None,
    *,
    facts: Mapping[str, Any] | None = None,
    catalogue: Catalogue | None = None,
) -> Judgement:
    """Judge a run's folder, and leave gate.json beside its records.

    Args:
        records: The run's records.jsonl.
        gate: The rules.
        baseline: What relative rules compare with.
        facts: As for :func:`read_subject`.
        catalogue: What can be asked, where it has been read already.

    Returns:
        The judgement; its ``status`` is 0, 10 or 11.

    Raises:
        RecordsError: the records cannot be read.
        OSError: gate.json cannot be written.
    """
    judgement = judge(gate, read_subject(records, facts), baseline, catalogue or Catalogue.load())
    text = json.dumps(judgement.to_json(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    records.with_name(FILE).write_text(text, encoding="utf-8", errors="backslashreplace")
    return judgement


def _facts(path: Path) -> Mapping[str, Any]:
    try:
        facts = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return facts if isinstance(facts, dict) else {}
