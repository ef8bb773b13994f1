"""Properties of a case in JUnit XML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_redefine.reporting.text import one_line

_FIELDS: Final = ("status", "outcome", "detail", "model", "task", "quantity", "redefinition", "question", "format",
                  "prompting", "sample", "expected", "default", "extracted", "rule")  # fmt: skip


def properties(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Name and value of each; what a model said is bounded and free of control characters, which XML forbids."""
    return [(name, one_line(str(record[name]), 200)) for name in _FIELDS if record[name] is not None]
