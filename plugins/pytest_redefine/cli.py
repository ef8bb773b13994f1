"""``pytest-redefine COMMAND``: what is done without pytest. Each command is a module of ``commands/``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final, Protocol, cast

import pytest_redefine
from pytest_redefine.commands import CommandError

COMMANDS: Final = {
    "grade": "class answers: JSON lines in, the same lines with their outcomes out",
    "report": "one or several runs on a page, or as JSON, Markdown, CSV or Parquet",
    "compare": "what moved between two runs, by how much, and which cases",
    "merge": "the runs of shards as one run",
    "baseline": "accept a run as what later runs are compared with",
    "gate": "judge finished runs by rules, against a baseline; exit status 0, 10 or 11",
    "regrade": "grade a run again from its records, without asking anything",
    "models": "the models that have a short name: family, size, price, and whether a key is set",
}
"""Name, which is also the module's in ``commands/``, and the line that --help gives it."""


class Command(Protocol):
    """What a module of ``commands/`` holds."""

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments and its longer description."""

    def run(self, args: argparse.Namespace) -> int:
        """Carry it out; returns the exit status.

        Raises:
            CommandError: It cannot be carried out.
        """


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns:
        0; 1 where the data is at fault; 2 where the command cannot be carried out (also wrong arguments); as shells
        have it, 130 after Ctrl-C and 141 where the reader of the output went away.
    """
    argv = sys.argv[1:] if argv is None else list(argv)
    parser = argparse.ArgumentParser(
        prog="pytest-redefine",
        description="What is done without pytest. The benchmark itself runs with: pytest evals --model=NAME",
        epilog="pytest-redefine COMMAND --help says more.",
    )
    parser.add_argument("--version", action="version", version=f"pytest-redefine {pytest_redefine.__version__}")
    subparsers = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND", required=True)
    command: Command | None = None
    for name, summary in COMMANDS.items():
        subparser = subparsers.add_parser(
            name, help=summary, description=summary, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        if argv[:1] == [name]:  # of the others nothing is imported
            command = cast("Command", import_module(f"pytest_redefine.commands.{name}"))
            command.configure(subparser)
    args = parser.parse_args(argv)
    assert command is not None, "argparse knows no other commands"
    try:
        status = command.run(args)
        sys.stdout.flush()
    except CommandError as error:
        sys.stdout.flush()
        print(f"pytest-redefine {args.command}: {error}", file=sys.stderr)  # noqa: T201 - its message to the user
        return error.status
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # `| head` had enough. What is still buffered has no reader, and the interpreter must not try again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return status


if __name__ == "__main__":
    sys.exit(main())
