"""--temperature, --max-tokens, --model-arg, --samples: what reaches the respondent, and what must reach no file."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import SIX, Suite, asking, two_ways
from tests.servers import ChatServer

ONE = ("-k", "pi and q2 and ra1")
SECRET = "sk-never-to-be-written-4711"


def test_the_defaults(suite: Suite) -> None:
    with ChatServer() as server:
        assert suite.run(*ONE, "-n0", *asking(server)).ret == 0
    (body,) = server.bodies
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("x", 0, 1024)


def test_what_is_typed_reaches_the_model(suite: Suite, mode: tuple[str, ...]) -> None:
    bias = '--model-arg=logit_bias={"50256": -100}'
    typed = ("--temperature=0.7", "--max-tokens=77", "--model-arg=top_p=0.5", bias)
    with ChatServer() as server:
        assert suite.run(*ONE, *mode, *typed, "--model-arg=stop=THE END", *asking(server)).ret == 0
    (body,) = server.bodies
    sampling = {"temperature": 0.7, "max_tokens": 77, "top_p": 0.5}
    expected = {**sampling, "logit_bias": {"50256": -100}, "stop": "THE END"}
    assert {name: body[name] for name in expected} == expected
    (record,) = suite.records()
    assert record["parameters"] == expected
    assert suite.run_json()["parameters"]["models"] == {"openai/x": expected}


def test_a_parameter_is_part_of_what_was_asked(suite: Suite) -> None:
    with ChatServer() as server:
        for typed in ("--temperature=0", "--temperature=0.7", "--max-tokens=77", "--model-arg=top_p=0.5"):
            assert suite.run(*ONE, "-n0", typed, *asking(server)).ret == 0
    assert server.received == 4
    assert len(suite.stored()) == 4


@two_ways
def test_a_key_reaches_the_server_and_no_file(suite: Suite, mode: tuple[str, ...]) -> None:
    files = ("--html=report.html", "--self-contained-html", "--junitxml=junit.xml")
    with ChatServer() as server:
        result = suite.run(*ONE, *mode, *files, f"--model-arg=api_key={SECRET}", *asking(server))
    assert result.ret == 0
    (seen,) = server.seen
    assert seen.headers["Authorization"] == f"Bearer {SECRET}"
    assert "api_key" not in seen.body
    written = [path for path in suite.path.rglob("*") if path.is_file() and path.name not in ("stdout", "stderr")]
    names = {path.name for path in written}
    assert {"run.json", "records.jsonl", "store.sqlite", "report.html", "junit.xml"} <= names
    assert [path for path in written if SECRET.encode() in path.read_bytes()] == []
    assert not any(SECRET in line and not line.startswith("running:") for line in result.outlines + result.errlines)


def test_a_key_is_no_part_of_what_was_asked(suite: Suite) -> None:
    with ChatServer() as server:
        for secret in (SECRET, "another-key"):
            assert suite.run(*ONE, "-n0", f"--model-arg=api_key={secret}", *asking(server)).ret == 0
    assert server.received == 1


@two_ways
def test_each_sample_is_a_request_of_its_own(suite: Suite, mode: tuple[str, ...]) -> None:
    with ChatServer() as server:
        assert suite.run(*ONE, *mode, "--samples=3", *asking(server)).ret == 0
        assert server.received == 3
    records = suite.records()
    assert sorted(record["case_id"] for record in records) == [f"constants-pi-ra1-q2-ff-zs-s{i}" for i in range(3)]
    assert sorted(record["sample"] for record in records) == [0, 1, 2]
    assert len({record["key"] for record in records}) == 3
    assert len(suite.stored()) == 3


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("--samples=0", "--samples=0: at least 1"),
        ("--samples=many", "*--samples: invalid int value: 'many'"),
        ("--max-tokens=0", "--max-tokens=0: at least 1"),
        ("--max-in-flight=0", "--max-in-flight=0: at least 1"),
        ("--temperature=-1", "--temperature=-1: between 0 and 5"),
        ("--temperature=nan", "--temperature=nan: between 0 and 5"),
        ("--api-base=127.0.0.1:8000", "--api-base=127.0.0.1:8000: write a URL, e.g. *"),
        ("--model-arg=top_p", "--model-arg=top_p: write KEY=VALUE, e.g. *"),
        ("--model-arg=n=3", "--model-arg=n=...: the suite sets this itself; use --samples=N"),
        ("--model-arg=stream=true", "--model-arg=stream=...: the suite sets this itself; replies are read whole"),
        (f"--model-arg=api-key={SECRET}", "--model-arg=api-key=...: write KEY=VALUE, e.g. *"),
    ],
)
def test_a_bad_value_is_one_line(suite: Suite, typed: str, told: str) -> None:
    result = suite.refused(*SIX, "--model=sim/adopts", typed)
    result.stderr.fnmatch_lines([f"*{told}"])
    assert not any(SECRET in line for line in result.errlines)
    assert not (suite.path / "reports").exists()
