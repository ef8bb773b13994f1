from __future__ import annotations

from pathlib import Path

import pytest

from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.model import Case
from pytest_redefine.cases.prompts import Prompts
from pytest_redefine.cases.truths import TruthTable


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return Catalogue.load()


@pytest.fixture(scope="session")
def prompts() -> Prompts:
    return Prompts.load()


@pytest.fixture(scope="session")
def cases(catalogue: Catalogue) -> tuple[Case, ...]:
    return catalogue.cases("constants")


@pytest.fixture(scope="session")
def by_stem(cases: tuple[Case, ...]) -> dict[str, Case]:
    """By the part of the id that varies: ``planck-ra2-q3``."""
    return {f"{case.word}-{case.redefinition}-{case.question}": case for case in cases}


@pytest.fixture(scope="session")
def table(catalogue: Catalogue, prompts: Prompts) -> TruthTable:
    return TruthTable(catalogue, prompts)


@pytest.fixture
def own_folder(tmp_path: Path) -> Path:
    """A copy of the data that a test may spoil."""
    from pytest_redefine.cases.data import fixtures_folder

    folder = tmp_path / "fixtures"
    folder.mkdir()
    for name in ("constants.toml", "prompts.toml"):
        (folder / name).write_text((fixtures_folder() / name).read_text(encoding="utf-8"), encoding="utf-8")
    return folder
