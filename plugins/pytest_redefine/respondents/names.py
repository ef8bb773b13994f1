"""A respondent's name: what kind it is and how it is called in a test's id."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from pytest_redefine.cases.known_models import KnownModels
from pytest_redefine.respondents.errors import RespondentUnavailable

Kind = Literal["local", "sim", "litellm"]

DEFAULT_MODEL = "local/smollm2-135m"


@dataclass(frozen=True, slots=True)
class ModelName:
    """``--model``, and what follows from it."""

    full: str
    """As it was typed; of a known model's short name, the full one."""
    kind: Kind
    short: str
    """Ends the test's id: a known model's short name as typed, else the last path segment, or a GGUF's stem, in
    ``[A-Za-z0-9._-]``."""


def parse_model(name: str, known: KnownModels | None = None) -> ModelName:
    """Read one name.

    Args:
        name: As it was typed.
        known: Those that have a short name.

    Raises:
        RespondentUnavailable: the name is empty or holds white space.
    """
    if not name or name != name.strip() or re.search(r"\s", name):
        raise RespondentUnavailable(
            f"--model={name!r} is no model's name: write e.g. --model={DEFAULT_MODEL}, --model=sim/adopts "
            "or --model=openai/gpt-4o"
        )
    alias = known.by_alias.get(name) if known is not None else None
    if alias is not None:
        return replace(parse_model(alias.name), short=alias.alias)
    prefix, _, rest = name.partition("/")
    kind: Kind = "local" if prefix == "local" and rest else "sim" if prefix == "sim" and rest else "litellm"
    last = name.rstrip("/").rsplit("/", 1)[-1]
    if kind == "local":
        last = re.sub(r"\.gguf$", "", last, flags=re.IGNORECASE)
    short = re.sub(r"[^A-Za-z0-9._-]+", "-", last).strip("-") or "model"
    return ModelName(name, kind, short)


def parse_models(typed: list[str], known: KnownModels | None = None) -> list[ModelName]:
    """Read all ``--model`` values: repeatable, comma-separated, each model once, whatever it is called by.

    Raises:
        RespondentUnavailable: a name is bad, or two of them have the same short name.
    """
    names = list(dict.fromkeys(part for value in typed for part in value.split(",")))
    models: dict[str, ModelName] = {}
    for name in names:
        model = parse_model(name, known)
        models.setdefault(model.full, model)  # typed by its short name and in full: the first one counts
    by_short: dict[str, ModelName] = {}
    for model in models.values():
        other = by_short.setdefault(model.short.lower(), model)
        if other is not model:
            raise RespondentUnavailable(
                f"--model: {other.full} and {model.full} would share the short name {model.short!r} in the tests' ids; "
                "run them one at a time"
            )
    return list(models.values())
