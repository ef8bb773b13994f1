"""The command line as such: help, what is imported, what is no command."""

from __future__ import annotations

import subprocess
import sys

import pytest

import pytest_redefine
from pytest_redefine.cli import COMMANDS, main

HEAVY = ("pytest", "litellm", "sympy", "pint", "aiohttp", "redis", "hypothesis", "xllamacpp")


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--help"])
    assert caught.value.code == 0
    out = capsys.readouterr().out
    for name in COMMANDS:
        assert f"\n    {name} " in out
    assert "pytest evals" in out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([command, "--help"])
    assert caught.value.code == 0
    out = capsys.readouterr().out
    assert f"$ pytest-redefine {command}" in out or f"| pytest-redefine {command}" in out
    assert "exit status" in out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"pytest-redefine {pytest_redefine.__version__}\n"


@pytest.mark.parametrize("argv", [[], ["nonsense"], ["grade"], ["grade", "a", "b"], ["regrade"]])
def test_wrong_arguments_are_2(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(argv)
    assert caught.value.code == 2
    assert "usage: pytest-redefine" in capsys.readouterr().err


@pytest.mark.parametrize("argv", [["--help"], ["grade", "--help"], ["regrade", "--help"], ["grade", "-"]])
def test_nothing_heavy_is_imported(argv: list[str]) -> None:
    code = (
        "import sys; from pytest_redefine.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        f"print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    )
    line = '{"answer": "5", "expected": "5"}\n'
    done = subprocess.run([sys.executable, "-c", code, *argv], input=line, capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"
