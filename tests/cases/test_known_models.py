from __future__ import annotations

import csv
from pathlib import Path

import pytest

from pytest_redefine.cases.data import DataError, fixtures_folder
from pytest_redefine.cases.known_models import KnownModels

OURS = KnownModels.load()


def own(folder: Path, content: str) -> Path:
    """A file of a user's."""
    path = folder / "mine.toml"
    path.write_text("schema = 1\n" + content)
    return path


def test_the_paper_s_models_are_those_of_its_tables() -> None:
    with (fixtures_folder() / "published" / "models.csv").open(newline="") as file:
        listed = [line["model"] for line in csv.DictReader(file)]
    assert sorted(model.paper for model in OURS.by_alias.values() if model.paper) == sorted(listed)
    assert len(listed) == 19


def test_sizes_of_the_paper_s_models_are_those_that_it_states() -> None:
    sizes = {model.paper: model.size_shown for model in OURS.by_alias.values() if model.paper and model.size_b}
    assert sizes == {
        "Mistral7B": "7",
        "Mixtral8x7B": "8x7",
        "Mistral Large": "123",
        "Llama8B": "8",
        "Llama70B": "70",
        "Llama405B": "405",
    }


def test_a_size_says_where_it_is_from() -> None:
    for model in OURS.by_alias.values():
        assert (model.size_b is None) == (model.size_source == "")


def test_no_two_tables_share_a_name() -> None:
    names = [name for model in OURS.by_alias.values() for name in (model.name, *model.also)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("name", "alias"),
    [
        ("openai/gpt-4o", "gpt-4o"),
        ("gpt-4o", "gpt-4o"),
        ("hosted_vllm/meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b"),
        ("bedrock/meta.llama3-1-8b-instruct-v1:0", "llama-3.1-8b"),
        ("local/smollm2-135m", "smollm2-135m"),
        ("openai/smollm2-135m", None),
        ("sim/adopts", None),
        ("nobody/nothing", None),
    ],
)
def test_a_model_is_known_whoever_serves_it(name: str, alias: str | None) -> None:
    found = OURS.find(name)
    assert (found.alias if found else None) == alias


def test_a_file_of_ones_own_adds_and_replaces(tmp_path: Path) -> None:
    path = own(
        tmp_path,
        """["my-7b"]
name = "hosted_vllm/me/my-7b"
size_b = 7
usd_per_million_in = 0.5
usd_per_million_out = 1
["gpt-4o"]
name = "azure/my-deployment"
""",
    )
    known = KnownModels.load(path)
    assert len(known.by_alias) == len(OURS.by_alias) + 1
    assert known.by_alias["gpt-4o"].name == "azure/my-deployment"
    assert known.by_alias["my-7b"].size_source == "mine.toml"
    assert known.prices() == {"hosted_vllm/me/my-7b": (0.5, 1.0)}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('["a.b"]\nfamily = "x"', "mine.toml:2: a.b.name: is missing"),
        ('["a.b"]\nname = "x/y"\nsize = 7', "mine.toml:4: a.b.size: a non-empty string is needed, not 7"),
        ('["a.b"]\nname = "x/y"\nsize_b = "7"', "mine.toml:4: a.b.size_b: a number is needed, not '7'"),
        ('["a.b"]\nname = "x/y"\nsize_b = -7', "mine.toml:4: a.b.size_b: billions of parameters, more than 0"),
        ('["a.b"]\nname = "x/y"\nsize_b = nan', "mine.toml:4: a.b.size_b: a number is needed"),
        ('["a.b"]\nname = "x y"', "mine.toml:3: a.b.name: 'x y' is no model's name"),
        ('["a.b"]\nname = "x/y"\nsise = 7', "mine.toml:4: a.b.sise: unknown key; known are name, also"),
        ('["a.b"]\nname = "x/y"\nusd_per_million_in = 1', "a.b.usd_per_million_out: is missing: a price has both"),
        (
            '["a.b"]\nname = "x/y"\nusd_per_million_in = 1\nusd_per_million_out = -1',
            "mine.toml:5: a.b.usd_per_million_out: a price is not below 0",
        ),
        ('["openai/x"]\nname = "x/y"', "mine.toml:2: openai/x: a short name is made of letters"),
        ('["A"]\nname = "x/y"\n["a"]\nname = "x/z"', "mine.toml:4: a: differs from A in capitals only"),
        ('a = "x/y"', "mine.toml:2: a: a table is needed"),
        ('[a.b]\nname = "x/y"', "a.name: is missing"),
    ],
)
def test_a_mistake_is_one_line_with_file_key_and_problem(tmp_path: Path, content: str, told: str) -> None:
    with pytest.raises(DataError) as caught:
        KnownModels.load(own(tmp_path, content))
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
