"""What the hooks share, in ``config.stash``; nothing lives in modules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import pytest

from pytest_redefine.grading.judge import Judged
from pytest_redefine.grading.outcome import Graded
from pytest_redefine.plugin import drawing, gate_options
from pytest_redefine.plugin.collection import CaseSource, asked_case
from pytest_redefine.plugin.gate_options import GateSettings
from pytest_redefine.plugin.judge_options import as_judge
from pytest_redefine.plugin.options import Settings, reports_folder, words_in_names
from pytest_redefine.plugin.run import Run
from pytest_redefine.plugin.sharding import Sharding
from pytest_redefine.records.record import Record, make_record
from pytest_redefine.reporting import forecasts
from pytest_redefine.respondents.callers import JUDGE_EXACT, Access, Caller, make_caller
from pytest_redefine.respondents.callers.published import is_published
from pytest_redefine.respondents.errors import Fault, RespondentUnavailable
from pytest_redefine.respondents.exchange import Interview, Step, Transcript, single_turn
from pytest_redefine.respondents.gateway import Gateway, GatewayClient, Progress
from pytest_redefine.respondents.gateway.dispatcher import Dispatcher
from pytest_redefine.respondents.names import parse_model
from pytest_redefine.respondents.prices import PriceList
from pytest_redefine.respondents.store import StoreError, open_store

AHEAD_WITH_MAXFAIL = 4
"""Interviews asked before their tests come up, where -x or --maxfail may make all of them needless."""


class Asking(Protocol):
    """The gateway, or a worker's line to it."""

    def announce(
        self, interviews: Sequence[Interview], deselected: int, shard: Mapping[str, Any] | None = None
    ) -> None:
        """Hand over what will be asked, how many cases were left out, and of what whole it is a part."""
        ...

    def ask(self, identifier: str) -> Transcript:
        """Wait for one transcript."""
        ...

    def close(self) -> None:
        """Let go."""
        ...


@dataclass
class State:
    """One session's objects, in whichever process: controller, worker, or the only one."""

    config: pytest.Config
    settings: Settings
    source: CaseSource
    sharding: Sharding | None = None
    asking: Asking | None = None
    run: Run | None = None
    """In the controller and in a single process only."""
    interviews: dict[str, Interview] = field(default_factory=dict)
    """What this process announced, by node id."""
    deselected: int = 0
    passed_over: set[str] = field(default_factory=set)
    """The families of drawn cases of which there are none."""
    interrupted: bool = False
    gate: GateSettings | None = None
    """Likewise."""

    @property
    def is_worker(self) -> bool:
        """Whether this is a process of pytest-xdist's."""
        return hasattr(self.config, "workerinput")

    def check_models(self) -> None:
        """Tell at once of a misspelt name or a missing file among the models that were typed, the judge included.

        Raises:
            pytest.UsageError: one line that says what to type.
        """
        judge = self.settings.judging.judge
        typed = self.settings.models if self.config.getoption("model") else ()
        for model in (*typed, *((judge,) if judge else ())):
            if model.full == JUDGE_EXACT and model is not judge:
                raise pytest.UsageError(f"--model={JUDGE_EXACT} judges and does not answer: use --judge={JUDGE_EXACT}")
            if model.kind != "litellm":  # what LiteLLM knows is only known once it is imported
                try:
                    self._make_caller(model.full)
                except RespondentUnavailable as error:
                    raise pytest.UsageError(str(error)) from None

    def check_keyword(self) -> None:
        """See that ``-k`` selects what it says although it matches parts of words, models' names among them.

        Raises:
            pytest.UsageError: it would select more; names the exact form.
        """
        models = self.settings.models
        for word in words_in_names(self.config.getoption("keyword"), models):
            axis = self.source.axes.get(word)
            if axis is not None:
                raise pytest.UsageError(
                    f"-k {word}: {word!r} also occurs in the name of {' and '.join(model.full for model in models)} "
                    f"and would select all its cases; select exactly with -m \"case({axis}='{word}')\""
                )

    def check_prompts(self) -> None:
        """Tell of a mistake in --prompts here: workers that collect could only say that they failed.

        Raises:
            pytest.UsageError: file, line, key and placeholder in one line.
        """
        if self.settings.cases.prompts_file is not None:
            self.settings.cases.prompts()

    def check_gate(self) -> None:
        """Read --gate and --baseline before anything is asked.

        Raises:
            pytest.UsageError: a mistake in either; file and line.
            pytest.exit.Exception: the baseline cannot be compared with, whatever is answered.
        """
        if self.config.getoption("gate") is not None or self.config.getoption("baseline") is not None:
            self.gate = gate_options.read(self.config, self.settings, self.source.catalogue)

    def draw(self) -> drawing.Drawing:
        """Draw what --fresh and --dose ask for, once.

        Raises:
            pytest.UsageError: there is nothing to draw.
        """
        drawn = self.settings.cases.drawing
        if drawn:
            drawn.make(self.source.catalogue)
        return drawn

    def passes_over(self, family: str) -> bool:
        """Whether a test of drawn cases is passed over, since there are none."""
        asked = [model for model in self.settings.models if not is_published(model.full)]  # the paper drew none
        if asked and self.settings.cases.drawing.asks_for(family):
            return False
        self.passed_over.add(family)
        return True

    def check_families(self, items: Sequence[pytest.Item]) -> None:
        """See that there is something to ask, where tests of drawn cases were passed over.

        Raises:
            pytest.UsageError: there is not; says what to type.
        """
        if self.passed_over and not items and not self.is_worker:
            typed = " or ".join(drawing.FAMILIES[family] for family in sorted(self.passed_over))
            raise pytest.UsageError(f"nothing is drawn without e.g. {typed}")

    def open_run(self) -> Run:
        """The run, with its gateway; made on first use, so that a session without cases leaves no trace.

        Raises:
            pytest.UsageError: --run cannot be used.
        """
        if self.run is None:
            settings = self.settings
            dispatcher = Dispatcher(
                self._make_caller,
                lambda: open_store(settings.store, self.config.rootpath),
                self._steps(),
                settings.rules,
                cap=settings.cap,
                prices=PriceList(known=settings.known.prices()),
                offline=settings.offline,
                refresh=settings.refresh,
                window=AHEAD_WITH_MAXFAIL if settings.maxfail else None,
            )
            gateway = Gateway(dispatcher)
            self.asking = gateway
            self.run = Run(settings, gateway, reports_folder(self.config))
        return self.run

    def forecast(self, items: Sequence[pytest.Item]) -> list[str]:
        """What --estimate or --why-ask has to say; asks nobody.

        Raises:
            pytest.UsageError: a model or the store cannot be used.
        """
        interviews = self.source.interviews(items)
        gateway = self.open_run().gateway
        try:
            if self.settings.forecast == "estimate":
                return [*forecasts.estimate_lines(gateway.forecast(interviews)), *self.settings.shrink.estimate_lines()]
            return forecasts.why_lines(gateway.misses(interviews))
        except (RespondentUnavailable, StoreError) as error:
            raise pytest.UsageError(str(error)) from None

    def announce(self, items: Sequence[pytest.Item]) -> None:
        """Tell the gateway what will be asked, and how many cases were left out."""
        interviews = self.source.interviews(items)
        if not interviews:
            return
        if self.is_worker:
            url, token = self.config.workerinput["redefine"]  # type: ignore[attr-defined]  # set by xdist, untyped
            self.asking = GatewayClient(url, token)
        else:
            self.open_run()
        self.interviews = {interview.id: interview for interview in interviews}
        assert self.asking is not None
        if self.sharding is None:
            self.asking.announce(interviews, self.deselected)
        else:
            # What other shards ask is left out by nobody.
            self.asking.announce(interviews, self.deselected - self.sharding.others, self.sharding.facts)

    def deselect(self, items: Sequence[pytest.Item]) -> None:
        """Count the cases that ``-k`` and the like leave out."""
        self.deselected += sum(asked_case(item) is not None for item in items)

    def record(self, item: pytest.Item, transcript: Transcript, graded: Graded | None) -> Record:
        """The record of an item's case; the controller puts the run's name into it."""
        return make_record("", self.interviews[item.nodeid].case, transcript, graded)

    def progress(self) -> Progress | None:
        """How far the gateway is; None before there is anything to ask."""
        return self.run.progress() if self.run is not None else None

    def freeze(self) -> None:
        """Send nothing more."""
        if self.run is not None:
            self.run.gateway.freeze(Fault("interrupted", "the run ended before this was asked"))

    def close(self) -> None:
        """Let go of the gateway, or of the line to it."""
        if self.asking is not None:
            self.asking.close()
            self.asking = None

    def _make_caller(self, name: str) -> Caller:
        settings = self.settings
        prices = PriceList(known=settings.known.prices())
        if all(name != model.full for model in settings.models):
            # The judge: a key that was typed for the models goes to nobody else.
            try:
                return make_caller(parse_model(name), Access(settings.judging.api_base, prices=prices))
            except RespondentUnavailable as error:
                raise RespondentUnavailable(as_judge(str(error))) from None
        access = Access(settings.api_base, settings.secret_parameters, settings.drop_params, prices)
        return make_caller(parse_model(name), access)

    def _steps(self) -> Mapping[str, Step]:
        """What an interview may ask next, by the name it is announced with."""
        steps: dict[str, Step] = {"single": single_turn}
        if self.settings.judging.judge is not None:
            steps["judged"] = Judged(self.source.judge_wording)
        return steps


def attach(report: pytest.TestReport, record: Record) -> None:
    """Put a case's record on its report, where pytest-xdist carries every attribute of builtins across."""
    report.redefine = record  # type: ignore[attr-defined]  # reports take extra attributes; pytest's hints do not


def attached(report: pytest.TestReport) -> Record | None:
    """The record on a report, None where it belongs to no case."""
    return getattr(report, "redefine", None)


STATE: pytest.StashKey[State] = pytest.StashKey()
RECORD: pytest.StashKey[Record] = pytest.StashKey()
