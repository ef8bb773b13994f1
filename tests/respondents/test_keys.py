from __future__ import annotations

import pytest

from pytest_redefine.cases.known_models import KnownModels
from pytest_redefine.respondents.callers.litellm_api import import_litellm
from pytest_redefine.respondents.keys import KEYS, OWN_SERVERS, key_state


@pytest.mark.filterwarnings(r"ignore:::(pydantic|litellm|openai|httpx|aiohttp)\b.*")
def test_the_variables_are_those_that_litellm_looks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    for names in KEYS.values():
        for name in "|".join(names).split("|"):
            monkeypatch.delenv(name, raising=False)
    litellm = import_litellm()
    for provider, names in KEYS.items():
        if provider not in (*OWN_SERVERS, "custom_openai"):  # LiteLLM asks for none there
            missing = litellm.validate_environment(f"{provider}/x")["missing_keys"]
            assert set(missing) == set("|".join(names).split("|")), provider


def test_every_known_model_s_provider_is_among_them() -> None:
    states = {model.alias: key_state(model.name, {}) for model in KnownModels.load().by_alias.values()}
    assert "?" not in states.values()


@pytest.mark.parametrize(
    ("model", "environment", "state"),
    [
        ("openai/gpt-4o", {"OPENAI_API_KEY": "sk-1"}, "OPENAI_API_KEY set"),
        ("openai/gpt-4o", {"OPENAI_API_KEY": ""}, "OPENAI_API_KEY not set"),
        ("bedrock/x", {"AWS_ACCESS_KEY_ID": "a"}, "AWS_SECRET_ACCESS_KEY not set"),
        ("gemini/x", {"GOOGLE_API_KEY": "a"}, "GOOGLE_API_KEY set"),
        ("gemini/x", {}, "GEMINI_API_KEY not set"),
        ("local/smollm2-135m", {}, "none needed"),
        ("sim/adopts", {}, "none needed"),
        ("hosted_vllm/x", {}, "none needed"),
        ("gpt-4o", {}, "?"),
        ("nobody/x", {}, "?"),
    ],
)
def test_a_key_is_named_and_never_shown(model: str, environment: dict[str, str], state: str) -> None:
    assert key_state(model, environment) == state
