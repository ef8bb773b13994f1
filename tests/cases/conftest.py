from __future__ import annotations

from pathlib import Path

import pytest

from pytest_redefine.cases.answers import Answers
from pytest_redefine.cases.catalogue import CONTROLS, FORMATS, PROMPTINGS, Catalogue
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
def units(catalogue: Catalogue) -> tuple[Case, ...]:
    return catalogue.cases("units")


@pytest.fixture(scope="session")
def by_stem(cases: tuple[Case, ...], units: tuple[Case, ...]) -> dict[str, Case]:
    """By the part of the id that varies: ``planck-ra2-q3``."""
    return {f"{case.word}-{case.redefinition}-{case.question}": case for case in (*cases, *units)}


@pytest.fixture(scope="session")
def everything(catalogue: Catalogue) -> tuple[Case, ...]:
    """Both tasks in every format and prompting, with both controls."""
    return tuple(
        case
        for task in catalogue.tasks
        for case in catalogue.cases(task, formats=FORMATS, promptings=PROMPTINGS, controls=CONTROLS)
    )


@pytest.fixture(scope="session")
def by_id(everything: tuple[Case, ...]) -> dict[str, Case]:
    """By the whole stem: ``planck-ra2-q3-mc-cot-s0``."""
    return {case.id_stem: case for case in everything}


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Answers for the tests that are about something else."""
    return tmp_path_factory.mktemp("answers")


@pytest.fixture(scope="session")
def answers(catalogue: Catalogue, cache: Path) -> Answers:
    return Answers(catalogue, cache)


@pytest.fixture(scope="session")
def table(catalogue: Catalogue, prompts: Prompts, cache: Path) -> TruthTable:
    return TruthTable(catalogue, prompts, cache)


@pytest.fixture
def own_folder(tmp_path: Path) -> Path:
    """A copy of the data that a test may spoil."""
    from pytest_redefine.cases.data import fixtures_folder

    folder = tmp_path / "fixtures"
    folder.mkdir()
    for name in ("constants.toml", "units.toml", "prompts.toml", "examples.toml"):
        (folder / name).write_text((fixtures_folder() / name).read_text(encoding="utf-8"), encoding="utf-8")
    return folder
