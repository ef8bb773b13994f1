from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_redefine.cases.known_models import KnownModels
from pytest_redefine.respondents.prices import FREE, Price, PriceList


def test_litellm_s_own_list_is_read_without_importing_litellm() -> None:
    code = (
        "import sys; from pytest_redefine.respondents.prices import PriceList; prices = PriceList();"
        "price = prices.price('openai/gpt-4o');"
        "print(price, prices.price('gpt-4o') == price, 'litellm' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["Price(prompt=2.5e-06,", "completion=1e-05)", "True", "False"]


@pytest.mark.parametrize("model", ["sim/adopts", "local/smollm2-135m", "local/models/any.gguf"])
def test_simulated_and_local_models_are_free_without_a_look_at_the_list(model: str) -> None:
    assert PriceList(Path("/nowhere")).price(model) == FREE


ENTRIES: dict[str, Any] = {
    "gpt-x": {"input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6, "litellm_provider": "openai"},
    "azure/gpt-x": {"input_cost_per_token": 3e-6, "output_cost_per_token": 4e-6, "litellm_provider": "azure"},
    "gemini-x": {
        "input_cost_per_token": 1,
        "output_cost_per_token": 1,
        "litellm_provider": "vertex_ai-language-models",
    },
    "half": {"input_cost_per_token": 1e-6, "litellm_provider": "openai"},
    "words": {"input_cost_per_token": "1e-6", "output_cost_per_token": "x", "litellm_provider": "openai"},
    "none": None,
}


@pytest.mark.parametrize(
    ("model", "price"),
    [
        ("openai/gpt-x", Price(1e-6, 2e-6)),
        ("gpt-x", Price(1e-6, 2e-6)),
        ("azure/gpt-x", Price(3e-6, 4e-6)),
        ("vertex_ai/gemini-x", Price(1, 1)),
        ("hosted_vllm/gpt-x", None),  # a server of one's own is no server of OpenAI's
        ("openai/half", None),
        ("openai/words", None),
        ("openai/none", None),
        ("nobody/nothing", None),
        ("nothing", None),
    ],
)
def test_a_model_s_price_is_its_provider_s(tmp_path: Path, model: str, price: Price | None) -> None:
    path = tmp_path / "prices.json"
    path.write_text(json.dumps(ENTRIES))
    assert PriceList(path).price(model) == price


def test_a_stated_price_goes_before_the_list_s(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_text(json.dumps(ENTRIES))
    prices = PriceList(path, known={"openai/gpt-x": (5.0, 6.0), "me/mine": (0.0, 1.0)})
    assert prices.price("openai/gpt-x") == prices.stated("openai/gpt-x") == Price(5e-6, 6e-6)
    assert prices.price("me/mine") == Price(0.0, 1e-6)
    assert prices.price("gpt-x") == Price(1e-6, 2e-6)
    assert prices.stated("gpt-x") is None


def test_our_file_states_no_price_that_litellm_s_list_has() -> None:
    listed = PriceList()
    assert [name for name in KnownModels.load().prices() if listed.price(name) is not None] == []


@pytest.mark.parametrize("content", ["", "[]", "no json"])
def test_without_a_readable_list_no_price_is_known(tmp_path: Path, content: str) -> None:
    path = tmp_path / "prices.json"
    path.write_text(content)
    assert PriceList(path).price("openai/gpt-4o") is None
    assert PriceList(tmp_path / "missing.json").price("openai/gpt-4o") is None


def test_a_price_by_tokens() -> None:
    assert Price(2.0, 3.0).usd(5, 7) == 31.0
