"""The gate's judgement for people: terminal, Markdown, JUnit, GitHub's annotations. Reads what gate.json holds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_redefine.reporting.comparison import p_value
from pytest_redefine.reporting.text import code, one_line

Json = dict[str, Any]

FLIPS_SHOWN: Final = 10
GROUPS_SHOWN: Final = 40
COLOURS: Final = {"held": "green", "improved": "green", "regressed": "red", "cannot decide": "yellow"}
"""pytest's name of each verdict's colour."""

_NAME_WIDTH: Final = 60


def read_gate(path: Path) -> Json | None:
    """A run's gate.json; None where it was not judged."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("findings"), list) else None


def headline(gate: Json) -> str:
    """``gate: regressed (exit status 10)``."""
    failing = [found for found in gate["findings"] if fails(found)]
    count = len(gate["findings"])
    said = f"gate: {gate['verdict']} (exit status {gate['status']})"
    return f"{said}: {len(failing)} of {count} rules not held" if failing else f"{said}: {count} rules"


def fails(finding: Json) -> bool:
    """Whether a finding keeps the gate shut."""
    verdict = finding["verdict"]
    return bool(verdict == "regressed" or (verdict == "cannot decide" and finding["undecided"] == "fail"))


def lines(gate: Json) -> Iterator[tuple[str, str]]:
    """For 80 columns: each line with the colour it is shown in, empty for none."""
    base = gate["baseline"]
    if base:
        yield f"baseline {one_line(base['name'], 40)}: {one_line(base['model'], 50)}, {base['cases']} cases", ""
    several = len(gate["models"]) > 1
    for found in gate["findings"][:GROUPS_SHOWN]:
        yield f"{found['verdict'].upper():<14}{title(found, several)}", COLOURS[found["verdict"]]
        for reason in found["reasons"]:
            yield f"  {one_line(reason, 300)}", COLOURS[found["verdict"]]
        for line in figures(found):
            yield f"  {line}", ""
        yield from ((f"  {line}", "") for line in flips(found, FLIPS_SHOWN if fails(found) else 0))
    left = len(gate["findings"]) - GROUPS_SHOWN
    if left > 0:
        yield f"and {left} more rules: gate.json", ""
    for note in gate["notes"]:
        yield f"note: {one_line(note, 200)}", ""
    yield headline(gate), COLOURS[gate["verdict"]]


def title(found: Json, several: bool = False) -> str:
    """A rule, the group it was judged on, and the model where there are several."""
    group = ", ".join(f"{axis} {one_line(str(value), 30)}" for axis, value in found["group"].items())
    model = one_line(found["model"], _NAME_WIDTH) if several else ""
    return str(found["rule"]) + "".join(f" [{part}]" for part in (group, model) if part)


def figures(found: Json) -> list[str]:
    """What was measured: both sides, the change with its limit, what it speaks of, what it could have found."""
    before, after = found["before"], found["after"]
    if after is None:
        return []
    if "value" not in found:
        return [f"{after['k']} of {after['n']}: {_share(after['value'])}" if after["n"] else "nothing to count"]
    if "power" not in found:
        was = f"baseline {_rate(before)}; " if before else ""
        return [f"{was}now {_rate(after)}; one-sided limits {_limits(found, 1)}"]
    worse_is_more = found["bound"] == "may_rise_by"
    return [
        f"baseline {_rate(before)}",
        f"now      {_rate(after)}",
        f"change   {100 * found['value']:+.1f} points, one-sided limits {_limits(found)}; p {p_value(found['p'])} of "
        f"no {'rise' if worse_is_more else 'fall'}",
        f"speaks of {found['generalises']}; finds a {'rise' if worse_is_more else 'fall'} of "
        + ", ".join(f"{100 * effect:.0f} points {_times(power)}" for effect, power in found["power"]),
    ]


def flips(found: Json, shown: int) -> list[str]:
    """How many cases changed for the worse and for the better, and of the former as many as are shown."""
    worse, better = found.get("worse", []), found.get("better", [])
    if not worse and not better:
        return []
    told = [f"{len(worse)} flipped for the worse, {len(better)} for the better"]
    told += [f"  {before:>8} -> {after:<8}  {one_line(case, 60)}" for case, before, after in worse[:shown]]
    if len(worse) > shown > 0:
        told.append(f"  ... {len(worse) - shown} more: gate.json")
    return told


def _rate(figure: Json) -> str:
    return f"{_share(figure['value'])} [{100 * figure['low']:.1f}, {100 * figure['high']:.1f}] n={figure['n']}"


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"


def _limits(found: Json, sign: int = 0) -> str:
    form = "{:+.1f}" if not sign else "{:.1f}"
    low, high = ("-" if found[side] is None else form.format(100 * found[side]) for side in ("low", "high"))
    return f"[{low}, {high}]"


def _times(power: float | None) -> str:
    return "-" if power is None else f"{power:.2f}"


def change(found: Json) -> str:
    """A change with its limits, in points; empty where a rule compares nothing."""
    return f"{100 * found['value']:+.1f} {_limits(found)}" if "power" in found else ""


def markdown(gate: Json) -> list[str]:
    """For summary.md: the verdict, a row a rule, the flipped cases folded away."""
    several = len(gate["models"]) > 1
    mark = {"held": "✅", "improved": "✅", "regressed": "❌", "cannot decide": "⚠️"}
    out = [f"#### {mark[gate['verdict']]} {_cell(headline(gate))}", ""]
    if gate["baseline"]:
        base = gate["baseline"]
        out += [f"Baseline {code(base['name'])}: {code(base['model'])}, {base['cases']} cases.", ""]
    out += ["| rule | baseline | now | change [limits] | verdict |", "|---|--:|--:|--:|---|"]
    for found in gate["findings"][:GROUPS_SHOWN]:
        told = "; ".join(found["reasons"])
        figures = f"{_figure(found['before'])} | {_figure(found['after'])} | {change(found)}"
        verdict = f"{mark[found['verdict']]} {found['verdict']}{': ' if told else ''}{_cell(told)}"
        out.append(f"| {code(title(found, several), 160)} | {figures} | {verdict} |")
    out.append("")
    for found in gate["findings"][:GROUPS_SHOWN]:
        worse = found.get("worse", [])
        if worse and found["verdict"] in ("regressed", "cannot decide"):
            out += [f"<details><summary>{len(worse)} cases flipped for the worse: {_cell(found['rule'])}</summary>", ""]
            out += [f"* {code(case)}: {before} → {after}" for case, before, after in worse[:50]]
            out += [f"* and {len(worse) - 50} more in gate.json"] if len(worse) > 50 else []
            out += ["", "</details>", ""]
    out += [f"Note: {code(note, 200)}" for note in gate["notes"]]
    return [*out, ""] if gate["notes"] else out


def _figure(figure: Json | None) -> str:
    return _rate(figure) if figure and figure["value"] is not None else "–"


def _cell(text: str, limit: int = 400) -> str:
    """Our own words with names of others among them: nothing in it is a link, a mention, markup or a cell's end."""
    return one_line(text, limit).translate({ord(character): f"&#{ord(character)};" for character in "\\`*_[]<>|@#~&"})


def properties(gate: Json) -> list[tuple[str, str]]:
    """Of the test suite in JUnit XML: the verdict, and each rule's."""
    several = len(gate["models"]) > 1
    return [
        ("gate", gate["verdict"]),
        *((f"gate.{at}", one_line("; ".join((f"{found['verdict']}: {title(found, several)}", *found["reasons"])), 400))
          for at, found in enumerate(gate["findings"][:GROUPS_SHOWN], start=1)),
    ]  # fmt: skip


def github_lines(gate: Json) -> list[str]:
    """GitHub's workflow commands: an error or a warning for each rule that is not held, a notice where all are."""
    several = len(gate["models"]) > 1
    told = []
    for found in gate["findings"]:
        if found["verdict"] in ("held", "improved"):
            continue
        kind = "error" if fails(found) else "warning"
        said = f"{title(found, several)}: {'; '.join(found['reasons'])}"
        told.append(_command(kind, f"gate: {found['verdict']}", one_line(said, 1000)))
    return told[:10] or [_command("notice", "gate: held", headline(gate))]  # GitHub shows ten of a kind


def _command(kind: str, name: str, message: str) -> str:
    return f"::{kind} title={_escaped(name, also=':,')}::{_escaped(message)}"


def _escaped(text: str, also: Sequence[str] = "") -> str:
    """As GitHub's runner reads it: what would end a property or a line is written by its code."""
    for character in ("%", "\r", "\n", *also):
        text = text.replace(character, f"%{ord(character):02X}")
    return text
