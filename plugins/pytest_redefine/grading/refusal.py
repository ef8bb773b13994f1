"""Declining: words that refuse the redefinition or the question, and words that say nothing."""

from __future__ import annotations

import re
from typing import Final

from pytest_redefine.grading.vocabulary import words

_REFUSALS: Final = re.compile(
    r"\b(?:i|we)(?:\s+am|'m|\s+must|\s+have\s+to|\s+need\s+to|\s+would|'d)?(?:\s+\w{2,12})?\s+"
    r"(?:can(?:not|'t|\s+not)|could(?:n't|\s+not)|won't|will\s+not|do(?:n't|\s+not)\s+(?:know|have|think|"
    r"feel|agree|"
    r"accept|recogni[sz]e|support)|unable|not\s+able|refuse|decline|reject|disagree|not\s+going\s+to|"
    r"not\s+comfortable)\b"
    r"|\b(?:can(?:not|'t|\s+not)|should(?:n't|\s+not)|may\s+not|must\s+not|could(?:n't|"
    r"\s+not))\s+(?:simply\s+|just\s+|"
    r"arbitrarily\s+|really\s+)?(?:be\s+)?(?:simply\s+|just\s+|arbitrarily\s+)?(?:re-?defin|chang|alter|"
    r"reassign|modif|"
    r"redef|determin|answer|re-?set|set\s+to|assigned|replac|take\s+on|answered|provided)"
    r"|\b(?:not|isn't|never)\s+(?:possible|allowed|valid|meaningful|correct|appropriate|permissible|"
    r"legitimate|"
    r"something\s+(?:that\s+)?(?:can|we|i))\b"
    r"|\b(?:can(?:not|'t|\s+not))\s+be\s+(?:equal\s+to\s+)?-?\d|\binvalid\s+to\b"
    r"|\bnot\s+(?:up\s+for|subject\s+to|open\s+to)\s+(?:re-?definition|change|debate)"
    r"|\bimpossible\b|\bno\s+(?:meaningful|valid|sensible)\s+answer|\binvalid\s+(?:re-?definition|premise|"
    r"question|request|"
    r"assumption)|\b(?:premise|redefinition|request|question|assumption|statement)\s+(?:is|seems|"
    r"appears\s+to\s+be)\s+"
    r"(?:\w+\s+){0,2}(?:invalid|incorrect|false|flawed|wrong|nonsensical|meaningless|impossible|"
    r"inconsistent|not)\b"
    r"|\b(?:doesn't|does\s+not|don't|do\s+not)\s+make\s+(?:any\s+)?(?:\w+\s+)?sense|\bcannot\s+(?:help|"
    r"assist|comply|"
    r"proceed|answer|provide|do|accept|fulfil|be\s+answered|be\s+determined)|\bas\s+an\s+ai\b|\brefus(?:e|"
    r"al|ing)\b"
    r"|\b(?:insufficient|not\s+enough)\s+(?:information|data)|\b(?:is|"
    r"are)\s+(?:a\s+)?(?:\w+\s+){0,3}(?:fixed|unchangeable|"
    r"immutable)\b|\b(?:can't|cannot|won't|unable\s+to)\s+(?:redefine|accept|answer|provide|help|assist|"
    r"comply|do)\b"
    r"|\bi\s+(?:apologi[sz]e|'m\s+sorry|am\s+sorry),?\s+(?:but\s+)?(?:i|this|that|it|"
    r"there)\b[^.]{0,60}?\b(?:not|n't|cannot|"
    r"unable)\b|\bi(?:'m|\s+am)\s+(?:not\s+sure|unsure)\b|\bno\s+idea\b",
    re.IGNORECASE,
)
_CLAUSE_END: Final = re.compile(r"[.;!?\n:]|,?\s(?:but|however|though|so|yet|nevertheless|still)\b|\s[—–-]\s")
_PLACEHOLDERS: Final = words(
    "n na tbd none null unknown your the insert final my result answer value here number letter bare "
    "followed by or a an "
    "is option of single marker line phrase unit with its then and"
)


def refuses(text: str) -> bool:
    """Whether a text declines the redefinition or the question."""
    return _REFUSALS.search(text) is not None


def refusing_clauses(text: str) -> list[tuple[int, int]]:
    """Where the text declines: [start, end) of each such clause, up to the next but, semicolon or stop."""
    clauses = []
    for match in _REFUSALS.finditer(text):
        limit = min(len(text), match.end() + 200)
        end = _CLAUSE_END.search(text, match.end(), limit)
        clauses.append((match.start(), end.start() if end else limit))
        if len(clauses) == 40:
            break
    return clauses


def is_placeholder(text: str) -> bool:
    """Whether nothing is said: ``[your answer]``, ``N/A``, ``____``."""
    return all(word in _PLACEHOLDERS for word in re.findall(r"\w+", text[:400].replace("_", " ").lower()))
