"""``sim/published-<model>``: the counts that the paper printed, so that the pipeline can be held against its tables.

Which case of a cell is anchored, refused or right is dealt by a hash: the paper prints counts, not cases. What it does
not print is filled up and says so in the reply, and cells of which it prints nothing are not asked at all. So nothing
paired, clustered by quantity or without the contested cases means anything for these respondents.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.published import PREFIX, Cell, Counts, Published, counts
from pytest_redefine.respondents.errors import RespondentUnavailable

MARKER: Final = "The final answer is:"
PRINTED: Final = "Repeats a count that the paper printed."
FILLER: Final = "Filler: the paper does not print how many answers ended like this one."


def is_published(respondent: str) -> bool:
    """Whether a respondent repeats printed counts."""
    return respondent.startswith(PREFIX)


def is_printed(respondent: str, case: Mapping[str, Any]) -> bool:
    """Whether a case stands in a cell of which something is printed for a respondent's model.

    What the plugin asks at collection; the truth is for any other respondent that all is to be asked.

    Args:
        respondent: ``sim/published-llama70b``.
        case: At least task, prompting, format, redefinition, question and sample; only the first sample is asked.

    Raises:
        RespondentUnavailable: The paper has no such model.
    """
    if not is_published(respondent):
        return True
    model = _model(respondent)
    return not case.get("sample") and not case.get("rotation") and bool(_data().printed(model, _cell(case)))


def behaviour(respondent: str) -> Callable[[Mapping[str, Any]], str]:
    """What a respondent says to a case.

    Raises:
        RespondentUnavailable: The paper has no such model.
    """
    model = _model(respondent)
    return lambda case: reply(model, case)


def reply(model: str, case: Mapping[str, Any]) -> str:
    """The reply of a model of the paper to a case."""
    truth = case["truth"]
    found = counts(_data(), model, _cell(case))
    if found is None:
        return f"The paper prints nothing about this case. {FILLER}"
    role, label = _role(found, _rank(case))
    if role == "refused":
        return f"{label} I'm sorry, but I cannot answer: this quantity has a fixed value that cannot be redefined."
    value = {"anchored": truth.get("default"), "correct": truth["expected"]}.get(role)
    return f"{label} {MARKER} {_stated(truth, case.get('options'), value)}"


def _role(found: Counts, rank: int) -> tuple[str, str]:
    """How the case of a rank ends, and whether that is printed."""
    if found.correct is not None:
        return ("correct", PRINTED) if rank < found.correct else ("wrong", FILLER)
    anchored, refused = found.anchored or 0, found.refused or 0
    if rank < anchored:
        return "anchored", PRINTED
    if rank < anchored + refused:
        return "refused", PRINTED
    # Units have no printed refusals: all the rest is called wrong.
    wrong = found.n - anchored if found.completely_wrong is None else found.completely_wrong
    return ("wrong" if rank < anchored + wrong else "correct"), FILLER


def _stated(truth: Mapping[str, Any], options: Mapping[str, str] | None, value: str | None) -> str:
    """An answer: the reference asked for, or (None) one that matches neither."""
    if options:
        references = {truth["expected"], truth.get("default")}
        return next(
            letter
            for letter, stands in options.items()
            if (stands == value if value is not None else stands not in references)
        )
    if value is None:
        if truth.get("kind") == "digit":
            return next(digit for digit in "789" if digit not in (truth["expected"], truth.get("default")))
        return "7.7e77"  # the size of no answer in the benchmark
    if truth.get("kind") == "digit":
        return value
    if value == "oo":
        return "it has no value, it is unbounded"
    return f"{value.replace('*I', 'i')} {truth.get('unit') or ''}".rstrip()


def _rank(case: Mapping[str, Any]) -> int:
    """A case's place among the quantities of its cell, in the order of a hash: no quantity is always first."""
    cell = _cell(case)
    return _order(cell.task, cell.redefinition, cell.question).index(str(case["quantity"]))


@lru_cache(maxsize=64)
def _order(task: str, level: str, question: str) -> tuple[str, ...]:
    def place(key: str) -> tuple[bool, str]:
        # Cases that cannot be anchored, and are not asked as multiple choice, come last.
        indistinct = level in quantities[key].questions[question].indistinct
        return indistinct, hashlib.sha256(f"{level}/{question}/{key}".encode()).hexdigest()

    quantities = _catalogue().tasks[task]
    return tuple(sorted(quantities, key=place))


def _cell(case: Mapping[str, Any]) -> Cell:
    return Cell(case["task"], case["prompting"], case["format"], case["redefinition"], case["question"])


def _model(respondent: str) -> str:
    model = _data().model_of(respondent)
    if model is None:
        known = ", ".join(one.respondent for one in _data().models.values())
        raise RespondentUnavailable(f"--model={respondent}: the paper has no such model; there are {known}")
    return model.name


# Read once a process: a run asks thousands of times.
@lru_cache(maxsize=1)
def _data() -> Published:
    return Published.load()


@lru_cache(maxsize=1)
def _catalogue() -> Catalogue:
    return Catalogue.load()
