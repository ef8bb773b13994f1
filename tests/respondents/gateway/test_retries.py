from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_redefine.respondents.errors import NOT_ASKED_KINDS, RETRIED_KINDS, STOPPING_KINDS, CallError
from pytest_redefine.respondents.gateway.retries import RetryPolicy

POLICY = RetryPolicy(retries=3, base_s=1.0, ceiling_s=30.0, give_up_s=100.0)
NEVER = sorted(STOPPING_KINDS | NOT_ASKED_KINDS | {"content_filter", "internal", "worker_died"})


def most(low: float, high: float) -> float:
    return high


def wait(
    kind: str, attempts: int = 1, failures: int = 1, left_s: float = 99.0, retry_after_s: float | None = None
) -> float | None:
    error = CallError(kind, "", retry_after_s=retry_after_s)
    return POLICY.wait_s(error, attempts=attempts, failures=failures, left_s=left_s, uniform=most)


def test_the_ceiling_doubles_up_to_its_bound() -> None:
    assert [wait("rate_limit", attempts) for attempts in (1, 2, 3, 4, 5, 6, 7, 1000)] == [1, 2, 4, 8, 16, 30, 30, 30]


@given(attempts=st.integers(1, 10_000), kind=st.sampled_from(sorted(RETRIED_KINDS)))
def test_the_wait_is_drawn_from_zero_to_the_ceiling(attempts: int, kind: str) -> None:
    drawn = POLICY.wait_s(CallError(kind, ""), attempts=attempts, failures=1, left_s=99.0)
    assert drawn is not None
    assert 0 <= drawn <= min(30.0, 2.0 ** min(attempts - 1, 20))


def test_the_whole_range_is_used() -> None:
    drawn = [POLICY.wait_s(CallError("server", ""), attempts=4, failures=1, left_s=99.0) or 0.0 for _ in range(300)]
    assert min(drawn) < 2 < 6 < max(drawn)


@pytest.mark.parametrize("kind", NEVER)
def test_what_will_not_change_is_not_asked_again(kind: str) -> None:
    assert wait(kind) is None
    assert wait(kind, retry_after_s=1.0) is None


@pytest.mark.parametrize("kind", sorted(RETRIED_KINDS - {"rate_limit"}))
def test_failures_are_counted(kind: str) -> None:
    assert wait(kind, attempts=50, failures=3) is not None
    assert wait(kind, attempts=50, failures=4) is None


def test_refusals_are_not() -> None:
    assert wait("rate_limit", attempts=50, failures=50) is not None


@pytest.mark.parametrize("kind", ["rate_limit", "server"])
def test_the_provider_s_own_moment_counts_with_some_jitter_after_it(kind: str) -> None:
    assert wait(kind, attempts=9, retry_after_s=7.0) == 8.0
    drawn = POLICY.wait_s(CallError(kind, "", retry_after_s=7.0), attempts=9, failures=1, left_s=99.0)
    assert drawn is not None
    assert 7 <= drawn <= 8


def test_what_would_end_too_late_is_given_up_at_once() -> None:
    assert wait("rate_limit", left_s=1.0) is None
    assert wait("rate_limit", left_s=1.1) == 1.0
    assert wait("rate_limit", retry_after_s=600.0) is None
    assert wait("rate_limit", left_s=-5.0) is None
