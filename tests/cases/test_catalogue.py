from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path

import pytest

from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.data import DataError
from pytest_redefine.cases.model import Case

WORDS = {
    "pi": "pi",
    "e": "euler",
    "phi": "golden",
    "c": "lightspeed",
    "G": "gravitation",
    "h": "planck",
    "q_e": "charge",
    "N_A": "avogadro",
    "k_B": "boltzmann",
    "R": "gas",
    "i": "imaginary",
    "sqrt2": "sqrt2",
    "infinity": "infinity",
    "epsilon_0": "permittivity",
    "zero": "zero",
}
LEVELS = ["nr", "ra1", "ra2", "ra3", "rs1", "rs2"]


def test_constants_and_their_words(catalogue: Catalogue) -> None:
    assert {key: quantity.word for key, quantity in catalogue.tasks["constants"].items()} == WORDS


def test_225_redefined_cases_and_45_controls(cases: tuple[Case, ...]) -> None:
    assert len(cases) == 270
    assert sum(case.is_control for case in cases) == 45


def test_a_control_stands_before_its_redefined_cases(cases: tuple[Case, ...]) -> None:
    groups = [
        (key, [case.redefinition for case in group])
        for key, group in groupby(cases, key=lambda case: (case.quantity, case.question))
    ]
    assert [key for key, _ in groups] == [(key, question) for key in WORDS for question in ("q1", "q2", "q3")]
    assert all(levels == LEVELS for _, levels in groups)


def test_ids_are_unique_plain_and_stable(catalogue: Catalogue) -> None:
    cases = catalogue.cases("constants", samples=2)
    ids = [case.case_id for case in cases]
    assert len(set(ids)) == len(ids) == 540
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+", name) for name in ids)
    assert ids[:3] == [
        "constants-pi-nr-q1-ff-zs-s0",
        "constants-pi-nr-q1-ff-zs-s1",
        "constants-pi-ra1-q1-ff-zs-s0",
    ]
    assert "constants-planck-ra2-q3-ff-zs-s1" in ids


def test_a_word_selects_its_quantity_alone(cases: tuple[Case, ...]) -> None:
    for key, word in WORDS.items():
        assert {case.quantity for case in cases if word in f"test_constants[{case.id_stem}]"} == {key}


def test_the_whole_benchmark_is_2763_requests(catalogue: Catalogue) -> None:
    found = [
        case
        for task in catalogue.tasks
        for case in catalogue.cases(task, formats=("ff", "mc"), promptings=("zs", "fs", "cot"))
    ]
    assert len(found) == len({case.case_id for case in found}) == 2763
    for prompting in ("zs", "fs", "cot"):
        arms = {
            format_: {
                (case.quantity, case.redefinition, case.question)
                for case in found
                if (case.format, case.prompting) == (format_, prompting)
            }
            for format_ in ("ff", "mc")
        }
        free, choice = arms["ff"], arms["mc"]
        assert free - choice == {("infinity", "ra1", "q3"), ("infinity", "rs1", "q3"), ("zero", "rs1", "q3")}
        assert choice < free


def test_rotations_are_asked_of_multiple_choice_alone(catalogue: Catalogue) -> None:
    found = catalogue.cases("units", formats=("ff", "mc"), rotate_options=True)
    assert len(found) == 192 + 4 * 192
    stems = [case.id_stem for case in found if case.quantity == "min" and case.question == "q1" and case.level == "nr"]
    assert stems == [
        "minute-nr-q1-ff-zs-s0",
        "minute-nr-q1-mc-zs-s0",
        "minute-nr-q1-mc-zs-s0-rot1",
        "minute-nr-q1-mc-zs-s0-rot2",
        "minute-nr-q1-mc-zs-s0-rot3",
    ]


def test_neutral_controls_are_asked_where_the_question_can_do_without_the_name(catalogue: Catalogue) -> None:
    found = catalogue.cases("constants", controls=("nr", "ns"))
    neutral = [case for case in found if case.is_neutral]
    asked = {(case.quantity, case.question) for case in neutral}
    assert len(neutral) == 3 * len(asked)
    assert {case.redefinition: case.level for case in neutral} == {f"neutral{at}": f"ra{at}" for at in (1, 2, 3)}
    # Nothing in these speaks of the constant, so a name that means nothing would not lead to it.
    every = {(case.quantity, case.question) for case in found}
    assert every - asked == {
        ("pi", "q3"),
        ("e", "q3"),
        ("c", "q3"),
        ("G", "q3"),
        ("h", "q3"),
        ("N_A", "q2"),
        ("N_A", "q3"),
        ("R", "q3"),
        ("sqrt2", "q3"),
        ("infinity", "q3"),
        ("epsilon_0", "q3"),
    }
    assert not any(case.is_control for case in neutral)
    units = catalogue.cases("units", controls=("ns",))
    without = {f"{case.quantity} {case.question}" for case in units} - {
        f"{case.quantity} {case.question}" for case in units if case.is_neutral
    }
    assert without == {"V q3", "N q3", "T q3"}


def test_controls_can_be_left_out(catalogue: Catalogue) -> None:
    cases = catalogue.cases("constants", controls=())
    assert len(cases) == 225
    assert not any(case.is_control for case in cases)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"formats": ["ff", "essay"]}, "unknown format 'essay'; known: ff, mc"),
        ({"promptings": ["??"]}, "unknown prompting '\\?\\?'; known: zs, fs, cot"),
        ({"controls": ["none"]}, "unknown control 'none'; known: nr, ns"),
        ({"samples": 0}, "samples must be at least 1, not 0"),
    ],
)
def test_unknown_axes_are_refused(catalogue: Catalogue, arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        catalogue.cases("constants", **arguments)  # type: ignore[arg-type]  # one of several axes


def test_an_unknown_task_is_refused(catalogue: Catalogue) -> None:
    with pytest.raises(ValueError, match="unknown task 'poems'; known: constants, units"):
        catalogue.cases("poems")


def test_the_digest_follows_the_data_not_the_comments(catalogue: Catalogue, own_folder: Path) -> None:
    file = own_folder / "constants.toml"
    text = file.read_text()
    file.write_text("# another comment\n" + text)
    assert Catalogue.load(own_folder).digest("constants") == catalogue.digest("constants")
    file.write_text(text.replace('ra1 = "4.5"', 'ra1 = "4.6"'))
    assert Catalogue.load(own_folder).digest("constants") != catalogue.digest("constants")


# Each: what to replace (first occurrence), by what, the key that the error names, what it says of it.
MISTAKES = {
    "no value": ('ra1 = "4.5"', 'ra1 = "about 4"', "pi.ra1", "neither a decimal number nor sqrt of one"),
    "float": ('ra1 = "4.5"', "ra1 = 4.5", "pi.ra1", "a non-empty string is needed, not 4.5"),
    "call": ('ra1 = "4.5"', 'ra1 = "__import__(0)"', "pi.ra1", "neither a decimal number"),
    "level missing": ('ra2 = "500"\n', "", "pi.ra2", "is missing"),
    "question missing": ("[pi.q2]", "[pi.q4]", "pi.q4", "unknown key; known are word,"),
    "swap of nothing": ('rs1 = "phi"', 'rs1 = "psi"', "pi.rs1", "'psi' is no other constant of this file"),
    "swap of itself": ('rs1 = "phi"', 'rs1 = "pi"', "pi.rs1", "'pi' is no other constant of this file"),
    "misspelt flag": ("contested = true", "contestd = true", "pi.q3.contestd", "unknown key; known are text"),
    "flag as text": ("contested = true", 'contested = "yes"', "pi.q3.contested", "true or false is needed"),
    "tolerance": ("min_tolerance = 0.01", "min_tolerance = 1.5", "pi.q3.min_tolerance", "from 0 to below 1"),
    "no expression": ('answer = "3*x"', 'answer = "3*"', "pi.q2.answer", "'3*' is no expression"),
    "unknown name": ('answer = "3*x"', 'answer = "3*y"', "pi.q2.answer", "unknown name 'y'; known are E, I"),
    "unknown call": ('answer = "3*x"', 'answer = "exec(x)"', "pi.q2.answer", "unknown call 'exec(x)'"),
    "x in a value": ('exact = "pi"', 'exact = "x"', "pi.exact", "unknown name 'x'"),
    "kind": ('kind = "digit"', 'kind = "letter"', "pi.q1.kind", "'letter' is none of number, digit"),
    "unit": ('unit = "km^2"', 'unit = "km²"', "pi.q3.unit", "is not written as Pint reads it"),
    "others": ("others = [\n", "others = [ 1,\n", "pi.q3.others", "a list of strings is needed"),
    "word in capitals": ('word = "pi"', 'word = "Pi"', "pi.word", "not of small letters and digits"),
    "word inside another": ('word = "pi"', 'word = "gold"', "pi.word", "'gold' is part of the word of phi"),
    "word twice": ('word = "pi"', 'word = "euler"', "pi.word", "'euler' is part of the word of e"),
    "no text": ('symbol = "π"', 'symbol = "  "', "pi.symbol", "a non-empty string is needed"),
    "table wanted": ("[pi]\n", "pi = 3\n[pj]\n", "pi", "a table is needed, not 3"),
    "schema": ("schema = 1", "schema = 2", "schema", "1 is needed, not 2"),
    "no canary": ("canary = ", "canarie = ", "canary", "is missing"),
    "level of no kind": ('indistinct = ["rs1"]', 'indistinct = ["rs9"]', "zero.q3.indistinct", "'rs9' is none of ra1"),
    "slip of no kind": ('unfair = ["sign"]', 'unfair = ["typo"]', "q_e.q2.unfair", "'typo' is none of inverse"),
    "neutral without a place": (
        'neutral = "How much is {x} times 3?"',
        'neutral = "How much is ζ times 3?"',
        "pi.q2.neutral",
        "the placeholder {x} is missing",
    ),
    "others without a why": ('why = "The radius', 'wy = "The radius', "pi.q3.wy", "unknown key"),
}


@pytest.mark.parametrize(("old", "new", "key", "problem"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_named(old: str, new: str, key: str, problem: str, own_folder: Path) -> None:
    file = own_folder / "constants.toml"
    text = file.read_text()
    assert old in text
    if key == "pi":
        # Tables below [pi] would make it a table again.
        text = text[: text.index("[pi.q1]")] + text[text.index("[e]") :]
    file.write_text(text.replace(old, new, 1))
    with pytest.raises(DataError) as caught:
        Catalogue.load(own_folder)
    assert (caught.value.file, caught.value.key) == ("constants.toml", key)
    assert problem in caught.value.problem
    assert str(caught.value).startswith("constants.toml")


UNIT_MISTAKES = {
    "no value": ('ra1 = "100"', 'ra1 = "a hundred"', "min.ra1", "neither a decimal number nor an affine map"),
    "zero": ('ra1 = "100"', 'ra1 = "0"', "min.ra1", "would make the unit measure nothing"),
    "flat map": ('ra3 = "100*C + 500"', 'ra3 = "0*C + 500"', "K.ra3", "would make the unit measure nothing"),
    "unknown unit": ('answer = "2*minute"', 'answer = "2*fortnight"', "min.q1.answer", "unknown name 'fortnight'"),
    "x": ('answer = "2*minute"', 'answer = "2*x"', "min.q1.answer", "unknown name 'x'"),
    "call": ('answer = "2*minute"', 'answer = "eval(minute)"', "min.q1.answer", "unknown call 'eval(minute)'"),
    "unit of the answer": ('unit = "s"\n', 'unit = "sek"\n', "min.q1.unit", "unknown name 'sek'"),
    "derived": ('derived = "second"', 'derived = "sek"', "definitions", "unknown name 'sek'"),
    "spelling twice": ('aliases = ["mins"]', 'aliases = ["sec"]', "definitions", "'sec' means both"),
    "defined twice": ("hour = 3600 *", "second = 3600 *", "definitions", "the unit second is defined twice"),
    "no definition": ("hour = 3600 * second = h = hr", "hour", "definitions", "'hour' is no definition"),
    "wording": ('value = "{number} seconds"', 'value = "some seconds"', "min.value", "{number} is missing"),
    "swap": ('ra1 = "100"\n', 'ra1 = "100"\nrs1 = "kg"\n', "min.rs1", "unknown key"),
    "no relatives": ('relatives = "The second', 'relative = "The second', "min.relative", "unknown key"),
}


@pytest.mark.parametrize(("old", "new", "key", "problem"), UNIT_MISTAKES.values(), ids=UNIT_MISTAKES)
def test_mistakes_about_units_are_named(old: str, new: str, key: str, problem: str, own_folder: Path) -> None:
    file = own_folder / "units.toml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    with pytest.raises(DataError) as caught:
        Catalogue.load(own_folder)
    assert (caught.value.file, caught.value.key) == ("units.toml", key)
    assert problem in caught.value.problem


def test_a_mistake_has_its_line(own_folder: Path) -> None:
    file = own_folder / "constants.toml"
    lines = file.read_text().replace('answer = "3*x"', 'answer = "3*y"', 1).splitlines()
    file.write_text("\n".join(lines))
    with pytest.raises(DataError) as caught:
        Catalogue.load(own_folder)
    assert caught.value.line is not None
    assert lines[caught.value.line - 1] == 'answer = "3*y"'
    assert str(caught.value).startswith(f"constants.toml:{caught.value.line}: pi.q2.answer: ")
