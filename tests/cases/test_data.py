from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pytest_redefine
from pytest_redefine.cases.data import DataError, fixtures_folder, read_toml


def test_the_folder_of_a_checkout() -> None:
    assert (fixtures_folder() / "constants.toml").is_file()


def test_the_folder_of_an_installed_package(tmp_path: Path) -> None:
    package = tmp_path / "site-packages" / "pytest_redefine"
    shutil.copytree(Path(pytest_redefine.__file__).parent, package)
    shutil.copytree(fixtures_folder(), package / "fixtures")
    program = (
        "from pytest_redefine.cases.catalogue import Catalogue\n"
        "from pytest_redefine.cases.data import fixtures_folder\n"
        "print(len(Catalogue.load().cases('constants')), fixtures_folder())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(package.parent)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.split() == ["270", str((package / "fixtures").resolve())]


def test_a_package_without_data_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("pytest_redefine.cases.data.__file__", str(tmp_path / "a" / "b" / "cases" / "data.py"))
    with pytest.raises(FileNotFoundError, match=r"no data files in .* install the package again"):
        fixtures_folder()


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"schema = ", "is not valid TOML: Invalid value (at end of document)"),
        (b"schema = 1\n[a]\nb = 'open", "is not valid TOML"),
        (b"schema = 1\n\xff", "is not UTF-8"),
        (b"", "schema: 1 is needed, not None"),
        (b"schema = '1'", "schema: 1 is needed, not '1'"),
    ],
)
def test_files_that_are_no_data(content: bytes, problem: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.toml"
    file.write_bytes(content)
    with pytest.raises(DataError) as caught:
        read_toml(file)
    assert "bad.toml" in str(caught.value)
    assert problem in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.toml: cannot be read: No such file"):
        read_toml(tmp_path / "none.toml")


RULES = "gate.toml"
"""It holds nothing of the benchmark that a model could learn."""


@pytest.mark.parametrize(
    "file",
    sorted(path for path in fixtures_folder().glob("*.toml") if path.name != RULES),
    ids=lambda path: path.name,
)
def test_every_data_file_carries_the_canary(file: Path) -> None:
    assert "canary 37827c4e-05de-46c6-b5d3-a046de3f1b37" in read_toml(file).string("canary")
