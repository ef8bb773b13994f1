"""How the limit finds its width, and who gets in: all on a clock that the test moves."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_redefine.respondents.gateway.limits import CUT, SETTLE_S, START, AdaptiveLimit, Pace, Pause, Places
from tests.respondents.gateway.support import run, settle


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def full_round(limit: AdaptiveLimit) -> None:
    """As many as are allowed go out together and are answered together: the hardest to judge by."""
    number = limit.current
    for in_flight in range(1, number + 1):
        limit.sent(in_flight)
    for in_flight in range(number, 0, -1):
        limit.succeeded(in_flight)


def storm(limit: AdaptiveLimit, rounds: int) -> None:
    """All are refused."""
    for _ in range(rounds):
        for stamp in [limit.sent(in_flight + 1) for in_flight in range(limit.current)]:
            limit.refused(stamp)


def test_it_doubles_each_round_until_the_ceiling() -> None:
    limit = AdaptiveLimit(100)
    widths = [limit.current]
    while limit.current < 100:
        full_round(limit)
        widths.append(limit.current)
    assert widths == [START, 32, 64, 100]


def test_it_grows_as_fast_where_answers_come_one_by_one() -> None:
    limit = AdaptiveLimit(64)
    for in_flight in range(1, START + 1):
        limit.sent(in_flight)
    for _ in range(48):
        limit.succeeded(limit.current)
        limit.sent(limit.current)
    assert limit.current == 64


def test_it_does_not_grow_while_something_else_holds_requests_back() -> None:
    limit = AdaptiveLimit(64)
    for _ in range(500):
        limit.sent(3)
        limit.succeeded(3)
    assert limit.current == START


@pytest.mark.parametrize(("ceiling", "width", "start"), [(64, None, START), (5, None, 5), (64, 4, 4), (0, None, 1)])
def test_where_it_starts(ceiling: int, width: int | None, start: int) -> None:
    assert AdaptiveLimit(ceiling, width).current == start


def test_a_round_of_refusals_is_one_cut() -> None:
    clock = Clock()
    limit = AdaptiveLimit(64, 50, clock)
    storm(limit, 1)
    assert limit.current == int(50 * CUT)
    old = limit.sent(40)
    storm(limit, 1)
    assert limit.current == int(50 * CUT * CUT)
    clock.now += 100
    limit.refused(old)  # it came late, but was sent before the cut
    assert limit.current == int(50 * CUT * CUT)


def test_after_a_cut_it_grows_by_one_a_round() -> None:
    clock = Clock()
    limit = AdaptiveLimit(64, 50, clock)
    storm(limit, 1)
    full_round(limit)
    assert limit.current == 40  # nothing grows at once
    clock.now += SETTLE_S
    widths = [limit.current]
    while limit.current < 50:
        full_round(limit)
        widths.append(limit.current)
    assert sorted(set(widths)) == list(range(40, 51))
    assert len(widths) <= 13  # a round may fall short of the next whole number by a rounding error


def test_it_comes_back_fast_from_a_storm_to_where_the_storm_began_and_then_to_the_ceiling() -> None:
    clock = Clock()
    limit = AdaptiveLimit(64, 64, clock)
    storm(limit, 40)
    assert limit.current == 1
    clock.now += SETTLE_S
    widths = []
    while limit.current < 64:
        full_round(limit)
        widths.append(limit.current)
    assert widths[:6] == [2, 4, 8, 16, 32, 51]
    assert len(widths) <= 6 + 15


@pytest.mark.parametrize("number", [1, 100])
def test_an_unwell_server_pauses_growth_and_cuts_nothing(number: int) -> None:
    clock = Clock()
    limit = AdaptiveLimit(64, clock=clock)
    for _ in range(number):
        limit.failed()
    full_round(limit)
    assert limit.current == START
    clock.now += SETTLE_S
    full_round(limit)
    assert limit.current == 2 * START


EVENTS = st.lists(
    st.tuples(st.sampled_from(["sent", "succeeded", "refused", "stale", "failed", "wait"]), st.integers(1, 40))
)


@given(ceiling=st.integers(1, 40), width=st.none() | st.integers(1, 40), events=EVENTS)
def test_whatever_happens_it_stays_between_one_and_the_ceiling(
    ceiling: int, width: int | None, events: list[tuple[str, int]]
) -> None:
    clock = Clock()
    limit = AdaptiveLimit(ceiling, width, clock)
    for what, number in events:
        before = limit.current
        match what:
            case "sent":
                limit.sent(number)
            case "succeeded":
                limit.succeeded(number)
                assert before <= limit.current <= before + 1
            case "refused":
                limit.refused(limit.sent(1))
                assert limit.current <= before
            case "stale":
                stamp = limit.sent(1)
                limit.refused(stamp)
                once = limit.current
                limit.refused(stamp)
                assert limit.current == once
            case "failed":
                limit.failed()
                assert limit.current == before
            case "wait":
                clock.now += number
        assert 1 <= limit.current <= ceiling


@given(
    per_minute=st.integers(1, 6000),
    takes=st.lists(st.tuples(st.floats(0, 5), st.floats(0.1, 50)), min_size=1, max_size=50),
)
def test_a_pace_is_never_passed_by_more_than_a_tenth_of_a_minute(
    per_minute: int, takes: list[tuple[float, float]]
) -> None:
    clock = Clock()
    pace = Pace(per_minute, clock)
    used: list[tuple[float, float]] = []
    for idle, units in takes:
        clock.now += idle
        used.append((clock.now + pace.take(units), units))
    rate, burst = per_minute / 60, max(1.0, per_minute / 10)
    for number, (at, _) in enumerate(used):
        # What is used up to a moment has been earned by then.
        assert sum(units for _, units in used[: number + 1]) <= burst + rate * at + 1e-6
    assert [at for at, _ in used] == sorted(at for at, _ in used)


def test_a_pace_waits_no_longer_than_it_must() -> None:
    clock = Clock()
    pace = Pace(60, clock)
    assert [pace.take(1) for _ in range(8)] == [0, 0, 0, 0, 0, 0, 1, 2]
    clock.now += 2
    assert pace.take(1) == 1
    pace.give_back(1)
    assert pace.take(1) == 1
    clock.now += 1000
    assert [pace.take(1) for _ in range(7)] == [0, 0, 0, 0, 0, 0, 1]  # idle time is not saved up


def test_without_a_pace_nothing_waits() -> None:
    pace = Pace(None)
    assert pace.take(1e9) == 0
    pace.give_back(5)
    assert pace.take(1e9) == 0


def test_a_pause_lasts_as_long_as_the_longest_wish() -> None:
    clock = Clock(1000.0)
    pause = Pause(clock)
    assert pause.left() == 0
    pause.extend(5)
    pause.extend(2)
    assert pause.left() == 5
    clock.now += 4
    assert pause.left() == 1
    clock.now += 4
    assert pause.left() == 0


def test_places_are_handed_over_in_the_order_of_arrival() -> None:
    async def go() -> None:
        places = Places(AdaptiveLimit(1))
        order: list[int] = []

        async def come(number: int) -> None:
            await places.enter()
            order.append(number)
            assert places.taken == 1
            await asyncio.sleep(0)
            places.leave()

        first = [asyncio.create_task(come(number)) for number in range(5)]
        await asyncio.sleep(0)
        await asyncio.gather(*first, come(5), come(6))  # newcomers while places are being handed over
        assert order == list(range(7))
        assert places.taken == 0

    run(go())


@pytest.mark.parametrize("when", ["waiting", "handed over"])
def test_whoever_gives_up_waiting_takes_no_place_along(when: str) -> None:
    async def go() -> None:
        places = Places(AdaptiveLimit(1))
        await places.enter()
        waiting = [asyncio.create_task(places.enter()) for _ in range(3)]
        await settle()
        if when == "handed over":
            places.leave()
        waiting[0].cancel()
        if when == "waiting":
            places.leave()
        await settle()
        assert [task.done() for task in waiting] == [True, True, False]
        places.leave()
        await settle()
        assert waiting[2].done()
        places.leave()
        assert places.taken == 0

    run(go())


def test_release_lets_all_in() -> None:
    async def go() -> None:
        places = Places(AdaptiveLimit(1))
        await places.enter()
        waiting = [asyncio.create_task(places.enter()) for _ in range(3)]
        await settle()
        places.release()
        await asyncio.gather(*waiting)
        assert places.taken == 4

    run(go())
