"""What goes wrong while asking: none of it is ever an answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from pytest_redefine.respondents.text import clean_text, scrubbed

MESSAGE_LIMIT: Final = 600
"""Characters of a provider's message that are kept: enough to act on, too few to flood a terminal."""


class RespondentUnavailable(Exception):
    """A respondent that cannot be asked at all; the message is one line: what is wrong and what to type."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why there is no answer; plain data, as it stands in a record's ``error``."""

    kind: str
    """One of :data:`RETRIED_KINDS`, :data:`STOPPING_KINDS` or :data:`NOT_ASKED_KINDS`, or ``content_filter``,
    ``malformed``, ``internal``, ``worker_died``."""
    message: str

    def to_json(self) -> dict[str, Any]:
        """Plain builtins."""
        return {"kind": self.kind, "message": self.message}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Fault:
        """The inverse of :meth:`to_json`."""
        return cls(str(data["kind"]), str(data["message"]))


NOT_ASKED_KINDS: Final = frozenset({"offline", "interrupted", "budget", "stopped", "not_asked"})
"""Faults of cases that nobody was asked about: their tests are skipped, not failed."""

RETRIED_KINDS: Final = frozenset({"rate_limit", "server", "timeout", "network", "malformed"})
"""What may be otherwise a moment later."""

STOPPING_KINDS: Final = frozenset({"usage", "authentication", "model_not_found", "bad_request", "quota", "unsupported"})
"""What the next request to the same model would meet too: asking on would only repeat the failure."""


class CallError(Exception):
    """One request failed; carries its :class:`Fault`."""

    def __init__(
        self, kind: str, message: str, secrets: Iterable[str] = (), *, retry_after_s: float | None = None
    ) -> None:
        """Keep the first :data:`MESSAGE_LIMIT` characters of the message, on one line, without any key.

        Args:
            kind: as in :class:`Fault`.
            message: what happened; the provider's own words may be part of it.
            secrets: what must not be shown, beside what the environment holds.
            retry_after_s: how long the provider asks to be left alone.
        """
        one_line = clean_text(" ".join(scrubbed(message, secrets).split()))
        if len(one_line) > MESSAGE_LIMIT:
            one_line = one_line[: MESSAGE_LIMIT - 1] + "…"
        self.fault = Fault(kind, one_line)
        self.retry_after_s = retry_after_s
        super().__init__(f"{kind}: {one_line}")

    @classmethod
    def of(cls, fault: Fault) -> CallError:
        """The error of a fault that is known already."""
        error = cls(fault.kind, "")
        error.fault = fault
        return error
