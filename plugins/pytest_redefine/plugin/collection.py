"""From the catalogue to pytest items, and from items to interviews."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_redefine.cases.catalogue import CONTROLS, FORMATS, PROMPTINGS, Catalogue
from pytest_redefine.cases.data import DataError
from pytest_redefine.cases.drawn_truths import DrawnTruths
from pytest_redefine.cases.judge_wording import JudgeWording
from pytest_redefine.cases.model import DOSE, FRESH, NEUTRAL, Case
from pytest_redefine.cases.prompts import Prompts
from pytest_redefine.cases.templates import Templates
from pytest_redefine.cases.truth import DEFAULT_TOLERANCE, Truth
from pytest_redefine.cases.truths import TruthTable
from pytest_redefine.cases.wording import Message
from pytest_redefine.plugin.options import Settings
from pytest_redefine.respondents.callers import published
from pytest_redefine.respondents.exchange import Interview
from pytest_redefine.respondents.names import ModelName

if TYPE_CHECKING:
    from _pytest.mark.structures import ParameterSet

MARKERS = (
    "redefine(task): a test that is parametrized over the cases of a task (constants, units)",
    "redefine(family): likewise over the cases that were drawn (fresh, dose)",
    "case(task, quantity, redefinition, question, format, prompting, sample, rotation, model): what one test asks; "
    "select exactly with -m \"case(quantity='pi')\"",
    "control: nothing is redefined",
    "neutral: the value stands under a name that means nothing",
    "contested: an able solver may defend the memorised answer",
)


@dataclass(frozen=True, slots=True)
class AskedCase:
    """What one test asks, and whom."""

    case: Case
    model: ModelName

    @property
    def id(self) -> str:
        """The part of the test's id in brackets."""
        return f"{self.case.id_stem}-{self.model.short}"


class CaseSource:
    """The cases of this session, their truths and prompts. Every process has its own, from the same files."""

    def __init__(self, settings: Settings, cache: Path | None) -> None:
        """Nothing is read before it is needed: without eval cases the plugin costs nothing."""
        self.settings = settings
        self._cache = cache

    @cached_property
    def catalogue(self) -> Catalogue:
        """The quantities and questions.

        Raises:
            pytest.UsageError: the data is bad; file, key and problem in one line.
        """
        try:
            return Catalogue.load()
        except DataError as error:
            raise pytest.UsageError(str(error)) from None

    @cached_property
    def prompts(self) -> Prompts:
        """The wording.

        Raises:
            pytest.UsageError: the file is bad.
        """
        return self.settings.cases.prompts()

    @cached_property
    def judge_wording(self) -> JudgeWording:
        """The judge's.

        Raises:
            pytest.UsageError: the file is bad.
        """
        try:
            return JudgeWording.load()
        except DataError as error:
            raise pytest.UsageError(str(error)) from None

    @cached_property
    def truths(self) -> TruthTable:
        """The derived answers, under this session's tolerance."""
        return TruthTable(self.catalogue, self.prompts, self._cache, tolerance=self._tolerance)

    @cached_property
    def drawn(self) -> DrawnTruths:
        """The same of drawn cases."""
        return DrawnTruths(
            self.catalogue,
            Templates.load(self.catalogue),
            self.prompts,
            self._cache,
            tolerance=self._tolerance,
            slips="mc" in self.settings.cases.formats,
        )

    @property
    def _tolerance(self) -> float:
        tolerance = self.settings.tolerance
        return DEFAULT_TOLERANCE if tolerance is None else tolerance

    def truth(self, case: Case) -> Truth:
        """What an answer to a case is compared with."""
        return self.drawn.truth(case) if case.drawn else self.truths.truth(case)

    def messages(self, case: Case) -> list[Message]:
        """The messages of a case's first request."""
        return self.drawn.messages(case) if case.drawn else self.truths.messages(case)

    @cached_property
    def axes(self) -> Mapping[str, str]:
        """Every word of an id that is made for ``-k``, and the keyword of ``case(...)`` it belongs to."""
        quantities = [quantity for task in self.catalogue.tasks.values() for quantity in task.values()]
        return {
            **{quantity.word: "quantity" for quantity in quantities},
            **{level: "redefinition" for quantity in quantities for level in (*CONTROLS, *quantity.redefinitions)},
            **{f"{NEUTRAL}{at}": "redefinition" for at in (1, 2, 3)},
            **{question: "question" for quantity in quantities for question in quantity.questions},
            **dict.fromkeys((FRESH, DOSE), "redefinition"),
            **dict.fromkeys(FORMATS, "format"),
            **dict.fromkeys(PROMPTINGS, "prompting"),
        }

    def parameters(self, task: str) -> list[ParameterSet]:
        """One ``pytest.param`` a case and model of a task.

        Raises:
            pytest.UsageError: there is no such task.
        """
        if task not in self.catalogue.tasks:
            raise pytest.UsageError(
                f"redefine(task={task!r}): no such task; there are {', '.join(self.catalogue.tasks)}"
            )
        return self._parameters(self.settings.cases.cases(self.catalogue, task, self.settings.samples))

    def drawn_parameters(self, family: str) -> list[ParameterSet]:
        """The same of what was drawn of a family."""
        cases = self.settings.cases
        drawn = self.drawn.add(cases.drawing.draws_of(family))
        return self._parameters(cases.drawn_cases(drawn, self.settings.samples))

    def _parameters(self, cases: Iterable[Case]) -> list[ParameterSet]:
        every = [AskedCase(case, model) for case in cases for model in self.settings.models if _is_asked(case, model)]
        return [pytest.param(asked, id=asked.id, marks=self._marks(asked)) for asked in every]

    def interview(self, nodeid: str, asked: AskedCase) -> Interview:
        """The plain data that the gateway needs to ask a case, and to record it should its worker die."""
        case, model = asked.case, asked.model
        parameters = self.settings.parameters(model)
        truth = self.truth(case)
        judging = self.settings.judging
        skeleton = {
            "case_id": case.case_id,
            "nodeid": nodeid,
            "task": case.task,
            "quantity": case.quantity,
            "redefinition": case.redefinition,
            "question": question_of(case),
            "format": case.format,
            "prompting": case.prompting,
            "sample": case.sample,
            "model": model.full,
            "simulated": model.kind == "sim",
            "contested": case.contested,
            "messages": self.messages(case),
            "parameters": parameters,
            "options": dict(truth.options) if truth.options else None,
            "rotation": case.rotation,
            "draw": self.drawn.draw(case).to_json() if case.drawn else None,
            "truth": truth.to_json(),
            "judge": judging.entry(case.case_id, truth, self.judge_wording) if judging.judge else None,
        }
        return Interview(
            id=nodeid,
            model=model.full,
            case=skeleton,
            parameters=parameters,
            droppable=self.settings.droppable(model),
            api_base=None if model.kind == "sim" else self.settings.api_base,
            step="judged" if judging.judge else "single",
            later=judging.later(),
        )

    def interviews(self, items: Sequence[pytest.Item]) -> list[Interview]:
        """The interviews of the items that ask something."""
        return [self.interview(item.nodeid, asked) for item in items if (asked := asked_case(item)) is not None]

    @staticmethod
    def _marks(asked: AskedCase) -> list[pytest.MarkDecorator]:
        case = asked.case
        words = {
            "task": case.task,
            "redefinition": case.redefinition,
            "question": question_of(case),
            "format": case.format,
            "prompting": case.prompting,
            "sample": case.sample,
            "rotation": case.rotation,
            "model": asked.model.full,
        }
        marks = [pytest.mark.case(quantity=case.word, **words)]
        if case.quantity != case.word:
            # -m matches any mark of the name: the benchmark's own key (h) selects what its word (planck) does.
            marks.append(pytest.mark.case(quantity=case.quantity, **words))
        if case.is_control:
            marks.append(pytest.mark.control)
        if case.is_neutral:
            marks.append(pytest.mark.neutral)
        if case.contested:
            marks.append(pytest.mark.contested)
        return marks


def question_of(case: Case) -> str:
    """The question's own name: that of a drawn one ends in a digest that no two share."""
    return case.question.partition("-")[0]


def _is_asked(case: Case, model: ModelName) -> bool:
    """Whether a model is asked a case: one that repeats printed counts has nothing to say where none are printed."""
    if not published.is_published(model.full):
        return True
    cell = {name: getattr(case, name) for name in _CELL}
    return not case.drawn and published.is_printed(model.full, cell)


_CELL = ("task", "prompting", "format", "redefinition", "question", "quantity", "sample", "rotation")


def family_of(test: object) -> str:
    """The family whose cases a test function asks; empty where it asks no drawn ones."""
    marks = getattr(test, "pytestmark", []) if inspect.isfunction(test) else []
    return next((str(mark.kwargs.get("family", "")) for mark in marks if mark.name == "redefine"), "")


def asked_case(item: pytest.Item) -> AskedCase | None:
    """What an item asks, None where it is an ordinary test."""
    callspec = getattr(item, "callspec", None)
    asked = callspec.params.get("asked") if callspec is not None else None
    return asked if isinstance(asked, AskedCase) else None
