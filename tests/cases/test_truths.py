from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pint
import pytest

from pytest_redefine.cases import truths
from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.data import DataError
from pytest_redefine.cases.derive import derive_all
from pytest_redefine.cases.model import Case
from pytest_redefine.cases.prompts import Prompts
from pytest_redefine.cases.truth import Truth
from pytest_redefine.cases.truths import TruthTable

from . import recomputed


@pytest.mark.parametrize("key", recomputed.LEVELS)
def test_answers_agree_with_an_independent_recomputation(
    key: str, catalogue: Catalogue, cases: tuple[Case, ...], table: TruthTable
) -> None:
    mine = [case for case in cases if case.quantity == key]
    assert len(mine) == 18
    for case in mine:
        truth = table.truth(case)
        assert recomputed.same(truth.expected, recomputed.answer(key, case.redefinition, case.question)), case
        assert recomputed.same(truth.symbol_value, recomputed.number(key, case.redefinition)), case
        assert recomputed.same(truth.symbol_default, recomputed.number(key, "nr")), case
        if case.is_control:
            assert truth.default is None
        else:
            assert truth.default is not None
            assert recomputed.same(truth.default, recomputed.answer(key, "nr", case.question)), case


# By hand, with the reason that makes each of them easy to get wrong.
TRICKY = {
    "imaginary-ra1-q2": "0-2.82842712474619*I",  # (i√2)³ = -2√2 i, with the ordinary i
    "imaginary-ra2-q1": "-100",
    "imaginary-ra2-q2": "0-1000*I",
    "imaginary-ra3-q1": "1",  # differs from -1 in the sign alone
    "imaginary-ra1-q3": "3",
    "imaginary-ra3-q3": "0",  # a reference of exactly zero
    "imaginary-nr-q2": "0-1*I",
    "zero-ra3-q3": "-8.72085429987137e-32",  # sin(5e30)/5e30: a double has no digit of the sine right
    "zero-rs1-q3": "1",  # 1 - h²/6, which 15 digits do not tell from 1
    "zero-nr-q3": "1",  # a limit: sin(0)/0 has no value
    "zero-nr-q1": "0",
    "infinity-nr-q1": "oo",
    "infinity-nr-q2": "0",
    "infinity-nr-q3": "5",
    "infinity-ra1-q3": "5.00000249999975",
    "infinity-ra3-q2": "-1",
    "infinity-rs2-q3": "30",
    "euler-rs2-q3": "3.71570854615913e-12",  # √k_B
    "euler-ra1-q3": "3",
    "charge-nr-q2": "-3.204e-19",  # electrons are negative
    "boltzmann-ra3-q1": "9",  # -0.0099
    "planck-ra3-q1": "2",  # -0.2
    "lightspeed-ra3-q3": "1.28e15",  # a negative speed, squared
    "golden-nr-q3": "4.94427190999916",
    "permittivity-ra3-q3": "2.76310665090096e-27",
}


@pytest.mark.parametrize(("stem", "answer"), TRICKY.items())
def test_tricky_answers(stem: str, answer: str, by_stem: dict[str, Case], table: TruthTable) -> None:
    assert table.truth(by_stem[stem]).expected == answer


def test_indistinct_are_exactly_the_three_that_the_protocol_names(cases: tuple[Case, ...], table: TruthTable) -> None:
    found = {f"{case.quantity} {case.redefinition} {case.question}" for case in cases if table.truth(case).indistinct}
    assert found == {"infinity ra1 q3", "infinity rs1 q3", "zero rs1 q3"}


def test_indistinct_follows_the_tolerance(catalogue: Catalogue, prompts: Prompts, by_stem: dict[str, Case]) -> None:
    # 1.7725 against 1.6487: 7 % apart.
    case = by_stem["euler-rs1-q3"]
    assert not TruthTable(catalogue, prompts).truth(case).indistinct
    assert TruthTable(catalogue, prompts, tolerance=0.08).truth(case).indistinct
    # 5.0000025 against 5: not within a tolerance of a ten-millionth.
    assert not TruthTable(catalogue, prompts, tolerance=1e-7).truth(by_stem["infinity-ra1-q3"]).indistinct


def test_contested_are_those_of_the_protocol(cases: tuple[Case, ...], table: TruthTable) -> None:
    found = {f"{case.quantity} {case.question}" for case in cases if table.truth(case).contested}
    assert found == {
        "pi q3",
        "e q3",
        "i q3",
        "sqrt2 q3",
        "infinity q2",
        "infinity q3",
        "epsilon_0 q3",
        "zero q3",
    }
    assert all(table.truth(case).contested is case.contested for case in cases)


def test_earths_radius_leaves_a_percent_whatever_tolerance_is_asked_for(
    catalogue: Catalogue, prompts: Prompts, by_stem: dict[str, Case]
) -> None:
    strict = TruthTable(catalogue, prompts, tolerance=1e-6)
    assert strict.truth(by_stem["pi-ra2-q3"]).tolerance == 0.01
    assert strict.truth(by_stem["pi-ra2-q2"]).tolerance == 1e-6
    assert TruthTable(catalogue, prompts).truth(by_stem["pi-ra2-q3"]).tolerance == 0.02


def test_first_digits_are_digits_of_real_constants(cases: tuple[Case, ...], table: TruthTable) -> None:
    for case in cases:
        truth = table.truth(case)
        own_q1 = case.quantity in ("c", "i", "infinity", "zero")
        assert (truth.kind == "digit") == (case.question == "q1" and not own_q1)
        if truth.kind == "digit":
            assert re.fullmatch("[1-9]", truth.expected)
            assert not truth.unit
            assert not truth.also_units


def test_a_swap_accepts_the_unit_that_comes_with_the_number(by_stem: dict[str, Case], table: TruthTable) -> None:
    registry: pint.UnitRegistry[float] = pint.UnitRegistry(cache_folder=None)

    def accepted(stem: str) -> list[pint.Unit]:
        return [registry.parse_units(unit) for unit in table.truth(by_stem[stem]).also_units]

    assert accepted("pi-rs2-q2") == [registry.Unit("J*s")]
    assert registry.Unit("km^2*J*s") in accepted("pi-rs2-q3")
    assert registry.Unit("J^2/K^2") in accepted("euler-rs2-q2")
    assert registry.Unit("J^0.5/K^0.5") in accepted("euler-rs2-q3")
    assert registry.Unit("C") in accepted("gravitation-rs1-q2")
    assert registry.Unit("C") in accepted("charge-rs2-q3")  # 3.2e-18 C over a bare π
    assert accepted("pi-rs1-q2") == []
    assert accepted("charge-rs2-q2") == []  # a bare number is accepted anyway


def test_only_swaps_carry_units_and_all_units_are_readable(cases: tuple[Case, ...], table: TruthTable) -> None:
    registry: pint.UnitRegistry[float] = pint.UnitRegistry(cache_folder=None)
    for case in cases:
        truth = table.truth(case)
        for unit in (truth.unit, *truth.also_units):
            registry.parse_units(unit)
        if not case.redefinition.startswith("rs"):
            assert truth.also_units == ()
        assert truth.unit not in truth.also_units


def test_other_ordinary_answers_stand_beside_the_default(by_stem: dict[str, Case], table: TruthTable) -> None:
    assert table.truth(by_stem["euler-ra2-q3"]).also_default == ("1.62889462677744",)  # 1.05¹⁰
    assert table.truth(by_stem["permittivity-ra2-q3"]).also_default == ("0.000936458333333333",)  # k = 8.99e9
    assert table.truth(by_stem["euler-nr-q3"]).also_default == ()


def test_truth_survives_json(cases: tuple[Case, ...], table: TruthTable) -> None:
    for case in cases:
        truth = table.truth(case)
        assert Truth.from_json(json.loads(json.dumps(truth.to_json()))) == truth


# The cache


class Derivations:
    """Counts how often answers are really derived."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        real = derive_all

        def counted(*args: object, **kwargs: object) -> object:
            self.count += 1
            return real(*args, **kwargs)  # type: ignore[arg-type]  # passed on as they came

        monkeypatch.setattr(truths, "derive_all", counted)


@pytest.fixture
def derivations(monkeypatch: pytest.MonkeyPatch) -> Derivations:
    return Derivations(monkeypatch)


def test_a_second_table_reads_what_the_first_derived(
    catalogue: Catalogue, prompts: Prompts, cases: tuple[Case, ...], tmp_path: Path, derivations: Derivations
) -> None:
    first = TruthTable(catalogue, prompts, tmp_path / "new" / "cache")
    answers = [first.truth(case) for case in cases]
    second = TruthTable(catalogue, prompts, tmp_path / "new" / "cache")
    assert [second.truth(case) for case in cases] == answers
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


def test_another_sympy_is_another_cache(
    catalogue: Catalogue,
    prompts: Prompts,
    by_stem: dict[str, Case],
    tmp_path: Path,
    derivations: Derivations,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    TruthTable(catalogue, prompts, tmp_path).truth(by_stem["pi-ra2-q2"])
    monkeypatch.setattr(truths, "_sympy_version", lambda: "99")
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


def test_neither_collecting_nor_a_cached_truth_imports_sympy(
    catalogue: Catalogue, prompts: Prompts, by_stem: dict[str, Case], tmp_path: Path
) -> None:
    TruthTable(catalogue, prompts, tmp_path).truth(by_stem["pi-ra2-q2"])
    program = f"""
import sys, pathlib
from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.prompts import Prompts
from pytest_redefine.cases.truths import TruthTable
catalogue, prompts = Catalogue.load(), Prompts.load()
cases = catalogue.cases("constants")
table = TruthTable(catalogue, prompts, pathlib.Path({str(tmp_path)!r}))
assert len({{table.truth(case).expected for case in cases}}) > 100
heavy = {{"sympy", "mpmath", "pint", "litellm", "pytest"}} & set(sys.modules)
assert not heavy, heavy
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_samples_share_their_truth(by_stem: dict[str, Case], table: TruthTable) -> None:
    case = by_stem["pi-ra2-q2"]
    assert table.truth(replace(case, sample=7)) == table.truth(case)
