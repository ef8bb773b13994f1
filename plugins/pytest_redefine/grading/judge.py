"""Another model as the grader: what it is asked about an answer, and what its replies come to.

Two questions, as in the paper's procedure: which of the references the answer matches, if any; if none, what kind of
answer it is. Both the answer and the judge's replies are hostile text: the one is quoted, fenced and bounded, the
others count only where they are a word of the vocabulary and nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, cast

from pytest_redefine.cases.judge_wording import MATCH, NO_MATCH, QUOTE, REST, JudgeWording
from pytest_redefine.cases.references import Reference
from pytest_redefine.cases.truth import Truth
from pytest_redefine.grading.outcome import Category, Outcome
from pytest_redefine.grading.thinking import answer_part
from pytest_redefine.respondents.exchange import Interview, Request, Turn

RULE: Final = "judge"
"""Of outcomes that a judge gave."""

MOST_REQUESTS: Final = 4
"""About one answer: two questions, each asked once more at most."""
PROMPT_CHARACTERS: Final = 2_000
"""Of a usual prompt to a judge: 1,300 that are ours, and the answer."""

_HEAD: Final = 1_500
_TAIL: Final = 4_500
"""Characters of an answer that a judge is shown: its end says what it settles on."""
_REPLY_READ: Final = 20_000
_LONGEST_WORD: Final = 100

_Question = Literal["match", "rest"]


class Ask(NamedTuple):
    """What a judge is to be asked next."""

    question: _Question
    again: bool
    """Its reply was outside its vocabulary."""


class Verdict(NamedTuple):
    """What a judge has said in the end."""

    outcome: Outcome | None
    """None: nothing that counts, so the answer is ungraded."""


def follow(references: Sequence[Reference], replies: Iterable[str]) -> Ask | Verdict:
    """Where a judge's replies lead: to its next question, or to its verdict."""
    said = iter(replies)
    for question, words in _vocabulary(references).items():
        word: str | None = None
        for again in (False, True):
            reply = next(said, None)
            if reply is None:
                return Ask(question, again)
            word = spoken(reply, words)
            if word is not None:
                break
        if word is None:
            return Verdict(None)
        outcome = words[word]
        if outcome is not None:
            return Verdict(outcome)
    raise AssertionError("every word of the second question is an outcome")


def spoken(reply: str, words: Iterable[str]) -> str | None:
    """The word that a reply consists of; None where it is anything else, or more.

    Thinking in tags is passed over, and so are bold type, quotation marks and a full stop around the word.
    """
    said, _ = answer_part(reply[-_REPLY_READ:])
    said = said.strip()
    if len(said) > _LONGEST_WORD:
        return None
    said = " ".join(said.strip("*_\"'`. \n").split()).upper()
    return next((word for word in words if word == said), None)


def verdict(judge: Mapping[str, Any], replies: Iterable[str], *, cut: bool = False) -> Outcome | None:
    """The outcome that a judge's replies amount to; None where they amount to nothing.

    Args:
        judge: The case's entry ``judge``, which stands in the record.
        replies: In their order.
        cut: The answer was cut off at the limit of its length.
    """
    end = follow([Reference.from_json(one) for one in judge["references"]], replies)
    if isinstance(end, Ask) or end.outcome is None:
        return None
    if cut and end.outcome.category == "blank":
        return Outcome("blank", "truncated", rule=RULE)
    return end.outcome


@dataclass(frozen=True, slots=True)
class Judged:
    """The step ``judged``: a case is asked once, then a judge is asked about the answer. Pure."""

    wording: JudgeWording

    def __call__(self, interview: Interview, turns: Sequence[Turn]) -> Request | None:
        """The next request; None once the judge has given its verdict, or none."""
        if not turns:
            return interview.request(interview.case["messages"])
        answer = turns[0].reply
        judge = interview.case["judge"]
        references = [Reference.from_json(one) for one in judge["references"]]
        ask = follow(references, (turn.reply.text for turn in turns[1:]))
        if isinstance(ask, Verdict):
            return None
        truth = Truth.from_json(interview.case["truth"])
        text = prompt(ask, references, truth, answer.text, cut=answer.finish_reason == "length", wording=self.wording)
        return Request(
            model=judge["model"],
            messages=({"role": "user", "content": text},),
            parameters=judge["parameters"],
            api_base=judge["api_base"],
            droppable=tuple(judge["droppable"]),
            role="judge",
        )


def prompt(
    ask: Ask, references: Sequence[Reference], truth: Truth, answer: str, *, cut: bool, wording: JudgeWording
) -> str:
    """One question to a judge. It says nothing of the redefinition: the judge is to compare and not to solve."""
    quoted = quote(answer, cut=cut, wording=wording)
    # An answer cannot hold its own digest, so it cannot end its quotation.
    fence = f"=== {hashlib.sha256(quoted.encode('utf-8', 'replace')).hexdigest()[:16]} ==="
    words = _vocabulary(references)[ask.question]
    if ask.question == "match":
        parts = {
            "references": "\n".join(_lines(references, wording)),
            "closeness": wording.closeness[truth.kind].format(tolerance=f"{100 * truth.tolerance:g} %"),
            "match": ", ".join(word for word in words if word != NO_MATCH),
            "no_match": NO_MATCH,
        }
    else:
        parts = {outcome: word for word, outcome in REST.items()}
    asked = wording.question[ask.question].format(fence=fence, answer=quoted, **parts)
    return wording.question["again"].format(question=asked, words=", ".join(words)) if ask.again else asked


def quote(answer: str, *, cut: bool, wording: JudgeWording) -> str:
    """An answer as a judge sees it: without thinking in tags, bounded, on lines that begin with :data:`QUOTE`."""
    said = answer_part(answer)[0].strip()
    if len(said) <= _HEAD + _TAIL:
        lines = _quoted(said)
    else:
        left_out = len(said) - _HEAD - _TAIL
        notice = wording.quote["left_out"].format(count=f"{left_out:,}")
        lines = [*_quoted(said[:_HEAD]), notice, *_quoted(said[-_TAIL:])]
    if not said:
        lines = [wording.quote["nothing"]]
    return "\n".join([*lines, wording.quote["cut"]] if cut else lines)


def _quoted(text: str) -> list[str]:
    # splitlines knows every character that a terminal or a tokenizer may take for a new line.
    return [
        QUOTE + "".join(c if c.isprintable() or c == "\t" else "\ufffd" for c in line) for line in text.splitlines()
    ]


def _lines(references: Sequence[Reference], wording: JudgeWording) -> list[str]:
    return [
        wording.reference["mc" if one.letter else "ff"].format(number=number, value=one.text, letter=one.letter)
        for number, one in enumerate(references, start=1)
    ]


_MEANING: Final[Mapping[str, tuple[Category, str]]] = {
    "expected": ("correct", ""),
    "default": ("anchored", ""),
    "undecidable": ("hedged", "undecidable"),
}


def _vocabulary(references: Sequence[Reference]) -> dict[_Question, dict[str, Outcome | None]]:
    """What may be replied to each question, and what it means; None: the next question is asked."""
    matches: dict[str, Outcome | None] = {}
    for number, one in enumerate(references, start=1):
        category, detail = _MEANING[one.role]
        matches[MATCH.format(number=number)] = Outcome(category, detail, one.letter or one.value, rule=RULE)
    rest = {word: Outcome(cast(Category, outcome), rule=RULE) for word, outcome in REST.items()}
    return {"match": {**matches, NO_MATCH: None}, "rest": {**rest}}
