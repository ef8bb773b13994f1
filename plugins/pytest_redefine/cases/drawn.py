"""A fresh case as plain data, and what is made of it: without Hypothesis, so that a run is replayed from its record."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from typing import Any, Final

from .catalogue import CONTROLS, ROTATIONS, Catalogue
from .model import CONTROL, NEUTRAL, Case, Quantity, Question, Redefinition
from .templates import Templates
from .unit_system import Affine, read_value
from .wording import number_text

NOTATIONS: Final = ("power", "e", "caret")
"""How a number with a power of ten is written: ``5 × 10⁻³³`` (as everywhere), ``5e-33``, ``5*10^-33``."""

_DIGEST: Final = 8
_NO_PARAMETERS: Final = ("family", "index", "seed")


class DrawError(ValueError):
    """Stored parameters from which no case can be built."""


@dataclass(frozen=True, slots=True)
class Draw:
    """The parameters of one fresh case; all that it follows from but the data files."""

    family: str
    """``fresh`` or ``dose``: which test asks it, and the level of the case."""
    task: str
    quantity: str
    """The benchmark's key."""
    kind: str
    """Where the value was drawn: a level of the benchmark (``ra2``, ``rs1``: only the value is another), ``near``,
    ``far``, ``unrealistic``, ``swap``, ``dose``, or ``shrunk`` from another draw."""
    question: str
    """One of the benchmark's (``q2``), or a template's name."""
    value: str = ""
    """As the data state one (``5e-33``, ``sqrt(-3)``, ``C + 310``); empty in a swap."""
    other: str = ""
    """In a swap the key of the other constant."""
    operands: Mapping[str, str] = field(default_factory=dict)
    """What fills a template's gaps."""
    name: str = ""
    """What the quantity is called; empty where as usual."""
    notation: str = NOTATIONS[0]
    dose: float | None = None
    """|log10(new/ordinary)|, where that is what the case was drawn for."""
    index: int = 0
    """Which of its family and task it is."""
    seed: str = ""
    """What it was drawn from."""
    tolerance: str = ""
    """Dose: what the two answers are told apart by, where it is less than usual."""

    @property
    def is_redrawn(self) -> bool:
        """Whether nothing but the value differs from a case of the benchmark."""
        return self.kind[:2] in ("ra", "rs")

    @property
    def tag(self) -> str:
        """``fresh3``: selects the case and its control."""
        return f"{self.family}{self.index}"

    @property
    def digest(self) -> str:
        """Eight hex digits over all parameters, but not over what they were drawn by."""
        data = {name: value for name, value in self.to_json().items() if name not in _NO_PARAMETERS}
        return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:_DIGEST]

    def to_json(self) -> dict[str, Any]:
        """Plain builtins; what equals its default is left out."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return {
            name: dict(value) if name == "operands" else value
            for name, value in values.items()
            if value not in ("", None) and value != {}
        }

    @classmethod
    def from_json(cls, data: Any) -> Draw:
        """The inverse of :meth:`to_json`.

        Raises:
            DrawError: It is no draw.
        """
        if not isinstance(data, Mapping):
            raise DrawError(f"{data!r} is no draw")
        unknown = sorted(set(map(str, data)) - {one.name for one in fields(cls)})
        if unknown:
            raise DrawError(f"a draw has no {', '.join(unknown)}")
        for name, value in data.items():
            kind = {"index": int, "operands": Mapping, "dose": float}.get(name, str)
            if not isinstance(value, kind) or isinstance(value, bool):
                raise DrawError(f"{name}={value!r} in a draw")
        try:
            return cls(**data)
        except TypeError as error:
            raise DrawError(f"a draw is incomplete: {error}") from None


@dataclass(frozen=True, slots=True)
class Drawn:
    """A draw with what is made of it: a catalogue in which the quantity has the drawn value and question alone."""

    draw: Draw
    catalogue: Catalogue
    quantity: Quantity
    question: Question

    @classmethod
    def build(cls, draw: Draw, catalogue: Catalogue, templates: Templates) -> Drawn:
        """Put together what a draw names.

        Raises:
            DrawError: The data files have nothing of that name, as those of another version may.
        """
        quantity, question = quantity_of(draw, catalogue), question_of(draw, catalogue, templates)
        question = replace(
            question,
            name=f"{question.name}-{draw.digest}",
            indistinct=(),
            neutral=question.neutral if draw.value else "",  # a swap takes a number that has a name
        )
        redefinition = Redefinition(draw.family, draw.value, draw.other, _written(draw, quantity))
        quantity = replace(
            quantity,
            name=_called(draw, quantity),
            redefinitions={draw.family: redefinition},
            questions={question.name: question},
        )
        tasks = {**catalogue.tasks, draw.task: {**catalogue.tasks[draw.task], draw.quantity: quantity}}
        return cls(draw, Catalogue(tasks, catalogue.system), quantity, question)

    def cases(
        self,
        formats: tuple[str, ...],
        promptings: tuple[str, ...],
        samples: int,
        *,
        controls: tuple[str, ...] = CONTROLS[:1],
        rotate_options: bool = False,
    ) -> Iterator[Case]:
        """The cases of the draw, its controls before it; a neutral one where the question can do without the name."""
        levels = [CONTROL] if CONTROL in controls else []
        levels += [NEUTRAL] if "ns" in controls and self.question.neutral else []
        for level in (*levels, self.draw.family):
            for format_ in formats:
                for prompting in promptings:
                    for sample in range(samples):
                        for rotation in range(ROTATIONS if rotate_options and format_ == "mc" else 1):
                            yield Case(
                                task=self.draw.task,
                                quantity=self.quantity.key,
                                word=self.quantity.word,
                                redefinition=level,
                                question=self.question.name,
                                format=format_,
                                prompting=prompting,
                                sample=sample,
                                contested=self.question.contested,
                                rotation=rotation,
                                drawn=self.draw.tag,
                            )


def quantity_of(draw: Draw, catalogue: Catalogue) -> Quantity:
    """The quantity as it ordinarily is.

    Raises:
        DrawError: There is none of that name.
    """
    try:
        quantity = catalogue.tasks[draw.task][draw.quantity]
    except KeyError:
        raise DrawError(f"{draw.tag}: no {draw.quantity} among the {draw.task}") from None
    if draw.other and draw.other not in catalogue.tasks[draw.task]:
        raise DrawError(f"{draw.tag}: no {draw.other} among the {draw.task}")
    return quantity


def question_of(draw: Draw, catalogue: Catalogue, templates: Templates) -> Question:
    """The question, by its benchmark's or its template's name.

    Raises:
        DrawError: There is none of that name, or its gaps are others.
    """
    quantity = quantity_of(draw, catalogue)
    if draw.question in quantity.questions:
        return quantity.questions[draw.question]
    template = templates.of(quantity).get(draw.question)
    if template is None or set(template.operands) != set(draw.operands):
        raise DrawError(f"{draw.tag}: no question {draw.question} with {', '.join(draw.operands) or 'no gaps'}")
    if not all(operand.isascii() and operand.isdigit() for operand in draw.operands.values()):
        raise DrawError(f"{draw.tag}: operands are whole numbers, not {', '.join(draw.operands.values())}")
    name = draw.name or templates.names_of(quantity)[0]
    return templates.question(quantity, name, template, draw.operands)


def written(value: str, notation: str) -> str:
    """A number as the prompt writes it; the same in every notation where it needs no power of ten."""
    usual = number_text(value)
    if notation == NOTATIONS[0] or "×" not in usual:
        return usual
    sign, digits, exponent = Decimal(value).as_tuple()
    assert isinstance(exponent, int)
    power = Decimal(value).adjusted()
    mantissa = f"{Decimal((sign, digits, -len(digits) + 1)).normalize():f}"
    return f"{mantissa}e{power}" if notation == "e" else f"{mantissa}*10^{power}"


def _written(draw: Draw, quantity: Quantity) -> str:
    if not draw.value or draw.value.startswith("sqrt("):
        return ""
    if quantity.scale and isinstance(read_value(draw.value), Affine):
        return ""
    return written(draw.value, draw.notation)


def _called(draw: Draw, quantity: Quantity) -> str:
    if not draw.name:
        return quantity.name
    if quantity.scale:
        return quantity.name if draw.name == quantity.scale.plural else f"1 {draw.name}"
    return draw.name
