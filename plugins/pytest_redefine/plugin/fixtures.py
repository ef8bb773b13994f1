"""What a test in evals/ is made of: ``asked``, ``ask``, ``grade``, ``record``."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_redefine.grading.grader import grade as grade_answer
from pytest_redefine.grading.judge import verdict
from pytest_redefine.grading.outcome import Graded, Grader, Outcome
from pytest_redefine.plugin.collection import AskedCase
from pytest_redefine.plugin.state import RECORD, STATE
from pytest_redefine.respondents.errors import NOT_ASKED_KINDS, Fault
from pytest_redefine.respondents.exchange import Transcript
from pytest_redefine.respondents.gateway import GatewayLost

Ask = Callable[[AskedCase], Transcript]
Grade = Callable[[AskedCase, Transcript], Graded]
RecordOutcome = Callable[[Transcript, Graded], None]


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
        fault, judging = transcript.fault, state.settings.judging
        if fault is None or (transcript.fault_role == "judge" and judging.grading == "both"):
            return transcript
        request.node.stash[RECORD] = state.record(request.node, transcript, None)
        if fault.kind in NOT_ASKED_KINDS:
            pytest.skip(f"{fault.kind}: {fault.message}")
        silent = f"answer from {asked.model.full}"
        if transcript.fault_role == "judge" and judging.judge is not None:
            silent = f"verdict from {judging.judge.full}"
        pytest.fail(f"no {silent}: {fault.kind}: {fault.message}", pytrace=False)

    return wait


@pytest.fixture
def grade(request: pytest.FixtureRequest) -> Grade:
    """Class an answer, as --grading says; pure: what a judge had to say stands in the transcript."""
    state = request.config.stash[STATE]

    def class_answer(asked: AskedCase, transcript: Transcript) -> Graded:
        reply, grading = transcript.reply, state.settings.judging.grading
        verdicts: dict[Grader, Outcome | None] = {}
        if grading != "judge":
            truth = state.source.truth(asked.case)
            verdicts["numeric"] = grade_answer(reply.text, truth, finish_reason=reply.finish_reason)
        if grading != "numeric" and transcript.fault is None:
            judge = state.interviews[request.node.nodeid].case["judge"]
            replies = [turn.reply.text for turn in transcript.judged]
            verdicts["judge"] = verdict(judge, replies, cut=reply.finish_reason == "length")
        return Graded.by("judge" if grading == "judge" else "numeric", verdicts)

    return class_answer


@pytest.fixture
def record(request: pytest.FixtureRequest) -> RecordOutcome:
    """Hand the outcome over; the controller writes it down before the next test of this worker starts."""
    state = request.config.stash[STATE]

    def note(transcript: Transcript, graded: Graded) -> None:
        request.node.stash[RECORD] = state.record(request.node, transcript, graded)

    return note
