"""What the shell is told; interrupted runs are in test_interrupt, -x is in test_maxfail."""

from __future__ import annotations

from tests.plugin.conftest import SIX, Suite, asking, outcomes, two_ways
from tests.servers import Behaviour, ChatServer, by_question, failure


@two_ways
def test_0_all_asked_and_graded_whatever_the_outcome(suite: Suite, mode: tuple[str, ...]) -> None:
    assert suite.run(*SIX, *mode, "--model=sim/anchors").ret == 0
    assert suite.run_json()["exit_status"] == 0


@two_ways
def test_1_one_case_without_an_answer(suite: Suite, mode: tuple[str, ...]) -> None:
    answers = by_question({"Redefine π as 500": failure(400, "no such parameter")}, Behaviour())
    with ChatServer(answers) as server:
        result = suite.run(*SIX, *mode, *asking(server))
    assert result.ret == 1
    result.assert_outcomes(failed=1)
    records = suite.records()
    assert outcomes(records)["error"] == 1
    (error,) = (record["error"] for record in records if record["error"])
    assert error["kind"] == "bad_request"
    assert "no such parameter" in error["message"]
    assert suite.run_json()["exit_status"] == 1


def test_2_a_module_that_cannot_be_collected_ends_the_run_before_anything_is_asked(suite: Suite) -> None:
    (suite.path / "evals" / "test_broken.py").write_text("import no_such_module\n")
    with ChatServer() as server:
        assert suite.run(*SIX, "-n0", *asking(server)).ret == 2
        assert server.received == 0
        assert suite.runs() == []
        assert suite.run(*SIX, "-n0", "--continue-on-collection-errors", *asking(server)).ret == 1
        assert server.received == 6
    assert suite.run_json()["complete"]


def test_4_usage(suite: Suite) -> None:
    result = suite.run(*SIX, "-n2", "--model=sim/adopts", "--no-such-option")
    assert result.ret == 4
    assert suite.runs() == []


def test_4_an_expression_that_is_none(suite: Suite) -> None:
    assert suite.run("-k", "pi and (", "-n0", "--model=sim/adopts").ret == 4
    assert suite.runs() == []


@two_ways
def test_5_nothing_selected(suite: Suite, mode: tuple[str, ...]) -> None:
    assert suite.run("-k", "phlogiston", *mode, "--model=sim/adopts").ret == 5
    assert suite.runs() == []
