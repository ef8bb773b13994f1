"""``pytest-redefine models``: the models that have a short name, what they cost, and whether they can be asked."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Final

from pytest_redefine.commands import CommandError

_DESCRIPTION: Final = """\
List the models that have a short name for --model: the full name, family, size in billions of parameters, US dollars a
million tokens in and out, and whether the key is set (the variable's name; its value is never shown).
Any other model of LiteLLM's is asked by its full name."""

_EPILOG: Final = """\
- stands for what is not published, and for a price that is not known.

examples:
  $ pytest-redefine models
  $ pytest-redefine models --models-file=mine.toml

exit status: 0; 2 where the file cannot be read or holds a mistake"""

_TITLES: Final = ("short", "name", "family", "size", "$/M in", "out", "key")
_RIGHT: Final = (3, 4, 5)


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument(
        "--models-file", metavar="PATH", type=Path, help="models of your own, in the form of fixtures/models.toml"
    )


def run(args: argparse.Namespace) -> int:
    """Read, and list."""
    from pytest_redefine.cases.data import DataError
    from pytest_redefine.cases.known_models import KnownModels
    from pytest_redefine.respondents.keys import key_state
    from pytest_redefine.respondents.prices import PriceList

    try:
        known = KnownModels.load(args.models_file)
    except DataError as error:
        raise CommandError(str(error)) from None
    prices = PriceList(known=known.prices())
    rows = [_TITLES]
    for model in known.by_alias.values():
        price = prices.price(model.name)
        into, out = ("-", "-") if price is None else (f"{cost * 1e6:.4g}" for cost in (price.prompt, price.completion))
        key = key_state(model.name, os.environ)
        rows.append((model.alias, model.name, model.family or "-", model.size_shown or "-", into, out, key))
    widths = [max(len(row[column]) for row in rows) for column in range(len(_TITLES))]
    for row in rows:
        cells = [
            text.rjust(width) if column in _RIGHT else text.ljust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        sys.stdout.write("  ".join(cells).rstrip() + "\n")
    return 0
