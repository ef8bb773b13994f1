"""``pytest-redefine compare A B``: what moved between two runs, by how much, and which cases."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_redefine.commands import CommandError

if TYPE_CHECKING:
    from pytest_redefine.analysis.comparing import Sides

_DESCRIPTION: Final = """\
Compare two runs on the cases that both answered: each model that stands in both, or the only model of either."""

_EPILOG: Final = """\
The interval and p flip the signs of whole quantities, so they speak of other quantities like these; with fewer than six
there is neither. The page adds McNemar's exact p, which speaks of this set of cases only. Nothing here passes or fails:
that is what --gate is for.

examples:
  $ pytest-redefine compare july august
  $ pytest-redefine compare july august --html moved.html
  $ pytest-redefine compare july july --arms prompting=zs,cot

exit status: 0; 2 where a run cannot be read or the two have nothing in common"""

_AXES: Final = ("format", "prompting", "redefinition", "sample", "rotation")
_REPORTS: Final = Path("reports")


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument("before", metavar="A", help="a run's name below reports/, its folder or its records")
    parser.add_argument("after", metavar="B", help="likewise")
    parser.add_argument("--arms", metavar="AXIS=X,Y", help=f"compare X in A with Y in B; AXIS: {', '.join(_AXES)}")
    parser.add_argument("--html", metavar="FILE", type=Path, help="write a page too, linked into the runs' report.html")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the figures too")
    parser.add_argument("-v", "--verbose", action="store_true", help="list every case that ended differently")


def run(args: argparse.Namespace) -> int:
    """Read, compare, print."""
    from pytest_redefine.analysis.comparing import CannotCompare, sides_of
    from pytest_redefine.records.reading import RecordsError
    from pytest_redefine.reporting import comparison
    from pytest_redefine.reporting.loading import NoRun, find_records, load

    arms = _arms(args.arms)
    try:
        paths = [find_records(name, _REPORTS) for name in (args.before, args.after)]
        runs = [load(path).rows for path in paths]
        found = sides_of((runs[0].name, runs[0].rows), (runs[1].name, runs[1].rows), arms)
        colour = sys.stdout.isatty()
        for sides in found:
            text = "\n".join(comparison.lines(sides, colour=colour, all_flips=args.verbose))
            sys.stdout.write(f"{text}\n")
        if args.html is not None:
            reports = [path.with_name("report.html") for path in paths]
            there = [report if report.is_file() else None for report in reports]
            comparison.write_page(args.html, found, (there[0], there[1]))
            sys.stdout.write(f"page: {args.html}\n")
        if args.json is not None:
            _write_json(args.json, found)
    except (NoRun, RecordsError, CannotCompare) as error:
        raise CommandError(str(error)) from None
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CommandError(f"{error.filename or 'output'}: {error.strerror or error}") from None
    return 0


def _write_json(path: Path, found: list[Sides]) -> None:
    text = json.dumps([sides.to_json() for sides in found], indent=1, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")


def _arms(typed: str | None) -> tuple[str, str, str] | None:
    if typed is None:
        return None
    axis, _, values = typed.partition("=")
    parts = values.split(",")
    if axis not in _AXES or len(parts) != 2 or not all(parts):
        raise CommandError(f"--arms={typed}: write AXIS=X,Y with AXIS one of {', '.join(_AXES)}, e.g. prompting=zs,cot")
    return axis, parts[0], parts[1]
