"""A terminal for the runs that tests start."""

from __future__ import annotations

import os
import pty
import select
import struct
import termios
import time
from collections.abc import Callable
from fcntl import ioctl
from typing import Final

from tests.plugin.conftest import PATIENCE_S, Start

WIDTH: Final = 80


class Tty:
    """A pseudo terminal of 80 columns, and a run of pytest that believes it is the real one."""

    def __init__(self, start: Start, *args: str, **environment: str) -> None:
        self.master, slave = pty.openpty()
        ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, WIDTH, 0, 0))
        attributes = termios.tcgetattr(slave)
        attributes[1] &= ~termios.OPOST  # line feeds as they were sent
        termios.tcsetattr(slave, termios.TCSANOW, attributes)
        there = {**os.environ, "TERM": "xterm-256color", **environment}
        for name in ("NO_COLOR", "PY_COLORS", "COLUMNS", "LINES"):
            there.pop(name, None)
        self.process = start(*args, stdin=slave, stdout=slave, stderr=slave, env=there)
        os.close(slave)
        self.data = b""

    @property
    def text(self) -> str:
        return self.data.decode("utf-8", "replace")

    def read_until(self, condition: Callable[[str], object]) -> None:
        end = time.monotonic() + PATIENCE_S
        while not condition(self.text):
            assert time.monotonic() < end, "it was never shown:\n" + self.text
            if not self._read():
                assert condition(self.text), "the run ended before it was shown:\n" + self.text

    def read_all(self) -> int:
        while self._read():
            pass
        os.close(self.master)
        return self.process.wait(PATIENCE_S)

    def _read(self) -> bool:
        ready, _, _ = select.select([self.master], [], [], PATIENCE_S)
        assert ready, "nothing more is shown:\n" + self.text
        try:
            read = os.read(self.master, 65536)
        except OSError:  # Linux: the other end is closed
            return False
        self.data += read
        return bool(read)
