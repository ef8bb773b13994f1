"""A live line below pytest's own output while it runs in a terminal: done, in flight, rate, time left."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from typing import Any, Final, TextIO

import pytest

from pytest_redefine.respondents.gateway import Progress

REFRESH_S: Final = 0.2

_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def line(progress: Progress, width: int) -> str:
    """The line's text, cut to ``width`` columns; empty where nothing is under way.

    The rate counts answers that were asked for; those from the store come at once.
    """
    left = progress.announced - progress.finished
    if not progress.announced or left <= 0:
        return ""
    parts = [f"{progress.finished}/{progress.announced} answered", f"{progress.in_flight} in flight"]
    if progress.from_store:
        parts.append(f"{progress.from_store} from the store")
    if progress.asked and progress.asking_s > 0.5:
        rate = progress.asked / progress.asking_s
        parts.append(f"{rate:.1f}/s" if rate >= 1 else f"{60 * rate:.1f}/min")
        parts.append(f"{_clock(left / rate)} left")
    if progress.faults:
        parts.append(f"{progress.faults} errors")
    return " · ".join(parts)[: max(0, width - 1)]


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


class LiveLine:
    """Stands between pytest's terminal writer and the terminal.

    pytest leaves its cursor in mid-line behind the letters of the last tests, so the line goes below the cursor
    and is wiped before anything else is written. Rich's live display owns whole lines and cannot do that.
    """

    def __init__(
        self, stream: TextIO, screen: TextIO, progress: Callable[[], Progress | None], width: Callable[[], int]
    ) -> None:
        """Begin to draw every :data:`REFRESH_S` seconds.

        Args:
            stream: what pytest writes to.
            screen: where the line is drawn: the same terminal by another way, for while a test runs pytest's
                capturing takes whatever is written to ``stream``.
            progress: what to show; None before there is anything.
            width: the terminal's columns.
        """
        self._stream = stream
        self._screen = screen
        self._progress = progress
        self._width = width
        self._lock = threading.RLock()
        self._writer: Any = None  # pytest's, where the line stands in front of its stream
        self._column = 0
        self._shown = ""
        self._back = ""  # what brings the cursor from the line back to its place
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._draw_on, name="redefine-live", daemon=True)
        self._thread.start()

    @classmethod
    def for_terminal(cls, config: pytest.Config, progress: Callable[[], Progress | None]) -> LiveLine | None:
        """A live line where pytest writes to a terminal that understands one; None elsewhere."""
        writer: Any = config.get_terminal_writer()
        stream = getattr(writer, "_file", None)
        dumb = os.environ.get("TERM", "dumb") == "dumb" or os.environ.get("CI")
        if stream is None or dumb or not writer.hasmarkup or not stream.isatty() or config.option.verbose < 0:
            return None
        # pytest captures nothing yet: file descriptor 1 is the terminal itself.
        screen = os.fdopen(os.dup(stream.fileno()), "w", encoding=stream.encoding, errors="replace")
        live = cls(stream, screen, progress, lambda: int(writer.fullwidth))
        writer._file = live
        live._writer = writer
        return live

    def write(self, text: str) -> int:
        """Pass pytest's text through, wiping the line first."""
        with self._lock:
            self._wipe()
            written = self._stream.write(text)
            self._stream.flush()  # or what is drawn next overtakes it
            tail = _ANSI.sub("", text.rsplit("\n", 1)[-1]).rsplit("\r", 1)[-1]
            self._column = len(tail) if "\n" in text or "\r" in text else self._column + len(tail)
            return written

    def flush(self) -> None:
        """Flush the terminal."""
        with self._lock:
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        """All else (encoding, isatty ...) is the terminal's."""
        return getattr(self._stream, name)

    def close(self) -> None:
        """Wipe the line and step aside."""
        self._stop.set()
        self._thread.join(1)
        with self._lock:
            self._wipe()
            self._screen.close()
        if self._writer is not None:
            self._writer._file = self._stream

    def draw(self) -> None:
        """Draw the line anew where it has changed."""
        progress = self._progress()
        if progress is None:
            return
        width = self._width()
        text = line(progress, width)
        with self._lock:
            column = self._column % width if width else 0
            if text == self._shown or (self._column and not column):
                return  # behind a full line the terminal waits to wrap, and there is no way back to that state
            self._wipe()
            if text:
                # Down one line, write, up again, and back to where pytest's cursor was. Relative moves only:
                # at the bottom of the screen the line feed scrolls.
                self._back = f"\x1b[A\r\x1b[{column}C" if column else "\x1b[A\r"
                self._screen.write(f"\n\r\x1b[2m{text}\x1b[0m{self._back}")
            self._screen.flush()
            self._shown = text

    def _draw_on(self) -> None:
        while not self._stop.wait(REFRESH_S):
            self.draw()

    def _wipe(self) -> None:
        if self._shown:
            # From below the cursor to the end of the screen: pytest has nothing there.
            self._screen.write(f"\n\r\x1b[J{self._back}")
            self._screen.flush()
            self._shown = ""


__all__ = ["REFRESH_S", "LiveLine", "line"]
