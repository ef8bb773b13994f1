"""``pytest-redefine grade FILE|-``: anybody's answers, classed line by line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

from pytest_redefine.commands import CommandError

_DESCRIPTION: Final = """\
Class answers: JSON lines in, the same lines in the same order out, each with its outcome
(correct, anchored, wrong, refused, blank, hedged), detail, extracted, rule, span and relative_error."""

_EPILOG: Final = """\
fields of a line:
  answer             the reply, as it came
  expected           the right answer: 1500, -4.14e-34, 0+1.5*I, oo
  default            the answer with the memorised value; leave it out in a control
  unit               the unit asked for: J*s, m^3/(kg*s^2); also_units: a list of others
  kind               number (default) or digit, which is compared exactly
  tolerance          relative, default 0.02
  format, options    mc, and an object letter -> value
  symbol, symbol_value, symbol_default
                     the redefined symbol and its two values, to read 3π under both
  unit_redefinition  {"unit": "minute", "derived": "second", "ratio": "100"}
  prompt             what was asked, to tell an echo of it from an answer
  finish_reason      length where the reply was cut off at its limit
Other fields are handed through. docs/grading.md says how answers are read.

example:
  $ echo '{"answer": "3 × π = 1,500", "expected": "1500", "default": "9.42478"}' | pytest-redefine grade -

exit status: 0; 1 at the first line that cannot be graded; 2 where the file cannot be read"""

MAX_LINE: Final = 16 * 1024 * 1024
"""Bytes of one line: memory stays bounded whatever the file is."""


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument("file", metavar="FILE", help="JSON lines, one answer each; - reads standard input")


def run(args: argparse.Namespace) -> int:
    """Grade line by line; each result is written before the next line is read."""
    from pytest_redefine.grading.lines import LineError, grade_lines

    name = "standard input" if args.file == "-" else args.file
    try:
        with _opened(args.file) as lines:
            try:
                for line in grade_lines(_decoded(lines)):
                    sys.stdout.write(line + "\n")
                    sys.stdout.flush()  # a program that feeds us line by line waits for it
            except LineError as error:
                raise CommandError(f"{name}, {error}", status=1) from None
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CommandError(f"{name}: {error.strerror or error}") from None
    return 0


def _opened(file: str) -> IO[bytes]:
    return sys.stdin.buffer if file == "-" else Path(file).open("rb")


def _decoded(lines: IO[bytes]) -> Iterator[str]:
    from pytest_redefine.grading.lines import LineError

    number = 0
    while line := lines.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            raise LineError(f"line {number} is longer than {MAX_LINE // 1024**2} MiB: one JSON object a line")
        try:
            yield line.decode()
        except UnicodeDecodeError as error:
            raise LineError(f"line {number} is not UTF-8 (byte {error.start + 1}): save the file as UTF-8") from None
