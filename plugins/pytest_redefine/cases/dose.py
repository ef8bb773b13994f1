"""Draws at given distances from the ordinary value, for the dose-response curve. Nothing is left to Hypothesis here."""

from __future__ import annotations

from dataclasses import replace
from decimal import Context, Decimal
from typing import Final

from .catalogue import Catalogue
from .decimals import decimal_text
from .drawn import Draw, quantity_of, question_of
from .estimate import NoEstimate
from .model import DOSE, Quantity
from .posed import APART, Judge
from .slips import order
from .templates import Templates, is_affine
from .truth import DEFAULT_TOLERANCE

NEAREST: Final = Decimal("0.02")
FARTHEST: Final = Decimal(12)
"""|log10(new/ordinary)| of the first and of the last distance; those between are as far apart by factors."""

_DIGITS: Final = 3
_DECADE: Final = Decimal("0.02")
"""So near to a whole decade a value has the ordinary one's digits, and is not asked."""
_LEAST_TOLERANCE: Final = 0.005
"""An answer of three digits is off by as much: with less, rounding would be told for an error."""

_CONTEXT: Final = Context(prec=30, Emin=-999_999, Emax=999_999)


def ordinary(quantity: Quantity) -> Decimal | None:
    """The ordinary value as a number, where it is a real one other than zero: off anything else nothing is decades."""
    text = quantity.default
    if is_affine(quantity) or text == "oo" or "sqrt" in text:
        return None
    return Decimal(text) or None


def scaled(number: Decimal, decades: Decimal, digits: int) -> str:
    """A number times a power of ten, rounded to so many digits."""
    found = _CONTEXT.multiply(abs(number), _CONTEXT.power(Decimal(10), decades))
    return decimal_text(Context(prec=digits, Emin=-999_999, Emax=999_999).plus(found))


def distances(count: int) -> tuple[Decimal, ...]:
    """So many distances from :data:`NEAREST` to :data:`FARTHEST`, none of them whole decades.

    Raises:
        ValueError: Fewer than two are no range.
    """
    if count < 2:
        raise ValueError(f"{count} distances are no range")
    factor = _CONTEXT.power(FARTHEST / NEAREST, Decimal(1) / (count - 1))
    found = [_CONTEXT.multiply(NEAREST, _CONTEXT.power(factor, Decimal(at))) for at in range(count)]
    return tuple(_off_decade(one).quantize(Decimal("0.0001")) for one in found)


def draw_doses(catalogue: Catalogue, templates: Templates, task: str, count: int, seed: str) -> tuple[Draw, ...]:
    """The cases of a dose-response curve: of every quantity, each distance larger and smaller, with either sign.

    Which of the quantity's questions is asked at a point hangs on the seed: all in turn, so that no question sits at
    one end of the curve. Left out are questions for a digit, and points whose two answers are too near for any
    tolerance that the question allows.
    """
    judge = Judge(catalogue, templates)
    found: list[Draw] = []
    for quantity in catalogue.tasks[task].values():
        start = ordinary(quantity)
        questions = [one.name for one in quantity.questions.values() if one.kind != "digit"]
        if start is None or not questions:
            continue
        for way, sign in ((1, ""), (-1, ""), (1, "-"), (-1, "-")):
            turn = order(f"{seed}/{quantity.key}/{way}{sign}", questions)
            for at, distance in enumerate(distances(count)):
                value = scaled(start, way * distance, _DIGITS)
                question = turn[at % len(turn)]
                draw = dosed(judge, Draw(DOSE, task, quantity.key, DOSE, question, sign + value))
                if draw is not None:
                    found.append(draw)
    return tuple(replace(draw, index=index, seed=seed) for index, draw in enumerate(found))


def dosed(judge: Judge, draw: Draw) -> Draw | None:
    """A draw with the distance of its value and what its two answers are told apart by; None where nothing does."""
    quantity = quantity_of(draw, judge.catalogue)
    start = ordinary(quantity)
    if start is None:
        return None
    distance = abs(_CONTEXT.log10(_CONTEXT.divide(abs(Decimal(draw.value)), start)))
    if abs(distance - round(distance)) < _DECADE / 2 and round(distance):
        return None
    question = question_of(draw, judge.catalogue, judge.templates)
    try:
        gap = judge.gap(quantity, question, draw.value)
    except NoEstimate:
        return None
    tolerance = min(DEFAULT_TOLERANCE, gap / APART)
    if tolerance < max(question.min_tolerance, _LEAST_TOLERANCE):
        return None
    return replace(
        draw,
        dose=float(round(distance, 4)),
        # Rounded down, or the two answers would be within it.
        tolerance="" if tolerance == DEFAULT_TOLERANCE else f"{int(tolerance * 1e5) / 1e5:.5f}",
    )


def _off_decade(distance: Decimal) -> Decimal:
    whole = round(distance)
    if whole and abs(distance - whole) < _DECADE:
        return whole - _DECADE
    return distance
