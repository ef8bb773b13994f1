"""--estimate and --why-ask: counts, tokens, price, and why; nothing is asked, nothing is left behind."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import MODES, Suite
from tests.servers import ChatServer


def row(result: pytest.RunResult, model: str) -> list[str]:
    return next(line.split()[1:] for line in result.outlines if line.startswith(f"{model} "))


def test_what_is_to_ask_what_is_stored_and_why(suite: Suite) -> None:
    with ChatServer() as server:
        options = (f"--api-base={server.url}", "--model=openai/gpt-4o")
        assert suite.run("-k", "constants and pi and q1", *options, "-n0").ret == 0
        runs = suite.runs()
        for mode in (MODES["n0"], MODES["n2"]):
            estimated = suite.run("-k", "constants and pi", "--estimate", "--model=sim/adopts", *options, *mode)
            assert estimated.ret == 0
            to_ask, stored, prompt, completion, usd = row(estimated, "openai/gpt-4o")
            assert (to_ask, stored, completion) == ("12", "6", str(12 * 1024))
            assert 300 < int(prompt) < 3000
            assert float(usd) == pytest.approx(int(prompt) * 2.5e-6 + 12 * 1024 * 10e-6, abs=0.005)
            assert row(estimated, "sim/adopts") == ["18", "0", "0", "0", "0.00"]
            assert row(estimated, "all")[:2] == ["30", "6"]
            assert "outcomes" not in estimated.stdout.str()
        for mode in (MODES["n2"], MODES["no-xdist"]):
            why = suite.run("-k", "pi and (q1 or q2)", "--why-ask", "--temperature=0.5", *options, *mode)
            assert why.ret == 0
            why.stdout.fnmatch_lines(
                [
                    "6 cases: temperature is 0.5, stored with 0",
                    "    constants-pi-nr-q1-ff-zs-s0, constants-pi-*",
                    "6 cases: this prompt was never answered into this store",
                    "    constants-pi-nr-q2-ff-zs-s0, *",
                    "Nothing was asked.",
                ],
                consecutive=True,
            )
        why = suite.run("-k", "constants and pi and q1", "--why-ask", *options, "-n0")
        why.stdout.fnmatch_lines(["Everything is in the store: the same command asks nothing."])
        assert server.received == 6
    assert suite.runs() == runs


def test_before_the_first_run_an_estimate_leaves_none(suite: Suite) -> None:
    result = suite.run("--estimate", "--model=hosted_vllm/m", "--api-base=http://127.0.0.1:1/v1", "-n0")
    assert result.ret == 0
    assert row(result, "hosted_vllm/m")[:2] == ["462", "0"]
    assert row(result, "hosted_vllm/m")[-1] == "?"
    assert suite.runs() == []


def test_estimate_and_why_ask_exclude_each_other(suite: Suite) -> None:
    result = suite.run("--estimate", "--why-ask", "--model=sim/adopts", "-n0")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: --estimate and --why-ask each tell something and end: give one of them"])
