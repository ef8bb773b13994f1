"""What family a model is of and how large it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pytest_redefine.cases.known_models import KnownModels
from pytest_redefine.cases.published import Published

# "llama-3.1-8b-instruct", "smollm2-135m.Q8_0"; not the 7b of "8x7b", which says nothing of the total.
_SIZE: Final = re.compile(r"(?<![\w.])(\d{1,4}(?:\.\d{1,2})?)\s?([bBmMtT])(?![A-Za-z0-9])")


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """Family and size; None where not known."""

    family: str | None
    size_b: float | None
    """Billions of parameters."""
    source: str = ""
    """Where the size is from: ``the paper``, ``its makers``, ``its name``, ``models.toml``."""


def known_facts(known: KnownModels) -> dict[str, ModelFacts]:
    """The facts of known models, by every name they go by; see :meth:`KnownModels.of_name`."""
    return {name: ModelFacts(model.family, model.size_b, model.size_source) for name, model in known.of_name().items()}


def facts_of(model: str, published: Published, known: Mapping[str, ModelFacts] | None = None) -> ModelFacts:
    """What is known of a model, or can be read off its name.

    Args:
        model: As it was asked for (``bedrock/meta.llama3-1-70b-instruct-v1:0``).
        published: The paper's models.
        known: Of models by name, with or without a provider.
    """
    if known:
        served = "" if model.startswith(("sim/", "local/")) else model.partition("/")[2]
        found = known.get(model) or known.get(served)
        if found is not None:
            return found
    paper = published.model_of(model)
    if paper is not None:
        return ModelFacts(paper.family, paper.size_b, paper.size_source)
    if model.startswith("sim/"):
        return ModelFacts(None, None)
    name = re.sub(r"\.gguf$", "", model.rstrip("/").rsplit("/", 1)[-1], flags=re.IGNORECASE)
    stated = _SIZE.search(re.sub(r"[-_:]", " ", name))
    if stated is None:
        return ModelFacts(None, None)
    size = float(stated[1]) * {"b": 1.0, "m": 0.001, "t": 1000.0}[stated[2].lower()]
    family = name[: stated.start()].strip(" -_:.").lower()
    return ModelFacts(family or None, size, "its name")
