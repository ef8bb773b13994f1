"""``--model=sim/published-...``: only what the paper printed is asked, and only its tables are drawn."""

from __future__ import annotations

import json

from tests.plugin.conftest import Suite


def test_only_printed_cases_are_asked(suite: Suite, mode: tuple[str, ...]) -> None:
    name = "sim/published-llama8b"
    options = ("-k", "pi", *mode, f"--model={name}", "--formats=ff,mc", "--promptings=zs,cot")
    result = suite.run(*options)
    assert result.ret == 0
    assert "anchored rate" not in result.stdout.str()
    asked = {(one["redefinition"], one["format"], one["prompting"]) for one in suite.records()}
    assert ("nr", "ff", "zs") in asked
    assert ("ra1", "mc", "cot") in asked
    assert not asked & {("nr", "mc", "zs"), ("nr", "ff", "cot")}
    summary = json.loads((suite.path / "reports" / "latest" / "summary.json").read_text())
    assert summary["cells"] == []


def test_an_unknown_model_of_the_paper_is_a_usage_error(suite: Suite) -> None:
    result = suite.run("-k", "pi", "--model=sim/published-gpt")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*the paper has no such model; there are sim/published-*"])
