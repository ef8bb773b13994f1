"""``pytest-redefine merge RUN... --run NAME``: the runs of shards as one run."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pytest_redefine.commands import CommandError

if TYPE_CHECKING:
    from pytest_redefine.records.merging import Merge
    from pytest_redefine.records.run_folder import RunFolder

_DESCRIPTION: Final = """\
Join the runs of shards (pytest evals --shard=I/N) into one, which is reported, compared, graded again and gated like a
run that was never split. Runs that were asked otherwise are refused; what is missing is named, and the run marked
incomplete: merge again under the same name once it is there."""

_EPILOG: Final = """\
examples:
  $ pytest-redefine merge shard-1 shard-2 shard-3 shard-4 --run july
  $ pytest-redefine merge artifacts/* --run ci

exit status: 0; 1 where cases are missing or without an answer; 2 where the runs do not belong together or cannot be
read or written"""

REPORTS: Final = Path("reports")
_LINE: Final = 1_000  # characters; what runs from elsewhere say of themselves is escaped and bounded


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument(
        "runs", metavar="RUN", nargs="+", help="a shard's run: its name below reports/, its folder or its records"
    )
    parser.add_argument("--run", metavar="NAME", required=True, help="the name of the whole, below reports/")


def run(args: argparse.Namespace) -> int:
    """Check, join, count, report."""
    from pytest_redefine.records.merging import Merge
    from pytest_redefine.records.reading import RecordsError
    from pytest_redefine.records.run_folder import RunFolder, RunFolderError
    from pytest_redefine.records.shard_run import MergeError, ShardRun
    from pytest_redefine.reporting.loading import NoRun, find_records
    from pytest_redefine.reporting.outputs import write_outputs
    from pytest_redefine.reporting.text import one_line

    try:
        folder = RunFolder(REPORTS, args.run, new=False)
        _check_free(folder)
        merge = Merge([ShardRun.read(find_records(name, REPORTS)) for name in args.runs])
        if not merge.records:
            raise CommandError(f"no records in {', '.join(args.runs)}", status=1)
        _write(merge, folder)
        write_outputs(folder.path)
    except (MergeError, RecordsError, RunFolderError, NoRun) as error:
        raise CommandError(one_line(str(error), _LINE)) from None
    except OSError as error:
        raise CommandError(f"{error.filename or folder.path}: {error.strerror or error}") from None
    for line in merge.missing:
        sys.stdout.write(f"{one_line(line, _LINE)}\n")
    whole = merge.whole
    sys.stdout.write(
        f"{folder.path}: {merge.records} of {whole['cases']} cases from {len(merge.shards)} of {whole['of']} shards"
        f"{'' if merge.complete else '; incomplete'}\n"
    )
    return 0 if merge.complete else 1


def _write(merge: Merge, folder: RunFolder) -> None:
    """Records first, whole or not at all; run.json says "running" until everything stands."""
    from pytest_redefine.records.regrading import write_records
    from pytest_redefine.records.shrunk import SHRUNK_FILE

    folder.path.mkdir(parents=True, exist_ok=True)
    draft = folder.path / f".{folder.records_path.name}.{os.getpid()}.tmp"
    try:
        merge.write(draft, folder.name)
        facts = merge.facts(folder.name)
        folder.write_run({**facts, "state": "running"})
        draft.replace(folder.records_path)
    finally:
        draft.unlink(missing_ok=True)
    shrunk, examples = folder.path / SHRUNK_FILE, merge.examples(folder.name)
    if examples:
        write_records(shrunk, examples)
    else:
        shrunk.unlink(missing_ok=True)
    folder.write_run({**facts, **_counted(folder.records_path)})
    folder.point_latest()


def _counted(path: Path) -> dict[str, Any]:
    from pytest_redefine.analysis.agreement import agreement_by_model
    from pytest_redefine.analysis.rates import counts_by_model
    from pytest_redefine.records.reading import read_places

    counts = counts_by_model(record for _, record in read_places(path))
    judged = agreement_by_model(record for _, record in read_places(path))
    judge = {model: found.to_json() for model, found in judged.items()}
    return {"counts": counts, **({"judge": judge} if judge else {})}


def _check_free(folder: RunFolder) -> None:
    """An earlier merge is replaced; no other run is."""
    previous = folder.previous()
    if previous is not None and "shards" not in previous:
        raise CommandError(f"--run={folder.name} exists and was not merged; give another --run=NAME")
    if previous is None and folder.records_path.exists():
        raise CommandError(f"--run={folder.name}: there are records in {folder.path}; give another --run=NAME")
