"""The commands of ``pytest-redefine``, a module each: ``configure(parser)`` and ``run(args)``.

``cli.COMMANDS`` lists them. A command imports what is heavy in ``run``, so that ``--help`` answers at once.
"""

from __future__ import annotations


class CommandError(Exception):
    """Why a command stops; one line that says where, what is wrong and what to do."""

    def __init__(self, message: str, *, status: int = 2) -> None:
        """``status``: 2 where the command cannot be carried out, 1 where the data is at fault."""
        super().__init__(message)
        self.status = status
