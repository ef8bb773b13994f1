"""What a test in evals/ is made of: ``asked``, ``ask``, ``grade``, ``record``."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_redefine.grading.grader import grade as grade_answer
from pytest_redefine.grading.outcome import Outcome
from pytest_redefine.plugin.collection import AskedCase
from pytest_redefine.plugin.state import RECORD, STATE
from pytest_redefine.respondents.errors import NOT_ASKED_KINDS, Fault
from pytest_redefine.respondents.exchange import Transcript
from pytest_redefine.respondents.gateway import GatewayLost

Ask = Callable[[AskedCase], Transcript]
Grade = Callable[[AskedCase, Transcript], Outcome]
RecordOutcome = Callable[[Transcript, Outcome], None]


@pytest.fixture
def ask(request: pytest.FixtureRequest) -> Ask:
    """Wait for the gateway's transcript of a case.

    Without an answer the test ends here: skipped where nobody was asked, failed where the asking failed.
    """
    state = request.config.stash[STATE]

    def wait(asked: AskedCase) -> Transcript:
        assert state.asking is not None, "announced when the collection was finished"
        try:
            transcript = state.asking.ask(request.node.nodeid)
        except GatewayLost as error:
            transcript = Transcript((), Fault("interrupted", str(error)))
        fault = transcript.fault
        if fault is None:
            return transcript
        request.node.stash[RECORD] = state.record(request.node, transcript, None)
        if fault.kind in NOT_ASKED_KINDS:
            pytest.skip(f"{fault.kind}: {fault.message}")
        pytest.fail(f"no answer from {asked.model.full}: {fault.kind}: {fault.message}", pytrace=False)

    return wait


@pytest.fixture
def grade(request: pytest.FixtureRequest) -> Grade:
    """Class an answer; pure, by numbers alone."""
    state = request.config.stash[STATE]

    def class_answer(asked: AskedCase, transcript: Transcript) -> Outcome:
        reply = transcript.reply
        return grade_answer(reply.text, state.source.truth(asked.case), finish_reason=reply.finish_reason)

    return class_answer


@pytest.fixture
def record(request: pytest.FixtureRequest) -> RecordOutcome:
    """Hand the outcome over; the controller writes it down before the next test of this worker starts."""
    state = request.config.stash[STATE]

    def note(transcript: Transcript, outcome: Outcome) -> None:
        request.node.stash[RECORD] = state.record(request.node, transcript, outcome)

    return note
