"""Whether a draw is well-posed: its answers finite, of a size that people write, and told apart from one another."""

from __future__ import annotations

import cmath
import math
from typing import Final

from .catalogue import Catalogue
from .drawn import Draw, quantity_of, question_of
from .estimate import Estimator, NoEstimate, Number
from .model import Quantity, Question
from .templates import Templates
from .truth import DEFAULT_TOLERANCE

APART: Final = 3.0
"""How many tolerances lie between two answers: one for each of them, and one for what rounding does."""

_SIZES: Final = 1e-90, 1e90
"""What an answer's size lies between."""


class Judge:
    """Decides over draws from one catalogue."""

    def __init__(self, catalogue: Catalogue, templates: Templates) -> None:
        self.catalogue = catalogue
        self.templates = templates
        self._estimator = Estimator(catalogue.system)
        self._ordinary: dict[tuple[str, str, str, tuple[str, ...]], list[Number]] = {}

    def well_posed(self, draw: Draw, tolerance: float = DEFAULT_TOLERANCE) -> bool:
        """Whether the draw can be asked: the redefined answer is told from the ordinary ones.

        Of a case of the benchmark of which only the value was redrawn, it is told from the published case's too:
        who has seen the tables must not be right by that.

        Raises:
            DrawError: The data files have nothing of a name in it.
        """
        quantity = quantity_of(draw, self.catalogue)
        question = question_of(draw, self.catalogue, self.templates)
        tolerance = max(tolerance, question.min_tolerance)
        try:
            gap = self.gap(quantity, question, self._value(draw))
            if draw.is_redrawn:
                fixed = quantity.redefinitions[draw.kind]
                published = self._number(draw.task, fixed.value, fixed.other)
                gap = min(gap, self._between(quantity, question, self._value(draw), published))
        except NoEstimate:
            return False
        return gap > (0 if question.kind == "digit" else APART * tolerance)

    def gap(self, quantity: Quantity, question: Question, value: str) -> float:
        """How far the redefined answer is from the nearest ordinary one, relative to the larger of the two.

        Raises:
            NoEstimate: It has no finite value of a size that people write.
        """
        new = self._readings(quantity, question, value)
        old = self._of_ordinary(quantity, question)
        if cmath.isinf(new[0]) or not (_SIZES[0] < abs(new[0]) < _SIZES[1]):
            raise NoEstimate(f"{new[0]} is no answer to be read")
        # Another reading that the value does not change belongs to the ordinary answers alone.
        redefined = [new[0], *(one for one, other in zip(new[1:], old[1:], strict=True) if one != other)]
        return min(_distance(one, other) for one in redefined for other in old)

    def _between(self, quantity: Quantity, question: Question, value: str, published: str) -> float:
        answer = self._estimator.answer
        try:
            return _distance(answer(quantity, question, value), answer(quantity, question, published))
        except NoEstimate:
            return math.inf

    def _of_ordinary(self, quantity: Quantity, question: Question) -> list[Number]:
        """The same for thousands of values."""
        key = quantity.word, question.answer, question.unit, question.also_default
        if key not in self._ordinary:
            self._ordinary[key] = self._readings(quantity, question, quantity.number)
        return self._ordinary[key]

    def _readings(self, quantity: Quantity, question: Question, value: str) -> list[Number]:
        texts = (None, *question.also_default)
        return [self._estimator.answer(quantity, question, value, text) for text in texts]

    def _value(self, draw: Draw) -> str:
        return self._number(draw.task, draw.value, draw.other)

    def _number(self, task: str, value: str, other: str) -> str:
        return self.catalogue.tasks[task][other].number if other else value


def _distance(first: Number, second: Number) -> float:
    if cmath.isinf(first) or cmath.isinf(second):
        return 0.0 if first == second else math.inf
    size = max(abs(first), abs(second))
    return abs(first - second) / size if size else 0.0
