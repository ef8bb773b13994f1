"""What is asked, as plain frozen data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .truth import Kind

CONTROL = "nr"
"""The level of a case in which nothing is redefined."""

FRESH = "fresh"
"""The level of a case whose value was drawn."""

DOSE = "dose"
"""The level of a case whose value stands at a given distance from the ordinary one."""

NEUTRAL = "neutral"
"""``neutral2`` is the level of a neutral control: the value of ``ra2`` under a name that means nothing.

Of a drawn case it is ``neutral``.
"""


@dataclass(frozen=True, slots=True)
class Redefinition:
    """What a quantity is redefined as: a value (an assignment), or another constant (a swap)."""

    level: str
    """``ra1`` .. ``ra3`` for assignments, ``rs1`` and ``rs2`` for swaps."""
    value: str = ""
    """Assignment of a constant: an exact decimal (``5e-33``) or ``sqrt`` of one, in its own unit. Of a unit: how
    many derived units make one of it, or an affine map of them (``100*C + 500``)."""
    other: str = ""
    """Swap: the key of the constant whose number is taken; the own unit is kept."""
    text: str = ""
    """Assignment: the number as the prompt writes it; empty where as usual."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question about a quantity; its answer is an expression, never a number."""

    name: str
    """``q1`` recall, ``q2`` one operation, ``q3`` several steps."""
    text: str
    answer: str
    """Constants: in ``x``, the value of the quantity. Units: the steps, in units. See :mod:`.expressions`."""
    kind: Kind
    unit: str
    """Of the answer, as Pint reads it; empty for a bare number."""
    reading: str
    others: tuple[str, ...]
    """Other defensible readings."""
    why: str
    """Why this reading is the one taken; empty where there is no other."""
    contested: bool
    """An able solver may defend the ordinary answer although the quantity is redefined."""
    indistinct: tuple[str, ...]
    """Levels under which the answer stays the ordinary one: no case of multiple choice. Stated, so that cases can
    be enumerated without deriving a single answer; a statement that does not follow is a :class:`~.data.DataError`."""
    also_default: tuple[str, ...]
    """Further expressions like ``answer``, by another reading, whose ordinary value counts as an ordinary answer."""
    min_tolerance: float
    """Relative uncertainty of the reference itself: no smaller tolerance is applied."""
    unfair: tuple[str, ...]
    """Slips (see :mod:`.slips`) that are another defensible reading, and so no option of multiple choice."""
    neutral: str
    """The same asked of ``{x}``, a name that means nothing; empty where it cannot be asked without the name."""


@dataclass(frozen=True, slots=True)
class Scale:
    """What a unit has and a constant has not: ``1 unit = value derived``."""

    derived: str
    """The unit it is measured in, as Pint reads it (``second``, ``cm^3``)."""
    plural: str
    aliases: tuple[str, ...]
    """Further spellings in expressions, beside the quantity's ``word`` and ``symbol``."""
    wording: str
    """What it is redefined as: ``{number} seconds``; may also speak of ``{symbol}``."""
    relatives: str
    """What a redefinition does to the units around it, in words."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A constant or a unit, with all that can be asked about it."""

    key: str
    word: str
    """Its name in ids: ``[a-z0-9]``, in no other quantity's word, so that ``-k`` selects it alone."""
    symbol: str
    name: str
    """As it reads after "Redefine"."""
    noun: str
    """As it explains the symbol: "φ, the golden ratio"; of a unit "minute"."""
    default: str
    """The ordinary value as printed."""
    exact: str
    """The number that ``default`` rounds, where it is a mathematical one; else empty."""
    unit: str
    """Of the value; empty for a bare number, and for units, which have a ``scale``."""
    redefinitions: Mapping[str, Redefinition]
    questions: Mapping[str, Question]
    neutral: str
    """The name that means nothing, for neutral controls: ``ζ``, ``zorn``."""
    neutral_name: str
    """As it reads after "Let": ``ζ``, ``one zorn``."""
    scale: Scale | None = None
    """Units only."""

    @property
    def number(self) -> str:
        """The ordinary value to derive answers from."""
        return self.exact or self.default


@dataclass(frozen=True, slots=True)
class Case:
    """One question under one redefinition, put in one way: what one request asks."""

    task: str
    quantity: str
    """The benchmark's key (``k_B``)."""
    word: str
    """The quantity's name in ids (``boltzmann``)."""
    redefinition: str
    """The level: ``nr``, ``ra1`` ..."""
    question: str
    format: str
    prompting: str
    sample: int
    contested: bool
    """Said of the question, so of its control too: a rate without contested items leaves out both."""
    rotation: int = 0
    """Multiple choice: by how many places the options are turned, 0 to 3."""
    drawn: str = ""
    """Of a fresh case and of its control: ``fresh3``, ``dose17``. Its question's name ends in the draw's digest."""

    @property
    def is_control(self) -> bool:
        """Whether nothing is redefined."""
        return self.redefinition == CONTROL

    @property
    def is_neutral(self) -> bool:
        """Whether the value stands under a name that means nothing."""
        return self.redefinition.startswith(NEUTRAL)

    @property
    def level(self) -> str:
        """Whose value holds: ``redefinition``, but for a neutral control that of the case it is read beside."""
        if self.is_neutral:
            return self.drawn.rstrip("0123456789") or f"ra{self.redefinition.removeprefix(NEUTRAL)}"
        return self.redefinition

    @property
    def id_stem(self) -> str:
        """``planck-ra2-q3-ff-zs-s0``: stable, of ``[A-Za-z0-9._-]``, made for ``-k``; a turned one ends in ``rot1``.

        Of a fresh case ``planck-fresh3-q3-1a2b3c4d-ff-zs-s0``, and ``planck-nr-fresh3-...`` or
        ``planck-neutral-fresh3-...`` of its controls.
        """
        level = self.redefinition
        if self.drawn:
            level = f"{level}-{self.drawn}" if self.is_control or self.is_neutral else self.drawn
        parts = (self.word, level, self.question, self.format, self.prompting, f"s{self.sample}")
        return "-".join((*parts, f"rot{self.rotation}") if self.rotation else parts)

    @property
    def case_id(self) -> str:
        """``constants-planck-ra2-q3-ff-zs-s0``: the same over models and runs."""
        return f"{self.task}-{self.id_stem}"
