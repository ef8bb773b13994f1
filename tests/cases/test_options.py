"""Multiple choice: PROTOCOL 1 says what the four are, how they are written and where they stand."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_redefine.cases import decimals
from pytest_redefine.cases.answers import Answers
from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.model import Case
from pytest_redefine.cases.options import LETTERS, Layouts, letter_of
from pytest_redefine.cases.truth import DEFAULT_TOLERANCE
from pytest_redefine.cases.truths import TruthTable
from pytest_redefine.cases.wording import option_texts


@pytest.fixture(scope="module")
def layouts(answers: Answers) -> Layouts:
    return Layouts(answers)


@pytest.fixture(scope="module")
def choices(everything: tuple[Case, ...]) -> list[Case]:
    return [case for case in everything if (case.format, case.prompting) == ("mc", "zs")]


def test_the_answers_are_among_the_four_and_the_four_are_apart(choices: list[Case], table: TruthTable) -> None:
    for case in choices:
        truth = table.truth(case)
        assert truth.options is not None
        values = list(truth.options.values())
        assert list(truth.options) == list(LETTERS)
        assert values.count(truth.expected) == 1
        assert truth.default is None or values.count(truth.default) == 1
        for one, other in combinations(values, 2):
            if truth.kind == "digit":
                assert one != other
            else:
                assert not decimals.within(one, other, DEFAULT_TOLERANCE), (case, values)


def test_no_distractor_is_an_answer_by_another_reading(choices: list[Case], table: TruthTable) -> None:
    for case in choices:
        truth = table.truth(case)
        assert truth.options is not None
        for value in truth.options.values():
            if value not in (truth.expected, truth.default):
                assert not any(decimals.within(value, other, DEFAULT_TOLERANCE) for other in truth.also_default), case


def test_a_control_never_offers_a_redefined_answer(
    choices: list[Case], catalogue: Catalogue, answers: Answers, table: TruthTable
) -> None:
    for case in choices:
        if not case.is_control:
            continue
        truth = table.truth(case)
        assert truth.options is not None
        wrong = [value for value in truth.options.values() if value != truth.expected]
        assert len(wrong) == 3
        for level in catalogue.quantity(case).redefinitions:
            answer = answers.of(case.task, case.quantity, level, case.question).expected
            for value in wrong:
                if truth.kind == "digit":
                    assert value != answer
                else:
                    assert not decimals.within(value, answer, DEFAULT_TOLERANCE), (case, value)


def test_form_gives_nothing_away(choices: list[Case], table: TruthTable) -> None:
    for case in choices:
        truth = table.truth(case)
        assert truth.options is not None
        texts = option_texts(list(truth.options.values()), truth.kind, truth.unit)
        assert len(set(texts)) == 4
        finite = [text for text in texts if "∞" not in text]
        # With the digits taken out nothing differs but the sign, the power of ten and where the point stands.
        shapes = {re.sub(r"[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+(?=\b|$| |\))", "ⁿ", re.sub(r"^-", "", text)) for text in finite}
        assert len({re.sub(r" [+-] ", " ± ", re.sub(r"[\d.]+", "#", shape)) for shape in shapes}) <= 1, texts
        if truth.kind != "digit":
            for text in finite:
                for number in re.findall(r"(?<!× 1)\d[\d.]*(?![\d.⁻⁰¹²³⁴⁵⁶⁷⁸⁹])", text.split(" km")[0]):
                    if number not in ("10", "0.000"):
                        assert len(number.replace(".", "").lstrip("0")) == 4, texts


def test_the_printed_option_is_within_tolerance_of_the_exact_one(choices: list[Case], table: TruthTable) -> None:
    for case in choices:
        truth = table.truth(case)
        assert truth.options is not None
        if truth.kind == "digit":
            continue
        for value, text in zip(
            truth.options.values(), option_texts(list(truth.options.values()), "number", ""), strict=True
        ):
            if "i" not in text and "∞" not in text:
                plain = text.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")).replace(" × 10", "e")
                assert abs(float(plain) - float(value)) <= 5.01e-4 * abs(float(value)), (text, value)


def test_a_minus_sign_is_no_options_alone(choices: list[Case], table: TruthTable) -> None:
    for case in choices:
        truth = table.truth(case)
        assert truth.options is not None
        values = list(truth.options.values())
        if case.quantity not in ("zero", "infinity", "i"):  # where an answer of zero leaves no choice
            assert sum(value.startswith("-") for value in values) in (0, 2, 4), (case, values)


# Where they stand


def _places(case: Case, truth_table: TruthTable) -> tuple[str, str]:
    truth = truth_table.truth(case)
    assert truth.options is not None
    return letter_of(dict(truth.options), truth.expected), letter_of(dict(truth.options), truth.default or "")


def test_twelve_pairs_are_dealt_over_every_cell(choices: list[Case], table: TruthTable) -> None:
    cells: dict[tuple[str, str, str], list[tuple[str, str]]] = defaultdict(list)
    for case in choices:
        if not case.is_neutral:
            cells[case.task, case.redefinition, case.question].append(_places(case, table))
    assert len(cells) == 3 * 6 + 3 * 4
    for cell, pairs in cells.items():
        right = Counter(first for first, _ in pairs)
        assert max(right.values()) - min(right.values()) <= 2, cell
        if cell[1] != "nr":
            assert len(set(pairs)) == 12, cell
            assert max(Counter(pairs).values()) == 2, cell
    everywhere = Counter(first for pairs in cells.values() for first, _ in pairs)
    assert max(everywhere.values()) / min(everywhere.values()) < 1.2


def test_the_deal_does_not_hang_on_what_is_selected(
    catalogue: Catalogue, answers: Answers, choices: list[Case], layouts: Layouts
) -> None:
    alone = Layouts(answers)
    for case in choices[::-7]:
        assert alone.options(case) == layouts.options(case)


def test_promptings_samples_and_neutral_controls_share_the_layout(choices: list[Case], layouts: Layouts) -> None:
    for case in choices[::5]:
        options = layouts.options(case)
        assert layouts.options(replace(case, prompting="cot", sample=3)) == options
        if case.is_neutral:
            assert layouts.options(replace(case, redefinition=case.level)) == options


@given(data=st.data())
def test_four_turns_put_every_option_under_every_letter(
    data: st.DataObject, layouts: Layouts, choices: list[Case]
) -> None:
    case = data.draw(st.sampled_from(choices))
    turned = [layouts.options(replace(case, rotation=turn)) for turn in range(4)]
    for letter in LETTERS:
        assert sorted(options[letter] for options in turned) == sorted(turned[0].values())
    assert [letter_of(options, turned[0]["A"]) for options in turned] == list(LETTERS)


def test_options_are_the_same_in_every_process(layouts: Layouts, choices: list[Case], cache: object) -> None:
    program = f"""
import pathlib
from pytest_redefine.cases.answers import Answers
from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.options import Layouts
catalogue = Catalogue.load()
layouts = Layouts(Answers(catalogue, pathlib.Path({str(cache)!r})))
print([list(layouts.options(case).items()) for case in catalogue.cases("constants", formats=["mc"])])
"""
    wanted = [
        list(layouts.options(case).items()) for case in choices if case.task == "constants" and not case.is_neutral
    ]
    for seed in ("1", "2"):
        environment = {"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60, check=True
        )
        assert done.stdout.strip() == str(wanted)


# How they are written


@pytest.mark.parametrize(
    ("values", "unit", "texts"),
    [
        (["1500", "9.42477796076938", "500", "13.5"], "", ["1500", "9.425", "500.0", "13.50"]),
        (["0.006", "1500", "-30", "0"], "cm", ["0.006000 cm", "1500 cm", "-30.00 cm", "0.000 cm"]),
        (["30000", "0", "3", "-9.9996"], "", ["3.000 × 10⁴", "0.000 × 10⁰", "3.000 × 10⁰", "-1.000 × 10¹"]),
        (["999.96", "1", "2", "3"], "", ["1000", "1.000", "2.000", "3.000"]),
        (["9999.6", "1", "2", "3"], "", ["1.000 × 10⁴", "1.000 × 10⁰", "2.000 × 10⁰", "3.000 × 10⁰"]),
        (["oo", "-oo", "1e10", "-1e10"], "", ["∞", "-∞", "1.000 × 10¹⁰", "-1.000 × 10¹⁰"]),
        (["0-1*I", "1", "-2", "3+4*I"], "", ["0.000 - 1.000i", "1.000 + 0.000i", "-2.000 + 0.000i", "3.000 + 4.000i"]),
        (
            ["0+100000*I", "0-1*I", "1", "2"],
            "",
            [
                "0.000 × 10⁰ + (1.000 × 10⁵)i",
                "0.000 × 10⁰ - (1.000 × 10⁰)i",
                "1.000 × 10⁰ + (0.000 × 10⁰)i",
                "2.000 × 10⁰ + (0.000 × 10⁰)i",
            ],
        ),
        (
            ["4.14e-34", "1", "2", "3"],
            "J*s",
            ["4.140 × 10⁻³⁴ J·s", "1.000 × 10⁰ J·s", "2.000 × 10⁰ J·s", "3.000 × 10⁰ J·s"],
        ),
    ],
)
def test_writing(values: list[str], unit: str, texts: list[str]) -> None:
    assert option_texts(values, "number", unit) == texts


def test_digits_are_written_as_digits() -> None:
    assert option_texts(["1", "5", "3", "9"], "digit", "") == ["1", "5", "3", "9"]
