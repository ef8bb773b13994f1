from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_redefine.cases.known_models import KnownModels
from pytest_redefine.respondents.errors import RespondentUnavailable
from pytest_redefine.respondents.names import parse_model, parse_models


@pytest.mark.parametrize(
    ("name", "kind", "short"),
    [
        ("local/smollm2-135m", "local", "smollm2-135m"),
        ("local//data/models/Qwen3-0.6B-Q8_0.gguf", "local", "Qwen3-0.6B-Q8_0"),
        ("local/x.GGUF", "local", "x"),
        ("sim/adopts", "sim", "adopts"),
        ("gpt-4o", "litellm", "gpt-4o"),
        ("bedrock/anthropic.claude-v2:1", "litellm", "anthropic.claude-v2-1"),
        ("hosted_vllm/org/model.gguf", "litellm", "model.gguf"),
        ("openrouter/a/b/", "litellm", "b"),
        ("local", "litellm", "local"),
        ("sim/", "litellm", "sim"),
        ("openai/模型", "litellm", "model"),
    ],
)
def test_kind_and_short_name(name: str, kind: str, short: str) -> None:
    model = parse_model(name)
    assert (model.full, model.kind, model.short) == (name, kind, short)


@given(st.text(st.characters(codec=None), min_size=1))
def test_a_short_name_fits_into_a_test_id_whatever_was_typed(name: str) -> None:
    try:
        model = parse_model(name)
    except RespondentUnavailable:
        assert re.search(r"\s", name)
    else:
        assert re.fullmatch(r"[A-Za-z0-9._-]+", model.short)


@pytest.mark.parametrize("name", ["", " gpt-4o", "gpt 4o", "gpt-4o\n"])
def test_what_is_no_name_is_told(name: str) -> None:
    with pytest.raises(RespondentUnavailable, match=r"is no model's name: write e\.g\. --model=") as caught:
        parse_model(name)
    assert "\n" not in str(caught.value)


def test_names_come_repeated_or_separated_by_commas_and_each_once() -> None:
    models = parse_models(["sim/adopts,gpt-4o", "sim/anchors", "gpt-4o"])
    assert [model.full for model in models] == ["sim/adopts", "gpt-4o", "sim/anchors"]


def test_a_short_name_stands_for_the_full_one_and_ends_the_ids() -> None:
    known = KnownModels.load()
    model = parse_model("llama-3.1-8b", known)
    assert (model.full, model.kind, model.short) == (
        "huggingface/meta-llama/Llama-3.1-8B-Instruct",
        "litellm",
        "llama-3.1-8b",
    )
    assert parse_model("smollm2-135m", known).kind == "local"
    assert parse_model("Llama-3.1-8B", known).full == "Llama-3.1-8B"  # as typed: it may be another's


def test_a_model_that_is_typed_by_both_names_is_asked_once() -> None:
    known = KnownModels.load()
    assert [model.full for model in parse_models(["gpt-4o,openai/gpt-4o", "sim/adopts"], known)] == [
        "openai/gpt-4o",
        "sim/adopts",
    ]


def test_every_known_model_can_be_typed_beside_the_others() -> None:
    known = KnownModels.load()
    models = parse_models(list(known.by_alias), known)
    assert [model.short for model in models] == list(known.by_alias)


def test_a_comma_too_many_is_told() -> None:
    with pytest.raises(RespondentUnavailable, match="--model=''"):
        parse_models(["gpt-4o,"])


def test_equal_short_names_are_told_whatever_their_case() -> None:
    with pytest.raises(RespondentUnavailable, match=r"openai/GPT-4o and azure/gpt-4o would share .*one at a time"):
        parse_models(["openai/GPT-4o", "azure/gpt-4o"])
