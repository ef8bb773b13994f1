"""``pytest-redefine report`` and ``compare``, called as the command line calls them."""

from __future__ import annotations

import argparse
import json
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from urllib.parse import parse_qs

import pytest

from pytest_redefine.commands import CommandError, compare, report
from tests.reporting.runs import records, write_run


def call(command: ModuleType, *args: str) -> int:
    parser = argparse.ArgumentParser()
    command.configure(parser)
    status = command.run(parser.parse_args(args))
    assert isinstance(status, int)
    return status


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, respondent in (("july", "sim/mixed"), ("august", "sim/anchors")):
        write_run(tmp_path / "reports" / name, records({"v/m": respondent}))
    return tmp_path


def test_one_run_s_files_land_beside_its_records(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(report, "july") == 0
    said = capsys.readouterr().out.splitlines()
    assert said == [f"reports/july/{name}" for name in ("report.html", "summary.json", "summary.md")]
    assert all((runs / name).is_file() for name in said)


def test_several_runs_make_one_page(runs: Path) -> None:
    assert call(report, "july", "august") == 0
    assert "v/m @ august" in (runs / "report.html").read_text()


def test_what_is_written_can_be_said(runs: Path) -> None:
    assert call(report, "july", "-o", "out/cases.csv", "-o", "out/run.json") == 0
    assert len((runs / "out/cases.csv").read_text().splitlines()) > 270
    assert json.loads((runs / "out/run.json").read_text())["totals"]["records"] == 270


def test_the_mixed_model_is_fitted_on_request(runs: Path) -> None:
    pytest.importorskip("statsmodels")
    outputs = ("-o", "out/both.html", "-o", "out/both.json")
    assert call(report, "july", "august", "--mixed-model", *outputs) == 0
    fitted = json.loads((runs / "out/both.json").read_text())["mixed_model"]
    assert fitted["bases"]["model"] == "v/m @ july"
    (term,) = [one for one in fitted["terms"] if one["name"].startswith("model=")]
    assert term["low"] > 0, "the respondent of august anchors always"
    assert f"[{term['low']:+.2f}, {term['high']:+.2f}]" in (runs / "out/both.html").read_text()


def test_without_enough_cases_the_page_says_why_there_is_no_mixed_model(runs: Path) -> None:
    assert call(report, "august", "--mixed-model") == 0
    assert "No mixed model: needs 200 cases" in (runs / "reports/august/report.html").read_text()


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["june"], "the runs in reports/ are august, july"),
        (["july", "-o", "x.txt"], r"\.html"),
        (["july", "-o", "reports"], r"\.html"),
    ],
)
def test_mistakes_are_told_in_a_line(runs: Path, args: list[str], told: str) -> None:
    with pytest.raises(CommandError, match=told) as caught:
        call(report, *args)
    assert caught.value.status == 2


def test_a_folder_that_cannot_be_written_is_named(runs: Path) -> None:
    (runs / "blocked").write_text("")
    with pytest.raises(CommandError, match="blocked"):
        call(report, "july", "-o", "blocked/report.html")


def test_comparison_in_the_terminal(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(compare, "july", "august", "--json", "moved.json") == 0
    said = capsys.readouterr().out
    assert "v/m @ july" in said
    assert "270 cases answered by both" in said
    (found,) = json.loads((runs / "moved.json").read_text())
    (rate,) = [one for one in found["measures"] if one["measure"] == "anchored_rate"]
    assert rate["after"] == 1.0
    assert rate["low"] <= rate["effect"] <= rate["high"]
    assert rate["p_sign_flip"] < 0.001


class Links(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.found.append(dict(attrs)["href"] or "")


def test_the_page_links_into_the_reports_there_are(runs: Path) -> None:
    call(report, "july")
    call(compare, "july", "august", "--html", "out/moved.html")
    links = Links((runs / "out/moved.html").read_text()).found
    assert links
    assert all(link.startswith("../reports/july/report.html#") for link in links)
    wished = parse_qs(links[0].split("#")[1])
    assert wished["model"] == ["v/m"]
    assert {"quantity", "redefinition", "question"} <= set(wished)


@pytest.mark.parametrize("arms", ["prompting", "prompting=zs", "mood=a,b", "prompting=zs,"])
def test_arms_are_checked(runs: Path, arms: str) -> None:
    with pytest.raises(CommandError, match="AXIS=X,Y"):
        call(compare, "july", "august", "--arms", arms)


def test_runs_without_a_case_in_common(runs: Path) -> None:
    with pytest.raises(CommandError, match="no answered case"):
        call(compare, "july", "july", "--arms", "prompting=zs,cot")
