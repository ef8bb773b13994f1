"""The pytest hooks; each calls a room. Loaded by a conftest.py, and inert in a session without eval cases."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import pytest

from pytest_redefine.plugin import drawing, gate_options, options
from pytest_redefine.plugin.collection import MARKERS, CaseSource, family_of
from pytest_redefine.plugin.controller import Controller
from pytest_redefine.plugin.fixtures import ask, grade, record
from pytest_redefine.plugin.sharding import Sharding, check_workers
from pytest_redefine.plugin.shrinking import Shrinking
from pytest_redefine.plugin.state import RECORD, STATE, State, attach
from pytest_redefine.reporting import junit, letters

__all__ = ["ask", "grade", "record"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the suite's options."""
    options.add_options(parser)
    gate_options.add_options(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Keep a session that asks nothing in one process: pytest-xdist's controller collects nothing itself."""
    if config.getoption("estimate") or config.getoption("why_ask"):
        options.stay_in_one_process(config)


def pytest_configure(config: pytest.Config) -> None:
    """Check the options and set the session's state up."""
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    for ignored in options.IGNORED_WARNINGS:
        config.addinivalue_line("filterwarnings", ignored)
    settings = options.read_settings(config)
    cache = getattr(config, "cache", None)
    source = CaseSource(settings, cache.mkdir("redefine") if cache is not None else None)
    state = config.stash[STATE] = State(config, settings, source)
    if settings.cases.shard is not None:
        state.sharding = Sharding(settings.cases.shard)
        config.pluginmanager.register(state.sharding, "redefine-sharding")
    if not state.is_worker:
        check_workers(config)
        state.check_models()
        state.check_keyword()
        state.check_prompts()
        drawing.check_keyword(config, settings.cases.drawing)
        state.check_gate()
        config.pluginmanager.register(Controller(state), "redefine-controller")
        if settings.shrink:
            config.pluginmanager.register(Shrinking(state), "redefine-shrinking")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Let go of the gateway, however the session ended."""
    state = config.stash.get(STATE, None)
    if state is not None:
        state.close()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize a test marked ``redefine(task=...)`` over the task's cases and the models."""
    marker = metafunc.definition.get_closest_marker("redefine")
    if marker is not None and "asked" in metafunc.fixturenames:
        source = metafunc.config.stash[STATE].source
        if "family" in marker.kwargs:
            metafunc.parametrize("asked", source.drawn_parameters(marker.kwargs["family"]))
        else:
            metafunc.parametrize("asked", source.parameters(marker.kwargs["task"]))


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Collector, obj: object) -> list[pytest.Item] | None:
    """Pass over tests of drawn cases where none are drawn: pytest would show each as skipped."""
    family = family_of(obj)
    return [] if family and collector.config.stash[STATE].passes_over(family) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Say what to type where nothing is left to ask for that."""
    config.stash[STATE].check_families(items)


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """Remember what is left out."""
    if items:
        items[0].config.stash[STATE].deselect(items)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Tell the gateway all that will be asked, now that nothing more is deselected."""
    option = session.config.option
    # pytest runs nothing after an error of collection; a worker of pytest-xdist's does.
    ends_here = session.testsfailed and not option.continue_on_collection_errors
    state = session.config.stash[STATE]
    asks = not (option.collectonly or state.settings.forecast)
    if asks and (state.is_worker or not ends_here):
        state.announce(session.items)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Attach the record to the report: plain builtins, so that it crosses from a worker to the controller."""
    record = item.stash.get(RECORD, None) if call.when == "call" else None
    if record is not None:
        # On the item, for every report after this one: JUnit XML takes the teardown's.
        item.user_properties.extend(junit.properties(record))
    report = yield
    if record is not None:
        attach(report, record)
    return report


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, Any] | None:
    """Show outcomes as letters and colours instead of dots."""
    return letters.status(report)
