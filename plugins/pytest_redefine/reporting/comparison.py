"""A comparison in the terminal and as a page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlencode

from pytest_redefine.analysis.comparing import Flip, Sides
from pytest_redefine.analysis.paired import Comparison
from pytest_redefine.analysis.rows import Row
from pytest_redefine.reporting.text import one_line

FLIPS_SHOWN = 20

_COLOURS = {"worse": "\x1b[35m", "better": "\x1b[32m", "dim": "\x1b[2m", "bold": "\x1b[1m", "": ""}
_WORSE_WHEN_HIGHER = {"anchored_rate", "anchored_given_known", "anchored_excess", "refused_rate", "blank_rate",
                      "hedged_rate"}  # fmt: skip


def lines(sides: Sides, *, colour: bool = False, all_flips: bool = False) -> list[str]:
    """The comparison for 80 columns."""

    def painted(text: str, kind: str) -> str:
        return f"{_COLOURS[kind]}{text}\x1b[0m" if colour and kind else text

    out = [
        painted(f"{one_line(sides.name_before, 76)}", "bold"),
        painted(f"-> {one_line(sides.name_after, 76)}", "bold"),
        f"{sides.cases} cases answered by both"
        + (f"; only before: {sides.only_before}" if sides.only_before else "")
        + (f"; only after: {sides.only_after}" if sides.only_after else ""),
        "",
        f"{'':<24}{'before':>7}{'after':>7}{'change':>8}  {'95 % interval':<17}{'p':>6}{'n':>6}",
    ]
    for one in sides.measures:
        out.append(painted(_line(one.measure.title, one), direction(one)))
    out.append(painted("anchored, by question", "dim"))
    for (task, question), one in sides.by_question.items():
        if one.test.n:
            out.append(painted(_line(f"  {task} {question}", one), direction(one)))
    some = next((one for one in sides.measures if one.test.n), None)
    if some is not None:
        clusters = some.test.clusters
        out.append(painted(f"change in points; interval and p by flipping the signs of {clusters} quantities:", "dim"))
        out.append(painted("they speak of other quantities like these; p is not corrected for looking often", "dim"))
    out.append("")
    out.append(f"{len(sides.flips)} cases ended differently")
    for (old, new), count in sorted(sides.transitions.items(), key=lambda item: -item[1]):
        if old != new:
            out.append(f"  {count:>5}  {old} -> {new}")
    shown = sides.flips if all_flips else sides.flips[:FLIPS_SHOWN]
    out += [
        f"  {flip.before.outcome:>8} -> {flip.after.outcome:<8}  {one_line(flip.after.case_id, 56)}" for flip in shown
    ]
    if len(shown) < len(sides.flips):
        out.append(f"  ... {len(sides.flips) - len(shown)} more: -v lists them, --html links them")
    return out


def direction(one: Comparison) -> str:
    """``worse`` or ``better`` where the interval leaves no doubt of the sign, else empty."""
    if not one.test.n or one.test.low <= 0 <= one.test.high:
        return ""
    return "worse" if (one.test.effect > 0) == (one.measure.name in _WORSE_WHEN_HIGHER) else "better"


def _line(title: str, one: Comparison) -> str:
    test = one.test
    assert one.before is not None and one.after is not None, "n is not 0"  # noqa: PT018 - one statement narrows both
    return (
        f"{one_line(title, 23):<24}{100 * one.before:>6.1f}%{100 * one.after:>6.1f}%{100 * test.effect:>+8.1f}  "
        f"{interval(one):<17}{p_value(test.p):>6}{test.n:>6}"
    )


def interval(one: Comparison) -> str:
    """``[-3.1, +9.4]``; a dash where there are too few quantities for one."""
    if one.test.low == -float("inf") or one.test.high == float("inf"):
        return "- (few)"
    return f"[{100 * one.test.low:+.1f}, {100 * one.test.high:+.1f}]"


def p_value(p: float) -> str:
    """Three digits; ``<.001`` below."""
    return "<.001" if p < 0.001 else f"{p:.3f}"


def write_page(path: Path, sides: Sequence[Sides], reports: tuple[Path | None, Path | None]) -> None:
    """The comparison as one file that loads nothing; the cases link into the runs' reports, where there are any.

    Args:
        path: Where to.
        sides: One entry a model.
        reports: report.html of either run.

    Raises:
        OSError: it cannot be written.
    """
    from pytest_redefine.reporting.page.report import render  # Jinja2 is for those who write a page

    page = render(
        "compare.html.j2",
        title=f"{sides[0].name_before} → {sides[0].name_after}",
        sides=sides,
        direction=direction,
        interval=interval,
        p_value=p_value,
        links=lambda flip: [_link(path, report, row) for report, row in zip(reports, rows_of(flip), strict=True)],
        schema_of=lambda one: one.to_json(),
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf-8", errors="backslashreplace")


def rows_of(flip: Flip) -> tuple[Row, Row]:
    """Both of its rows."""
    return flip.before, flip.after


def _link(page: Path, report: Path | None, row: Row) -> str:
    if report is None:
        return ""
    axes = ("task", "quantity", "redefinition", "question", "format", "prompting", "model")
    target = os.path.relpath(report, page.parent)
    return f"{Path(target).as_posix()}#{urlencode({axis: getattr(row, axis) for axis in axes})}"
