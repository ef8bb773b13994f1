"""Rows as tests need them."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

from pytest_redefine.analysis.rows import Row, row
from tests.records.samples import answered, unanswered

LEVELS = ("ra1", "ra2", "ra3", "rs1", "rs2")
QUESTIONS = ("q1", "q2", "q3")


def made(outcome: str = "correct", **changes: Any) -> Row:
    """One answered row; its case id follows from its axes."""
    axes = {
        "task": "constants",
        "quantity": "pi",
        "redefinition": "ra1",
        "question": "q1",
        "format": "ff",
        "prompting": "zs",
        "sample": 0,
        "rotation": 0,
    }
    axes |= {name: changes.pop(name) for name in list(changes) if name in axes}
    case_id = "-".join(str(value) for value in axes.values())
    record = answered(outcome, "said", model="a/model")
    record |= {**axes, "case_id": case_id, "expected": "500", "default": "3.14159265359", "extracted": "500"}
    return row(record | changes)


def missing(kind: str = "server", **changes: Any) -> Row:
    """A row without an answer."""
    return row(unanswered(kind) | changes)


def simulated(
    model: str,
    shift: float,
    seed: int,
    *,
    quantities: int = 15,
    questions: Sequence[str] = QUESTIONS,
    levels: Sequence[str] = LEVELS,
    spread: float = 1.0,
    **changes: Any,
) -> list[Row]:
    """One model's rows: anchored with log odds ``shift`` and a normal offset for each quantity."""
    source = random.Random(seed)
    offsets = [source.gauss(0, spread) for _ in range(quantities)]
    return [
        made(
            "anchored" if source.random() < 1 / (1 + math.exp(-shift - offset)) else "correct",
            model=model,
            quantity=f"k{number}",
            redefinition=level,
            question=question,
            **changes,
        )
        for number, offset in enumerate(offsets)
        for level in levels
        for question in questions
    ]
