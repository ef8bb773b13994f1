"""The hooks of the process that owns the run: the controller under pytest-xdist, else the only one."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

from pytest_redefine.plugin import drawing, exit_status
from pytest_redefine.plugin.gatekeeper import GateKeeper
from pytest_redefine.plugin.judge_options import as_judge
from pytest_redefine.plugin.run import Run
from pytest_redefine.plugin.state import State, attach, attached
from pytest_redefine.records.record import Record, is_settled, judge_error
from pytest_redefine.records.run_folder import RunFolderError
from pytest_redefine.reporting import breakdown, columns, header, junit, outputs, summary
from pytest_redefine.reporting.live import LiveLine
from pytest_redefine.respondents.errors import Fault

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter
    from xdist.workermanage import WorkerController

_CRASHED = "???"  # what pytest-xdist gives as the phase of a test whose worker died


class Controller:
    """Receives every report, from wherever, and keeps the run."""

    def __init__(self, state: State) -> None:
        """``state`` is the session's."""
        self._state = state
        self._live: LiveLine | None = None
        self._gate = GateKeeper(state)
        self._failed_cases = 0
        """Failed reports that are cases without an answer, and nothing else."""

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: WorkerController) -> None:
        """Hand a worker the draws and the gateway's address."""
        node.workerinput[drawing.WORKERINPUT] = self._state.draw().to_worker()
        if not self._state.config.option.collectonly:
            node.workerinput["redefine"] = self._state.open_run().gateway.serve()

    def pytest_report_header(self) -> list[str]:
        """Say whom the session asks, who judges, and what was drawn."""
        settings = self._state.settings
        asked = header.lines(settings.models, settings.store, settings.judging.shown)
        return [*asked, *self._gate.header(), *settings.cases.drawing.lines()]

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_setupnodes(self) -> None:
        """Show a live line: what workers will ask is not known before they ask it."""
        self._watch()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self) -> None:
        """Show a live line where something is asked."""
        if self._state.run is not None:
            self._watch()

    def _watch(self) -> None:
        if self._live is None:
            self._live = LiveLine.for_terminal(self._state.config, self._state.progress)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        """Draw before anything is collected: a mistake in there would be an error of a test file."""
        self._state.draw()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """With --estimate or --why-ask tell what they ask for, and run nothing."""
        if not self._state.settings.forecast or session.config.option.collectonly:
            return None
        for told in self._state.forecast(session.items):
            self._terminal().write_line(told)
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None]:
        """Write the case's record at once, before anything else sees the report."""
        crashed = report.when == _CRASHED
        record = self._record(report, crashed)
        if record is None:
            yield
            return
        if self._state.config.getoption("htmlpath", None):
            report.extras = [*getattr(report, "extras", []), columns.details(record)]  # type: ignore[attr-defined]  # pytest-html's
        if crashed:
            report.when = "call"
        self._failed_cases += report.failed and not is_settled(record)
        yield
        if crashed:
            # pytest-html and JUnit XML write a test down when it is torn down, and this one never will be.
            self._state.config.hook.pytest_runtest_logreport(report=_teardown(report, record))

    def _record(self, report: pytest.TestReport, crashed: bool) -> Record | None:
        """The record that a report brings or gives rise to, written down."""
        run = self._state.run
        if run is None:
            return None
        record = attached(report)
        told = None if record is None else _usage_line(record)
        if told is not None:
            # Nothing more will be asked: the user's line is all there is to say.
            pytest.exit(told, returncode=pytest.ExitCode.USAGE_ERROR)
        try:
            if record is not None:
                run.add(record)
            elif report.failed:
                kind = "worker_died" if crashed else "internal"
                record = run.settle(report.nodeid, Fault(kind, _last_line(report)))
                if record is not None:
                    attach(report, record)
        except RunFolderError as error:
            pytest.exit(str(error), returncode=pytest.ExitCode.USAGE_ERROR)
        return record

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """On Ctrl-C send nothing more; pytest-xdist's own way to stop for -x comes by here too."""
        if excinfo.type is KeyboardInterrupt:
            self._state.interrupted = True
        self._state.freeze()

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Settle what never ran, decide the exit status, close the books."""
        if self._live is not None:
            self._live.close()
        run = self._state.run
        if run is None or not run.interviews:
            self._gate.nothing_asked(session)
            return
        self._state.freeze()
        try:
            self._close(run, session)
        except RunFolderError:
            session.exitstatus = pytest.ExitCode.USAGE_ERROR  # told already, by the first record that found no room

    def _close(self, run: Run, session: pytest.Session) -> None:
        if run.records or session.exitstatus != pytest.ExitCode.USAGE_ERROR:
            run.settle_all()
        self._gate.judge(run)
        session.exitstatus = exit_status.decide(
            int(session.exitstatus),
            complete=run.complete and not run.cut_short,
            interrupted=self._state.interrupted,
            over_budget=run.over_budget,
            stopped_early=self._state.settings.maxfail and session.testsfailed > 0,
            gate=self._gate.status,
            only_permitted=self._gate.permits_errors and session.testsfailed <= self._failed_cases,
        )
        run.finish(int(session.exitstatus))

    def _terminal(self) -> TerminalReporter:
        reporter: TerminalReporter | None = self._state.config.pluginmanager.get_plugin("terminalreporter")
        assert reporter is not None
        return reporter

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        """The outcome table, and where the run is."""
        run = self._state.run
        if run is not None and run.records:
            summary.write(
                terminalreporter,
                run.records,
                folder=run.folder.path,
                html=self._state.config.getoption("htmlpath", None),
                verbose=self._state.config.get_verbosity() > 0,
            )
            if self._state.config.get_verbosity() > 0:
                for line in breakdown.lines(run.records):
                    terminalreporter.write_line(line)
            if not self._state.interrupted:  # who presses Ctrl-C does not wait for a page
                for line in outputs.of_run(run.folder.path, self._state.config.getoption("htmlpath", None)):
                    terminalreporter.write_line(line)
        self._gate.write(terminalreporter)

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_header(self, cells: list[str]) -> None:
        """Add the outcome's columns to pytest-html's table."""
        columns.header(cells)

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_row(self, report: pytest.TestReport, cells: list[str]) -> None:
        """Fill them, escaped."""
        columns.row(attached(report), cells)

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_html(self, report: pytest.TestReport, data: list[str]) -> None:
        """Leave out pytest-html's box for captured output where a case has none."""
        if attached(report) is not None and report.passed and not report.sections:
            data.clear()

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_summary(self, prefix: list[str]) -> None:
        """Put the outcome table above pytest-html's own."""
        run = self._state.run
        if run is not None and run.records:
            prefix += [columns.summary_table(run.folder.name, run.records), columns.filters(run.records)]


def _teardown(report: pytest.TestReport, record: Record) -> pytest.TestReport:
    teardown = pytest.TestReport(
        nodeid=report.nodeid,
        location=report.location,
        keywords={},
        outcome="passed",
        longrepr=None,
        when="teardown",
        user_properties=junit.properties(record),
    )
    teardown.node = report.node  # type: ignore[attr-defined]  # whose test it was, as pytest-xdist marks reports
    return teardown


def _usage_line(record: Record) -> str | None:
    """What the user has to type otherwise, where that is why a model or the judge could not be asked."""
    judge = judge_error(record)
    if judge is not None and judge["kind"] == "usage":
        return as_judge(judge["message"])
    error = record["error"]
    return str(error["message"]) if error is not None and error["kind"] == "usage" else None


def _last_line(report: pytest.TestReport) -> str:
    lines = [line for line in report.longreprtext.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "no reason was given"
