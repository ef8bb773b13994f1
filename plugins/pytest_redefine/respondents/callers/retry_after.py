"""The Retry-After header: when a provider wants to be asked again."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

RETRY_AFTER_LIMIT_S: Final = 600.0
"""A provider that asks for more is asked again after this long; a request's own bound ends it before that."""


def parse_retry_after(text: str | None, now: datetime | None = None) -> float | None:
    """Seconds in a Retry-After header, given as seconds or as an HTTP date (RFC 9110, 10.2.3); None if unreadable.

    Never negative, never more than :data:`RETRY_AFTER_LIMIT_S`.
    """
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            moment = parsedate_to_datetime(text)
        except (ValueError, TypeError):
            return None
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        seconds = (moment - (now or datetime.now(UTC))).total_seconds()
    return None if math.isnan(seconds) else min(max(seconds, 0.0), RETRY_AFTER_LIMIT_S)
