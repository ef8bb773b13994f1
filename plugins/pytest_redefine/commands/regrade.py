"""``pytest-redefine regrade RUN``: a run graded again from its records, and what changed."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_redefine.commands import CommandError

if TYPE_CHECKING:
    from pytest_redefine.records.record import Record
    from pytest_redefine.records.regrading import Change

_DESCRIPTION: Final = """\
Grade a run again from its records, without asking anything, and list every verdict that changed and why.
The new records take the place of records.jsonl; the old ones stay beside it as records.1.jsonl, records.2.jsonl ..."""

_EPILOG: Final = """\
examples:
  $ pytest-redefine regrade latest
  $ pytest-redefine regrade reports/july -o /tmp/july.jsonl

exit status: 0; 1 where a record cannot be graded; 2 where the run cannot be read or written"""

_REPORTS: Final = Path("reports")


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument("run", metavar="RUN", help="a run's name below reports/ (latest too), its folder or its file")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="write the records here; leave the run alone")
    parser.add_argument("--dry-run", action="store_true", help="list what would change; write nothing")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="list also the same verdicts that were read otherwise"
    )


def run(args: argparse.Namespace) -> int:
    """Grade, write, list."""
    from pytest_redefine.records.reading import RecordsError, read_records
    from pytest_redefine.records.regrading import RegradeError, regrade, replace_records, write_records
    from pytest_redefine.reporting.loading import NoRun, find_records

    try:
        path = find_records(args.run, _REPORTS)
    except NoRun as error:
        raise CommandError(str(error)) from None
    if args.output is not None and args.output.exists() and path.samefile(args.output):
        raise CommandError(f"-o {args.output} is the run's own file; leave -o out to keep its old records beside it")
    if args.output is None and not args.dry_run:
        _check_finished(path)
    try:
        graded, changes = regrade(read_records(path))
    except RecordsError as error:
        raise CommandError(str(error)) from None
    except RegradeError as error:
        raise CommandError(f"{path}: {error}", status=1) from None
    where = "nothing written (--dry-run)"
    try:
        if args.dry_run:
            pass
        elif args.output is not None:
            write_records(args.output, graded)
            where = f"records in {args.output}"
        elif changes:
            where = f"records in {path}, the old ones in {replace_records(path, graded).name}"
            _count_again(path.with_name("run.json"), graded)
            if (report := path.with_name("report.html")).exists():
                where += f"; {report.name} still shows the old verdicts"
        else:
            where = f"{path} left as it is"
            _count_again(path.with_name("run.json"), graded)  # by today's grading, a gate may now know
    except OSError as error:
        raise CommandError(f"{error.filename or path}: {error.strerror or error}") from None
    _list(changes, sum(record["status"] == "answered" for record in graded), where, verbose=args.verbose)
    return 0


def _check_finished(path: Path) -> None:
    """A run that goes on appends to the file that would be put aside."""
    run_json = path.with_name("run.json")
    try:
        state = json.loads(run_json.read_bytes()).get("state", "finished")
    except (OSError, ValueError, AttributeError):
        return
    if state == "running":
        raise CommandError(
            f"{path.parent} is still running, or was killed: finish it with the same pytest command, or write "
            "elsewhere with -o FILE"
        )


def _count_again(path: Path, records: list[Record]) -> None:
    """Bring the counts in run.json up to date; a folder without them needs none."""
    from pytest_redefine.analysis.rates import counts_by_model
    from pytest_redefine.grading.outcome import GRADING_VERSION

    try:
        run = json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return
    if isinstance(run, dict) and "counts" in run:
        run["counts"] = counts_by_model(records)
        run["versions"] = {**(run.get("versions") or {}), "grading": str(GRADING_VERSION)}
        draft = path.with_suffix(".json.tmp")
        draft.write_text(json.dumps(run, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        draft.replace(path)


def _list(changes: list[Change], answers: int, where: str, *, verbose: bool) -> None:
    verdicts = [change for change in changes if change.verdict]
    others = len(changes) - len(verdicts)
    for change in changes if verbose else verdicts:
        sys.stdout.write(f"{change}\n")
    also = f", {others} with the same verdict read otherwise" if others else ""
    sys.stdout.write(
        f"{answers} answer{'s'[: answers != 1]} graded again: {len(verdicts)} verdict{'s'[: len(verdicts) != 1]} "
        f"changed{also}; {where}\n"
    )
