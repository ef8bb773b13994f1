from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_redefine.reporting import live
from pytest_redefine.reporting.live import LiveLine, line
from pytest_redefine.respondents.gateway import Progress
from tests.screen import Screen

WIDTH = 40
PROGRESS = Progress(announced=270, finished=100, in_flight=16, asked=80, from_store=20, faults=2, asking_s=40.0)


@pytest.mark.parametrize(
    ("progress", "text"),
    [
        (PROGRESS, "100/270 answered · 16 in flight · 20 from the store · 2.0/s · 1:25 left · 2 errors"),
        (Progress(announced=9, in_flight=2), "0/9 answered · 2 in flight"),
        (Progress(announced=9, finished=1, asked=1, asking_s=0.4), "1/9 answered · 0 in flight"),
        (Progress(announced=9, finished=1, asked=1, asking_s=60), "1/9 answered · 0 in flight · 1.0/min · 8:00 left"),
        (
            Progress(announced=2772, finished=1, in_flight=1, asked=1, asking_s=4),
            "1/2772 answered · 1 in flight · 15.0/min · 3:04:44 left",
        ),
        (Progress(), ""),
        (Progress(announced=9, finished=9, asked=9, asking_s=3), ""),
    ],
)
def test_what_the_line_says(progress: Progress, text: str) -> None:
    assert line(progress, 200) == text


@given(st.integers(0, 90))
def test_the_line_leaves_the_last_column_free(width: int) -> None:
    assert len(line(PROGRESS, width)) == min(max(0, width - 1), len(line(PROGRESS, 200)))


class Tty:
    """One terminal with two ways to it, each with a buffer of its own: pytest's, and the line's."""

    def __init__(self) -> None:
        self.sink = Sink()
        self.stream = io.TextIOWrapper(io.BufferedWriter(self.sink), encoding="utf-8", newline="")
        self.screen = io.TextIOWrapper(io.BufferedWriter(self.sink), encoding="utf-8", newline="")

    def live(self, progress: Callable[[], Progress | None]) -> LiveLine:
        return LiveLine(self.stream, self.screen, progress, lambda: WIDTH)

    @property
    def text(self) -> str:
        return self.sink.taken.decode()


class Sink(io.RawIOBase):
    """Keeps what it is given, and is not closed by who writes to it."""

    def __init__(self) -> None:
        self.taken = b""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.taken += bytes(data)
        return len(data)

    def close(self) -> None:
        pass


class Progressing:
    """One more is answered at every look."""

    def __init__(self) -> None:
        self.finished = 0

    def __call__(self) -> Progress:
        self.finished += 1
        return Progress(announced=10_000, finished=self.finished, in_flight=3)


@pytest.fixture(autouse=True)
def by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread waits; the tests draw."""
    monkeypatch.setattr(live, "REFRESH_S", 3600)


def test_the_line_stands_below_the_cursor_and_is_gone_before_anything_is_written() -> None:
    tty = Tty()
    shown = tty.live(Progressing())
    shown.write("tests/test_a.py ..")
    shown.draw()
    screen = Screen(tty.text, WIDTH)
    assert screen.lines == ["tests/test_a.py ..", "1/10000 answered · 3 in flight"]
    assert (screen.row, screen.column) == (0, 18)
    shown.write("C")
    assert Screen(tty.text, WIDTH).lines == ["tests/test_a.py ..C"]
    shown.draw()
    shown.draw()
    assert Screen(tty.text, WIDTH).lines == ["tests/test_a.py ..C", "3/10000 answered · 3 in flight"]
    shown.close()
    assert Screen(tty.text, WIDTH).lines == ["tests/test_a.py ..C"]


WRITES = st.lists(
    st.sampled_from(
        [".", "C", "A", "\n", "\r", "tests/test_a.py ", "\x1b[32mPASSED\x1b[0m", " [ 50%]\n", "x" * 37, "x" * 85]
    ),
    max_size=25,
)


@given(WRITES, st.lists(st.booleans(), min_size=25, max_size=25))
def test_pytest_s_own_output_is_as_without_the_line(writes: list[str], draws: list[bool]) -> None:
    bare, tty = "".join(writes), Tty()
    shown = tty.live(Progressing())
    for text, draw in zip(writes, draws, strict=False):
        assert shown.write(text) == len(text)
        if draw:
            shown.draw()
    shown.close()
    assert Screen(tty.text, WIDTH).lines == Screen(bare, WIDTH).lines
    own = re.compile(r"\n\r(\x1b\[2m[^\n]*?\x1b\[0m|\x1b\[J)\x1b\[A\r(\x1b\[\d+C)?")
    assert own.sub("", tty.text) == bare


def test_an_unchanged_line_is_not_drawn_again() -> None:
    tty = Tty()
    shown = tty.live(lambda: PROGRESS)
    shown.draw()
    before = tty.text
    shown.draw()
    assert tty.text == before
    shown.close()


@pytest.mark.parametrize("progress", [None, Progress()])
def test_nothing_is_drawn_where_there_is_nothing_to_say(progress: Progress | None) -> None:
    tty = Tty()
    shown = tty.live(lambda: progress)
    shown.draw()
    shown.close()
    assert tty.text == ""


def test_all_else_is_the_stream_s() -> None:
    tty = Tty()
    shown = tty.live(lambda: None)
    assert shown.encoding == "utf-8"
    assert not shown.isatty()
    tty.stream.write("x")
    assert tty.text == ""
    shown.flush()
    assert tty.text == "x"
    shown.close()
    assert not tty.stream.closed


def test_the_thread_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "REFRESH_S", 0.001)
    tty, looked = Tty(), Progressing()
    shown = tty.live(looked)
    while looked.finished < 3:
        shown.flush()
    shown.close()
    assert "1/10000 answered" in tty.text
    assert Screen(tty.text, WIDTH).lines == []
    assert not shown._thread.is_alive()
