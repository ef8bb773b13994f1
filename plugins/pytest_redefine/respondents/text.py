"""Text from outside, made fit to be kept: bounded, encodable, without anybody's key."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Final

REPLY_LIMIT: Final = 400_000
"""Characters of a reply that are kept: some forty times what the largest usual --max-tokens gives."""

HIDDEN: Final = "***"

_SURROGATES = re.compile("[\ud800-\udfff]")
_SECRET_NAME = re.compile(r"(?:^|_)(?:API_?KEY|KEY|SECRET|TOKEN|PASSWORD)(?:_(?!PATH|FILE|DIR)|$)", re.IGNORECASE)
_SECRET_SHAPE = re.compile(r"(?<=\bBearer )[\w.~+/=-]{8,}|\bsk-[\w*-]{8,}", re.IGNORECASE)
_SHORTEST_SECRET: Final = 8  # what is shorter in the environment is a setting ("false") and would blot out words


def clean_text(text: str, limit: int = REPLY_LIMIT) -> str:
    """Bounded text that every file, socket and database takes: lone surrogates become U+FFFD."""
    return _SURROGATES.sub("\ufffd", text[:limit])


def scrubbed(text: str, secrets: Iterable[str] = ()) -> str:
    """The text without the given secrets, those in the environment, and what looks like a key.

    Providers repeat keys in their errors ("Incorrect API key provided: ..."), proxies whole headers.
    """
    known = {
        value for name, value in os.environ.items() if len(value) >= _SHORTEST_SECRET and _SECRET_NAME.search(name)
    }
    for secret in sorted(known.union(secrets) - {""}, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return _SECRET_SHAPE.sub(HIDDEN, text)
