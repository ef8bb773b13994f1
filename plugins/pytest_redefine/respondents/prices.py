"""What a model costs: LiteLLM's price list, read as the data file it is; importing LiteLLM would take seconds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

_FILE: Final = "model_prices_and_context_window_backup.json"
_MILLION: Final = 1e6


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars a token."""

    prompt: float
    completion: float

    def usd(self, prompt_tokens: int, completion_tokens: int) -> float:
        """What so many tokens cost."""
        return prompt_tokens * self.prompt + completion_tokens * self.completion


FREE: Final = Price(0.0, 0.0)


class PriceList:
    """Prices by LiteLLM name; read on first use."""

    def __init__(self, path: Path | None = None, known: Mapping[str, tuple[float, float]] | None = None) -> None:
        """Note where prices stand.

        Args:
            path: a file of LiteLLM's form; without one, that of the installed LiteLLM.
            known: US dollars a million tokens in and out by full name: those that go before the list's.
        """
        self._path = path
        self._known = {name: Price(into / _MILLION, out / _MILLION) for name, (into, out) in (known or {}).items()}
        self._entries: Mapping[str, Any] | None = None

    def price(self, model: str) -> Price | None:
        """The price of a model, None where it is not known; simulated and local ones are free."""
        prefix, _, rest = model.partition("/")
        if prefix in ("sim", "local") and rest:
            return FREE
        if model in self._known:
            return self._known[model]
        if self._entries is None:
            self._entries = self._read()
        # LiteLLM lists OpenAI's models, among others, without their provider's name. Another provider's model of that
        # name, or a server of one's own, has no such price.
        for name in (model, rest):
            entry = self._entries.get(name)
            if not isinstance(entry, Mapping):
                continue
            if name == model or str(entry.get("litellm_provider", "")).startswith(prefix):
                prompt, completion = entry.get("input_cost_per_token"), entry.get("output_cost_per_token")
                if isinstance(prompt, int | float) and isinstance(completion, int | float):
                    return Price(float(prompt), float(completion))
        return None

    def stated(self, model: str) -> Price | None:
        """The price that goes before the list's; None where there is none."""
        return self._known.get(model)

    def _read(self) -> Mapping[str, Any]:
        path = self._path
        if path is None:
            spec = find_spec("litellm")  # finds without importing
            places = list(spec.submodule_search_locations or ()) if spec else []
            if not places:
                return {}
            path = Path(places[0]) / _FILE
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return data if isinstance(data, dict) else {}
