"""Errors that no retry mends, parameters that are not taken, keys that must not be seen: whole runs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.plugin.conftest import Suite, outcomes
from tests.servers import Behaviour, ChatServer, failure, in_turn


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_permanent_error_stops_its_model_with_one_failure_and_no_other_model(suite: Suite, workers: str) -> None:
    def choose(seen: Any) -> Behaviour:
        return failure(404, "The model does not exist") if seen.body["model"] == "bad" else Behaviour()

    with ChatServer(choose) as server:
        models = "--model=hosted_vllm/bad,hosted_vllm/good"
        result = suite.run("-k", "constants and pi", models, f"--api-base={server.url}", "-n", workers, "-ra")
        assert result.ret == 1
        asked = Counter(seen.body["model"] for seen in server.seen)
    assert asked["good"] == 18
    assert asked["bad"] <= 16  # those on their way when the first came back
    records = {model: [one for one in suite.records() if one["model"] == f"hosted_vllm/{model}"] for model in asked}
    assert set(outcomes(records["good"])) <= {"correct", "wrong"}
    assert Counter(one["error"]["kind"] for one in records["bad"]) == {"model_not_found": 1, "stopped": 17}
    assert Counter(one["status"] for one in records["bad"]) == {"error": 1, "not_asked": 17}
    said = [line for line in result.outlines if line.startswith(("FAILED", "SKIPPED"))]
    assert len(said) == 2  # one that failed, one line for all that were skipped
    line = "no answer from hosted_vllm/bad: model_not_found: HTTP 404: The model does not exist"
    assert result.stdout.str().count(line) == 1


def test_a_typed_parameter_that_is_not_taken_is_dropped_when_the_user_says_so(suite: Suite) -> None:
    said = "Unsupported parameter: 'top_p' is not supported with this model."
    cut = Behaviour(text="The fin", finish_reason="length")

    def choose(seen: Any) -> Behaviour:
        return failure(400, said, code="unsupported_parameter") if "top_p" in seen.body else cut

    with ChatServer(choose) as server:
        options = (
            "-k",
            "pi and q1",
            "--model=hosted_vllm/m",
            f"--api-base={server.url}",
            "--model-arg=top_p=0.5",
            "-n0",
        )
        refused = suite.run(*options)
        assert refused.ret == 1
        refused.stdout.fnmatch_lines(
            [f"*no answer from hosted_vllm/m: unsupported: *{said}*; leave it out, or give --drop-params"]
        )
        assert suite.run(*options, "--drop-params").ret == 0
    records = suite.records()
    assert {tuple(record["dropped_params"]) for record in records} == {("top_p",)}
    # A truncated reply is an answer, and marked.
    assert {(record["status"], record["finish_reason"]) for record in records} == {("answered", "length")}


PLANTED = {
    "typed": "typed-0a1b2c3d4e5f",
    "HOSTED_VLLM_API_KEY": "environment-0a1b2c3d4e5f",
    "SOME_SERVICE_TOKEN": "bystander-0a1b2c3d4e5f",
}


def files_with_a_key(folder: Path) -> list[str]:
    found = []
    for path in folder.rglob("*"):
        if path.is_file() and any(key.encode() in path.read_bytes() for key in PLANTED.values()):
            found.append(str(path.relative_to(folder)))
    return found


@pytest.mark.parametrize("way", ["direct", "litellm"])
def test_keys_reach_no_file_and_no_terminal(suite: Suite, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    for name, value in PLANTED.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("typed")
    echo = " ".join(PLANTED.values())

    # Answers once, and then repeats every key it may have heard of in all kinds of errors.
    choose = in_turn(
        Behaviour(),
        failure(500, f"boom {echo}"),
        Behaviour(body=f"<html>{echo}</html>".encode(), content_type="text/html"),
        failure(401, f"Incorrect API key provided: {echo}"),
    )
    with ChatServer(choose) as server:
        model = "hosted_vllm/m" if way == "direct" else "together_ai/m"
        key = f"--model-arg=api_key={PLANTED['typed']}"
        options = ("-k", "pi and q1", f"--model={model}", f"--api-base={server.url}", key, "--retries=0")
        files = ("--html=report.html", "--junitxml=junit.xml")
        result = suite.run(*options, "--max-in-flight=1", *files, "-n", "2", "-vv", "-ra")
    assert server.seen[0].headers["Authorization"] == f"Bearer {PLANTED['typed']}"
    assert result.ret == 1
    statuses = Counter(record["status"] for record in suite.records())
    assert statuses == {"answered": 1, "error": 3, "not_asked": 2}
    assert (suite.path / "reports" / "store.sqlite").stat().st_size
    assert files_with_a_key(suite.path) == []
    said = result.stdout.str() + result.stderr.str()
    assert "Incorrect API key provided: ***" in said
    assert not [key for key in PLANTED.values() if key in said]


def test_a_password_in_the_address_is_refused(suite: Suite) -> None:
    result = suite.run("--model=hosted_vllm/m", "--api-base=http://user:hunter2@127.0.0.1:1/v1", "-n0")
    assert result.ret == 4
    assert "hunter2" not in result.stderr.str() + result.stdout.str()
    result.stderr.fnmatch_lines(["ERROR: --api-base: write the address alone; *"])


def test_a_hang_is_bounded_by_the_user_s_time_out(suite: Suite) -> None:
    with ChatServer(Behaviour(way="hang")) as server:
        limits = ("--attempt-timeout=0.2", "--retries=1", "--give-up-after=5")
        result = suite.run(
            "-k", "pi and q1 and nr", "--model=hosted_vllm/m", f"--api-base={server.url}", *limits, "-n0"
        )
        assert result.ret == 1
        assert 1 <= server.received <= 2
    assert suite.records()[0]["error"] == {"kind": "timeout", "message": "no answer within 0.2 s"}
