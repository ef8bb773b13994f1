"""The outcome table at the end of a run, 80 columns wide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pytest_redefine.analysis.agreement import Agreement, agreement_by_model
from pytest_redefine.analysis.rates import Rate, Tally, tally_by_model, wilson
from pytest_redefine.cases.published import PREFIX
from pytest_redefine.grading.outcome import CATEGORIES
from pytest_redefine.reporting import drawn
from pytest_redefine.reporting.letters import COLOURS, LETTERS
from pytest_redefine.reporting.text import one_line

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

_DISAGREEMENTS_SHOWN: Final = 10
_TITLES: Final = ("asked", *CATEGORIES, "errors")
_CUT_LEAST: Final = 3
_CUT_SHARE: Final = 0.05
_REASONS: Final = 3  # not asked for, of all there are
_WIDTHS: Final = {title: max(8, len(title) + 1) for title in _TITLES}


def percent(rate: Rate) -> str:
    """``31.1 % [25.4, 37.4] n=225``; a dash where n is 0."""
    if not rate.n:
        return "-"
    return f"{100 * rate.share:.1f} % [{100 * rate.low:.1f}, {100 * rate.high:.1f}] n={rate.n}"


def write(
    terminal: TerminalReporter,
    records: Sequence[Mapping[str, Any]],
    *,
    folder: Path,
    html: str | None,
    verbose: bool,
) -> None:
    """Write the table, and where the run's files are."""
    tallies = tally_by_model(records)
    simulated = {record["model"] for record in records if record["simulated"]}
    terminal.ensure_newline()  # or pytest ends its line of letters below the heading
    terminal.section("outcomes", sep="=")
    terminal.write_line(f"{'':<12}" + "".join(f"{title:>{width}}" for title, width in _WIDTHS.items()))
    for model, tally in tallies.items():
        note = " (simulated)" if model in simulated else ""
        terminal.write_line(f"{one_line(model, 66)}{note}", bold=True)
        for label, part in tally.parts.items():
            if part.asked or part.not_asked:
                _row(terminal, label, part)
        for label, part in (("", tally.redefined), (", fresh", tally.fresh), (", dose", tally.dose)):
            if part.answered and not model.startswith(PREFIX):  # part of what those say is filler
                terminal.write_line(f"  anchored rate{label}  {percent(part.anchored_rate)}")
        ungraded = sum(part.ungraded for part in tally.parts.values())
        if ungraded:
            terminal.write_line(f"  ungraded: {ungraded}; the judge gave no verdict that counts", yellow=True)
        cut = _cut_off(records, model)
        if cut:
            terminal.write_line(f"  {cut}", yellow=True)
        missing = sum(part.not_asked for part in tally.parts.values())
        if missing:
            terminal.write_line(f"  not asked: {missing}; the same command asks only for what is missing", yellow=True)
            for reason in _reasons(records, model):
                terminal.write_line(f"    {one_line(reason, 300)}", yellow=True)
    for line in drawn.lines(records):
        terminal.write_line(line)
    _judge(terminal, records)
    terminal.write_line("")
    terminal.write_line(
        "  ".join(f"{LETTERS[outcome]} {outcome}" for outcome in CATEGORIES)
        + ("" if not verbose else "\nrates: share [95 % Wilson interval] n = answered cases whose references differ")
    )
    terminal.write_line(f"records: {_short(folder / 'records.jsonl')}")
    if html:
        terminal.write_line(f"report:  {_short(Path(html))}")


def _cut_off(records: Sequence[Mapping[str, Any]], model: str) -> str:
    """That many answers ended before they came to one, and what to type; empty where that is rare."""
    answers = [record for record in records if record["model"] == model and record["status"] == "answered"]
    cut = [record for record in answers if record["outcome"] == "blank" and record["detail"] == "truncated"]
    if len(cut) < _CUT_LEAST or len(cut) <= _CUT_SHARE * len(answers):
        return ""
    thought = sum(bool(record["reasoning"]) for record in cut)
    bounds = sorted({bound for record in cut if (bound := (record["parameters"] or {}).get("max_tokens"))})
    now = f" (now {bounds[-1]})" if bounds else ""
    thinking = f", {thought} while thinking" if thought else ""
    return f"cut off before an answer: {len(cut)} of {len(answers)}{thinking}; raise --max-tokens{now}"


def _reasons(records: Sequence[Mapping[str, Any]], model: str) -> list[str]:
    """Why nobody was asked, the commonest reason first."""
    counts = Counter(
        f"{record['error']['kind']}: {record['error']['message']}"
        for record in records
        if record["model"] == model and record["status"] == "not_asked" and record["error"]
    )
    return [reason for reason, _ in counts.most_common(_REASONS)]


def _row(terminal: TerminalReporter, label: str, tally: Tally) -> None:
    terminal.write(f"  {label:<10}{tally.asked:>{_WIDTHS['asked']}}")
    for outcome in CATEGORIES:
        count = tally.outcomes[outcome]
        terminal.write(f"{count:>{_WIDTHS[outcome]}}", **({COLOURS[outcome]: True} if count else {}))
    terminal.write(f"{tally.errors:>{_WIDTHS['errors']}}", **({"red": True, "bold": True} if tally.errors else {}))
    terminal.write("\n")


def agreement_line(found: Agreement) -> str:
    """How far the judge agrees with the numbers, and on how many answers it said nothing; empty where neither."""
    parts = []
    if found.n:
        kappa = "-" if found.kappa is None else f"{found.kappa:.3f}"
        parts.append(f"agrees in {percent(wilson(found.agree, found.n))}, Cohen's kappa {kappa}")
    if found.ungraded:
        parts.append(f"{found.ungraded} ungraded")
    parts += [f"{count} without a verdict ({kind})" for kind, count in found.errors.most_common()]
    return "; ".join(parts)


def _judge(terminal: TerminalReporter, records: Sequence[Mapping[str, Any]]) -> None:
    """What came of asking a judge: agreement and disagreements, by model."""
    by_model = agreement_by_model(records)
    if not by_model:
        return
    judges = sorted({record["judge"]["model"] for record in records if record.get("judge") is not None})
    named = ", ".join(one_line(name, 50) + (" (simulated)" if name.startswith("sim/") else "") for name in judges)
    terminal.write_line("")
    terminal.write_line(f"judged by {named}", bold=True)
    for model, found in by_model.items():
        told = agreement_line(found)
        if told:
            terminal.write_line(f"  {one_line(model, 60)}")
            for part in told.split("; "):
                terminal.write_line(f"    {part}")
        for one in found.disagreements[:_DISAGREEMENTS_SHOWN]:
            terminal.write_line(f"      {one_line(one.case_id, 45)}: {one.numeric}, judge: {one.judge}")
        left = len(found.disagreements) - _DISAGREEMENTS_SHOWN
        if left > 0:
            terminal.write_line(f"      and {left} more: grades in records.jsonl")


def _short(path: Path) -> str:
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
