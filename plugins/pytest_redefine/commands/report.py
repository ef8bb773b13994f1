"""``pytest-redefine report RUN...``: one or several runs on a page, or as summary, CSV or Parquet."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from pytest_redefine.commands import CommandError

_DESCRIPTION: Final = """\
Write the report of one or several runs: a page that loads nothing, or a summary or table of cases."""

_EPILOG: Final = """\
FILE's ending says what is written: .html the page, .json the figures (docs/summary-schema.md), .md a summary for a
pull request, .csv and .parquet a line a case. Without -o one run's report.html, summary.json and summary.md are written
beside its records, and several runs' page to ./report.html. A model that stands in several runs is named with its run.

examples:
  $ pytest-redefine report latest
  $ pytest-redefine report latest --mixed-model
  $ pytest-redefine report july august -o july-august.html -o cases.csv

exit status: 0; 2 where a run cannot be read or a file not be written"""

REPORTS: Final = Path("reports")


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument(
        "runs", metavar="RUN", nargs="+", help="a run's name below reports/ (latest too), its folder or its file"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=Path, action="append", help="what to write; can be repeated"
    )
    parser.add_argument(
        "--mixed-model",
        action="store_true",
        help="fit what model, level, question, format and prompting each add (needs the extra 'analysis'; a second, "
        "for 50,000 cases minutes)",
    )


def run(args: argparse.Namespace) -> int:
    """Read, count, write; names what was written."""
    from pytest_redefine.records.reading import RecordsError
    from pytest_redefine.reporting.export import NoParquet
    from pytest_redefine.reporting.loading import NoRun, find_records, load_all
    from pytest_redefine.reporting.outputs import write

    try:
        paths = [find_records(name, REPORTS) for name in args.runs]
        outputs = args.output or _usual(paths)
        for path in write(load_all(paths), outputs, mixed_model=args.mixed_model):
            sys.stdout.write(f"{path}\n")
    except (NoRun, RecordsError, NoParquet, ValueError) as error:
        raise CommandError(str(error)) from None
    except OSError as error:
        raise CommandError(f"{error.filename or 'output'}: {error.strerror or error}") from None
    return 0


def _usual(paths: list[Path]) -> list[Path]:
    if len(paths) > 1:
        return [Path("report.html")]
    return [paths[0].with_name(name) for name in ("report.html", "summary.json", "summary.md")]
