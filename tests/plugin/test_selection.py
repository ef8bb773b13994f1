"""Which cases -k, -m, --collect-only and --lf select, and that looking costs nothing."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

from tests.plugin.conftest import Suite, asking, selected
from tests.servers import Behaviour, ChatServer, by_question, failure


def test_collect_only_asks_nothing_and_leaves_nothing(suite: Suite, mode: tuple[str, ...]) -> None:
    result = suite.run("--collect-only", "-q", "--model=openai/gpt-4o", *mode)
    assert result.ret == 0
    assert not (suite.path / "reports").exists()
    if "2" not in mode:  # under xdist pytest prints no tree
        assert len(selected(result)) == 462


def test_a_vendors_name_changes_no_selection(suite: Suite) -> None:
    def cases(model: str) -> list[str]:
        result = suite.run("--collect-only", "-q", "-k", "constants and pi", f"--model={model}")
        return [line.rsplit("-s0-", 1)[0] for line in selected(result)]

    simulated = cases("sim/adopts")
    assert len(simulated) == 18
    assert cases("anthropic/claude-opus-4") == simulated
    assert cases("local/smollm2-135m") == simulated


def test_levels_and_questions_are_words_of_their_own(suite: Suite) -> None:
    result = suite.run("--collect-only", "-q", "-k", "planck and ra2 and q3", "--model=sim/adopts")
    assert selected(result) == ["evals/test_constants.py::test_constants[planck-ra2-q3-ff-zs-s0-adopts]"]


@pytest.mark.parametrize("quantity", ["h", "planck"])
def test_the_case_marker_selects_exactly(suite: Suite, quantity: str) -> None:
    result = suite.run(
        "--collect-only", "-q", "-m", f"case(quantity='{quantity}', redefinition='rs1')", "--model=sim/adopts"
    )
    lines = selected(result)
    assert len(lines) == 3
    assert all("[planck-rs1-" in line for line in lines)


def test_contested_cases_have_a_marker(suite: Suite) -> None:
    contested = selected(suite.run("--collect-only", "-q", "-m", "contested", "--model=sim/adopts"))
    rest = selected(suite.run("--collect-only", "-q", "-k", "not contested", "--model=sim/adopts"))
    assert len(contested) + len(rest) == 462
    assert any("[pi-ra2-q3-" in line for line in contested)
    assert not any("[pi-ra2-q2-" in line for line in contested)


def test_a_model_named_like_an_axis_word_is_a_usage_error(suite: Suite) -> None:
    result = suite.run("--collect-only", "-q", "-k", "constants and pi", "--model=mistral/pixtral-12b")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*-m \"case(quantity='pi')\"*"])
    exact = suite.run("--collect-only", "-q", "-m", "case(quantity='pi')", "--model=mistral/pixtral-12b")
    assert len(selected(exact)) == 18


def test_last_failed_asks_again_only_what_had_no_answer(suite: Suite) -> None:
    (suite.path / "pytest.ini").write_text("[pytest]\n")
    with ChatServer(by_question({"π as 500": failure(500, "out of order")}, Behaviour())) as server:
        command = ("-k", "pi and q2", "--retries=0", *asking(server))
        assert suite.run(*command).ret == pytest.ExitCode.TESTS_FAILED
        again = suite.run("--lf", "--collect-only", "-q", *command)
    assert selected(again) == ["evals/test_constants.py::test_constants[pi-ra2-q2-ff-zs-s0-x]"]


def test_collection_imports_nothing_heavy(suite: Suite) -> None:
    program = textwrap.dedent(
        """
        import sys, pytest
        class Look:
            def pytest_collection_finish(self, session):
                print("collected", len(session.items))
        # The second collection is the usual one: the first derives the answers and keeps them.
        code = pytest.main(["evals", "--collect-only", "-q", "--model=openai/gpt-4o"], plugins=[Look()])
        heavy = [name for name in ("litellm", "openai", "pint", "sympy", "aiohttp") if name in sys.modules]
        print("heavy", heavy)
        sys.exit(code)
        """
    )
    (suite.path / "pytest.ini").write_text("[pytest]\n")
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=suite.path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "collected 462" in done.stdout
        assert "heavy []" in done.stdout


def test_of_a_published_model_only_printed_cells_are_collected(suite: Suite) -> None:
    look = ("--collect-only", "-q", "--model=sim/published-llama70b")
    printed = selected(suite.run(*look))
    assert 0 < len(printed) < 462
    # Of drawn cases nothing was printed, nor of a second sample.
    assert selected(suite.run(*look, "--fresh=2", "--dose=2", "--samples=2")) == printed
