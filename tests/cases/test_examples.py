"""Few shot: the worked examples of every case."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.data import DataError
from pytest_redefine.cases.examples import Examples
from pytest_redefine.cases.model import Case
from pytest_redefine.cases.truths import TruthTable


@pytest.fixture(scope="module")
def examples(catalogue: Catalogue) -> Examples:
    return Examples.load(catalogue)


@pytest.fixture(scope="module")
def shot(everything: tuple[Case, ...]) -> list[Case]:
    return [case for case in everything if case.prompting == "fs"]


def test_every_case_finds_four_of_its_own_kind(shot: list[Case], examples: Examples) -> None:
    for case in shot:
        picked = examples.pick(case)
        assert len({one.quantity for one in picked}) == 4
        for one in picked:
            assert (one.task, one.format, one.prompting) == (case.task, case.format, "zs")
            assert one.is_control is case.is_control
            assert one.is_neutral is case.is_neutral
            assert one.redefinition.startswith("rs") is case.redefinition.startswith("rs")


def test_no_example_has_to_do_with_what_is_asked(shot: list[Case], examples: Examples, catalogue: Catalogue) -> None:
    for case in shot:
        asked = catalogue.quantity(case)
        for one in examples.pick(case):
            assert one.quantity != case.quantity
            if case.task != "constants":
                continue
            shown = catalogue.quantity(one)
            assert one.quantity not in {redefinition.other for redefinition in asked.redefinitions.values()}
            if case.redefinition.startswith("rs"):
                other = asked.redefinitions[case.redefinition].other
                assert shown.redefinitions[one.redefinition].other not in (case.quantity, other)


def test_no_example_speaks_of_a_related_unit(shot: list[Case], examples: Examples, catalogue: Catalogue) -> None:
    related = {"kW": "watt", "kg": "gram", "m": "metre", "ly": "metre", "V": "volt", "T": "tesla", "B": "byte|bit"}
    for case in shot:
        if case.quantity in related and case.task == "units":
            for one in examples.pick(case):
                text = catalogue.question(one).text
                assert not re.search(rf"({related[case.quantity]})", text), (case, text)
    minute = next(case for case in shot if case.word == "minute")
    assert all("minute" not in catalogue.question(one).answer for one in examples.pick(minute))


def test_a_neutral_name_means_one_thing_in_a_prompt(shot: list[Case], examples: Examples, catalogue: Catalogue) -> None:
    names = [quantity.neutral for task in catalogue.tasks.values() for quantity in task.values()]
    assert len(set(names)) == len(names) == 31
    for name in names:
        assert not [other for other in names if name != other and name in other]


def test_letters_are_balanced_in_every_prompt_and_place(shot: list[Case], table: TruthTable) -> None:
    last: Counter[str] = Counter()
    for case in shot:
        if case.format == "mc":
            text = table.messages(case)[0]["content"].split("The next one is yours.")[0]
            letters = re.findall(r"^The final answer is: ([A-D])$", text, re.MULTILINE)
            assert sorted(letters) == list("ABCD")
            last[letters[-1]] += 1
    assert max(last.values()) / min(last.values()) < 1.5


def test_the_answers_of_examples_follow_from_their_redefinitions(by_id: dict[str, Case], table: TruthTable) -> None:
    assert table.messages(by_id["pi-ra2-q2-ff-fs-s0"])[0]["content"].startswith(
        "Here are some questions, each answered the way it should be.\n\n"
        "Redefine the molar gas constant R as 13 J/(mol·K).\n"
        "How much is half of the molar gas constant R, in SI units?\n"
        "The final answer is: 6.5 J/(mol·K)\n\n"
        "Redefine the gravitational constant G as 50 m³/(kg·s²).\n"
        "Which non-zero digit comes first in the value of the gravitational constant G in SI units?\n"
        "The final answer is: 5\n\n"
    )
    assert table.messages(by_id["pi-nr-q2-ff-fs-s0"])[0]["content"].startswith(
        "Here are some questions, each answered the way it should be.\n\n"
        "How much is half of the molar gas constant R, in SI units?\n"
        "The final answer is: 4.157 J/(mol·K)\n\n"
    )
    assert (
        "Let one nibbet be 6 × 10⁸ bits.\nHow many bits are in 3 nibbets?\nThe final answer is: 1.8 × 10⁹ bit\n"
        in (table.messages(by_id["minute-neutral1-q1-ff-fs-s0"])[0]["content"])
    )


def test_nothing_asked_for_is_ever_in_an_example(shot: list[Case], table: TruthTable, catalogue: Catalogue) -> None:
    for case in shot:
        before, _, after = table.messages(case)[0]["content"].partition("The next one is yours.")
        assert catalogue.question(case).text not in before
        assert after.count("The final answer is:") == 1


MISTAKES = {
    "no quantity": ('quantity = "R", question = "q2"', 'quantity = "Q", question = "q2"', "ff.constants", "Q q2 is no"),
    "no question": ('quantity = "R", question = "q2"', 'quantity = "R", question = "q9"', "ff.constants", "R q9 is no"),
    "no assignment": ('assignment = "ra1"', 'assignment = "rs1"', "ff.constants", "rs1 is no assignment of R"),
    "no swap": ('swap = "rs2"', 'swap = "ra2"', "ff.constants", "ra2 is no swap of R"),
    "contested": ('quantity = "R", question = "q2"', 'quantity = "i", question = "q3"', "ff.constants", "is contested"),
    "not neutral": ('quantity = "R", question = "q2"', 'quantity = "R", question = "q3"', "ff.constants", "no neutral"),
    "count": ("count = 4", "count = 0", "count", "a number from 1 to 10 is needed"),
    "too many": ("count = 4", "count = 9", "ff.constants", "too few examples"),
    "no list": ("units = [", "units = 3\nothers = [", "ff.others", "unknown key"),
}


@pytest.mark.parametrize(("old", "new", "key", "problem"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_named(
    old: str, new: str, key: str, problem: str, own_folder: Path, catalogue: Catalogue, by_id: dict[str, Case]
) -> None:
    file = own_folder / "examples.toml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    with pytest.raises(DataError) as caught:
        Examples.load(catalogue, file).pick(by_id["pi-ra2-q2-ff-fs-s0"])
    assert (caught.value.file, caught.value.key) == ("examples.toml", key)
    assert problem in caught.value.problem
