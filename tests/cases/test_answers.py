from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_redefine.cases import answers
from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.data import DataError
from pytest_redefine.cases.derive import derive_all
from pytest_redefine.cases.model import Case
from pytest_redefine.cases.prompts import Prompts
from pytest_redefine.cases.truths import TruthTable


class Derivations:
    """Counts how often answers are really derived."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        real = derive_all

        def counted(*args: object, **kwargs: object) -> object:
            self.count += 1
            return real(*args, **kwargs)  # type: ignore[arg-type]  # passed on as they came

        monkeypatch.setattr(answers, "derive_all", counted)


@pytest.fixture
def derivations(monkeypatch: pytest.MonkeyPatch) -> Derivations:
    return Derivations(monkeypatch)


def test_a_second_table_reads_what_the_first_derived(
    catalogue: Catalogue, prompts: Prompts, cases: tuple[Case, ...], tmp_path: Path, derivations: Derivations
) -> None:
    first = TruthTable(catalogue, prompts, tmp_path / "new" / "cache")
    found = [first.truth(case) for case in cases]
    second = TruthTable(catalogue, prompts, tmp_path / "new" / "cache")
    assert [second.truth(case) for case in cases] == found
    assert derivations.count == 1
    assert [path.suffix for path in (tmp_path / "new" / "cache").iterdir()] == [".json"]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: "",
        lambda text: text[: len(text) // 2],
        lambda text: "[]",
        lambda text: "null",
        lambda text: "[" * 100_000,
        lambda text: "\x00",
        lambda text: text.replace('"key": "', '"key": "0'),
        lambda text: text.replace('"expected": "1500"', '"expected": "1500 km"'),
        lambda text: text.replace('"expected": "1500"', '"expected": 1500'),
        lambda text: text.replace('["pi", "ra2", "q2"]', '["pi", "ra2", "q9"]'),
        lambda text: text.replace('["pi", "ra2", "q2"]', '["pi", "ra2"]'),
    ],
)
def test_a_spoilt_cache_is_derived_anew_and_mended(
    spoil: object,
    catalogue: Catalogue,
    prompts: Prompts,
    by_stem: dict[str, Case],
    tmp_path: Path,
    derivations: Derivations,
) -> None:
    assert callable(spoil)
    case = by_stem["pi-ra2-q2"]
    TruthTable(catalogue, prompts, tmp_path).truth(case)
    (file,) = tmp_path.iterdir()
    whole = file.read_text()
    file.write_text(spoil(whole))
    assert file.read_text() != whole
    assert TruthTable(catalogue, prompts, tmp_path).truth(case).expected == "1500"
    assert derivations.count == 2
    assert file.read_text() == whole


def test_other_data_is_another_cache(
    catalogue: Catalogue, prompts: Prompts, by_stem: dict[str, Case], own_folder: Path, tmp_path: Path
) -> None:
    TruthTable(catalogue, prompts, tmp_path / "cache").truth(by_stem["pi-ra2-q2"])
    file = own_folder / "constants.toml"
    file.write_text(file.read_text().replace('ra2 = "500"', 'ra2 = "600"', 1))
    other = TruthTable(Catalogue.load(own_folder), prompts, tmp_path / "cache")
    assert other.truth(by_stem["pi-ra2-q2"]).expected == "1800"
    assert len(list((tmp_path / "cache").iterdir())) == 2


def test_another_library_is_another_cache(
    catalogue: Catalogue,
    prompts: Prompts,
    by_stem: dict[str, Case],
    tmp_path: Path,
    derivations: Derivations,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    TruthTable(catalogue, prompts, tmp_path).truth(by_stem["pi-ra2-q2"])
    monkeypatch.setattr(answers, "_versions", lambda: "99 99")
    TruthTable(catalogue, prompts, tmp_path).truth(by_stem["pi-ra2-q2"])
    assert derivations.count == 2


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(
    catalogue: Catalogue, prompts: Prompts, by_stem: dict[str, Case], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    table = TruthTable(catalogue, prompts, tmp_path / "file")
    assert table.truth(by_stem["pi-ra2-q2"]).expected == "1500"


def test_a_failed_write_leaves_nothing_behind(
    catalogue: Catalogue,
    prompts: Prompts,
    by_stem: dict[str, Case],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(*args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(json, "dump", full)
    assert TruthTable(catalogue, prompts, tmp_path).truth(by_stem["pi-ra2-q2"]).expected == "1500"
    assert list(tmp_path.iterdir()) == []


def test_an_answer_that_does_not_exist_names_its_file_and_key(
    prompts: Prompts, by_stem: dict[str, Case], own_folder: Path
) -> None:
    file = own_folder / "constants.toml"
    file.write_text(file.read_text().replace('answer = "3*x"', 'answer = "3/(x - 500)"', 1))
    with pytest.raises(DataError, match=r"^constants\.toml: pi\.q2\.answer: under ra2: .* has no value"):
        TruthTable(Catalogue.load(own_folder), prompts).truth(by_stem["pi-nr-q1"])


def test_neither_collecting_nor_a_cached_truth_imports_sympy_or_pint(
    catalogue: Catalogue, prompts: Prompts, by_stem: dict[str, Case], tmp_path: Path
) -> None:
    table = TruthTable(catalogue, prompts, tmp_path)
    table.truth(by_stem["pi-ra2-q2"])
    table.truth(by_stem["minute-ra2-q2"])
    program = f"""
import sys, pathlib
from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.prompts import Prompts
from pytest_redefine.cases.truths import TruthTable
catalogue, prompts = Catalogue.load(), Prompts.load()
table = TruthTable(catalogue, prompts, pathlib.Path({str(tmp_path)!r}))
for task in ("constants", "units"):
    cases = catalogue.cases(task, formats=("ff", "mc"), promptings=("zs", "fs", "cot"), controls=("nr", "ns"))
    assert len({{table.truth(case).expected for case in cases}}) > 100
heavy = {{"sympy", "mpmath", "pint", "litellm", "pytest"}} & set(sys.modules)
assert not heavy, heavy
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('indistinct = ["rs1"]', "", "are within tolerance: rs1 must be named here"),
        ('indistinct = ["rs1"]', 'indistinct = ["rs1", "rs2"]', "are not within tolerance: rs2 must not be named here"),
    ],
)
def test_what_is_said_to_be_indistinct_must_be(
    old: str, new: str, problem: str, prompts: Prompts, by_stem: dict[str, Case], own_folder: Path
) -> None:
    file = own_folder / "constants.toml"
    file.write_text(file.read_text().replace(old, new))
    with pytest.raises(DataError) as caught:
        TruthTable(Catalogue.load(own_folder), prompts).truth(by_stem["pi-nr-q1"])
    assert caught.value.key == "zero.q3.indistinct"
    assert problem in caught.value.problem
