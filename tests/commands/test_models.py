"""``pytest-redefine models``: what is listed, and that no key is ever shown."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pytest_redefine.cases.known_models import KnownModels
from pytest_redefine.cli import main

KEY = "sk-never-to-be-seen"


def listed(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, list[str]]:
    """The table's lines by short name."""
    assert main(["models", *options]) == 0
    title, *lines = capsys.readouterr().out.splitlines()
    assert title.split() == ["short", "name", "family", "size", "$/M", "in", "out", "key"]
    return {line.split()[0]: line.split() for line in lines}


def test_each_model_is_a_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("MISTRAL_API_KEY", raising=False)
    lines = listed(capsys)
    assert list(lines) == list(KnownModels.load().by_alias)
    assert lines["gpt-4o"] == ["gpt-4o", "openai/gpt-4o", "GPT", "-", "2.5", "10", "OPENAI_API_KEY", "set"]
    assert lines["ministral-3-8b"][2:4] == ["Mistral", "8"]
    assert lines["ministral-3-8b"][-3:] == ["MISTRAL_API_KEY", "not", "set"]
    assert lines["mixtral-8x7b"][3:6] == ["8x7", "-", "-"]
    assert lines["smollm2-135m"][3:] == ["0.135", "0", "0", "none", "needed"]
    assert KEY not in str(lines)


def test_a_file_of_ones_own_is_listed_too(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'schema = 1\n["my-7b"]\nname = "hosted_vllm/me/my-7b"\nfamily = "Mine"\nsize_b = 7\n'
        "usd_per_million_in = 0.5\nusd_per_million_out = 1.25\n"
    )
    lines = listed(capsys, f"--models-file={path}")
    assert lines["my-7b"] == ["my-7b", "hosted_vllm/me/my-7b", "Mine", "7", "0.5", "1.25", "none", "needed"]
    assert "gpt-4o" in lines


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('schema = 1\n["a"]\nsize_b = 7\n', "pytest-redefine models: mine.toml:2: a.name: is missing\n"),
        (None, "none.toml: cannot be read: No such file or directory\n"),
    ],
)
def test_a_mistake_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: str | None, told: str
) -> None:
    path = tmp_path / ("mine.toml" if content is not None else "none.toml")
    if content is not None:
        path.write_text(content)
    assert main(["models", f"--models-file={path}"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.endswith(told)
    assert captured.err.count("\n") == 1


def test_litellm_is_not_imported_for_its_prices() -> None:
    code = "import sys; from pytest_redefine.cli import main; main(['models']); print('litellm' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"
