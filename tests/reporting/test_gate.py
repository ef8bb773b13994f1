from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from pytest_redefine.gating.rules import default_gate, read_gate
from pytest_redefine.gating.verdicts import judge
from pytest_redefine.reporting import gate
from pytest_redefine.reporting.loading import load
from pytest_redefine.reporting.outputs import write
from tests.gating.samples import base, cases, catalogue, record, run, worse
from tests.reporting.runs import write_run

HOSTILE = "m|`<img src=x>\x1b[31m\n::error::forged @team [x](y) *_~ 100%"


def judged(**changes: Any) -> dict[str, Any]:
    told = judge(read_gate(default_gate(), catalogue()), run(worse(40)), base(), catalogue()).to_json()
    return {**told, **changes}


def findings(told: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {**told, "findings": [{**one, **changes} for one in told["findings"]]}


def test_flips_are_listed_up_to_a_bound_and_counted_beyond() -> None:
    told = judged()
    lines = [line for line, _ in gate.lines(told)]
    flips = next(one for one in told["findings"] if one["measure"] == "anchored_rate")["worse"]
    assert len(flips) > gate.FLIPS_SHOWN
    assert f"  {len(flips)} flipped for the worse, 0 for the better" in lines
    assert sum(" correct -> anchored" in line for line in lines) == 2 * gate.FLIPS_SHOWN  # of either rule
    assert f"    ... {len(flips) - gate.FLIPS_SHOWN} more: gate.json" in lines
    assert lines[-1] == "gate: regressed (exit status 10): 2 of 5 rules not held"


def test_of_a_rule_that_is_held_only_the_number_of_flips_is_told() -> None:
    told = findings(judged(), verdict="held", reasons=[])
    lines = [line for line, _ in gate.lines(told)]
    assert any("flipped for the worse" in line for line in lines)
    assert not any("correct -> anchored" in line for line in lines)


def test_names_of_others_do_no_harm_anywhere() -> None:
    told = findings(judged(models=[HOSTILE, "b"], notes=[HOSTILE]), model=HOSTILE, reasons=[HOSTILE])
    for line, _ in gate.lines(told):
        assert "\x1b" not in line
        assert "\n" not in line
    markdown = "\n".join(gate.markdown(told))
    outside = re.sub(r"`[^`\n]*`", "", markdown)  # in a code span it is text
    assert not any(mark in outside for mark in ("<img", "@team", "[x]", "*_"))
    assert "\x1b" not in markdown
    rows = [line for line in gate.markdown(told) if line.startswith("| `")]
    assert len(rows) == 5
    assert all(line.replace("\\|", "").count("|") == 6 for line in rows)
    for line in gate.github_lines(told):
        assert line.startswith(("::error title=gate%3A ", "::warning title=gate%3A "))
        assert "\n" not in line
        assert "100%25" in line
    assert all("\x1b" not in value and len(value) <= 400 for _, value in gate.properties(told))


def test_the_page_shows_it_harmlessly(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "now", [record(case, worse(40)(case)) for case in cases()])
    told = findings(judged(notes=[HOSTILE]), model=HOSTILE, reasons=[HOSTILE], worse=[[HOSTILE] * 3] * 101, better=[])
    (folder / "gate.json").write_text(json.dumps(told))
    (page,) = write([load(folder / "records.jsonl")], [tmp_path / "report.html"])
    text = page.read_text()
    section = text[text.index('<section id="gate"') : text.index('<section id="rates"')]
    assert "gate: regressed (exit status 10)" in section
    assert "101 flipped for the worse" in section
    assert "and 1 more in gate.json" in section
    assert "<img" not in section
    assert "\x1b" not in section


def test_github_is_told_of_what_is_not_held_or_that_all_is() -> None:
    told = judged()
    assert [line.partition(" ")[0] for line in gate.github_lines(told)] == ["::error", "::error"]
    assert gate.github_lines(findings(told, verdict="held")) == [
        "::notice title=gate%3A held::gate: regressed (exit status 10): 5 rules"
    ]
    warned = findings(told, verdict="cannot decide", undecided="warn")
    assert {line.partition(" ")[0] for line in gate.github_lines(warned)} == {"::warning"}


def test_markdown_has_the_figures_and_folds_the_flips() -> None:
    out = "\n".join(gate.markdown(judged()))
    assert "| rule | baseline | now | change [limits] | verdict |" in out
    assert "❌ regressed: rose by" in out
    assert "cases flipped for the worse: anchored&#95;rate may rise by 12 points</summary>" in out
    assert ": correct → anchored" in out
