"""What was asked, in one digest: two runs with the same one can be compared case by case."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any


def case_set_digest(cases: Iterable[Mapping[str, Any]]) -> str:
    """sha256 over the truths and the messages of some cases, whoever was asked.

    Args:
        cases: Records or skeletons, one a ``case_id`` and sorted by it; taken one at a time.
    """
    digest = hashlib.sha256(b"[")
    for number, case in enumerate(cases):
        entry = json.dumps([case["truth"], case["messages"]], sort_keys=True)
        digest.update(f"{', ' if number else ''}{entry}".encode())
    digest.update(b"]")
    return digest.hexdigest()
