"""From the catalogue to pytest items, and from items to interviews."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from pytest_redefine.cases.catalogue import Catalogue, load_catalogue
from pytest_redefine.cases.data import DataError
from pytest_redefine.cases.deriving import TruthTable
from pytest_redefine.cases.model import Case
from pytest_redefine.cases.prompts import Prompts, load_prompts
from pytest_redefine.cases.truth import Truth
from pytest_redefine.plugin.options import Settings
from pytest_redefine.respondents.exchange import Interview
from pytest_redefine.respondents.names import ModelName

MARKERS = (
    "redefine(task): a test that is parametrized over the cases of a task (constants)",
    "case(task, quantity, redefinition, question, format, prompting, sample, model): what one test asks; "
    "select exactly with -m \"case(quantity='pi')\"",
    "control: nothing is redefined",
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
            return load_catalogue()
        except DataError as error:
            raise pytest.UsageError(str(error)) from None

    @cached_property
    def prompts(self) -> Prompts:
        """The wording.

        Raises:
            pytest.UsageError: the file is bad.
        """
        try:
            return load_prompts()
        except DataError as error:
            raise pytest.UsageError(str(error)) from None

    @cached_property
    def truths(self) -> TruthTable:
        """The derived answers."""
        return TruthTable(self.catalogue, self.prompts, self._cache)

    def parameters(self, task: str) -> Iterator[Any]:
        """One ``pytest.param`` a case and model of a task."""
        for case in self.catalogue.cases(task, samples=self.settings.samples):
            for model in self.settings.models:
                asked = AskedCase(case, model)
                yield pytest.param(asked, id=asked.id, marks=self._marks(asked))

    def truth(self, case: Case) -> Truth:
        """The truth of a case under this session's tolerance."""
        truth = self.truths.truth(case)
        if self.settings.tolerance is None:
            return truth
        return dataclasses.replace(truth, tolerance=self.settings.tolerance)

    def interview(self, nodeid: str, asked: AskedCase) -> Interview:
        """The plain data that the gateway needs to ask a case, and to record it should its worker die."""
        case, model = asked.case, asked.model
        parameters = self.settings.parameters(model)
        truth = self.truth(case)
        skeleton = {
            "case_id": case.case_id,
            "nodeid": nodeid,
            "task": case.task,
            "quantity": case.quantity,
            "redefinition": case.redefinition,
            "question": case.question,
            "format": case.format,
            "prompting": case.prompting,
            "sample": case.sample,
            "model": model.full,
            "simulated": model.kind == "sim",
            "contested": case.contested,
            "messages": self.prompts.messages(self.catalogue, case),
            "parameters": parameters,
            "options": dict(truth.options) if truth.options else None,
            "truth": truth.to_json(),
        }
        return Interview(
            id=nodeid,
            model=model.full,
            case=skeleton,
            parameters=parameters,
            droppable=self.settings.droppable(model),
            api_base=None if model.kind == "sim" else self.settings.api_base,
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
            "question": case.question,
            "format": case.format,
            "prompting": case.prompting,
            "sample": case.sample,
            "model": asked.model.full,
        }
        marks = [pytest.mark.case(quantity=case.word, **words)]
        if case.quantity != case.word:
            # -m matches any mark of the name: the benchmark's own key (h) selects what its word (planck) does.
            marks.append(pytest.mark.case(quantity=case.quantity, **words))
        if case.is_control:
            marks.append(pytest.mark.control)
        if case.contested:
            marks.append(pytest.mark.contested)
        return marks


def asked_case(item: pytest.Item) -> AskedCase | None:
    """What an item asks, None where it is an ordinary test."""
    callspec = getattr(item, "callspec", None)
    asked = callspec.params.get("asked") if callspec is not None else None
    return asked if isinstance(asked, AskedCase) else None
