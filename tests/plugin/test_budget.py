"""--budget-usd, --budget-tokens, --budget-requests: what is asked under a cap, and how the run ends."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.plugin.conftest import Suite, outcomes
from tests.servers import Behaviour, ChatServer

BOTH = pytest.mark.parametrize("workers", ["0", "2"])


@BOTH
def test_a_cap_on_requests_ends_the_run_with_12(suite: Suite, workers: str) -> None:
    with ChatServer(Behaviour(text="The final answer is: 3", latency_s=0.01)) as server:
        options = ("-k", "constants and pi", "--model=hosted_vllm/m", f"--api-base={server.url}")
        result = suite.run("--budget-requests=7", *options, "-n", workers)
        assert result.ret == 12
        assert server.received == 7
        first = suite.records()
        result.stdout.fnmatch_lines(
            [
                "*not asked: *",
                "*budget: --budget-requests=7 allows no further request: 7 requests took 126 tokens and *",
            ]
        )
        # The same command without the cap asks for the rest, and nothing twice.
        assert suite.run(*options, "-n0").ret == 0
    assert server.received == 18
    assert Counter(seen.question for seen in server.seen).most_common(1)[0][1] == 1
    refused = [record for record in first if record["status"] == "not_asked"]
    assert {record["error"]["kind"] for record in refused} == {"budget"}
    assert len(refused) == 18 - 7
    assert outcomes(suite.records()).get("not_asked") is None
    run = suite.run_json("latest")
    assert run["requests"] == {"asked": 11, "from_store": 7, "sent_again": 0}
    assert run["complete"] is True


def test_a_cap_on_tokens_is_for_all_workers(suite: Suite) -> None:
    with ChatServer(Behaviour(usage={"prompt_tokens": 40, "completion_tokens": 60}, latency_s=0.01)) as server:
        options = ("--model=hosted_vllm/m", f"--api-base={server.url}", "--max-tokens=60", "-n", "2")
        assert suite.run("-k", "constants and (pi or euler)", "--budget-tokens=1200", *options).ret == 12
    spent = suite.run_json()["spent"]["tokens"]
    assert spent == 100 * server.received
    assert 900 <= spent <= 1200
    assert outcomes(suite.records())["not_asked"] == 36 - server.received


@BOTH
def test_a_model_without_a_price_under_a_cap_in_dollars_is_a_usage_error(suite: Suite, workers: str) -> None:
    with ChatServer() as server:
        result = suite.run("--model=hosted_vllm/m", f"--api-base={server.url}", "--budget-usd=1", "-n", workers)
        assert server.received == 0
    assert result.ret == 4
    line = "--budget-usd: no price is known for hosted_vllm/m; bound it with --budget-tokens or --budget-requests"
    assert line in result.stdout.str() + result.stderr.str()


def test_a_cap_in_dollars_stops_a_priced_model_and_not_a_free_one(suite: Suite) -> None:
    with ChatServer(Behaviour(usage={"prompt_tokens": 40, "completion_tokens": 90})) as server:
        models = "--model=openai/gpt-4o,sim/adopts"
        options = (models, f"--api-base={server.url}", "--max-tokens=100", "--budget-usd=0.003", "-n0")
        assert suite.run("-k", "constants and pi", *options).ret == 12
    by_model = {
        model: outcomes([record for record in suite.records() if record["model"] == model])
        for model in ("openai/gpt-4o", "sim/adopts")
    }
    assert by_model["sim/adopts"] == {"correct": 18}
    assert by_model["openai/gpt-4o"]["not_asked"] == 18 - server.received == 16
    assert 0 < suite.run_json()["spent"]["usd"] <= 0.003


@pytest.mark.parametrize("option", ["--budget-usd=0", "--budget-requests=-1"])
def test_a_cap_of_nothing_is_a_usage_error(suite: Suite, option: str) -> None:
    result = suite.run(option, "--model=sim/adopts", "-n0")
    assert result.ret == 4
    result.stderr.fnmatch_lines([f"ERROR: {option.partition('=')[0]}=*"])
