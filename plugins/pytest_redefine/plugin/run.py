"""One run as its controller sees it: records as they come in, what never came, the summary, the exit status."""

from __future__ import annotations

import importlib.metadata
import platform
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import pytest_redefine
from pytest_redefine.analysis.agreement import agreement_by_model
from pytest_redefine.analysis.rates import counts_by_model
from pytest_redefine.grading.outcome import GRADING_VERSION
from pytest_redefine.plugin.options import Settings
from pytest_redefine.records.case_set import case_set_digest
from pytest_redefine.records.record import Record, cost_usd, is_settled, judge_error, make_record
from pytest_redefine.records.run_folder import RUN_SCHEMA, RunFolder, RunFolderError, default_run_name
from pytest_redefine.records.shrunk import Example, append_example
from pytest_redefine.respondents.errors import Fault
from pytest_redefine.respondents.exchange import Interview, Transcript
from pytest_redefine.respondents.gateway import Gateway, Progress

_PACKAGES = ("pytest", "pytest-xdist", "hypothesis", "litellm", "sympy", "pint", "xllamacpp")


class Run:
    """Owns the run's folder, and knows which announced cases have a record."""

    def __init__(self, settings: Settings, gateway: Gateway, reports: Path) -> None:
        """Choose the folder; it is written when the first cases are announced.

        Raises:
            pytest.UsageError: --run cannot be used.
        """
        self.gateway = gateway
        self.settings = settings
        self._start = time.monotonic()
        self._started_at = datetime.now(UTC)
        self._recorded: dict[str, Record] = {}
        self._aside: set[str] = set()
        self.cut_short: list[Fault] = []
        """What ended shrinking early: the cases are complete without it, all that was asked for is not."""
        self._open = False
        name = default_run_name(datetime.now().astimezone()) if settings.run is None else settings.run
        try:
            self.folder = RunFolder(reports, name, new=settings.run is None)
            self.folder.check(settings.for_run_json())
        except RunFolderError as error:
            raise pytest.UsageError(str(error)) from None

    @property
    def interviews(self) -> Mapping[str, Interview]:
        """The cases that were announced, by node id."""
        return {name: one for name, one in self.gateway.interviews().items() if name not in self._aside}

    @property
    def records(self) -> list[Record]:
        """The records of this session, in the order in which they came."""
        return list(self._recorded.values())

    def progress(self) -> Progress:
        """How far the gateway is."""
        return self.gateway.progress()

    def add(self, record: Record) -> None:
        """Write one record at once."""
        if not self._open:
            self.folder.open(self._run_json("running"))
            self._open = True
        record["run"] = self.folder.name
        self.folder.append(record)
        self._recorded[record["nodeid"]] = record

    def announce_aside(self, interviews: Sequence[Interview]) -> None:
        """Hand over what is asked beside the cases, and gets no record."""
        self._aside |= {interview.id for interview in interviews}
        self.gateway.announce(interviews, self.gateway.deselected())

    def add_example(self, example: Example) -> None:
        """Write one worked example at once."""
        append_example(self.folder.path, example)

    def settle(self, nodeid: str, fault: Fault) -> Record | None:
        """Record a case that ended without an answer; None where it is no case or has its record."""
        # Of one alone: all of them are a table made anew, and a run settles thousands.
        interview = self.gateway.interview(nodeid)
        if interview is None or nodeid in self._recorded or nodeid in self._aside:
            return None
        record = make_record(self.folder.name, interview.case, Transcript((), fault), None)
        self.add(record)
        return record

    def settle_all(self) -> None:
        """Give every announced case that has none a record."""
        for nodeid in self.interviews:
            self.settle(nodeid, Fault("not_asked", "the run ended before this case's turn"))

    def facts(self) -> dict[str, Any]:
        """What run.json will say when the run is finished, but for its exit status."""
        return self._run_json("finished")

    def finish(self, exit_status: int) -> None:
        """Close the books."""
        if self._open:
            self.folder.write_run(self._run_json("finished", exit_status))
            self.folder.close()

    @property
    def over_budget(self) -> bool:
        """Whether the budget kept some cases from being asked."""
        errors = [error for record in self._recorded.values() for error in (record["error"], judge_error(record))]
        errors += [fault.to_json() for fault in self.cut_short]
        return any(error is not None and error["kind"] == "budget" for error in errors)

    @property
    def complete(self) -> bool:
        """Whether every announced case was answered and graded, by each grader that was asked for."""
        return all(map(is_settled, self._recorded.values())) and len(self._recorded) == len(self.interviews)

    def _model_facts(self) -> dict[str, Any]:
        """What is known of the models that have a short name: a report of the run needs no --models-file."""
        found = {model.full: self.settings.known.find(model.full) for model in self.settings.models}
        return {
            name: {"family": model.family, "size_b": model.size_b, "size_source": model.size_source}
            for name, model in found.items()
            if model is not None
        }

    def _run_json(self, state: str, exit_status: int | None = None) -> dict[str, Any]:
        records = self.records
        cases = {str(interview.case["case_id"]): interview.case for interview in self.interviews.values()}
        digest = case_set_digest(cases[case_id] for case_id in sorted(cases))
        costs = [cost for record in records if (cost := cost_usd(record)) is not None]
        judge = self.settings.judging.judge
        run: dict[str, Any] = {
            "schema": RUN_SCHEMA,
            "run": self.folder.name,
            "state": state,
            "started_at": self._started_at.isoformat(timespec="seconds"),
            "parameters": self.settings.for_run_json(),
            "max_in_flight": self.settings.rules.max_in_flight,
            "offline": self.settings.offline,
            "refresh": self.settings.refresh,
            "simulated": [
                model.full for model in (*self.settings.models, *((judge,) if judge else ())) if model.kind == "sim"
            ],
            "models": self._model_facts(),
            "versions": {"pytest-redefine": pytest_redefine.__version__, "grading": str(GRADING_VERSION)}
            | {"python": platform.python_version()}
            | {name: version for name in _PACKAGES if (version := _version(name))},
            "case_set": {"cases": len(cases), "sha256": digest, "deselected": self.gateway.deselected()},
        }
        shard = self.gateway.shard()
        if shard is not None:
            run["shard"] = dict(shard)
        drawing = self.settings.cases.drawing
        if drawing:
            run["draws"] = drawing.stored()
        if state == "finished":
            progress = self.progress()
            run |= {
                "finished_at": datetime.now(UTC).isoformat(timespec="seconds"),
                "wall_s": round(time.monotonic() - self._start, 2),
                "exit_status": exit_status,
                "announced": len(self.interviews),
                "complete": self.complete,
                "requests": {
                    "asked": progress.asked,
                    "from_store": progress.from_store,
                    "sent_again": progress.retries,
                },
                "spent": {"usd": round(progress.spent.usd, 6), "tokens": progress.spent.tokens},
                "cost_usd": round(sum(costs), 6) if costs else None,
                "counts": counts_by_model(records),
            }
            judged = agreement_by_model(records)
            if judged:
                run["judge"] = {model: found.to_json() for model, found in judged.items()}
        return run


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
