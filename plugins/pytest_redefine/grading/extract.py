"""Which value is the answer: the last explicit one, else the one that the text comes to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from pytest_redefine.grading import connect
from pytest_redefine.grading.dress import BOX_CLOSE, BOX_OPEN
from pytest_redefine.grading.items import Item, Scanner
from pytest_redefine.grading.sentences import SentenceReader, sentence_end

Status = Literal["item", "hedged", "text", "none"]

_MARKER: Final = re.compile(
    r"\b(?P<final>(?:final|correct|right|ultimate)\s{1,3})?(?:answer|ans)\b"
    r"(?P<mid>\s?\([^()\n]{0,30}\)|\s(?:to|for|of|in|using|with|under|after|by|here|then|therefore|thus|rounded|"
    r"expressed|given|as)\b[^.\n:=!?;]{0,70}?)?"
    r"(?P<link>\s{1,4}(?:is|would\s+be|will\s+be|should\s+be|must\s+be|becomes|comes\s+(?:out\s+)?to|was)\b"
    r"(?:\s{0,3}[:=])?|[\s\"'\])]{0,4}[:=]|(?=[ ]{0,4}\n)"
    r"|\s{1,2}of(?=\s{1,2}(?:(?:approximately|about|roughly|exactly)\s{1,2})?[-~≈(\d]))",
    re.IGNORECASE,
)
_SUFFIX: Final = re.compile(r"\bis\s+(?:the|my|your|our)\s+(?:final\s+|correct\s+|right\s+)?answer\b", re.IGNORECASE)
_HASHES: Final = re.compile(r"####[ ]{0,4}")
_BOX: Final = re.compile(BOX_OPEN)
_JSON: Final = re.compile(
    r'"(?:final[_ ]?answer|answer|result|value|final|letter|choice)"\s{0,4}:\s{0,4}', re.IGNORECASE
)
_JSON_STOP: Final = re.compile(r"[,}]\s|[}]|,\s*\"")
_RESULT: Final = re.compile(
    r"(?:^|\n)[^\w\n]{0,6}(?:final\s+)?(?:result|solution|conclusion|value|output|response)\s{0,3}[:=]", re.IGNORECASE
)
_NEXT_QUESTION: Final = re.compile(
    r"\n[^\w\n]{0,6}(?:(?:question|q\d{0,2}|problem|user|human|instruction|exercise|example|task|"
    r"input)\b[^\n]{0,6}[:.)]"
    r"|(?:what is|how many|redefine|calculate the)\b)",
    re.IGNORECASE,
)
_NOT_VALUE: Final = re.compile(
    r"\s*(?:not|based|because|due|obtained|only|valid|different|the same|consistent)\b", re.I
)
_CORRECTION: Final = re.compile(
    r"\b(?:wait|actually|correction|however|instead|sorry|mistake|recompute|re-?check|but|therefore|thus|"
    r"so|hence|final|"
    r"finally|no,|scratch that|rather|now)\b",
    re.IGNORECASE,
)


_PATTERNS: Final = (
    ("marker", _MARKER),
    ("hashes", _HASHES),
    ("json", _JSON),
    ("result", _RESULT),
    ("box", _BOX),
    ("is_the_answer", _SUFFIX),
)
_MAX_BOX: Final = 400


class Mark(NamedTuple):
    """Where an explicit answer is announced."""

    start: int
    content: int
    end: int
    rule: str
    strong: bool
    """The announcement alone makes what follows the answer, whatever it is."""


@dataclass(frozen=True, slots=True)
class Found:
    """The answer, or what stands in its place."""

    status: Status
    start: int = 0
    end: int = 0
    item: Item | None = None
    detail: str = ""
    rule: str = ""
    explicit: bool = False
    settled: bool = True
    """False where the reply only passed by this value (a step on the way)."""


def marks(text: str) -> list[Mark]:
    """The announcements of an answer in a text, in order: the first few and the last ones."""
    every = [(match.start(), rule, match) for rule, pattern in _PATTERNS for match in pattern.finditer(text)]
    every.sort(key=lambda entry: entry[0])
    if len(every) > 40:
        every = every[:8] + every[-32:]
    built = (_build(text, rule, match) for _, rule, match in every)
    return [mark for mark in built if mark is not None]


def _build(text: str, rule: str, match: re.Match[str]) -> Mark | None:
    start, content = match.span()
    if rule == "marker":
        if match["final"]:
            return _mark(text, start, content, rule, True)
        return (
            None if _NOT_VALUE.match(text, content) else _mark(text, start, content, "answer_is", ":" in match["link"])
        )
    if rule == "json":
        return Mark(start, content, _json_end(text, content), rule, True)
    if rule == "box":
        close = text.find(BOX_CLOSE, content, content + _MAX_BOX)
        return Mark(start, content, close if close >= 0 else _line_end(text, content), rule, True)
    if rule == "is_the_answer":
        before = max(text.rfind("\n", 0, start), text.rfind(". ", 0, start), start - 80) + 1
        if text[before:start].strip().lower() in ("this", "that", "it"):  # the sentence before is meant
            end = before - 1
            before = max(text.rfind("\n", 0, end), text.rfind(". ", 0, end), end - 160, -1) + 1
            return Mark(start, before, end, rule, True) if text[before:end].strip() else None
        return Mark(start, before, start, rule, False)
    return _mark(text, start, content, rule, False)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _json_end(text: str, at: int) -> int:
    end = min(_line_end(text, at), at + _MAX_BOX)
    if text.startswith('"', at):
        close = text.find('"', at + 1, end)
        return close if close >= 0 else end
    stop = _JSON_STOP.search(text, at, end)
    return stop.start() if stop else end


_CONTENT: Final = re.compile(rf"[^\s\"'>:;,.!?|{BOX_OPEN}{BOX_CLOSE}]")


def _mark(text: str, start: int, content: int, rule: str, strong: bool) -> Mark:
    """The content goes from the first character that says something to the end of its line."""
    first = _CONTENT.search(text, content)
    if first is None:
        return Mark(start, content, content, rule, strong)
    while content < first.start() and text[content] in " \n\"'>:":
        content += 1
    return Mark(start, content, _line_end(text, first.start()), rule, strong)


class Extractor:
    """Reads one reply; what it finds is not yet a verdict."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.text = scanner.text
        self.sentences = SentenceReader(scanner)

    def find(self, *, cut: bool) -> Found:
        """The answer of the reply.

        Args:
            cut: The reply ended at the limit, not by itself.
        """
        all_marks = self.before_next_question(marks(self.text))
        fallback: Found | None = None
        for index in range(len(all_marks) - 1, max(-1, len(all_marks) - 24), -1):
            mark = all_marks[index]
            found = self.read_mark(mark)
            if found.status in ("item", "hedged"):
                if cut and found.end >= len(self.text.rstrip()) and index and not self._match(found):
                    continue  # cut in the middle of its last repetition
                return self._against_others(found, mark, all_marks[:index])
            if found.status == "text" and mark.strong and fallback is None:
                fallback = found
        if fallback is not None:
            return fallback
        return self.sentences_found(cut=cut)

    def sentences_found(self, *, cut: bool) -> Found:
        best = self.sentences.whole(cut=cut)
        if best is None:
            weak = self.sentences.stated() if not cut else None
            return Found("none") if weak is None else Found("text", weak.start, weak.end, rule="sentence")
        settled = best.settled if cut else True
        if best.both:
            return Found("hedged", best.item.start, best.item.end, best.item, "both", "sentence", settled=settled)
        head = connect.head(self.scanner, best.item)
        found = self.follow(head, sentence_end(self.text, best.item.end), "sentence")
        return Found(
            found.status, found.start, found.end, found.item, found.detail, best.rule, explicit=False, settled=settled
        )

    def _match(self, found: Found) -> bool:
        return found.item is not None and self.scanner.verdict(found.item).matches

    def before_next_question(self, found: list[Mark]) -> list[Mark]:
        """Small models go on with questions of their own; what they answer there is not asked."""
        for mark in found:
            if mark.rule == "marker" and mark.end > mark.content:
                following = _NEXT_QUESTION.search(self.text, mark.end)
                if following is not None:
                    return [other for other in found if other.start < following.start()]
                return found
        return found

    def _against_others(self, found: Found, mark: Mark, earlier: list[Mark]) -> Found:
        """Two boxes that answer both references without a word of correction between them are no choice."""
        if mark.rule != "box" or found.item is None or not self._match(found):
            return found
        category = self.scanner.verdict(found.item).category
        for other in earlier[-6:]:
            if other.rule not in ("box", "marker"):
                continue
            before = self.read_mark(other)
            if before.item is None or not self._match(before):
                continue
            if self.scanner.verdict(before.item).category != category:
                between = self.text[other.end : mark.start]
                if not _CORRECTION.search(between) or re.search(r"\bor\b", between):
                    return Found("hedged", found.start, found.end, found.item, "both", mark.rule, explicit=True)
        return found

    def read_mark(self, mark: Mark) -> Found:
        """What an announcement announces."""
        if not self.text[mark.content : mark.end].strip():
            return Found("none")
        found = self.direct(mark)
        if found is not None:
            return found
        if not mark.strong:
            return Found("none")
        return self.indirect(mark)

    def direct(self, mark: Mark) -> Found | None:
        """A value right after the announcement, at most fillers and a name with an equals sign between."""
        scanner = self.scanner
        at, bound = connect.skip_fillers(scanner.tokens, scanner.token_at(mark.content), mark.end)
        if at >= len(scanner.tokens) or scanner.tokens[at].start >= mark.end:
            return None
        item = scanner.item(at, bare=True)
        if item is None or item.end > mark.end + 40:
            return None
        if not item.value.numeral and self._is_name(item):
            return None
        end = mark.end if mark.rule in ("box", "json") else sentence_end(self.text, item.end, mark.end)
        if mark.rule in ("box", "json"):
            item = self._with_outer_unit(item, mark)
        found = self.follow(item, max(end, item.end), mark.rule, explicit=True)
        if bound and found.status == "item":
            return Found("hedged", found.start, found.end, found.item, "range", mark.rule, explicit=True)
        return found

    def _is_name(self, item: Item) -> bool:
        """``G is 50``, ``c = 10``: a bare name is what is spoken of, not the answer."""
        tokens = self.scanner.tokens
        following = tokens[item.after].text.lower() if item.after < len(tokens) else ""
        return following in ("=", "is", "'", "≈", "remains", "equals", ",") or (
            item.after < len(tokens) and tokens[item.after].kind == "word" and tokens[item.after].start - item.end <= 1
        )

    def _with_outer_unit(self, item: Item, mark: Mark) -> Item:
        r"""``\boxed{1500} J``, ``{"value": 1500, "unit": "J"}``: the unit stands outside."""
        if item.unit is not None:
            return item
        return connect.outer_unit(self.scanner, item, mark.end, json=mark.rule == "json")

    def indirect(self, mark: Mark) -> Found:
        """A sentence after the announcement."""
        text = self.text
        best = self.sentences.one(mark.content, mark.end)
        if best is not None:
            if best.both:
                return Found("hedged", best.item.start, best.item.end, best.item, "both", mark.rule, explicit=True)
            head = connect.head(self.scanner, best.item)
            return self.follow(head, sentence_end(text, best.item.end, mark.end), mark.rule, explicit=True)
        infinite = self.scanner.infinity(mark.content, mark.end)
        if infinite is not None:
            return Found("item", infinite.start, infinite.end, infinite, rule=mark.rule, explicit=True)
        return Found("text", mark.content, mark.end, rule=mark.rule, explicit=True)

    def follow(self, item: Item, end: int, rule: str, *, explicit: bool = False) -> Found:
        """``item`` with what its sentence says after it: a restatement, a range, a list, the other reference."""
        chosen, detail = connect.resolve(self.scanner, item, end)
        status: Status = "hedged" if detail else "item"
        return Found(status, chosen.start, chosen.end, chosen, detail, rule, explicit)
