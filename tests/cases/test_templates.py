from __future__ import annotations

from pathlib import Path

import pytest

from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.data import DataError
from pytest_redefine.cases.templates import Templates

CATALOGUE = Catalogue.load()
TEXT = (Path(__file__).parents[2] / "fixtures" / "fresh.toml").read_text(encoding="utf-8")


def test_every_constant_has_names_and_every_quantity_questions() -> None:
    templates = Templates.load(CATALOGUE)
    for quantity in [one for task in CATALOGUE.tasks.values() for one in task.values()]:
        assert len(templates.names_of(quantity)) >= 2
        fitting = templates.of(quantity).values()
        assert {template.steps for template in fitting} >= {1, 2, 3}
        for template in fitting:
            for name in templates.names_of(quantity):
                question = templates.question(quantity, name, template, dict.fromkeys(template.operands, "7"))
                assert name in question.text
                assert "{" not in question.text + question.answer
                assert ("SI units" in question.text) is bool(quantity.unit)


def test_a_sum_is_asked_of_bare_constants_alone() -> None:
    templates = Templates.load(CATALOGUE)
    assert "plus" in templates.of(CATALOGUE.tasks["constants"]["pi"])
    assert "plus" not in templates.of(CATALOGUE.tasks["constants"]["h"])


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('answer = "{a}*x"', 'answer = "{b}*x"', "times.answer: unknown placeholder {b}"),
        ('answer = "{a}*x"', 'answer = "open({a})"', "times.answer: unknown call"),
        ('text = "How much is {x} times {a}?"', 'text = "How much is {y}?"', "times.text: unknown placeholder {y}"),
        ("a = [2, 40]", "a = [40, 2]", "a: two whole numbers"),
        ("a = [2, 40]", 'a = ["2", 40]', "a: two whole numbers"),
        ("steps = 0", "steps = 4", "value.steps: a whole number from 0 to 3"),
        ('asks = "derived"', 'asks = "minutes"', "asks: 'minutes' is none of unit, derived"),
        ("power = 2", 'powr = "2"', "powr: unknown key"),
        ("pi = [", "tau = [", "tau: unknown key"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert old in TEXT
    (tmp_path / "fresh.toml").write_text(TEXT.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DataError) as error:
        Templates.load(CATALOGUE, tmp_path / "fresh.toml")
    assert told in str(error.value)
