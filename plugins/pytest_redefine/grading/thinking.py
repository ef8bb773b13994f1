"""Thinking in tags is not the answer: which part of a reply is."""

from __future__ import annotations

import re
from typing import Final

_TAG: Final = re.compile(
    r"<(?P<close>/?)(?:think|thinking|thought|thoughts|reasoning|scratchpad|reflection|analysis)>"
    r"|\[(?P<close2>/?)THINK\]"
    r"|◁(?P<close3>/?)think▷"
    r"|<\|(?P<kind>begin|end)_of_thought\|>",
    re.IGNORECASE,
)
_FINAL: Final = "<|channel|>final<|message|>"
_ANALYSIS: Final = "<|channel|>analysis<|message|>"


def answer_part(reply: str) -> tuple[str, bool]:
    """The reply with its thinking blanked out, as long as before so that offsets hold.

    Returns:
        The text, and whether the thinking was still open at its end (cut off inside it).
    """
    if _ANALYSIS in reply or _FINAL in reply:
        at = reply.rfind(_FINAL)
        if at < 0:
            return " " * len(reply), True
        at += len(_FINAL)
        return " " * at + reply[at:], False
    kept: list[str] = []
    position = 0
    depth = 0
    for match in _TAG.finditer(reply):
        close = bool(match["close"] or match["close2"] or match["close3"] or (match["kind"] or "") == "end")
        if not close:
            if depth == 0:
                kept.append(reply[position : match.start()])
                position = match.start()
            depth = 1
        else:
            # A closing tag alone: the template had opened it, so all before is thinking.
            if depth == 0:
                kept = [" " * match.end()]
            else:
                kept.append(" " * (match.end() - position))
            position = match.end()
            depth = 0
    if depth:
        kept.append(" " * (len(reply) - position))
        return "".join(kept), True
    kept.append(reply[position:])
    return "".join(kept), False
