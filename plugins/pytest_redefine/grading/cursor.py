"""Looking at tokens by index, past the end included."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_redefine.grading.tokens import Token


class Cursor:
    """Reads tokens without ever running over their end."""

    __slots__ = ("tokens",)

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens

    def text(self, at: int) -> str:
        """What token ``at`` reads; nothing past the end."""
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def word(self, at: int) -> str:
        """The word at ``at`` in lower case; nothing where no word stands."""
        return self.tokens[at].text.lower() if 0 <= at < len(self.tokens) and self.tokens[at].kind == "word" else ""

    def touches(self, at: int) -> bool:
        """Token ``at`` follows the one before it without a space."""
        return 0 < at < len(self.tokens) and self.tokens[at].start == self.tokens[at - 1].end
