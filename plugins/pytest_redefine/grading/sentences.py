"""Sentences without an announcement: which of their values is the answer."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Final, NamedTuple

from pytest_redefine.grading.arithmetic import Z
from pytest_redefine.grading.compare import error, same_dimension
from pytest_redefine.grading.constants import SPOKEN, reference, symbol_key
from pytest_redefine.grading.dress import BOX_CLOSE, BOX_OPEN
from pytest_redefine.grading.items import Item, Scanner
from pytest_redefine.grading.refusal import refusing_clauses
from pytest_redefine.grading.unit_reader import unit_of

_BOUNDARY: Final = re.compile(r"[.!?](?=[\s\"')\]*]|$)|\n")
_GOES_ON: Final = re.compile(r"[\"')\]]{0,2} [a-z]")
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:approx|ca|i\.?e|e\.?g|sq|cu|vs|eq|no|fig|resp|nb|etc)|\b[a-z]\.[a-z])$", re.I
)
_PREDICATE: Final = re.compile(
    r"(?:\b(?:is|are|was|were|be|equals?|equal to|becomes?|gives?|gets?|yields?|makes?|obtain|obtains|"
    r"have|has|contains?|"
    r"takes?|travels?|covers?|burns?|burned|burnt|consumes?|consumed|uses?|lasts?|holds?|occupies|weighs?|"
    r"measures?|requires?|"
    r"needs?|come[s]? (?:out )?to|amounts? to|turns out to be|results? in|returns?|produces?|represents?|"
    r"corresponds? to|"
    r"increases? by|multipl(?:y|ies) by|factor of|to|remains?|stays?|counts?|find|exerts?|experience|"
    r"being|emits?|"
    r"there(?:'s| are| is)|it's|that's|approach(?:es)?|worth|leaves?)\b|[:≈→=])"
    r"[\s:,\"'≈=~|]{0,6}(?:(?:approximately|about|roughly|around|exactly|nearly|almost|simply|just|now|"
    r"then|only|therefore|thus|"
    r"also|always|still|equal to|the value|a factor of|by a factor of|a|an|of|the digit|the number|the "
    r"value of|indeed)"
    r"[\s:,\"'≈=~]{0,4}){0,4}$",
    re.IGNORECASE,
)
_CHAIN_BEFORE: Final = re.compile(
    r"(?:[=≈→]|\bequals\b|\btotal(?:ling|s)?(?: of)?\b)[\s≈~=:]*(?:(?:approximately|about|roughly)\s*)?$", re.IGNORECASE
)
_LEFT_SIDE: Final = re.compile(r"\s?\|?\s?[=≈→]")
_CONCLUSION: Final = re.compile(
    r"^\W*(?:\w+,?\s+)?(?:therefore|thus|so|hence|in conclusion|finally|consequently|in summary|overall|"
    r"as a result|"
    r"to conclude|then|that is|which is|in other words)\b",
    re.IGNORECASE,
)
_ANSWER: Final = re.compile(
    r"\b(?:answer|result)(?:\s\w{1,12}){0,4}\s?(?:\bis|\bwas|\bbe|[:=])|\bin total\b", re.IGNORECASE
)
_NOTE: Final = re.compile(
    r"^\W*(?:note|nb|n\.b|remember|for (?:reference|comparison)|keep in mind|please note|this is because|"
    r"because|"
    r"explanation|disclaimer|by comparison|recall|by contrast|in contrast|this (?:value|answer|result) "
    r"(?:differs|is based|"
    r"assumes)|this is (?:calculated|computed|obtained|found|based|derived)|using the|given that|given:|"
    r"let )",
    re.IGNORECASE,
)
_COUNTERFACTUAL: Final = re.compile(
    r"\b(?:instead of|rather than|normally|usually|ordinarily|typically|unlike|as opposed to|compared "
    r"(?:to|with)|versus|vs|"
    r"originally|used to be|no longer|previously|would (?:normally|usually|ordinarily|otherwise|have)|"
    r"without (?:the|this|any|"
    r"your) redefinition|for (?:reference|comparison)|under normal circumstances)\b",
    re.IGNORECASE,
)
_NOT: Final = re.compile(r"(?:\bnot|n't)\s+(?:\w+\s+){0,2}$", re.IGNORECASE)
_ORDINARY: Final = re.compile(
    r"\b(?:standard|usual|real|actual|true|conventional|traditional|reality|ordinary|well-known|accepted|"
    r"known|default|"
    r"normal|original|mathematics)\b",
    re.IGNORECASE,
)
_WOULD: Final = re.compile(r"\bwould\b", re.IGNORECASE)
_REDEFINED: Final = re.compile(r"\bredefin|\bnew\b|\byour\b|\bbut\b|\bhypothetical", re.IGNORECASE)
_TURN: Final = re.compile(
    r"\b(?:but|however|wait|actually|correction|sorry|instead|mistake|since you|redefin\w+|new (?:value|"
    r"definition)|here|"
    r"in this (?:case|problem|question|scenario)|so|therefore|thus|hence)\b",
    re.IGNORECASE,
)
_DEFINED: Final = (
    r"\s*(?:\([^()\n]{1,24}\)\s*)?(?:=|:=|≈|≡|→|,?\s*(?:which\s+)?(?:is|was|has been|be|being|as|to|to be|"
    r"equals|is equal to|"
    r"has (?:a |the )?value(?: of)?|at|\()?\s*(?:now\s+|currently\s+)?(?:re-?defined|defined|set|assigned|"
    r"taken|given|"
    r"changed|assumed|equal|treated)?\s*(?:as|to be equal to|to be|to|equal to|the value)?)\s*(?:exactly|"
    r"about|"
    r"approximately|the value)?\s*$"
)
_NOUN: Final = re.compile(r" (?!and\b|or\b|but\b|if\b|when\b|as\b|after\b|in\b|because\b|since\b|is\b)[a-z]{3,}")
_FLOOR: Final = -4
_MAX_SENTENCES: Final = 2_000
_FIRST: Final = 12
_LAST: Final = 40
"""Of a long reply the first and the last sentences are read."""
_MAX_ITEMS: Final = 40
_WINDOW: Final = 160


class Best(NamedTuple):
    """The value that a text comes to."""

    item: Item
    score: int
    both: bool
    rule: str
    settled: bool


class _Scored(NamedTuple):
    item: Item
    score: int
    counterfactual: bool
    ordinary: bool
    sentence: int
    strong_sentence: bool


def sentence_end(text: str, at: int, limit: int | None = None) -> int:
    """Where the sentence that holds offset ``at`` ends."""
    limit = len(text) if limit is None else limit
    for match in _BOUNDARY.finditer(text, at, limit):
        if match[0] == "." and _ABBREVIATION.search(text, max(at, match.start() - 8), match.start()):
            continue
        if text.startswith("..", max(at, match.start() - 1)) and _GOES_ON.match(text, match.end(), limit):
            continue
        return match.start()
    return limit


def sentence_spans(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The sentences of a stretch of text."""
    spans: list[tuple[int, int]] = []
    while start < end and len(spans) < _MAX_SENTENCES:
        stop = sentence_end(text, start, end)
        if text[start:stop].strip():
            spans.append((start, min(stop + 1, end)))
        start = stop + 1
    return spans


class SentenceReader:
    """Scores the values of sentences by what stands around them."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.text = scanner.text
        truth = scanner.truth
        self.asked = unit_of(truth.unit) if truth.unit else None
        self._weak: Item | None = None

    @cached_property
    def _refusals(self) -> list[tuple[int, int]]:
        return refusing_clauses(self.text)

    @cached_property
    def _premise(self) -> re.Pattern[str] | None:
        """The redefined symbol right before a value."""
        truth = self.scanner.truth
        if not truth.symbol:
            return None
        key = symbol_key(truth.symbol)
        names = [re.escape(name) for name, constant in self.scanner.names.items() if constant.symbol]
        names.extend(SPOKEN.get(key, ()))
        joined = "|".join(sorted(set(names), key=len, reverse=True)) or re.escape(truth.symbol)
        return re.compile(rf"(?<![A-Za-z0-9])(?:{joined}){_DEFINED}", re.IGNORECASE if len(joined) > 3 else 0)

    def whole(self, *, cut: bool = False) -> Best | None:
        """The answer of a whole reply; of one that was cut off, what it had settled by then, if anything."""
        return self._best(sentence_spans(self.text, 0, len(self.text)), whole=True, cut=cut)

    def one(self, start: int, end: int) -> Best | None:
        """The answer of a stretch that was announced."""
        spans = sentence_spans(self.text, start, end)
        for span in spans[:3]:
            best = self._best([span], whole=False)
            if best is not None:
                return best
        return None

    def _best(self, spans: list[tuple[int, int]], *, whole: bool, cut: bool = False) -> Best | None:
        scored: list[_Scored] = []
        if len(spans) > _FIRST + _LAST:
            spans = spans[:_FIRST] + spans[-_LAST:]
        for number, (start, end) in enumerate(spans):
            scored.extend(self._sentence(start, end, number, whole))
        if not scored:
            return self._without_numbers(spans)
        if cut:
            settled_ones = [s for s in scored if (s.sentence == 0 or s.strong_sentence) and s.score >= 1]
            scored = settled_ones or scored
        top = max(scored, key=lambda s: (s.score, s.item.start))
        if top.score < _FLOOR:
            self._weak = top.item
            return self._without_numbers(spans)
        settled = (top.sentence == 0 or top.strong_sentence) and top.score >= 1
        return Best(top.item, top.score, self._both(top, scored), "sentence", settled)

    def _without_numbers(self, spans: list[tuple[int, int]]) -> Best | None:
        if not spans:
            return None
        start, end = spans[0][0], spans[-1][1]
        if self.scanner.refs.infinite:
            item = self.scanner.infinity(start, end)
            declined = item is not None and any(first <= item.start < last for first, last in self._refusals)
            if item is not None and not declined and not self._is_subject(item, start, end):
                return Best(item, 0, False, "no_value", True)
        first, last = self.scanner.token_at(start), self.scanner.token_at(end)
        items = [item for item in self.scanner.items(first, last, bare=True) if self._standalone(item)]
        return Best(items[-1], 0, False, "bare", True) if items else None

    def stated(self) -> Item | None:
        """A value that is said but answers nothing ("φ is about 1.618" where a digit is asked).

        Not one that was given, nor one in a question: to repeat those says nothing.
        """
        item = self._weak
        if item is None or item.value.worded or self._is_echo(item):
            return None
        end = sentence_end(self.text, item.end)
        repeated = self._given is not None and error(item.value.new, self._given) <= self.scanner.refs.tolerance
        return None if repeated or self.text.startswith("?", end) else item

    def _standalone(self, item: Item) -> bool:
        """A bare symbol or word that is all its line says, or follows an equals sign."""
        line_start = self.text.rfind("\n", 0, item.start) + 1
        line_end = self.text.find("\n", item.end)
        line = self.text[line_start : item.start] + self.text[item.end : line_end if line_end >= 0 else len(self.text)]
        if not any(char.isalnum() for char in line):
            return True
        before = self.text[max(0, item.start - 60) : item.start]
        if any(start <= item.start < end for start, end in self._refusals):
            return False
        return item.value.worded and _PREDICATE.search(before) is not None

    def _both(self, top: _Scored, scored: list[_Scored]) -> bool:
        """Both references asserted, without a choice."""
        scanner = self.scanner
        verdict = scanner.verdict(top.item)
        if not verdict.matches:
            return False
        for other in scored:
            rival = scanner.verdict(other.item)
            if (
                other.score < min(1, top.score)
                or not rival.matches
                or rival.category == verdict.category
                or other.counterfactual
            ):
                continue
            if top.score - other.score >= 2 and top.strong_sentence:
                continue
            earlier, later = sorted((other.item, top.item), key=lambda item: item.start)
            between = self.text[earlier.end : later.start]
            if later is top.item and _TURN.search(between):
                continue
            return True
        return False

    def _sentence(self, start: int, end: int, number: int, whole: bool) -> list[_Scored]:
        scanner = self.scanner
        items = scanner.items(scanner.token_at(start), scanner.token_at(end))
        if scanner.refs.infinite:
            infinite = scanner.infinity(start, end)
            if infinite is not None and self._is_subject(infinite, start, end):
                infinite = None
            if infinite is not None and not any(
                i.start <= infinite.start < i.end or infinite.start <= i.start < infinite.end for i in items
            ):
                items = sorted([*items, infinite], key=lambda item: item.start)
        if not items:
            return []
        if len(items) > _MAX_ITEMS:
            items = items[: _MAX_ITEMS // 2] + items[-_MAX_ITEMS // 2 :]
        sentence = self.text[start:end]
        base = 0
        strong = False
        if whole:
            if _CONCLUSION.search(sentence):
                base, strong = 3, True
            if _ANSWER.search(sentence):
                base, strong = base + 3, True
            if _NOTE.search(sentence):
                base -= 4
            if sentence.rstrip().endswith("?"):
                base -= 6 if self._alone(items, start, end) else 8
            elif self._alone(items, start, end):
                base, strong = base + 3, True
        scored = []
        previous_end = start
        for index, item in enumerate(items):
            gap = self.text[max(previous_end, item.start - 80) : item.start]
            score, counterfactual, ordinary = self._score(item, items[:index], gap, start, end)
            scored.append(_Scored(item, base + score, counterfactual, ordinary, number, strong))
            previous_end = item.end
        return scored

    def _is_subject(self, infinite: Item, start: int, end: int) -> bool:
        """``Infinity cannot be ...``: the noun is what is spoken of."""
        if not self.text[infinite.start : infinite.end].lower().endswith("infinity"):
            return False
        if self._alone([infinite], start, end):
            return False
        return _PREDICATE.search(self.text[max(start, infinite.start - 80) : infinite.start]) is None

    def _alone(self, items: list[Item], start: int, end: int) -> bool:
        """The value is all that the sentence says."""
        rest = self.text[start : items[0].start] + self.text[items[-1].end : end]
        return len(items) == 1 and not any(char.isalnum() for char in rest)

    def _score(self, item: Item, before: list[Item], gap: str, start: int, end: int) -> tuple[int, bool, bool]:
        scanner = self.scanner
        score = 0
        lead = self.text[max(start, item.start - 90) : item.start]
        if _CHAIN_BEFORE.search(gap):
            score += 3
        elif _PREDICATE.search(gap):
            score += 2
        elif item.value.worded and item.unit is None and _NOUN.match(self.text, item.end, end):
            score -= 5  # "between two objects"
        if item.value.symbol and scanner.verdict(item).detail == "symbolic":
            score -= 2
        if self.asked is not None and item.unit is not None and item.unit.factors:
            score += 2 if same_dimension(item.unit, self.asked, scanner.truth) else -3
        if scanner.refs.digit and not scanner.is_digit(item):
            score -= 5
        if self._is_premise(item, before, lead):
            # "R is -400 J/(mol·K)" repeats what was given; it is an answer only where that was asked.
            score -= 5 if scanner.verdict(item).matches else 8
        elif self._is_echo(item):
            score -= 2
        if not before and not any(char.isalnum() for char in self.text[start : item.start]):
            score += 2  # the sentence begins with it
        if _LEFT_SIDE.match(self.text, item.end, end):
            score -= 2
        opened = self.text[max(start, item.start - _WINDOW) : item.start]
        if opened.count("(") > opened.count(")"):
            score -= 3
        clause = self._clause(item, start, end)
        before_it = self.text[max(start, item.start - _WINDOW) : item.start]
        supposed = _WOULD.search(before_it) and _ORDINARY.search(before_it) and not _REDEFINED.search(before_it)
        counterfactual = bool(_COUNTERFACTUAL.search(clause) or _NOT.search(lead) or supposed)
        if counterfactual:
            score -= 4
        if any(first <= item.start < last for first, last in self._refusals):
            score -= 8
        return score, counterfactual, _ORDINARY.search(clause) is not None

    def _clause(self, item: Item, start: int, end: int) -> str:
        text = self.text
        left = max(start, item.start - _WINDOW)
        for sign in (", ", "; ", " but ", "(", " while ", " whereas ", f"{BOX_CLOSE} "):
            left = max(left, text.rfind(sign, left, item.start) + 1)
        right = min(end, item.end + _WINDOW)
        for sign in (", ", "; ", " but ", ")", " while ", " whereas ", BOX_OPEN):
            at = text.find(sign, item.end, right)
            right = at if at >= 0 else right
        return text[left : item.start] + " " + text[item.end : right]

    def _is_premise(self, item: Item, before: list[Item], lead: str) -> bool:
        if self._premise is not None and self._premise.search(lead):
            return True
        if self._given is not None and self.scanner.verdict(item).detail == "unit":
            # The new value with the symbol's own unit, where another is asked, in whatever words.
            return error(item.value.new, self._given) <= self.scanner.refs.tolerance
        change = self.scanner.truth.unit_redefinition
        if change is None or not before:
            return False
        last = before[-1]
        unit, derived = unit_of(change.unit), unit_of(change.derived)
        if last.unit is None or unit is None or last.unit.factors != unit.factors or last.value.new.re != 1:
            return False
        return item.unit is not None and derived is not None and item.unit.factors == derived.factors

    @cached_property
    def _given(self) -> Z | None:
        """The redefined symbol's new value."""
        truth = self.scanner.truth
        return reference(truth.symbol_value) if truth.symbol_value and truth.default is not None else None

    @cached_property
    def _prompt_values(self) -> frozenset[str]:
        prompt = self.scanner.truth.prompt[-6000:]
        return frozenset(re.findall(r"\d[\d.,]*\d|\d", prompt))

    def _is_echo(self, item: Item) -> bool:
        """A number of the question, which is no answer to it unless it is one."""
        if not self.scanner.truth.prompt or self.scanner.verdict(item).matches:
            return False
        first = item.first + (self.scanner.tokens[item.first].text in ("-", "+"))
        token = self.scanner.tokens[first] if first < len(self.scanner.tokens) else None
        return token is not None and token.kind == "num" and token.text in self._prompt_values
