"""``pytest-redefine baseline accept RUN``: what later runs are compared with, in a file that is committed."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_redefine.commands import CommandError

if TYPE_CHECKING:
    from pytest_redefine.gating.baseline import Baseline
    from pytest_redefine.gating.subject import Asked, Subject

_DESCRIPTION: Final = """\
Accept a run of one model as a baseline: how each case ended, in a small file to be committed. What changes against the
baseline of that name, and what that means, is told first."""

_EPILOG: Final = """\
The file is baselines/NAME.json below the folder the command is typed in: the project's root. A run that is incomplete
or has errors is refused unless --incomplete says that it is meant.

examples:
  $ pytest-redefine baseline accept latest
  $ pytest-redefine baseline accept july --as gpt-4o
  $ pytest evals --baseline=gpt-4o --model=...

exit status: 0; 1 where the run is incomplete or has errors; 2 where it cannot be read or the file not be written"""

_REPORTS: Final = Path("reports")
DEFAULT_NAME: Final = "main"


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    parser.add_argument("action", choices=["accept"], help="accept: write the baseline")
    parser.add_argument(
        "run", metavar="RUN", help="a run's name below reports/ (latest too), its folder or its records"
    )
    parser.add_argument("--as", dest="name", metavar="NAME", default=DEFAULT_NAME, help=f"its name [{DEFAULT_NAME}]")
    parser.add_argument("--model", metavar="MODEL", help="which, where the run has several")
    parser.add_argument("--incomplete", action="store_true", help="accept it although cases are missing")
    parser.add_argument("--dry-run", action="store_true", help="tell what would change; write nothing")


def run(args: argparse.Namespace) -> int:
    """Read, tell what changes, write."""
    from pytest_redefine.cases.catalogue import Catalogue
    from pytest_redefine.gating.baseline import (
        FOLDER,
        BaselineError,
        baseline_of,
        check_name,
        write_baseline,
    )
    from pytest_redefine.gating.changes import changes
    from pytest_redefine.gating.finished import read_subject
    from pytest_redefine.records.reading import RecordsError
    from pytest_redefine.reporting.baseline import lines
    from pytest_redefine.reporting.loading import NoRun, find_records

    try:
        path = Path(FOLDER) / f"{check_name(args.name)}.json"
        subject = read_subject(find_records(args.run, _REPORTS))
        asked = _asked(subject, args.model)
        if not args.incomplete:
            _check_complete(subject, asked)
        new = baseline_of(subject, asked, args.name)
        old = _old(path)
        told = changes(old, new, asked, Catalogue.load()).to_json()
        replaced = f"{old.model} of {old.asked_at[:10] or old.run}" if old is not None else ""
        for line in lines(told, name=new.name, model=new.model, cases=len(new.answers), replaced=replaced):
            sys.stdout.write(f"{line}\n")
        if args.dry_run:
            sys.stdout.write("nothing written (--dry-run)\n")
        else:
            write_baseline(path, new)
            sys.stdout.write(f"written: {path}; commit it, and compare with: pytest evals --baseline={args.name}\n")
    except (NoRun, RecordsError, BaselineError) as error:
        raise CommandError(str(error)) from None
    return 0


def _old(path: Path) -> Baseline | None:
    """What is replaced; a file that is spoilt is said to be, and gives way."""
    from pytest_redefine.gating.baseline import BaselineError, NewerBaseline, read_baseline

    try:
        return read_baseline(path) if path.exists() else None
    except NewerBaseline:
        raise
    except BaselineError as error:
        sys.stdout.write(f"{error}: nothing to compare with\n")
        return None


def _asked(subject: Subject, model: str | None) -> Asked:
    from pytest_redefine.cases.published import PREFIX

    names = ", ".join(subject.models)
    if model is None and len(subject.models) != 1:
        raise CommandError(f"{subject.name} has {names or 'no model'}: a baseline is of one model: add --model=NAME")
    if model is not None and model not in subject.models:
        raise CommandError(f"--model={model}: {subject.name} has {names}")
    found = subject.models[model] if model is not None else next(iter(subject.models.values()))
    if found.model.startswith(PREFIX):
        raise CommandError(f"{found.model} repeats printed counts, dealt to cases by chance: it has nothing to pair")
    return found


def _check_complete(subject: Subject, asked: Asked) -> None:
    why = []
    if not subject.finished:
        why.append("it was killed or is still going on")
    if asked.not_asked or subject.announced > subject.records:
        why.append(f"{asked.not_asked + subject.announced - subject.records} cases were not asked")
    if asked.errors:
        why.append(f"{asked.errors} have no answer or no verdict")
    if why:
        raise CommandError(
            f"{subject.name} is incomplete: {'; '.join(why)}. The same pytest command with --run={subject.name} asks "
            "only for what is missing; --incomplete accepts it as it is",
            status=1,
        )
