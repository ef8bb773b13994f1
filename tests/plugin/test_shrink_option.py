"""--shrink: the simplest case with the same outcome, asked through the gateway, the budget and the store."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from pytest_redefine.records.shrunk import read_examples
from tests.plugin.conftest import Gate, Suite, asking, timeless, until
from tests.servers import Behaviour, ChatServer

# Whose first two fresh cases have 4 requests, and are wrong whenever the answer is.
WRONG = ("-k", "fresh", "--fresh=1", "--fresh-seed=7", "--shrink", "--shrink-outcomes=wrong")
NONSENSE = Behaviour(text="The final answer is: 7.7e77")


def examples(suite: Suite, run: str) -> list[dict[str, Any]]:
    found = read_examples(suite.path / "reports" / run)
    return [{name: value for name, value in one.items() if name != "run"} for one in found]


def test_it_is_the_same_however_many_workers_there_are(suite: Suite) -> None:
    asked = ("-k", "fresh", "--fresh=8", "--fresh-seed=7", "--formats=ff,mc", "--model=sim/mixed", "--shrink=5")
    result = suite.run(*asked, "--shrink-cases=3", "-p", "no:xdist", "--run=one")
    assert result.ret == 0
    assert suite.run(*asked, "--shrink-cases=3", "-n", "2", "--run=two").ret == 0
    found = examples(suite, "one")
    assert found == examples(suite, "two")
    assert len(found) == 3
    assert len({(one["task"], one["quantity"]) for one in found}) == 3
    for one in found:
        assert one["outcome"] == "anchored"
        assert 0 < one["requests"] <= 5
        assert one["reason"] in ("", "stopped after 5 requests")
        assert one["drawn"]["draw"] != one["simplest"]["draw"]
    # What is asked to shrink is no case: neither a record nor a count.
    records = [sorted(map(timeless, suite.records(run)), key=lambda one: str(one["nodeid"])) for run in ("one", "two")]
    assert records[0] == records[1]
    assert len(records[0]) == 8 * 2 * 2 * 2 == suite.run_json("one")["announced"]
    result.stdout.fnmatch_lines(
        ["=* the simplest that ended alike =*", "sim/mixed (simulated)", "*, ? request*", "    drawn * Redefine *"]
    )


def test_nothing_is_asked_twice_and_the_budget_holds(suite: Suite) -> None:
    with ChatServer(NONSENSE) as server:
        command = (*WRONG, *asking(server))
        cut = suite.run(*command, "--budget-requests=6", "-p", "no:xdist", "--run=one")
        assert cut.ret == 12
        assert server.received == 6
        assert {one["reason"].partition(":")[0] for one in examples(suite, "one")} == {"budget"}
        cut.stdout.fnmatch_lines(["*, 1 request; budget:*"])
        assert suite.run_json("one")["complete"]  # all cases were answered

        assert suite.run(*command, "-n", "2", "--run=one").ret == 0
        found = examples(suite, "one")
        assert server.received == 4 + sum(one["requests"] for one in found) > 6
        assert {one["reason"] for one in found} == {""}

        before = server.received
        assert suite.run(*command, "--offline", "-p", "no:xdist", "--run=two").ret == 0
        assert server.received == before
    assert examples(suite, "two") == found
    assert suite.run_json("two")["requests"]["asked"] == 0


def test_control_c_while_it_shrinks(suite: Suite) -> None:
    gate = Gate(4)
    gate_or_nonsense = Behaviour(text=NONSENSE.text, way="held")
    with ChatServer(lambda seen: NONSENSE if gate.open or seen.number < gate.first else gate_or_nonsense) as server:
        command = (*WRONG, *asking(server), "-n", "2", "--run=stopped")
        output = suite.path / "output"
        with output.open("wb") as file:
            process = suite.start(*command, stdout=file, stderr=file)
        until(lambda: server.received == 6, process)
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait() == pytest.ExitCode.INTERRUPTED
        told = output.read_text()
        assert "INTERNALERROR" not in told
        assert "Traceback" not in told
        assert [record["status"] for record in suite.records("stopped")] == ["answered"] * 4
        assert suite.run_json("stopped")["exit_status"] == 2
        gate.open = True
        server.reset()
        assert suite.run(*command).ret == 0
        assert server.received == sum(one["requests"] for one in examples(suite, "stopped"))


def test_where_nothing_ended_so_that_is_said(suite: Suite) -> None:
    result = suite.run("-k", "fresh", "--fresh=1", "--fresh-seed=7", "--model=sim/adopts", "-n", "0", "--shrink")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["nothing to shrink: no drawn case is anchored; --shrink-outcomes takes others"])
    assert not (Path(suite.path) / "reports" / "latest" / "shrunk.jsonl").exists()


def test_an_estimate_says_what_it_may_take(suite: Suite) -> None:
    result = suite.run("-k", "fresh", "--fresh=1", "--model=sim/adopts", "--shrink=10", "--estimate")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["--shrink may ask each model 50 questions more: it hangs on the answers."])


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (("--shrink",), "none are drawn; type e.g. pytest evals -k fresh --fresh=50 --shrink"),
        (("--fresh=1", "--shrink=0"), "'0' is no number of requests; write --shrink=30, or --shrink at the end"),
        (("--fresh=1", "--shrink", "evals"), "'evals' is no number of requests"),
        (("--fresh=1", "--shrink", "--shrink-cases=0"), "--shrink-cases=0: at least 1"),
        (("--fresh=1", "--shrink-cases=3"), "--shrink-cases=3: nothing is shrunk without --shrink"),
        (("--fresh=1", "--shrink", "--shrink-outcomes=correct"), "'correct' is none of anchored, wrong, refused"),
        (("--fresh=1", "--shrink", "--grading=judge", "--judge=sim/judge-exact"), "use --grading=both"),
    ],
)
def test_what_to_type_is_said(suite: Suite, typed: tuple[str, ...], told: str) -> None:
    assert told in suite.refused("--model=sim/adopts", *typed).stderr.str()
