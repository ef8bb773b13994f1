from __future__ import annotations

from pathlib import Path

import pytest

from pytest_redefine.cases.data import DataError
from pytest_redefine.cases.prompts import Prompts, placeholders

# Each: what to replace, by what, the key that the error names, what it says.
MISTAKES = {
    "value missing": (
        "as {value}.",
        "anew.",
        "redefinition.assignment",
        "the placeholder {value} is missing",
    ),
    "name missing": (
        "Redefine {name} as {value}",
        "Let it be {value}",
        "redefinition.assignment",
        "the placeholder {name} or {symbol} or {noun} is missing",
    ),
    "other missing": (
        "as {other}.",
        "anew.",
        "redefinition.swap",
        "the placeholder {other} or {other_symbol}",
    ),
    "value of a unit missing": (
        'unit = "Redefine {name} as {value}."',
        'unit = "Redefine {name}."',
        "redefinition.unit",
        "the placeholder {value} is missing",
    ),
    "plural of a constant": (
        'assignment = "Redefine {name}',
        'assignment = "Redefine {plural}',
        "redefinition.assignment",
        "unknown placeholder {plural}",
    ),
    "options missing": (
        "{question}\n{options}\n\n{ending}",
        "{question}\n\n{ending}",
        "layout.zs",
        "the placeholder {options} is missing",
    ),
    "letter missing": ("{letter}: {option}", "- {option}", "option.mc", "the placeholder {letter} is missing"),
    "examples missing": ("{examples}\n", "\n", "layout.fs", "the placeholder {examples} is missing"),
    "examples of zero shot": (
        'zs = """\n',
        'zs = """\n{examples}\n',
        "layout.zs",
        "unknown placeholder {examples}",
    ),
    "answer missing": (
        "{question}\n{marker} {answer}",
        "{question}\n{marker}",
        "example.ff",
        "the placeholder {answer} is missing",
    ),
    "value in a swap": (
        "as {other}.",
        "as {other}, {value}.",
        "redefinition.swap",
        "unknown placeholder {value}",
    ),
    "marker missing": ('\\"{marker}\\"', "The answer:", "ending.ff", "the placeholder {marker} is missing"),
    "question missing": (
        "\n\n{question}\n{options}\n\n",
        "\n\n{options}\n\n",
        "layout.zs",
        "the placeholder {question} is missing",
    ),
    "unknown": ("\n\n{question}", "\n\n{question} {hint}", "layout.zs", "unknown placeholder {hint}"),
    "attribute": (
        "\n\n{question}",
        "\n\n{question.__class__}",
        "layout.zs",
        "unknown placeholder {question.__class__}",
    ),
    "position": ("\n\n{question}", "\n\n{question}{}", "layout.zs", "unknown placeholder {}"),
    "format": ("\n\n{question}", "\n\n{question:>99}", "layout.zs", "{question} holds more than a name"),
    "conversion": ("\n\n{question}", "\n\n{question!r}", "layout.zs", "{question} holds more than a name"),
    "brace": ("\n\n{question}", "\n\n{question", "layout.zs", "a brace itself is written"),
    "no template": ("zs = ", "sz = ", "layout.zs", "is missing"),
    "further template": (
        "[layout]\n",
        '[layout]\nxy = "{question}"\n',
        "layout.xy",
        "unknown key; known are zs, fs, cot",
    ),
    "further section": ("[layout]\n", "[outlay]\n", "outlay", "unknown key"),
    "marker of lines": ('marker = "The final', 'marker = "\\nThe final', "marker", "is one line"),
    "no text": ('ff = "Answer this question."', 'ff = ""', "instruction.ff", "a non-empty string is needed"),
}


@pytest.mark.parametrize(("old", "new", "key", "problem"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_named(old: str, new: str, key: str, problem: str, own_folder: Path) -> None:
    file = own_folder / "prompts.toml"
    text = file.read_text()
    head, body = text.split("schema = 1", 1)  # the comment above speaks of placeholders too
    assert old in body
    file.write_text(head + "schema = 1" + body.replace(old, new, 1))
    with pytest.raises(DataError) as caught:
        Prompts.load(file)
    assert (caught.value.file, caught.value.key) == ("prompts.toml", key)
    assert problem in caught.value.problem


def test_a_user_may_word_it_by_the_symbol(own_folder: Path) -> None:
    file = own_folder / "prompts.toml"
    text = file.read_text().replace("Redefine {name} as {value}.", "{symbol} := {value}")
    file.write_text(text.replace("Redefine {name} as {other}.", "{symbol} := {other_symbol}"))
    assert Prompts.load(file).redefinition == {
        "assignment": "{symbol} := {value}",
        "swap": "{symbol} := {other_symbol}",
        "unit": "{symbol} := {value}",
        "neutral": "Let {name} be {value}.",
    }


def test_placeholders_know_doubled_braces() -> None:
    assert placeholders("{a} {{b}} {c}{a}") == ("a", "c", "a")


def test_the_marker_is_the_one_of_the_protocol(prompts: Prompts) -> None:
    assert prompts.marker == "The final answer is:"
