"""Multiple choice: under which letter each option stands.

The right answer and the ordinary one are put down in one of twelve ways. All twelve are dealt out over the quantities
of a cell (task, level, question) in the order of a hash, whatever is then selected of the cell: so neither letter tells
anything, and a model that always says B is right as often as one that always says C. Promptings and samples share the
layout, and a neutral control has that of the case it is read beside: what is compared differs in one thing only.
"""

from __future__ import annotations

from itertools import permutations
from typing import Final

from .answers import Answers
from .catalogue import ROTATIONS
from .model import Case
from .slips import Four, four_values, order

LETTERS: Final = "ABCD"

Options = dict[str, str]
"""Letter → value, a decimal string: the right one is the expected answer itself, digit for digit."""


class Layouts:
    """The options of a catalogue's cases; each is worked out once."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._values: dict[tuple[str, str, str, str], Four] = {}
        self._deals: dict[tuple[str, str, str], dict[str, tuple[int, int]]] = {}

    def options(self, case: Case) -> Options:
        """The options of a case, turned as the case says.

        Raises:
            DataError: No four options can be told apart.
        """
        cell = case.task, case.level, case.question
        right, other = self._deal(*cell)[case.quantity]
        return self._lay_out(case, right, other, turn=case.rotation)

    def options_with(self, case: Case, letter: str) -> Options:
        """The options of a case with the right one under a given letter: a worked example.

        Raises:
            DataError: No four options can be told apart.
        """
        right = LETTERS.index(letter)
        (other, *_) = order(f"{case.case_id}/{letter}", [str(at) for at in range(len(LETTERS)) if at != right])
        return self._lay_out(case, right, int(other), turn=0)

    def _lay_out(self, case: Case, right: int, other: int, *, turn: int) -> Options:
        key = case.task, case.quantity, case.level, case.question
        if key not in self._values:
            self._values[key] = four_values(self._answers, *key)
        values = self._values[key]
        free = [at for at in range(len(LETTERS)) if at not in (right, other)]
        places = (right, other, *(int(at) for at in order("/".join(key), map(str, free))))
        laid = {(place + turn) % ROTATIONS: value for place, value in zip(places, values, strict=True)}
        return {letter: laid[at] for at, letter in enumerate(LETTERS)}

    def _deal(self, task: str, level: str, question: str) -> dict[str, tuple[int, int]]:
        """Where the right answer and the ordinary one of each quantity of a cell stand."""
        cell = task, level, question
        if cell not in self._deals:
            seed = "/".join(cell)
            members = [
                key
                for key, quantity in self._answers.catalogue.tasks[task].items()
                if question in quantity.questions and level not in quantity.questions[question].indistinct
            ]
            pairs = order(seed, (f"{right}{other}" for right, other in permutations(range(len(LETTERS)), 2)))
            self._deals[cell] = {
                key: (int(pairs[at % len(pairs)][0]), int(pairs[at % len(pairs)][1]))
                for at, key in enumerate(order(seed, members))
            }
        return self._deals[cell]


def letter_of(options: Options, value: str) -> str:
    """The letter under which a value stands; empty where under none."""
    return next((letter for letter, stands in options.items() if stands == value), "")
