"""Hypothesis strategies over redefinitions: public, to compose in property tests and in suites of one's own.

A value::

    pi = Catalogue.load().tasks["constants"]["pi"]
    values(pi, "near")                    # "2.4"
    at_distance(pi, least=3, most=5)      # "-120000": three to five decades off, either way, either sign

A whole case, as parameters (:class:`.drawn.Draw`) that a case is built from without Hypothesis::

    stock = Stock(Judge(catalogue, Templates.load(catalogue)))
    composed(stock, "constants")          # another value, name, notation and question
    redrawn(stock, "units")               # a case of the benchmark with another value of the same level

Well-posed draws only: the answers are finite and told apart, see :mod:`.posed`. Everything is drawn from whole numbers:
a float's last digit may differ from machine to machine, and with it the case.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import ROUND_DOWN, ROUND_UP, Context, Decimal
from typing import Any, Final, TypeVar

from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from .catalogue import Catalogue
from .decimals import decimal_text
from .dose import ordinary, scaled
from .drawn import NOTATIONS, Draw
from .model import FRESH, Quantity, Redefinition
from .posed import Judge
from .templates import is_affine
from .unit_system import Affine, read_value

T = TypeVar("T")

KINDS: Final = ("near", "far", "unrealistic", "swap")
"""Where a value is drawn. A swap takes the number of another constant."""

NEAR: Final = Decimal("0.04"), Decimal("0.5")
FAR: Final = Decimal(1), Decimal(12)
"""|log10(new/ordinary)|, from and to."""
BEYOND: Final = 30
"""Decades between which an unrealistic value lies."""

MOST_DIGITS: Final = 3
_STEPS: Final = 1000


def quantities(catalogue: Catalogue, *tasks: str) -> SearchStrategy[Quantity]:
    """A constant or a unit (default: of all tasks)."""
    # By their names: Hypothesis may print what is sampled from, and a catalogue is long.
    names = [(task, key) for task in tasks or catalogue.tasks for key in catalogue.tasks[task]]
    return st.sampled_from(names).map(lambda name: catalogue.tasks[name[0]][name[1]])


def has_distance(quantity: Quantity) -> bool:
    """Whether a value can be said to be so many decades off: not off zero, infinity, i or the kelvin's map."""
    return ordinary(quantity) is not None


def numbers(least: int, most: int, *, digits: int = MOST_DIGITS) -> SearchStrategy[str]:
    """A positive number of few digits, between two powers of ten: ``2.4``, ``310``, ``5e-33``."""
    mantissas = st.integers(1, digits).flatmap(lambda count: st.integers(10 ** (count - 1), 10**count - 1))
    return st.builds(
        lambda mantissa, power: decimal_text(Decimal(mantissa).scaleb(power - len(str(mantissa)) + 1)),
        mantissas,
        st.integers(least, most - 1),
    )


def signed(values: SearchStrategy[str], *, negative: bool | None = None) -> SearchStrategy[str]:
    """The values with either sign, or with one."""
    if negative is None:
        return st.builds(lambda value, minus: f"-{value}" if minus else value, values, st.booleans())
    return values.map(lambda value: f"-{value}") if negative else values


def at_distance(
    quantity: Quantity,
    *,
    least: Decimal | float,
    most: Decimal | float,
    larger: bool | None = None,
    negative: bool | None = None,
    digits: int = MOST_DIGITS,
) -> SearchStrategy[str]:
    """A value so many decades larger or smaller than the ordinary one, rounded to few digits.

    Args:
        quantity: One with :func:`has_distance`.
        least: |log10(new/ordinary)| from, before rounding.
        most: To.
        larger: Whether it is the larger one; either where not given.
        negative: Whether it has a minus sign; either where not given.
        digits: Significant digits.

    Raises:
        ValueError: The quantity has no ordinary value to be off from.
    """
    start = ordinary(quantity)
    if start is None:
        raise ValueError(f"nothing is so many decades off {quantity.default}, the value of {quantity.key}")
    low, high = Decimal(str(least)), Decimal(str(most))

    def off(step: int, up: bool) -> str:
        decades = low + (high - low) * step / _STEPS
        return scaled(start, decades if up else -decades, digits)

    ways = st.booleans() if larger is None else st.just(larger)
    return signed(st.builds(off, st.integers(0, _STEPS), ways), negative=negative)


def values(quantity: Quantity, kind: str) -> SearchStrategy[str]:
    """A value as the data state one.

    Args:
        quantity: What is redefined.
        kind: ``near``, ``far`` or ``unrealistic``.

    Raises:
        ValueError: There is no such kind.
    """
    if kind not in KINDS[:3]:
        raise ValueError(f"{kind!r} is none of {', '.join(KINDS[:3])}")
    if is_affine(quantity):
        return _maps(kind)
    if not has_distance(quantity):
        return _without_distance(quantity, kind)
    if kind != "unrealistic":
        low, high = NEAR if kind == "near" else FAR
        return at_distance(quantity, least=low, most=high, negative=False)
    beyond = [signed(numbers(-3, 4), negative=True), numbers(-BEYOND, -12), numbers(12, BEYOND)]
    if not quantity.unit and not quantity.scale:
        beyond.append(st.integers(2, 99).map(lambda number: f"sqrt(-{number})"))
    return st.one_of(beyond)


def _without_distance(quantity: Quantity, kind: str) -> SearchStrategy[str]:
    if quantity.default == "oo":  # every number is infinitely far off: near are the largest
        powers = {"near": (9, 30), "far": (0, 6), "unrealistic": (-6, 3)}
        return signed(numbers(*powers[kind]), negative=kind == "unrealistic")
    if "sqrt" in quantity.default:
        if kind == "unrealistic":
            return signed(numbers(-2, 4))
        first, last = (2, 9) if kind == "near" else (10, 9999)
        return st.integers(first, last).map(lambda number: f"sqrt(-{number})")
    powers = {"near": (-2, 1), "far": (1, 6), "unrealistic": (9, BEYOND)}
    return signed(numbers(*powers[kind]))


def _maps(kind: str) -> SearchStrategy[str]:
    """Of degrees Celsius: near another zero, far a zero elsewhere, unrealistic degrees of another size too."""
    if kind == "near":
        return st.one_of(st.integers(180, 255), st.integers(290, 400)).map(lambda offset: f"C + {offset}")
    if kind == "far":
        return st.one_of(st.integers(1, 120), st.integers(1000, 9000)).map(lambda offset: f"C + {offset}")
    scales = st.one_of(st.integers(2, 90), st.integers(-90, -2))
    return st.builds(lambda scale, offset: f"{scale}*C + {offset}", scales, st.integers(1, 900))


def swaps(catalogue: Catalogue, quantity: Quantity, *, but: Sequence[str] = ()) -> SearchStrategy[str]:
    """Another constant, by its key, whose number a constant takes."""
    return st.sampled_from([key for key in catalogue.tasks["constants"] if key != quantity.key and key not in but])


def redefinitions(catalogue: Catalogue, quantity: Quantity, kind: str) -> SearchStrategy[Redefinition]:
    """What a quantity is redefined as: a value, or in a ``swap`` another constant."""
    if kind == "swap":
        return swaps(catalogue, quantity).map(lambda other: Redefinition(FRESH, other=other))
    return values(quantity, kind).map(lambda value: Redefinition(FRESH, value=value))


def same_level(catalogue: Catalogue, quantity: Quantity, level: str) -> SearchStrategy[Redefinition]:
    """Another value of the kind that a level of the benchmark has: its sign and digits, within a factor of two.

    On the same side of the ordinary value, so that it is neither nearer nor of another sort; of a swap, another
    constant. What is left to differ is that nobody has published it.
    """
    fixed = quantity.redefinitions[level]
    if fixed.other:
        published = [one.other for one in quantity.redefinitions.values() if one.other]
        return swaps(catalogue, quantity, but=published).map(lambda other: Redefinition(FRESH, other=other))
    return _like(fixed.value, quantity).map(lambda value: Redefinition(FRESH, value=value))


def _like(value: str, quantity: Quantity) -> SearchStrategy[str]:
    if value.startswith("sqrt("):
        return _beside(Decimal(value[5:-1])).map(lambda number: f"sqrt({number})")
    worth = read_value(value) if quantity.scale else None
    if isinstance(worth, Affine):
        scales = st.just("1") if worth.scale == 1 else _beside(worth.scale)
        return st.builds(
            lambda scale, offset: f"C + {offset}" if scale == "1" else f"{scale}*C + {offset}",
            scales,
            _beside(worth.offset),
        )
    return _beside(Decimal(value), ordinary(quantity))


def _beside(number: Decimal, start: Decimal | None = None) -> SearchStrategy[str]:
    """Numbers of as many digits (two where it has one, which leaves too few) and of the same sign."""
    sign, own, _ = number.normalize().as_tuple()
    count = max(2, len(own))
    power = number.adjusted() - count + 1
    size = int(abs(number).scaleb(-power))
    low, high = max(1, size // 2), 2 * size
    if start is not None and number > 0:
        # The ordinary value in the same steps: it is not crossed.
        bound = start.scaleb(-power)
        if abs(number) > start:
            low = max(low, int(bound) + 1)
        else:
            high = max(low, min(high, int(bound)))
    # Twice the number may have a digit more than it has: rounded, and not across the ordinary value.
    further = start is not None and number > start
    digits = Context(prec=count, rounding=ROUND_UP if further else ROUND_DOWN)
    found = st.integers(low, high).map(lambda mantissa: decimal_text(digits.create_decimal(mantissa).scaleb(power)))
    return signed(found, negative=bool(sign))


class Stock:
    """Strategies made once for each quantity: making one costs Hypothesis ten times what drawing from it does."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self._made: dict[tuple[str, ...], SearchStrategy[Any]] = {}

    def quantities(self, task: str) -> SearchStrategy[Quantity]:
        """See :func:`quantities`."""
        return self._once(("quantities", task), lambda: quantities(self.judge.catalogue, task))

    def kinds(self, task: str) -> SearchStrategy[str]:
        """A kind of value that there is of a task."""
        return self._once(("kinds", task), lambda: st.sampled_from(KINDS if task == "constants" else KINDS[:3]))

    def redefinitions(self, quantity: Quantity, kind: str) -> SearchStrategy[Redefinition]:
        """See :func:`redefinitions`."""
        catalogue = self.judge.catalogue
        return self._once(("values", quantity.word, kind), lambda: redefinitions(catalogue, quantity, kind))

    def same_level(self, quantity: Quantity, level: str) -> SearchStrategy[Redefinition]:
        """See :func:`same_level`."""
        catalogue = self.judge.catalogue
        return self._once(("level", quantity.word, level), lambda: same_level(catalogue, quantity, level))

    def templates(self, quantity: Quantity) -> SearchStrategy[str]:
        """A template that makes sense of a quantity, by name."""
        return self._once(
            ("templates", quantity.word), lambda: st.sampled_from(list(self.judge.templates.of(quantity)))
        )

    def names(self, quantity: Quantity) -> SearchStrategy[str]:
        """A name of a quantity."""
        return self._once(("names", quantity.word), lambda: st.sampled_from(self.judge.templates.names_of(quantity)))

    def cells(self, quantity: Quantity) -> SearchStrategy[tuple[str, str]]:
        """A level and a question of the benchmark whose answer the level changes."""
        cells = [
            (level, question.name)
            for level in quantity.redefinitions
            for question in quantity.questions.values()
            if level not in question.indistinct
        ]
        return self._once(("cells", quantity.word), lambda: st.sampled_from(cells))

    def operands(self, least: int, most: int) -> SearchStrategy[str]:
        """A number of two digits at most, or of two followed by noughts."""
        widths = [10**power for power in range(len(str(most))) if 10**power <= most]
        return self._once(
            ("operands", str(least), str(most)),
            lambda: st.builds(
                lambda number, width: str(min(max(number * width, least), most)),
                st.integers(1, 99),
                st.sampled_from(widths),
            ),
        )

    def notations(self) -> SearchStrategy[str]:
        """A way to write powers of ten."""
        return self._once(("notations",), lambda: st.sampled_from(NOTATIONS))

    def _once(self, key: tuple[str, ...], make: Callable[[], SearchStrategy[T]]) -> SearchStrategy[T]:
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]


@st.composite
def composed(draw: DrawFn, stock: Stock, task: str) -> Draw:
    """A case of its own: another value, and a question put together from a template."""
    quantity = draw(stock.quantities(task))
    kind = draw(stock.kinds(task))
    redefinition = draw(stock.redefinitions(quantity, kind))
    template = stock.judge.templates.of(quantity)[draw(stock.templates(quantity))]
    found = Draw(
        family=FRESH,
        task=task,
        quantity=quantity.key,
        kind=kind,
        question=template.name,
        value=redefinition.value,
        other=redefinition.other,
        operands={name: draw(stock.operands(*bounds)) for name, bounds in template.operands.items()},
        name=draw(stock.names(quantity)),
        notation=draw(stock.notations()) if redefinition.value else NOTATIONS[0],
    )
    assume(stock.judge.well_posed(found))
    return found


@st.composite
def redrawn(draw: DrawFn, stock: Stock, task: str) -> Draw:
    """A case of the benchmark with another value of the same level: the question's text is the published one."""
    quantity = draw(stock.quantities(task))
    level, question = draw(stock.cells(quantity))
    redefinition = draw(stock.same_level(quantity, level))
    found = Draw(
        family=FRESH,
        task=task,
        quantity=quantity.key,
        kind=level,
        question=question,
        value=redefinition.value,
        other=redefinition.other,
    )
    assume(stock.judge.well_posed(found))
    return found
