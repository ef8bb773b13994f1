from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_redefine.respondents.callers.retry_after import RETRY_AFTER_LIMIT_S, parse_retry_after

NOW = datetime(2026, 10, 21, 7, 28, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7", 7.0),
        (" 7 ", 7.0),
        ("0", 0.0),
        ("0.25", 0.25),
        ("-3", 0.0),
        ("99999", RETRY_AFTER_LIMIT_S),
        ("inf", RETRY_AFTER_LIMIT_S),
        ("nan", None),
        ("Wed, 21 Oct 2026 07:28:30 GMT", 30.0),
        ("Wed, 21 Oct 2026 09:28:30 +0200", 30.0),
        ("Wednesday, 21-Oct-26 07:28:30 GMT", 30.0),
        ("Wed Oct 21 07:28:30 2026", 30.0),
        ("Wed, 21 Oct 2026 07:00:00 GMT", 0.0),
        ("Wed, 21 Oct 2099 07:00:00 GMT", RETRY_AFTER_LIMIT_S),
        ("soon", None),
        ("", None),
        (None, None),
    ],
)
def test_seconds_and_dates(text: str | None, seconds: float | None) -> None:
    assert parse_retry_after(text, NOW) == seconds


@given(st.text(max_size=40) | st.from_regex(r"\w{3}, [0-9]{1,3} \w{3} [0-9]{1,6} [0-9:]{1,9} ?[A-Z+0-9-]{0,6}"))
def test_no_header_is_an_error(text: str) -> None:
    seconds = parse_retry_after(text, NOW)
    assert seconds is None or 0 <= seconds <= RETRY_AFTER_LIMIT_S
