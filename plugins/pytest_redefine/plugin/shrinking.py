"""Shrinks drawn cases when all have been asked: in the controller, so that it is the same whatever -n is."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import pytest

from pytest_redefine.cases.data import DataError
from pytest_redefine.cases.drawn import Draw
from pytest_redefine.cases.model import DOSE, FRESH, Case
from pytest_redefine.cases.posed import Judge
from pytest_redefine.cases.shrinking import Advance, Shrinker
from pytest_redefine.cases.wording import question_text, redefinition_text
from pytest_redefine.grading.grader import grade
from pytest_redefine.plugin.collection import AskedCase, CaseSource
from pytest_redefine.plugin.run import Run
from pytest_redefine.plugin.shrink_options import ShrinkSettings
from pytest_redefine.plugin.state import State
from pytest_redefine.records.record import Record
from pytest_redefine.records.run_folder import RunFolderError
from pytest_redefine.records.shrunk import REPLY_LIMIT, SCHEMA, Example
from pytest_redefine.reporting import shrunk
from pytest_redefine.respondents.exchange import Interview

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

_COPIED = ("model", "simulated", "case_id", "nodeid", "task", "quantity", "format", "prompting", "sample", "rotation")


class Shrinking:
    """The hook: registered where --shrink was typed."""

    def __init__(self, state: State) -> None:
        """``state`` is the session's."""
        self._state = state
        self._examples: list[Example] = []
        self._done = False

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Shrink once every case was asked; a loop that was stopped early does not come by here."""
        result = yield
        run, settings = self._state.run, self._state.settings
        if run is not None and not settings.forecast and not session.config.option.collectonly:
            try:
                for example in shrink(self._state.source, run, settings.shrink):
                    run.add_example(example)
                    self._examples.append(example)
                self._done = True
            except RunFolderError as error:
                pytest.exit(str(error), returncode=pytest.ExitCode.USAGE_ERROR)
        return result

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        """The examples, below the outcomes."""
        if self._examples or self._done:
            terminalreporter.section("the simplest that ended alike", sep="=")
            for line in shrunk.lines(self._examples, self._state.settings.shrink.outcomes):
                terminalreporter.write_line(line)


def shrink(source: CaseSource, run: Run, settings: ShrinkSettings) -> Iterator[Example]:
    """Shrink the run's cases, side by side: a question of each at a time.

    What the gateway cannot answer (offline, the budget, an error) ends a case where it stands.

    Raises:
        KeyboardInterrupt: Whoever waits presses Ctrl-C; replies so far are in the store.
    """
    judge = Judge(source.catalogue, source.drawn.templates)
    under_way = [_Shrunk(source, judge, record) for record in chosen(run, settings)]
    while under_way:
        asked: list[tuple[_Shrunk, Interview]] = []
        for one in under_way:
            interview = one.advance(settings.requests)
            if interview is None:
                yield one.example(run.folder.name)
            else:
                asked.append((one, interview))
        run.announce_aside([interview for _, interview in asked])
        for one, interview in asked:
            one.take(interview, run)
        under_way = [one for one, _ in asked]


def chosen(run: Run, settings: ShrinkSettings) -> list[Record]:
    """The records to shrink: of each model so many, first one of each quantity, in the order of collection."""
    by_id = {record["nodeid"]: record for record in run.records}
    found: dict[str, dict[tuple[str, str], list[Record]]] = {}
    for record in (by_id[nodeid] for nodeid in run.interviews if nodeid in by_id):
        if (
            record["redefinition"] in (FRESH, DOSE)
            and record["grades"].get("numeric") in settings.outcomes
            and not record["indistinct"]
        ):
            found.setdefault(record["model"], {}).setdefault((record["task"], record["quantity"]), []).append(record)
    picked: list[Record] = []
    for quantities in found.values():
        # A second case of a quantity comes after the first of every other.
        turns = zip_longest(*quantities.values())
        picked += [record for turn in turns for record in turn if record is not None][: settings.cases]
    return picked


@dataclass
class _Shrunk:
    """One case on its way."""

    source: CaseSource
    judge: Judge
    record: Record
    answers: list[bool] = field(default_factory=list)
    requests: int = 0
    reason: str = ""
    sides: dict[str, Example] = field(default_factory=dict)
    """What was asked and said, by the draw's digest."""

    def __post_init__(self) -> None:
        self.start = Draw.from_json(self.record["draw"])
        self.shrinker = Shrinker(self.judge, self.start)
        self.model = next(one for one in self.source.settings.models if one.full == self.record["model"])
        self.sides[self.start.digest] = self._side(self.start, self.record, self.record)
        self.reached = Advance(self.start, None)

    def advance(self, most: int) -> Interview | None:
        """What to ask next, as the case was asked, but graded by numbers alone; None when this one is done."""
        while True:
            self.reached = self.shrinker.advance(self.answers)
            trial = self.reached.trial
            if trial is None or self.reason:
                return None
            if self.requests >= most:
                self.reason = f"stopped after {most} requests"
                return None
            asked = AskedCase(self._case(trial), self.model)
            identifier = f"{self.record['nodeid']} shrunk to {trial.digest}"
            try:
                interview = self.source.interview(identifier, asked)
            except DataError:  # no three slips tell four options apart
                self.answers.append(False)
                continue
            return replace(interview, step="single", later=())

    def take(self, interview: Interview, run: Run) -> None:
        """Wait for the answer, and class it."""
        transcript = run.gateway.ask(interview.id)
        if transcript.fault is not None:
            self.reason = f"{transcript.fault.kind}: {transcript.fault.message}"
            run.cut_short.append(transcript.fault)
            return
        self.requests += 1
        trial = Draw.from_json(interview.case["draw"])
        reply = transcript.reply
        outcome = grade(reply.text, self.source.truth(self._case(trial)), finish_reason=reply.finish_reason)
        self.answers.append(outcome.category == self.record["grades"]["numeric"])
        said = {"extracted": outcome.extracted, "reply": reply.text, "key": transcript.answers[-1].key}
        truth = interview.case["truth"]
        asked = {"options": interview.case["options"], "expected": truth["expected"], "default": truth.get("default")}
        asked["unit"] = truth.get("unit", "")
        self.sides[trial.digest] = self._side(trial, asked, said)

    def example(self, run: str) -> Example:
        """What is written down."""
        return {
            "schema": SCHEMA,
            "run": run,
            **{name: self.record[name] for name in _COPIED},
            "outcome": self.record["grades"]["numeric"],
            "drawn": self.sides[self.start.digest],
            "simplest": self.sides[self.reached.simplest.digest],
            "requests": self.requests,
            "reason": self.reason,
        }

    def _case(self, draw: Draw) -> Case:
        (drawn,) = self.source.drawn.add([draw])
        of_record = self.record
        (case,) = drawn.cases((of_record["format"],), (of_record["prompting"],), 1, controls=())
        return replace(case, sample=of_record["sample"], rotation=of_record["rotation"])

    def _side(self, draw: Draw, asked: Mapping[str, Any], said: Mapping[str, Any]) -> Example:
        case = self._case(draw)
        catalogue = self.source.drawn.catalogue_of(case)
        return {
            "draw": draw.to_json(),
            "redefinition": redefinition_text(case, catalogue, self.source.prompts),
            "question": question_text(case, catalogue),
            "options": asked["options"],
            **{name: asked[name] for name in _OF_TRUTH},
            "answer": said["extracted"],
            "reply": said["reply"][-REPLY_LIMIT:],
            "key": said["key"],
        }


_OF_TRUTH = ("expected", "default", "unit")


__all__ = ["Shrinking", "chosen", "shrink"]
