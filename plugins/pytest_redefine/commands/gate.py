"""``pytest-redefine gate RUN...``: finished runs, merged ones too, judged as ``pytest evals --gate`` would."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Final

from pytest_redefine.commands import CommandError

_DESCRIPTION: Final = """\
Judge finished runs by the rules of a gate file, and against a baseline where a rule asks for one."""

_EPILOG: Final = """\
Each run's judgement is left as gate.json beside its records; its summary.md and report.html are written again with it.

examples:
  $ pytest-redefine gate latest --baseline main
  $ pytest-redefine gate merged --gate gate.toml --baseline main

exit status: 0 held; 10 regressed; 11 cannot decide, which wins where several runs are judged; 4 a mistake in the
gate or baseline; 2 where a run cannot be read"""

_REPORTS: Final = Path("reports")
_USAGE: Final = 4


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument(
        "runs", metavar="RUN", nargs="+", help="a run's name below reports/ (latest too), its folder or its records"
    )
    parser.add_argument("--gate", metavar="FILE", type=Path, help="the rules [the suite's own, docs/gate.md]")
    parser.add_argument("--baseline", metavar="NAME|FILE", help="baselines/NAME.json, or a file")


def run(args: argparse.Namespace) -> int:
    """Read, judge, print."""
    from pytest_redefine.cases.catalogue import Catalogue
    from pytest_redefine.cases.data import DataError
    from pytest_redefine.gating.baseline import BaselineError, find_baseline, read_baseline
    from pytest_redefine.gating.finished import judge_run
    from pytest_redefine.gating.rules import default_gate, read_gate
    from pytest_redefine.records.reading import RecordsError
    from pytest_redefine.reporting import gate as shown
    from pytest_redefine.reporting.loading import NoRun, find_records, load
    from pytest_redefine.reporting.outputs import write

    catalogue = Catalogue.load()
    try:
        gate = read_gate(args.gate or default_gate(), catalogue)
        here = Path.cwd()
        baseline = read_baseline(find_baseline(args.baseline, here, here)) if args.baseline is not None else None
    except (DataError, BaselineError) as error:
        raise CommandError(str(error), status=_USAGE) from None
    relative = gate.needs_baseline
    if relative is not None and baseline is None:
        raise CommandError(
            f"{relative.place}: {relative.bound}: needs something to compare with: add --baseline=NAME", status=_USAGE
        )
    statuses = []
    try:
        for path in [find_records(name, _REPORTS) for name in args.runs]:
            judgement = judge_run(path, gate, baseline, catalogue=catalogue)
            told = judgement.to_json()
            sys.stdout.write("".join(f"{line}\n" for line, _ in shown.lines(told)))
            if os.environ.get("GITHUB_ACTIONS") == "true":
                sys.stdout.write("".join(f"{line}\n" for line in shown.github_lines(told)))
            write([load(path)], [path.with_name("summary.md"), path.with_name("report.html")])
            statuses.append(judgement.status)
    except (NoRun, RecordsError) as error:
        raise CommandError(str(error)) from None
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CommandError(f"{error.filename or 'output'}: {error.strerror or error}") from None
    return max(statuses)
