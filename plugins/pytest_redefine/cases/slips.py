"""Multiple choice: what stands beside the right answer.

Of a redefined case: the right answer, the ordinary one, and the same slip made on the way to either; of a control: the
ordinary answer, what one slip leads to, and a second slip made with both. So the four are two by two alike, in their
signs and in how round they are, and which of them are the answers cannot be told by looking: a distractor that is ten
times another option is itself matched by an answer that is ten times another option.

A slip is a wrong use of the value (``inverse``, ``square``; ``one``: forgetting it) or of the result (``tenfold``,
``tenth``, ``sign``). Where none fits both ways it is powers of ten, and where an answer is zero or infinite any wrong
ones, another level's answer among them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from . import decimals
from .answers import Answers
from .data import DataError
from .derive import Derived
from .model import CONTROL, Question
from .truth import DEFAULT_TOLERANCE

Four = tuple[str, str, str, str]
"""The right answer; the ordinary one (in a control, one slip's); what a slip makes of the first; of the second."""

APART = 0.04
"""What separates a distractor from every other option, relatively: twice the tolerance of an answer."""

_VALUE_SLIPS = ("inverse", "square")
_RESULT_SLIPS = ("tenfold", "tenth")


def order(seed: str, items: Iterable[str]) -> list[str]:
    """Items in an order that hangs on nothing but the seed: the same in every process, on every machine."""
    return sorted(items, key=lambda item: hashlib.sha256(f"{seed}/{item}".encode()).digest())


def four_values(answers: Answers, task: str, quantity: str, level: str, question: str) -> Four:
    """The values of the four options.

    Raises:
        DataError: No four can be told apart, or an answer cannot be derived.
    """
    catalogue = answers.catalogue
    about = catalogue.tasks[task][quantity]
    others = [other for other in (CONTROL, *about.redefinitions) if other != level]
    puzzle = _Puzzle(
        seed=f"{task}/{quantity}/{level}/{question}",
        question=about.questions[question],
        right=answers.of(task, quantity, level, question),
        ordinary=answers.of(task, quantity, CONTROL, question),
        elsewhere=tuple(answers.of(task, quantity, other, question).expected for other in others),
        is_control=level == CONTROL,
    )
    if level == CONTROL:
        ways = puzzle.control_digits() if puzzle.is_digit else puzzle.control()
    else:
        ways = puzzle.redefined_digits() if puzzle.is_digit else puzzle.redefined()
    found = next(ways, None)
    if found is None:
        key = f"{quantity}.{question}.answer"
        raise DataError(catalogue.file(task), key, f"under {level}: no four options can be told apart")
    return found


@dataclass(frozen=True, slots=True)
class _Puzzle:
    """One question under one level; its methods yield sets of options, the best first."""

    seed: str
    question: Question
    right: Derived
    ordinary: Derived
    elsewhere: tuple[str, ...]
    """The answers under every other level."""
    is_control: bool

    @property
    def is_digit(self) -> bool:
        return self.question.kind == "digit"

    def redefined(self) -> Iterator[Four]:
        right, default = self.right.expected, self.ordinary.expected
        for slip in order(self.seed, self._fair((*_VALUE_SLIPS, *_RESULT_SLIPS, "sign"))):
            if slip == "sign" and not self._signs_matter(right, default):
                continue
            one, other = self._slip(slip, self.right), self._slip(slip, self.ordinary)
            fits = one and other and self._alike((right, one), (default, other))
            if fits and self._apart(right, default, one, other, twins=True):
                yield right, default, one, other
        for one in self._any(self.right, levels=True):
            for other in self._any(self.ordinary, levels=False):
                if self._apart(right, default, one, other):
                    yield right, default, one, other

    def control(self) -> Iterator[Four]:
        right = self.right.expected
        for slip in order(self.seed, self._fair((*_VALUE_SLIPS, "one"))):
            wrong = self._slip(slip, self.right)
            for again in order(f"{self.seed}/{slip}", _RESULT_SLIPS):
                both = _of_result(again, right), _of_result(again, wrong)
                fits = wrong and all(both) and self._alike((right, wrong), (right, both[0]), (wrong, both[1]))
                if fits and self._apart(right, wrong, *both) and self._nobodys(wrong, *both):
                    yield right, wrong, *both
        for start in order(self.seed, ("-3", "-2", "-1", "0")):
            ladder = [decimals.shifted(right, int(start) + step) for step in range(4) if int(start) + step]
            if self._plain(right, *ladder) and self._apart(right, *ladder) and self._nobodys(*ladder):
                yield right, ladder[0], ladder[1], ladder[2]
        chosen: list[str] = []
        for wrong in self._any(self.right, levels=False):
            if self._apart(right, *chosen, wrong) and self._nobodys(wrong):
                chosen.append(wrong)
            if len(chosen) == 3:
                yield right, chosen[0], chosen[1], chosen[2]
                return

    def redefined_digits(self) -> Iterator[Four]:
        right, default = self.right.expected, self.ordinary.expected
        first, second, *_ = self._digits(avoid=(right, default))
        yield right, default, first, second

    def control_digits(self) -> Iterator[Four]:
        right = self.right.expected
        wrong = self._digits(avoid=(right, *self.elsewhere))
        if len(wrong) >= 3:
            yield right, wrong[0], wrong[1], wrong[2]

    def _digits(self, avoid: tuple[str, ...]) -> list[str]:
        slips = [digit for found in (self.right, self.ordinary) for _, digit in found.slips]
        every = dict.fromkeys([*order(self.seed, set(slips)), *order(self.seed, "123456789")])
        return [digit for digit in every if digit not in avoid]

    def _fair(self, slips: Iterable[str]) -> list[str]:
        return [slip for slip in slips if slip not in self.question.unfair]

    def _slip(self, name: str, found: Derived) -> str:
        """What a slip makes of an answer; empty where it makes nothing of it."""
        return dict(found.slips).get(name) or _of_result(name, found.expected)

    def _any(self, found: Derived, *, levels: bool) -> list[str]:
        """Everything wrong that one or two slips lead to, as good ones as there are first."""
        slips = [wrong for name, wrong in found.slips if name in self._fair((*_VALUE_SLIPS, "one"))]
        slips = order(self.seed, slips)
        if levels:
            slips += order(self.seed, self.elsewhere)
        results = [
            _of_result(name, value)
            for value in (found.expected, *slips)
            for name in self._fair((*_RESULT_SLIPS, "sign", "hundredfold", "hundredth"))
        ]
        usable = [value for value in (*slips, *results) if value]
        infinite, negative = decimals.is_infinite(found.expected), decimals.is_negative(found.expected)

        def stands_out(value: str) -> tuple[bool, bool, bool]:
            if decimals.is_infinite(value) is not infinite:
                return True, value == "0", False
            return False, value == "0", decimals.is_negative(value) is not negative and not infinite

        return sorted(dict.fromkeys(usable), key=stands_out)

    def _plain(self, *values: str) -> bool:
        """Whether none is zero or infinite, unless an answer is infinite."""
        if any(map(decimals.is_infinite, (self.right.expected, self.ordinary.expected))):
            return True
        return not any(value == "0" or decimals.is_infinite(value) for value in values)

    def _alike(self, *pairs: tuple[str, str]) -> bool:
        """Whether a distractor looks like the option that it comes from, and a minus sign is none's alone."""
        values = {value for pair in pairs for value in pair}
        if sum(map(decimals.is_negative, values)) not in (0, 2, 4) or not self._plain(*values):
            return False
        infinite = sum(map(decimals.is_infinite, values))
        if infinite:
            return infinite == 2
        return all(abs(decimals.roundness(one) - decimals.roundness(other)) <= 1 for one, other in pairs)

    def _signs_matter(self, *answers: str) -> bool:
        """Whether a minus sign would be no oddity among the options."""
        return any(decimals.is_negative(answer) or decimals.is_infinite(answer) for answer in answers)

    def _apart(self, *values: str, twins: bool = False) -> bool:
        """Whether all can be told apart, and no distractor is right by another reading.

        ``twins``: the last two are the same slip of the first two, and as near to one another as those are.
        """
        answers = 1 if self.is_control else 2
        for (at, value), (later, other) in combinations(enumerate(values), 2):
            near = DEFAULT_TOLERANCE if twins and at == 2 else APART
            if later >= answers and decimals.within(value, other, near):
                return False
        readings = (*self.right.also, *self.ordinary.also)
        return not any(decimals.within(value, other, APART) for value in values[answers:] for other in readings)

    def _nobodys(self, *values: str) -> bool:
        """Whether none is the answer under some level: in a control nothing redefined may be found."""
        return not any(decimals.within(value, other, APART) for value in values for other in self.elsewhere)


def _of_result(name: str, value: str) -> str:
    """A slip at the end of the way; empty where it leaves the value as it was."""
    places = {"tenfold": 1, "tenth": -1, "hundredfold": 2, "hundredth": -2}
    if not value or value == "0":
        return ""
    if name == "sign":
        return decimals.negated(value)
    if name in places and not decimals.is_infinite(value):
        return decimals.shifted(value, places[name])
    return ""
