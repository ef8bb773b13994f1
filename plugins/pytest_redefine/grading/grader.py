"""One answer, graded: ``grade(answer, truth) -> Outcome``. Pure, deterministic, bounded."""

from __future__ import annotations

import re
from decimal import localcontext
from typing import Final

from pytest_redefine.cases.truth import Truth
from pytest_redefine.grading import arithmetic as ar
from pytest_redefine.grading.choices import Choice, ChoiceReader
from pytest_redefine.grading.compare import References, Verdict
from pytest_redefine.grading.extract import Extractor, Found
from pytest_redefine.grading.items import Item, Scanner
from pytest_redefine.grading.normalise import Plain, normalise
from pytest_redefine.grading.outcome import Outcome
from pytest_redefine.grading.refusal import is_placeholder, refuses
from pytest_redefine.grading.sentences import sentence_spans
from pytest_redefine.grading.thinking import answer_part

_MARKER_ALONE: Final = re.compile(r"\W*(?:(?:the\s+)?(?:final\s+|correct\s+)?answer(?:\s+is)?)?\W*", re.IGNORECASE)
_WORDS: Final = re.compile(r"\w+|∞")


def grade(answer: str, truth: Truth, *, finish_reason: str = "stop") -> Outcome:
    """Class an answer as PROTOCOL 2 does.

    Args:
        answer: The reply of a model, as it came; hostile text is fine.
        truth: What it is compared with.
        finish_reason: ``length`` where the reply was cut off at the limit.

    Returns:
        The outcome; its span points into ``answer``.
    """
    with localcontext(ar.context()):
        return _grade(answer, truth, cut=finish_reason == "length")


def _grade(answer: str, truth: Truth, *, cut: bool) -> Outcome:
    said, _ = answer_part(answer)
    plain = _without_echo(normalise(said), truth)
    blank = Outcome("blank", "truncated" if cut else "")
    if len(plain.text) < 200 and _MARKER_ALONE.fullmatch(plain.text) and "∞" not in plain.text:
        return blank
    refs = References.of(truth)
    scanner = Scanner(plain, truth, refs)
    extractor = Extractor(scanner)
    if truth.format == "mc" and truth.options:
        return _Grading(plain, truth, scanner, cut).choice(ChoiceReader(scanner, extractor))
    return _Grading(plain, truth, scanner, cut).free(extractor.find(cut=cut))


class _Grading:
    def __init__(self, plain: Plain, truth: Truth, scanner: Scanner, cut: bool) -> None:
        self.plain = plain
        self.truth = truth
        self.scanner = scanner
        self.cut = cut

    def free(self, found: Found) -> Outcome:
        """A free-form answer."""
        item = found.item
        if found.status == "item" and item is not None:
            verdict = self.scanner.verdict(item)
            if not found.settled or (self.cut and self._at_end(item) and not self._survives_cut(item, verdict)):
                return self._nothing(truncated=True)
            if verdict.category == "wrong" and not found.explicit and refuses(self.plain.text):
                return self._outcome(Verdict("refused"), item, found.rule)
            return self._outcome(verdict, item, found.rule)
        if found.status == "hedged" and item is not None:
            if not found.settled:
                return self._nothing(truncated=True)
            if found.detail != "both" and not found.explicit and refuses(self.plain.text):
                return self._outcome(Verdict("refused"), item, found.rule)
            return self._outcome(Verdict("hedged", found.detail), item, found.rule)
        return self._text(found.start, found.end, found.rule)

    def _survives_cut(self, item: Item, verdict: Verdict) -> bool:
        """A match that a cut in its digits cannot have made: 0.000 may have been on its way to 6.6e-34."""
        tokens = self.scanner.tokens[item.first : item.after]
        unfinished_zero = not item.value.new.re and any("." in token.text or "," in token.text for token in tokens)
        return verdict.matches and not unfinished_zero

    def _at_end(self, item: Item) -> bool:
        return item.end >= len(self.plain.text.rstrip())

    def _text(self, start: int, end: int, rule: str, detail: str = "") -> Outcome:
        """Words without a value."""
        if refuses(self.plain.text):
            return Outcome("refused", rule=rule)
        content = self.plain.text[start:end]
        if not content.strip() or is_placeholder(content):
            return self._nothing(truncated=self.cut)
        if self.cut and end >= len(self.plain.text.rstrip()):
            return self._nothing(truncated=True)
        return Outcome("wrong", detail or "text", content.strip()[:80], self.plain.span(start, end), rule)

    def _nothing(self, *, truncated: bool) -> Outcome:
        if not truncated and refuses(self.plain.text):
            return Outcome("refused")
        return Outcome("blank", "truncated" if truncated and self.cut else "")

    def _outcome(self, verdict: Verdict, item: Item, rule: str) -> Outcome:
        readings = self.scanner.readings(item)
        value = readings.old if verdict.category == "anchored" else readings.new
        error = None if verdict.error is None else float(verdict.error)
        return Outcome(
            verdict.category, verdict.detail, ar.text(value), self.plain.span(item.start, item.end), rule, error
        )

    def choice(self, reader: ChoiceReader) -> Outcome:
        """A multiple-choice answer."""
        choice = reader.find(cut=self.cut)
        span = self.plain.span(choice.start, choice.end) if choice.end > choice.start else None
        if choice.status == "letter":
            return self._lettered(reader, choice, span)
        if choice.status == "hedged":
            return Outcome("hedged", choice.detail, choice.letter or None, span, choice.rule)
        if choice.status == "value" and choice.found is not None:
            return self._valued(reader, choice, choice.found, span)
        if choice.detail == "none_of_the_above":
            if refuses(self.plain.text):
                return Outcome("refused", rule=choice.rule)
            return Outcome("wrong", "none_of_the_above", None, span, choice.rule)
        return self._text(choice.start, choice.end, choice.rule)

    def _lettered(self, reader: ChoiceReader, choice: Choice, span: tuple[int, int] | None) -> Outcome:
        verdict = reader.verdict(choice.letter)
        error = None if verdict.error is None else float(verdict.error)
        return Outcome(verdict.category, verdict.detail, choice.letter, span, choice.rule, error)

    def _valued(self, reader: ChoiceReader, choice: Choice, found: Found, span: tuple[int, int] | None) -> Outcome:
        outcome = self.free(found)
        if found.item is None or outcome.category not in ("correct", "anchored", "wrong"):
            return outcome
        letters = reader.matching(found.item)
        extracted = letters[0] if len(letters) == 1 else outcome.extracted
        return Outcome(outcome.category, outcome.detail, extracted, span, choice.rule, outcome.relative_error)


def _without_echo(plain: Plain, truth: Truth) -> Plain:
    """The reply with the sentences it copied from the prompt blanked out."""
    if not truth.prompt or not plain.text.strip():
        return plain
    prompt = f" {' '.join(_WORDS.findall(normalise(truth.prompt).text.lower()))} "
    text = plain.text
    for start, end in sentence_spans(text, 0, len(text)):
        sentence = text[start:end]
        words = _WORDS.findall(sentence.lower())
        # A sentence of prose, that is: the redefined value may well be the answer.
        if (
            sum(len(word) > 1 and word.isalpha() for word in words) < 4
            or len(sentence) < 15
            or sentence.rstrip(" *\"'\n").endswith(":")
        ):
            continue
        if f" {' '.join(words)} " in prompt:
            blank = "".join(char if char == "\n" else " " for char in sentence)
            text = text[:start] + blank + text[end:]
    return Plain(text, plain.starts, plain.ends) if text is not plain.text else plain
