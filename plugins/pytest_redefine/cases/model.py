"""What is asked, as plain frozen data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .truth import Kind

CONTROL = "nr"
"""The level of a case in which nothing is redefined."""


@dataclass(frozen=True, slots=True)
class Redefinition:
    """What a quantity is redefined as: a value (an assignment), or another constant (a swap)."""

    level: str
    """``ra1`` .. ``ra3`` for assignments, ``rs1`` and ``rs2`` for swaps."""
    value: str = ""
    """Assignment: an exact decimal (``5e-33``) or ``sqrt`` of one, in the quantity's own unit."""
    other: str = ""
    """Swap: the key of the constant whose number is taken; the own unit is kept."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question about a quantity; its answer is an expression, never a number."""

    name: str
    """``q1`` recall, ``q2`` one operation, ``q3`` several steps."""
    text: str
    answer: str
    """In ``x``, the value of the quantity; see :mod:`.expressions`."""
    kind: Kind
    unit: str
    """Of the answer, as Pint reads it; empty for a bare number."""
    reading: str
    others: tuple[str, ...]
    """Other defensible readings."""
    contested: bool
    """An able solver may defend the ordinary answer although the quantity is redefined."""
    also_default: tuple[str, ...]
    """Expressions in ``x`` that also count as the ordinary answer."""
    min_tolerance: float
    """Relative uncertainty of the reference itself: no smaller tolerance is applied."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A constant with all that can be asked about it."""

    key: str
    word: str
    """Its name in ids: ``[a-z0-9]``, in no other quantity's word, so that ``-k`` selects it alone."""
    symbol: str
    name: str
    """As it reads after "Redefine"."""
    noun: str
    """As it explains the symbol: "φ, the golden ratio"."""
    default: str
    """The ordinary value as printed."""
    exact: str
    """The number that ``default`` rounds, where it is a mathematical one; else empty."""
    unit: str
    redefinitions: Mapping[str, Redefinition]
    questions: Mapping[str, Question]

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

    @property
    def is_control(self) -> bool:
        """Whether nothing is redefined."""
        return self.redefinition == CONTROL

    @property
    def id_stem(self) -> str:
        """``planck-ra2-q3-ff-zs-s0``: stable, of ``[A-Za-z0-9._-]``, made for ``-k``."""
        return "-".join((self.word, self.redefinition, self.question, self.format, self.prompting, f"s{self.sample}"))

    @property
    def case_id(self) -> str:
        """``constants-planck-ra2-q3-ff-zs-s0``: the same over models and runs."""
        return f"{self.task}-{self.id_stem}"
