"""The lines under pytest's own header."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_redefine.respondents.names import ModelName
from pytest_redefine.respondents.store import shown_location


def lines(models: Sequence[ModelName], store: str, judge: str = "") -> list[str]:
    """Whom the session asks, who judges, and where replies are kept."""
    shown = ", ".join(model.full for model in models[:4]) + (f" and {len(models) - 4} more" if len(models) > 4 else "")
    judged = f"; judge: {judge}" if judge else ""
    return [f"redefine: asks {shown}{judged}; store: {shown_location(store)}"]
