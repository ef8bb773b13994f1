"""The gate at the end of a session: judges the run's folder, tells the terminal, JUnit XML and GitHub."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from pytest_redefine.gating.judgement import UNDECIDED
from pytest_redefine.plugin import exit_status
from pytest_redefine.records.reading import RecordsError
from pytest_redefine.reporting import gate as shown
from pytest_redefine.reporting.text import one_line

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

    from pytest_redefine.gating.judgement import Judgement
    from pytest_redefine.plugin.run import Run
    from pytest_redefine.plugin.state import State


class GateKeeper:
    """Holds what the gate said; without --gate and --baseline it says nothing."""

    def __init__(self, state: State) -> None:
        """``state`` is the session's."""
        self._state = state
        self._judgement: Judgement | None = None
        self._problem = ""
        """Why there is no judgement although one was asked for: the gate stays shut."""

    def header(self) -> list[str]:
        """What the session's header says of it."""
        settings = self._state.gate
        if settings is None:
            return []
        base = settings.baseline
        against = ""
        if base is not None:
            against = f", baseline {one_line(base.name, 40)}: {one_line(base.model, 60)}, {len(base.answers)} cases"
        return [f"redefine: judged by {settings.gate.name}{against}"]

    @property
    def status(self) -> int | None:
        """0, 10 or 11; None where no gate was asked for."""
        if self._state.gate is None:
            return None
        return self._judgement.status if self._judgement is not None else UNDECIDED

    @property
    def permits_errors(self) -> bool:
        """Whether the run's errors, if any, are few enough."""
        return self._judgement is not None and self._judgement.permits_errors

    def nothing_asked(self, session: pytest.Session) -> None:
        """Shut the gate where other tests ran and no case was asked."""
        if self._state.gate is not None and session.exitstatus in (exit_status.OK, exit_status.INCOMPLETE):
            self._problem = "no case was asked"
            session.exitstatus = UNDECIDED

    def judge(self, run: Run) -> None:
        """Judge the run as its folder has it: an earlier session's part of it counts too. Not after Ctrl-C."""
        from pytest_redefine.gating.finished import FILE, judge_run

        settings = self._state.gate
        run.folder.records_path.with_name(FILE).unlink(missing_ok=True)  # of an earlier part of the run
        if settings is None or self._state.interrupted:
            return
        try:
            self._judgement = judge_run(
                run.folder.records_path,
                settings.gate,
                settings.baseline,
                facts=run.facts(),
                catalogue=settings.catalogue,
            )
        except (RecordsError, OSError) as error:
            self._problem = str(error)
            return
        self._tell_junit(self._judgement.to_json())

    def _tell_junit(self, gate: dict[str, Any]) -> None:
        from _pytest.junitxml import xml_key  # the fixture that pytest has for this needs a test to ask for it

        xml = self._state.config.stash.get(xml_key, None)
        if xml is not None:
            for name, value in shown.properties(gate):
                xml.add_global_property(name, value)

    def write(self, terminal: TerminalReporter) -> None:
        """The section on the gate, and GitHub's annotations where it runs the session."""
        if self._state.gate is None:
            return
        terminal.section("gate", sep="=")
        if self._judgement is None:
            said = f"cannot decide: {self._problem}" if self._problem else "not judged: the run did not come to its end"
            terminal.write_line(f"gate: {said}", yellow=True)
            return
        gate = self._judgement.to_json()
        for line, colour in shown.lines(gate):
            terminal.write_line(line, **({colour: True} if colour else {}))
        if os.environ.get("GITHUB_ACTIONS") == "true":
            terminal.ensure_newline()
            for line in shown.github_lines(gate):
                terminal.write_line(line)
