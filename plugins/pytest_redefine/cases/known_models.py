"""Models that have a short name: what they are called by LiteLLM, of what family and how large, what they cost."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from .data import Table, fixtures_folder, read_toml

_KEYS: Final = ("name", "also", "family", "size_b", "size", "size_source", "paper",
                "usd_per_million_in", "usd_per_million_out")  # fmt: skip


@dataclass(frozen=True, slots=True)
class KnownModel:
    """One table of ``models.toml``."""

    alias: str
    """The table's name: what ``--model`` takes and a test's id ends in."""
    name: str
    """LiteLLM's, or ``local/...``: what stands in keys and records."""
    also: tuple[str, ...] = ()
    """Other names of the same weights."""
    family: str | None = None
    size_b: float | None = None
    """Billions of parameters, all experts together; None where they are not published."""
    size: str = ""
    """How the size is written where it is not a plain number of billions: ``8x7``."""
    size_source: str = ""
    paper: str = ""
    """What the paper calls it; empty for all but its 19."""
    usd_per_million: tuple[float, float] | None = None
    """Tokens in and out; None where the price is left to LiteLLM's list."""

    @property
    def size_shown(self) -> str:
        """``8x7``, ``70``, ``0.135``; empty where the size is not known."""
        return self.size or ("" if self.size_b is None else f"{self.size_b:g}")


@dataclass(frozen=True, slots=True)
class KnownModels:
    """All of them, by alias."""

    by_alias: Mapping[str, KnownModel] = field(default_factory=dict)

    @classmethod
    def load(cls, own: Path | None = None) -> KnownModels:
        """Read the project's file and then a user's, whose tables take the place of ours of the same name.

        Raises:
            DataError: A file cannot be read or holds a mistake.
        """
        files = [fixtures_folder() / "models.toml", *([own] if own is not None else [])]
        found: dict[str, KnownModel] = {}
        for path in files:
            found.update(_read(path))
        return cls(found)

    def of_name(self) -> dict[str, KnownModel]:
        """The models by every name they go by: in full, and without the provider (another may serve the same weights).

        Where two tables share a name, the later one counts, and a full name before one without its provider.
        """
        models = list(self.by_alias.values())
        names = [(name, model) for model in models for name in (model.name, *model.also)]
        bare = {name.partition("/")[2]: model for name, model in names if not name.startswith(("local/", "sim/"))}
        bare.pop("", None)
        return {**bare, **dict(names)}

    def find(self, name: str) -> KnownModel | None:
        """The model of a name, whoever serves it; None where it is not known."""
        names = self.of_name()
        return names.get(name) or names.get(name.partition("/")[2] or name)

    def prices(self) -> dict[str, tuple[float, float]]:
        """US dollars a million tokens in and out, by full name, of those that state a price."""
        models = self.by_alias.values()
        return {model.name: model.usd_per_million for model in models if model.usd_per_million is not None}


def _read(path: Path) -> dict[str, KnownModel]:
    file = read_toml(path)
    found: dict[str, KnownModel] = {}
    for alias, value in file.values.items():
        if alias in ("schema", "canary"):
            continue
        if not isinstance(value, dict):
            raise file.error(alias, 'a table is needed, e.g. ["my-model"] and name = "openai/my-model" below it')
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", alias):
            raise file.error(alias, "a short name is made of letters, digits and . _ - alone; the full one is its name")
        clash = next((other for other in found if other.lower() == alias.lower()), None)
        if clash is not None:
            raise file.error(alias, f"differs from {clash} in capitals only; tests' ids could not tell them apart")
        found[alias] = _model(alias, file.table(alias))
    return found


def _model(alias: str, table: Table) -> KnownModel:
    name = table.string("name")
    table.only(_KEYS)
    for one, key in ((name, "name"), *((other, "also") for other in table.strings("also"))):
        if re.search(r"[\s,]", one):
            raise table.error(key, f"{one!r} is no model's name: write e.g. openai/gpt-4o")
    size = table.number("size_b")
    if size is not None and size <= 0:
        raise table.error("size_b", f"billions of parameters, more than 0, are needed, not {size:g}")
    prices = (table.number("usd_per_million_in"), table.number("usd_per_million_out"))
    for key, price in zip(("usd_per_million_in", "usd_per_million_out"), prices, strict=True):
        if price is None and prices != (None, None):
            raise table.error(key, "is missing: a price has both, for tokens in and out")
        if price is not None and price < 0:
            raise table.error(key, f"a price is not below 0: {price:g}")
    return KnownModel(
        alias=alias,
        name=name,
        also=table.strings("also"),
        family=table.string("family", "") or None,
        size_b=size,
        size=table.string("size", ""),
        size_source=table.string("size_source", table.file if size is not None else ""),
        paper=table.string("paper", ""),
        usd_per_million=None if prices[0] is None or prices[1] is None else (prices[0], prices[1]),
    )
