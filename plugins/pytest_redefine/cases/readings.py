"""docs/readings.md, written from the data: ``python -m pytest_redefine.cases.readings > docs/readings.md``.

A test compares the committed page with this one, so that what it says of a question is what is asked and derived.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final

from .catalogue import Catalogue
from .model import Quantity, Question
from .wording import scale_text, unit_text, value_text

_HEAD: Final = """\
# Readings

What every question asks, how it is read, how else it defensibly could be read, and why this reading was taken. This
page is written from `fixtures/constants.toml` and `fixtures/units.toml` by
`python -m pytest_redefine.cases.readings > docs/readings.md`; change the data, not the page.

An answer is never typed in: it follows from the expression given here, under the ordinary value and under each other
one. Marks:

* **contested**: an able solver may defend the ordinary answer although the quantity was redefined. Rates are given with
  and without these.
* **indistinct**: under these levels the answer stays the ordinary one, so nothing can be told. Such a case is counted
  in no rate and is not asked as multiple choice.
* **second ordinary answer**: another value that counts as the memorised one.
* **at least ±**: how far the reference itself is uncertain, whatever tolerance is asked for.
* **no neutral control**: the question cannot be asked without the name of what is redefined.
"""

_CONSTANTS: Final = """\
## Constants

`x` is the value of the constant. Mathematical constants are exact; the others have the value that the benchmark prints.
A swap takes the other constant's number and keeps the own unit; the other constant itself keeps its value.
"""

_UNITS: Final = """\
## Units

The steps of a question are evaluated in a registry of units in which the unit has its new value and **nothing else
has moved**, whatever a unit is ordinarily defined by. Prefixes are no rule here: kilogram and gram, megahertz and
hertz, volt and millivolt are units of their own, and redefining one of them leaves the other as it is. What is made of
the redefined unit in the question itself (metres per minute, square metres) follows it.

Where a law of physics is stated for the unit and the question gives its thousandth (V, N and T, q3), the value is first
expressed in the redefined unit, `number(4300*mN, N)`, and that number goes into the law.
"""


def page(catalogue: Catalogue) -> str:
    """The whole page."""
    lines = [_HEAD]
    for task, head in (("constants", _CONSTANTS), ("units", _UNITS)):
        lines.append(head)
        for quantity in catalogue.tasks[task].values():
            lines.extend(_quantity(quantity, catalogue))
    return "\n".join(lines).rstrip() + "\n"


def _quantity(quantity: Quantity, catalogue: Catalogue) -> Iterator[str]:
    yield f"### {quantity.word} ({quantity.symbol})\n"
    levels = ", ".join(f"{level} {text}" for level, text in _levels(quantity, catalogue))
    ordinary = scale_text(quantity.default) if quantity.scale else value_text(quantity.default, quantity.unit)
    if quantity.scale:
        yield f"Measured in {unit_text(quantity.scale.derived)}: ordinarily {ordinary}; {levels}.\n"
        yield f"Its relatives: {quantity.scale.relatives}\n"
    else:
        exact = f", taken exactly (`{quantity.exact}`)" if quantity.exact else ""
        yield f"Ordinarily {ordinary}{exact}; {levels}.\n"
    for question in quantity.questions.values():
        yield from _question(question)


def _levels(quantity: Quantity, catalogue: Catalogue) -> Iterator[tuple[str, str]]:
    for level, redefinition in quantity.redefinitions.items():
        if redefinition.other:
            yield level, catalogue.tasks["constants"][redefinition.other].symbol
        elif quantity.scale:
            yield level, scale_text(redefinition.value)
        else:
            yield level, value_text(redefinition.value, quantity.unit)


def _question(question: Question) -> Iterator[str]:
    unit = f", in {unit_text(question.unit)}" if question.unit else ""
    yield f"**{question.name}** {question.text}\n"
    yield f"* Derived: `{question.answer}`{unit}"
    yield f"* Read as: {question.reading}"
    for other in question.others:
        yield f"* Also defensible: {other}"
    if question.why:
        yield f"* Why: {question.why}"
    marks = _marks(question)
    if marks:
        yield f"* Marks: {'; '.join(marks)}"
    yield ""


def _marks(question: Question) -> list[str]:
    marks = []
    if question.contested:
        marks.append("contested")
    if question.indistinct:
        marks.append(f"indistinct under {', '.join(question.indistinct)}")
    if question.also_default:
        marks.append(f"second ordinary answer {', '.join(f'`{text}`' for text in question.also_default)}")
    if question.min_tolerance:
        marks.append(f"at least ±{question.min_tolerance:.3g} of the answer")
    if not question.neutral:
        marks.append("no neutral control")
    return marks


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]  # a file or a terminal, never None here
    sys.stdout.write(page(Catalogue.load()))
