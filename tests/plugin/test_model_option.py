"""--model: whom to ask, and the one line that says what to type where nobody can be asked."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import MODES, SIX, Suite


def the_line(result: pytest.RunResult, part: str) -> str:
    """The only line of the output with ``part`` in it."""
    told = [line for line in result.outlines + result.errlines if part in line]
    assert len(told) == 1, "\n".join(result.outlines + result.errlines)
    return told[0]


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("sim/nobody", "--model=sim/nobody: no such simulated respondent; there are sim/adopts, "),
        (
            "local/nobody",
            "local/nobody: there is no file nobody: type --model=local/PATH.gguf, or --model=local/smollm2",
        ),
        ("local/no/where.gguf", "local/no/where.gguf: there is no file no/where.gguf: type --model=local/PATH.gguf"),
        ("local/conftest.py", "conftest.py is no readable GGUF file (it does not begin with the letters GGUF)"),
        ("", "--model='' is no model's name: write e.g. --model=local/smollm2-135m"),
        ("sim/adopts,", "--model='' is no model's name"),
        ("sim/adopts, sim/anchors", "--model=' sim/anchors' is no model's name"),
        ("openai/gpt-4o,azure/gpt-4o", "openai/gpt-4o and azure/gpt-4o would share the short name 'gpt-4o'"),
        ("a/X,b/x", "a/X and b/x would share the short name 'x'"),
    ],
)
def test_a_name_that_cannot_be_asked_is_told_before_collection(suite: Suite, typed: str, told: str) -> None:
    result = suite.refused(*SIX, f"--model={typed}")
    assert told in the_line(result, told[:20])
    assert not any("collected" in line for line in result.outlines)
    assert not (suite.path / "reports").exists()


def test_every_way_to_run_tells_it_once(suite: Suite, mode: tuple[str, ...]) -> None:
    result = suite.run(*SIX, *mode, "--model=sim/adopts", "--model=sim/nobody")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "there are sim/adopts" in the_line(result, "sim/nobody")
    assert suite.runs() == []


NO_KEY = (
    "anthropic/claude-opus-4",
    "no key for anthropic; type: export ANTHROPIC_API_KEY=... and run the same command",
)
UNKNOWN = ("nobody-knows-this", "unknown model; write PROVIDER/MODEL as LiteLLM names it")


# Each run imports LiteLLM, which takes seconds: the way that the line goes is the same for both, so three will do.
@pytest.mark.parametrize(("way", "model", "told"), [("n0", *NO_KEY), ("n2", *NO_KEY), ("n2", *UNKNOWN)])
def test_what_only_litellm_knows_is_one_line_too(suite: Suite, way: str, model: str, told: str) -> None:
    result = suite.run(*SIX, *MODES[way], f"--model={model}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"--model={model}: {told}" in the_line(result, told[:20])
    assert suite.runs() == []
    assert not any("= outcomes =" in line for line in result.outlines)


def test_lists_and_repetitions_ask_each_model_once(suite: Suite) -> None:
    result = suite.run(*SIX, "-n0", "--model=sim/adopts,sim/blank", "--model=sim/blank", "--model=sim/refuses")
    assert result.ret == 0
    records = suite.records()
    assert {model: sum(record["model"] == model for record in records) for model in ("sim/adopts", "sim/blank")} == {
        "sim/adopts": 6,
        "sim/blank": 6,
    }
    assert len(records) == 18
    assert list(suite.run_json()["parameters"]["models"]) == ["sim/adopts", "sim/blank", "sim/refuses"]
    # The case's id leaves the model out, so that the same case can be paired over models.
    assert len({record["case_id"] for record in records}) == 6
    assert len({record["nodeid"] for record in records}) == 18
