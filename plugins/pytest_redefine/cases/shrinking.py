"""From a drawn case to the simplest one that ends alike: Hypothesis shrinks it, and says what is to be asked next.

What is simpler is an order over a few whole numbers, the first that differs deciding: the question's steps and gaps; a
plain number before a root, a map or another constant; no minus sign; fewer digits; a smaller power of ten; a smaller
first digit; smaller operands; the usual name; the usual notation. The quantity stays, and every case on the way is
well-posed.

Nobody is asked here. Hypothesis is run from the beginning for each question, on the answers so far, and stopped where
it wants one that is not there: so what is asked hangs on the answers alone, never on how long they took, while its own
bound on the time of shrinking would stop a slow model's case early.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from .decimals import decimal_text
from .dose import dosed, ordinary
from .drawn import NOTATIONS, Draw, quantity_of
from .model import DOSE, Quantity
from .posed import Judge
from .templates import OPERANDS, Template
from .unit_system import Affine, read_value

SHRUNK: Final = "shrunk"
"""The kind of a fresh draw whose value comes from shrinking."""

_Whole = Callable[[int, int], int]
"""``whole(start, most)``: one number of the order, from 0 to ``most``; of the case that is shrunk it is ``start``."""


@dataclass(frozen=True, slots=True)
class Advance:
    """How far shrinking has come."""

    simplest: Draw
    """Of the cases that end alike the simplest so far; at first the one that is shrunk."""
    trial: Draw | None
    """What to ask next; None where nothing is left to try."""


class Shrinker:
    """Makes one draw simpler."""

    def __init__(self, judge: Judge, start: Draw) -> None:
        """Lay out what may become simpler.

        Raises:
            DrawError: The data files have nothing of a name in the draw.
        """
        self._judge = judge
        self._start = start
        self._quantity = quantity_of(start, judge.catalogue)
        self._templates = judge.templates.of(self._quantity)
        own = self._templates.get(start.question)
        rank = _rank(own) if own else (_published_steps(self._quantity, start.question) + 1, 0)
        simpler = [name for name, one in self._templates.items() if name != start.question and _rank(one) < rank]
        self._questions = [*sorted(simpler, key=lambda name: _rank(self._templates[name])), start.question]
        self._numbers, self._own_form = self._forms()

    def advance(self, answers: Sequence[bool]) -> Advance:
        """What is simplest, and what to ask next.

        Args:
            answers: Of each trial so far, in the order in which they were given out, whether it ended as the start did.
        """
        asked = iter(answers)
        known = {self._start.digest: True}
        best: tuple[tuple[int, ...], Draw] = (), self._start

        def ends_alike(order: tuple[int, ...], draw: Draw) -> bool:
            nonlocal best
            if draw.digest not in known:
                answer = next(asked, None)
                if answer is None:
                    raise _NotAskedYet(draw)
                known[draw.digest] = answer
            if known[draw.digest] and (not best[0] or order < best[0]):
                best = order, draw
            return known[draw.digest]

        try:
            self._shrink(ends_alike)
        except _NotAskedYet as unknown:
            return Advance(best[1], unknown.draw)
        return Advance(best[1], None)

    def _shrink(self, ends_alike: Callable[[tuple[int, ...], Draw], bool]) -> None:
        from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
        from hypothesis import strategies as st
        from hypothesis.database import InMemoryExampleDatabase

        pinned = True
        place_of_start: tuple[int, ...] = ()

        @st.composite
        def orders(draw: st.DrawFn) -> tuple[tuple[int, ...], Draw | None]:
            order: list[int] = []

            def whole(start: int, most: int) -> int:
                order.append(draw(st.integers(start, start) if pinned else st.integers(0, most)))
                return order[-1]

            nonlocal place_of_start
            found, place = self._draw(whole), tuple(order)
            if pinned:
                place_of_start = place
            return place, self._start if place == place_of_start else found

        # The seed goes inside: outside it would take the database away.
        @settings(
            database=InMemoryExampleDatabase(),
            phases=[Phase.reuse, Phase.shrink],
            derandomize=False,  # in CI Hypothesis takes it for granted, and then takes no database
            deadline=None,
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
            print_blob=False,
            verbosity=Verbosity.quiet,
        )
        @seed(0)
        @given(orders())
        def check(one: tuple[tuple[int, ...], Draw | None]) -> None:
            order, draw = one
            if draw is not None and (pinned or ends_alike(order, draw)):
                raise _EndsAlike

        # Explicit examples are never shrunk, saved draws are: so the start is drawn once, by numbers that can be no
        # others, and fails; that saves it.
        try:
            check.hypothesis.fuzz_one_input(b"")  # type: ignore[attr-defined]  # set by @given, and in no hint of its
        except _EndsAlike:
            pinned = False
        try:
            check()
        except _EndsAlike:
            return

    def _draw(self, whole: _Whole) -> Draw | None:
        """The draw that stands at a place of the order; None where it is not well-posed."""
        question = self._questions[whole(len(self._questions) - 1, len(self._questions) - 1)]
        form = whole(self._own_form, self._own_form)
        numbers = [_number(start, whole) for start in self._numbers]
        operands = self._operands(question, whole)
        names = list(dict.fromkeys(("", self._start.name)))
        notations = list(dict.fromkeys((NOTATIONS[0], self._start.notation)))
        name = names[whole(len(names) - 1, len(names) - 1)]
        notation = notations[whole(len(notations) - 1, len(notations) - 1)]
        swapped = bool(form and self._start.other)
        draw = replace(
            self._start,
            kind=DOSE if self._start.family == DOSE else SHRUNK,
            question=question,
            value="" if swapped else self._value(form, numbers),
            other=self._start.other if swapped else "",
            operands=operands,
            name=name,
            notation=NOTATIONS[0] if swapped else notation,
            dose=None,
            tolerance="",
        )
        start = self._start
        if replace(draw, kind=start.kind, dose=start.dose, tolerance=start.tolerance) == start:
            return start
        if self._quantity.scale and draw.value == "1":
            return None  # "as 1 seconds" is nothing that a person writes
        if draw.family == DOSE:
            return dosed(self._judge, draw)
        return draw if self._judge.well_posed(draw) else None

    def _forms(self) -> tuple[list[Decimal], int]:
        """The numbers of the start's value, and 1 where a plain number would be another, simpler form."""
        start = self._start
        if start.other:
            taken = ordinary(self._judge.catalogue.tasks[start.task][start.other])
            return [Decimal(1).scaleb(taken.adjusted() if taken else 0)], 1
        if start.value.startswith("sqrt("):
            return [Decimal(start.value[5:-1])], 1
        if self._quantity.scale:
            worth = read_value(start.value)
            if isinstance(worth, Affine):
                return [worth.scale, worth.offset], 0
        return [Decimal(start.value)], 0

    def _value(self, form: int, numbers: Sequence[Decimal]) -> str:
        if len(numbers) > 1:
            scale, offset = numbers
            return f"C + {decimal_text(offset)}" if scale == 1 else f"{decimal_text(scale)}*C + {decimal_text(offset)}"
        text = decimal_text(numbers[0])
        return f"sqrt({text})" if form else text

    def _operands(self, question: str, whole: _Whole) -> dict[str, str]:
        template = self._templates.get(question)
        found = {}
        for name in OPERANDS:
            if template is None or name not in template.operands:
                whole(0, 0)  # every place of the order has as many numbers
                continue
            least, most = template.operands[name]
            start = int(self._start.operands[name]) - least if question == self._start.question else 0
            found[name] = str(least + whole(start, most - least))
        return found


def _rank(template: Template) -> tuple[int, int]:
    return template.steps, len(template.operands)


def _published_steps(quantity: Quantity, question: str) -> int:
    """Of a question of the benchmark: recall (of a unit a conversion), one operation, several."""
    return {"q1": 1 if quantity.scale else 0, "q2": 1}.get(question, 3)


def _number(start: Decimal, whole: _Whole) -> Decimal:
    """A number by its sign, its digits from the last to the second, its power of ten, and its first digit."""
    sign, digits, _ = start.normalize().as_tuple()
    power = start.adjusted() if start else 0
    minus = whole(sign, sign)
    rest = [whole(digit, 9) for digit in reversed(digits[1:])]
    size = whole(abs(power), abs(power))
    first = 1 + whole(max(digits[0] - 1, 0), 8)
    mantissa = Decimal((minus, (first, *reversed(rest)), -len(rest)))
    return mantissa.scaleb(size if power >= 0 else -size)


class _EndsAlike(Exception):
    """What Hypothesis shrinks: a case that ends as the start did."""


class _NotAskedYet(BaseException):
    """Hypothesis wants to know of a case that was not asked yet; no Exception, which it would take for an outcome."""

    def __init__(self, draw: Draw) -> None:
        super().__init__(draw.digest)
        self.draw = draw
