"""Multiple choice: the letter in every dress, the value instead of the letter, and contradictions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from pytest_redefine.grading.compare import Verdict, error
from pytest_redefine.grading.dress import BOX_CLOSE, BOX_OPEN
from pytest_redefine.grading.extract import Extractor, Found, Mark, marks
from pytest_redefine.grading.items import Item, Scanner
from pytest_redefine.grading.normalise import normalise

_NONE: Final = re.compile(
    r"^\W*none\W*$|\bnone of (?:the|these|them|those)\b|\bno(?:ne)? (?:option|choice|answer)s? (?:is|are|matches)\b|"
    r"\bneither\b|"
    r"\bnot (?:among|listed|one of)\b",
    re.IGNORECASE,
)
_DISCUSSED: Final = re.compile(
    r"\s+(?:is|gives|would|equals|says|seems|reads|states|has|cannot|can't|isn't)\b"
    r"(?!\s+(?:be\s+)?(?:the\s+|my\s+)?(?:correct|right|best|answer|final|closest|choice|option)\b)",
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(r"\bif\b.*\b(?:otherwise|if)\b|\bdepend(?:s|ing)\b|\beither\b", re.IGNORECASE)
_DRESS: Final = rf"[\s\"'(\[{{{BOX_OPEN}]"


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen."""

    status: Literal["letter", "hedged", "value", "text", "none"]
    letter: str = ""
    detail: str = ""
    start: int = 0
    end: int = 0
    rule: str = ""
    found: Found | None = None
    explicit: bool = False


class ChoiceReader:
    """Reads one multiple-choice reply."""

    def __init__(self, scanner: Scanner, extractor: Extractor) -> None:
        self.scanner = scanner
        self.extractor = extractor
        options = scanner.truth.options or {}
        self.letters = "".join(letter.upper() for letter in options if len(letter) == 1) or "ABCD"
        self.options: dict[str, Item | None] = {}
        self._verdicts: dict[str, Verdict] = {}
        for letter, option_text in options.items():
            self._add_option(letter.upper(), option_text)
        upper, both = re.escape(self.letters), re.escape(self.letters + self.letters.lower())
        self._lead = re.compile(
            rf"{_DRESS}*(?:(?:the\s+)?(?:correct\s+|right\s+|best\s+)?(?:option|choice|answer|"
            rf"letter)\s*(?:is)?\s*:?)?"
            rf"{_DRESS}{{0,4}}(?P<letter>[{both}])(?P<after>[)\]}}\"'.:,;{BOX_CLOSE}]*)(?=\s|$|[-–—=≈(/,&])",
            re.IGNORECASE,
        )
        self._second = re.compile(
            rf"[\s)\]}}\"'{BOX_CLOSE}]{{0,4}}(?:,?\s?(?:or|and|&|/)|[,/])\s?(?:maybe\s|perhaps\s|possibly\s|also\s)?"
            rf"(?:option\s|choice\s)?[\s(\[\"'{BOX_OPEN}]{{0,4}}(?P<letter>[{upper}])(?![A-Za-z0-9'])"
        )
        self._alone = re.compile(
            rf"(?<![A-Za-z0-9_'/.-])(?<!\d )(?:\((?P<paren>[{both}])\)|"
            rf"(?P<letter>[{upper}]))(?![A-Za-z0-9_'°/^*-])"
        )
        self._line = re.compile(rf"^[\s\"'(\[*-]{{0,4}}(?P<letter>[{both}])[)\].:]\s{{1,2}}\S", re.MULTILINE)
        self._said = re.compile(
            rf"\b(?:(?:correct|right|best|my|the) (?:option|choice|letter)|answer|select|choose|choosing|pick|go with|"
            rf"going with|opt for|corresponds to|matches|which is)(?: option| choice)?\s*"
            rf"(?:is|was|would be|should be|:|=)?[\s:(\[\"'{BOX_OPEN}]{{0,4}}(?P<letter>[{upper}])(?![A-Za-z0-9'])",
            re.IGNORECASE,
        )
        self._hence = re.compile(
            rf"\b(?:so|therefore|thus|hence),?\s+(?:it\s+is\s+|it's\s+)?(?:option\s+)?"
            rf"[(\"'{BOX_OPEN}]?(?P<letter>[{upper}])[)\"'{BOX_CLOSE}]?(?=\s*(?:[.!\n]|$))"
        )
        self._is_right = re.compile(
            rf"(?<![A-Za-z0-9])\(?(?P<letter>[{upper}])\)?[ \"'{BOX_CLOSE}]{{0,3}}(?:is|seems|looks|must "
            rf"be|would be)\s+(?:the\s+)?"
            rf"(?:correct|right|answer|best|closest|final)"
        )

    def _add_option(self, letter: str, text: str) -> None:
        scanner = Scanner(normalise(text), self.scanner.truth, self.scanner.refs)
        items = scanner.items(0, len(scanner.tokens), bare=True)
        option = items[0] if items else scanner.infinity(0, len(scanner.text))
        self.options[letter] = option
        if option is not None:
            self._verdicts[letter] = scanner.verdict(option)

    def verdict(self, letter: str) -> Verdict:
        """What choosing this letter is."""
        return self._verdicts.get(letter, Verdict("wrong"))

    def find(self, *, cut: bool = False) -> Choice:
        """What was chosen; a reply that was cut off has chosen only where it says so."""
        text = self.scanner.text
        found_marks = self.extractor.before_next_question(marks(text))
        fallback: Choice | None = None
        for index in range(len(found_marks) - 1, max(-1, len(found_marks) - 24), -1):
            choice = self._mark(found_marks[index])
            if choice.status in ("letter", "hedged", "value"):
                return choice
            if choice.status == "text" and found_marks[index].strong and fallback is None:
                fallback = choice
        if fallback is not None:
            return fallback
        return self._free(cut)

    def _mark(self, mark: Mark) -> Choice:
        text = self.scanner.text
        if not text[mark.content : mark.end].strip():
            return Choice("none")
        lead = self._lead.match(text, mark.content, mark.end)
        if lead is not None and not self._is_word(lead["letter"], lead["after"], lead.end()):
            return self._with_rest(
                lead["letter"].upper(), lead.start("letter"), lead.end("letter"), mark.end, mark.rule
            )
        letters = self._letters(mark.content, mark.end)
        if len({letter for letter, _, _ in letters}) == 1:
            letter, start, end = letters[0]
            return self._with_rest(letter, start, end, mark.end, mark.rule)
        if letters and mark.strong:
            said = list(self._said.finditer(text, mark.content, mark.end))
            said += list(self._is_right.finditer(text, mark.content, mark.end))
            if len({match["letter"].upper() for match in said}) == 1:
                return self._letter(said[-1], mark.rule, explicit=True)
            return Choice("hedged", "", "letters", letters[0][1], letters[-1][2], mark.rule, explicit=True)
        found = self.extractor.read_mark(mark)
        if found.status in ("item", "hedged"):
            return Choice("value", start=found.start, end=found.end, rule=mark.rule, found=found, explicit=True)
        if _NONE.search(text, mark.content, mark.end):
            return Choice("text", "", "none_of_the_above", mark.content, mark.end, mark.rule, explicit=True)
        return Choice(
            "text" if found.status == "text" else "none", "", "", mark.content, mark.end, mark.rule, explicit=True
        )

    def _is_word(self, letter: str, after: str, end: int) -> bool:
        """``A circle``, ``a value``: an article, not the letter."""
        if letter not in ("A", "a") or any(sign in after for sign in ")]}:.," + BOX_CLOSE):
            return False
        following = re.match(r"\s+([a-z]+)", self.scanner.text[end : end + 24])
        return following is not None and following[1] not in (
            "is", "because", "since", "as", "with", "or", "and", "but", "which", "so", "if", "under", "for", "given",
        )  # fmt: skip

    def _letters(self, start: int, end: int) -> list[tuple[str, int, int]]:
        found = []
        for match in self._alone.finditer(self.scanner.text, start, end):
            letter = match["paren"] or match["letter"]
            if not match["paren"] and self._is_word(letter, "", match.end()):
                continue
            if self.scanner.text[max(0, match.start() - 4) : match.start()].lower() == "not ":
                continue
            found.append((letter.upper(), match.start(), match.end()))
        return found[:24]

    def _letter(self, match: re.Match[str], rule: str, *, explicit: bool) -> Choice:
        return Choice(
            "letter", match["letter"].upper(), "", match.start("letter"), match.end("letter"), rule, explicit=explicit
        )

    def _with_rest(self, letter: str, start: int, end: int, limit: int, rule: str) -> Choice:
        """A letter and what stands beside it: a second letter, or a value that must agree."""
        second = self._second.match(self.scanner.text, end, limit)
        if second is not None and second["letter"] != letter:
            return Choice("hedged", "", "letters", start, second.end(), rule, explicit=True)
        rest = {other for other, _, _ in self._letters(end, limit)} - {letter}
        if rest and _CONDITION.search(self.scanner.text, end, limit):
            return Choice("hedged", "", "letters", start, limit, rule, explicit=True)
        if self._contradicts(letter, end, limit):
            return Choice("hedged", letter, "contradiction", start, limit, rule, explicit=True)
        return Choice("letter", letter, "", start, end, rule, explicit=True)

    def _contradicts(self, letter: str, start: int, end: int) -> bool:
        """The value right beside the letter is another option's."""
        scanner = self.scanner
        items = scanner.items(scanner.token_at(start), scanner.token_at(end))
        if not items or items[0].start - start > 14:
            return False
        matched = self.matching(items[-1] if "=" in scanner.text[items[0].end : items[-1].start] else items[0])
        return bool(matched) and letter not in matched

    def matching(self, item: Item) -> list[str]:
        """The letters of the options with this value."""
        readings = self.scanner.readings(item)
        found = []
        for letter, option in self.options.items():
            if option is None:
                continue
            other = self.scanner.readings(option)
            limit = 0 if self.scanner.refs.digit else self.scanner.refs.tolerance
            if error(readings.new, other.new) <= limit or error(readings.old, other.old) <= limit:
                found.append(letter)
        return found

    def _free(self, cut: bool) -> Choice:
        """Without an announcement."""
        text = self.scanner.text
        stripped = text.strip()
        lead = self._lead.match(text)
        if lead is not None and self._is_discussed(lead):
            if cut:
                return Choice("none")
        elif lead is not None and not self._is_word(lead["letter"], lead["after"], lead.end()):
            line_end = text.find("\n", lead.end())
            listed = self._listed()
            if len(listed) < 2:
                end = len(text) if line_end < 0 else line_end
                choice = self._with_rest(
                    lead["letter"].upper(), lead.start("letter"), lead.end("letter"), end, "letter"
                )
                if lead["after"] or choice.status == "hedged" or len(stripped) < 4 or lead["letter"].isupper():
                    return choice
        listed = self._listed()
        said = self._last(*(pattern.finditer(text) for pattern in (self._said, self._is_right, self._hence)))
        if said is not None:
            return self._letter(said, "said", explicit=False)
        if len(listed) == 1:
            letter, start, end = listed[0]
            return self._with_rest(letter, start, end, len(text), "line")
        if _NONE.search(text):
            return Choice("text", "", "none_of_the_above", rule="none_of_the_above")
        letters = self._letters(0, len(text)) if len(listed) < 2 and not cut else []
        if len({letter for letter, _, _ in letters}) == 1:
            letter, start, end = letters[-1]
            return self._with_rest(letter, start, end, len(text), "letter")
        torn = len(text) < 60 or _CONDITION.search(text) is not None
        if torn and 1 < len({letter for letter, _, _ in letters}) < len(self.letters):
            return Choice("hedged", "", "letters", letters[0][1], letters[-1][2], "letter")
        found = self.extractor.sentences_found(cut=cut)
        if found.status in ("item", "hedged") and len(listed) < 2:
            return Choice("value", start=found.start, end=found.end, rule=found.rule, found=found)
        return Choice("none")

    def _is_discussed(self, lead: re.Match[str]) -> bool:
        """``Option A is 15, which is too small. Option B ...``: the first of several that are gone through."""
        text = self.scanner.text
        if lead["after"] or not _DISCUSSED.match(text, lead.end()):
            return False
        return any(letter != lead["letter"].upper() for letter, _, _ in self._letters(lead.end(), len(text)))

    def _last(self, *matches: Iterable[re.Match[str]]) -> re.Match[str] | None:
        every = sorted((match for group in matches for match in group), key=lambda match: match.start())
        every = [
            match
            for match in every
            if not self._is_word(match["letter"], "", match.end())
            and self._second.match(self.scanner.text, match.end()) is None
        ]
        return every[-1] if every else None

    def _listed(self) -> list[tuple[str, int, int]]:
        """Lines that begin with a letter and a bracket or stop: the options, copied."""
        found: dict[str, tuple[str, int, int]] = {}
        for match in self._line.finditer(self.scanner.text):
            found[match["letter"].upper()] = (match["letter"].upper(), match.start("letter"), match.end("letter"))
        return list(found.values())
