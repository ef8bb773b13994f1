"""The corpus: answers labelled by reading them, before the grader saw them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pytest_redefine.cases.truth import Truth

CORPUS = Path(__file__).with_name("corpus")


@dataclass(frozen=True)
class Row:
    file: str
    number: int
    truth: str
    outcome: str
    detail: str
    answer: str
    why: str
    finish_reason: str

    @property
    def label(self) -> str:
        return f"{self.file}-{self.number}-{self.truth}"


@lru_cache(maxsize=1)
def truths() -> dict[str, Truth]:
    data = tomllib.loads((CORPUS / "truths.toml").read_text(encoding="utf-8"))
    return {name: Truth.from_json(fields) for name, fields in data.items()}


@lru_cache(maxsize=1)
def rows() -> tuple[Row, ...]:
    found: list[Row] = []
    for path in sorted(CORPUS.glob("*.toml")):
        if path.stem == "truths":
            continue
        for number, row in enumerate(tomllib.loads(path.read_text(encoding="utf-8"))["rows"], start=1):
            truth, outcome, answer, why, *rest = row
            category, _, detail = outcome.partition("/")
            found.append(Row(path.stem, number, truth, category, detail, answer, why, rest[0] if rest else "stop"))
    return tuple(found)
