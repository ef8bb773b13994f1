"""Models that think first: what they are asked with, where their thinking goes, and what becomes of a spent budget."""

from __future__ import annotations

from tests.plugin.conftest import SIX, Suite, asking, outcomes, with_workers
from tests.servers import Behaviour, ChatServer

THOUGHT = {"prompt_tokens": 11, "completion_tokens": 70, "completion_tokens_details": {"reasoning_tokens": 63}}
ARGS = ("--model-arg=reasoning_effort=high", '--model-arg=thinking={"type": "enabled", "budget_tokens": 64}')


def test_thinking_is_kept_apart_and_counted(suite: Suite, mode: tuple[str, ...]) -> None:
    with ChatServer(Behaviour(text="The final answer is: 5", reasoning="Perhaps 3.14?", usage=THOUGHT)) as server:
        assert suite.run(*SIX, *asking(server), *ARGS, *mode).ret == 0
        assert all(body["reasoning_effort"] == "high" for body in server.bodies)
        assert all(body["thinking"] == {"type": "enabled", "budget_tokens": 64} for body in server.bodies)
    records = suite.records()
    assert len(records) == 6
    for record in records:
        assert record["reply"] == "The final answer is: 5"
        assert record["reasoning"] == "Perhaps 3.14?"
        assert record["usage"]["reasoning_tokens"] == 63
        assert record["parameters"]["reasoning_effort"] == "high"


@with_workers
def test_a_budget_that_thinking_has_eaten_is_blank_and_told(suite: Suite, mode: tuple[str, ...]) -> None:
    with ChatServer(Behaviour(text=None, reasoning="Hmm", finish_reason="length", usage=THOUGHT)) as server:
        result = suite.run(*SIX, *asking(server), *ARGS, "--max-tokens=70", *mode)
    assert result.ret == 0
    records = suite.records()
    assert outcomes(records) == {"blank": 6}
    assert {record["detail"] for record in records} == {"truncated"}
    result.stdout.fnmatch_lines(["  cut off before an answer: 6 of 6, 6 while thinking; raise --max-tokens (now 70)"])
