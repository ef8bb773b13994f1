"""A terminal, as far as the suite uses one."""

from __future__ import annotations

import re


class Screen:
    """What a terminal shows of a stream: printing with wrap-around, line feeds, and the moves that are in use."""

    def __init__(self, stream: str, width: int) -> None:
        self.width = width
        self.rows: dict[int, dict[int, str]] = {}
        self.row = self.column = 0
        self.wraps = False  # the last column is filled, and the next character starts a new row
        for token in re.findall(r"\x1b\[\d*[A-Za-z]|\x1b\[[\d;]+m|.", stream, re.DOTALL):
            self._take(token)

    def _take(self, token: str) -> None:
        if token.startswith("\x1b["):
            count, move = int(token[2:-1].split(";")[0] or 1), token[-1]
            if move == "A":
                self.row = max(0, self.row - count)
            elif move == "C":
                self.column = min(self.width - 1, self.column + count)
            elif move == "J":
                here = self.rows.get(self.row, {})
                self.rows = {row: cells for row, cells in self.rows.items() if row <= self.row}
                self.rows[self.row] = {column: cell for column, cell in here.items() if column < self.column}
            else:
                assert move == "m", f"{token!r} is no move that the line makes"
                return
            self.wraps = False
        elif token == "\n":  # a terminal returns the carriage, too
            self.row, self.column, self.wraps = self.row + 1, 0, False
        elif token == "\r":
            self.column, self.wraps = 0, False
        else:
            if self.wraps:
                self.row, self.column, self.wraps = self.row + 1, 0, False
            self.rows.setdefault(self.row, {})[self.column] = token
            self.wraps = self.column == self.width - 1
            self.column = min(self.width - 1, self.column + 1)

    @property
    def lines(self) -> list[str]:
        shown = []
        for row in range(max(self.rows, default=-1) + 1):
            cells = self.rows.get(row, {})
            shown.append("".join(cells.get(column, " ") for column in range(max(cells, default=-1) + 1)).rstrip())
        while shown and not shown[-1]:
            shown.pop()
        return shown
