"""report.html in a real Chromium: it works, loads nothing, and no model's text does anything in it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from pytest_redefine.records.reading import read_records
from pytest_redefine.records.shrunk import append_example
from pytest_redefine.reporting.loading import load_all, load_data
from pytest_redefine.reporting.outputs import write, write_outputs
from pytest_redefine.reporting.page import cases, report
from tests.parts import need
from tests.reporting.runs import drawn, example, records, write_run


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = need("chromium", "chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


@dataclass
class Watched:
    """A page, and all that it should not do."""

    page: Page
    said: list[str] = field(default_factory=list)

    def opened(self, path: Path, fragment: str = "") -> Page:
        self.page.goto(path.as_uri() + fragment)
        expect(self.page.locator("#list tbody tr").first).to_be_visible()
        return self.page


@pytest.fixture
def watched(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Watched]:
    context = browser.new_context(**getattr(request, "param", {}))
    page = context.new_page()
    watch = Watched(page)
    page.on("console", lambda message: watch.said.append(message.text))
    page.on("pageerror", lambda error: watch.said.append(str(error)))
    page.on("dialog", lambda dialog: watch.said.append(f"dialog {dialog.message}"))
    page.on("popup", lambda popup: watch.said.append("popup"))
    page.on(
        "request",
        lambda asked: None if asked.url.startswith(("file:", "data:")) else watch.said.append(f"request {asked.url}"),
    )
    yield watch
    context.close()
    assert not watch.said


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    models = {"sim/mixed": "sim/mixed", "vendor/anchors-7b": "sim/anchors", "vendor/adopts-70b": "sim/adopts"}
    folder = write_run(
        tmp_path_factory.mktemp("reports") / "july",
        records(models, formats=("ff", "mc"), promptings=("zs", "cot"), fault_every=97),
    )
    write_outputs(folder)
    return folder


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    name = "</script><img src=//evil.example onerror=alert(1)>\x1b[2J"
    folder = write_run(
        tmp_path_factory.mktemp("hostile") / "hostile",
        records({name: "sim/hostile"}),
    )
    write_outputs(folder)
    return folder


def shown(page: Page) -> int:
    """How many cases pass the filters."""
    return int(page.locator("#count").inner_text().split(" of ")[0].replace(",", ""))


def test_every_filter_filters(watched: Watched, run: Path) -> None:
    page = watched.opened(run / "report.html")
    every = read_records(run / "records.jsonl")
    assert shown(page) == len(every)
    for axis, value in {
        "outcome": "anchored",
        "model": "sim/mixed",
        "redefinition": "ra2",
        "question": "q3",
        "format": "mc",
        "prompting": "cot",
        "quantity": "pi",
    }.items():
        page.select_option(f"#by-{axis}", label=value)
        expected = sum(record[axis] == value for record in every)
        expect(page.locator("#count")).to_have_text(f"{expected:,} of {len(every):,} cases")
        page.select_option(f"#by-{axis}", label="all")
    page.check("#contested")
    plain = sum(not record["contested"] for record in every)
    expect(page.locator("#count")).to_have_text(f"{plain:,} of {len(every):,} cases")
    page.click("text=clear")
    expect(page.locator("#count")).to_have_text(f"{len(every):,} of {len(every):,} cases")


def test_search_finds_answers_and_on_request_what_was_said(watched: Watched, run: Path) -> None:
    page = watched.opened(run / "report.html")
    every = read_records(run / "records.jsonl")
    page.fill("#search", "7.7e77")
    expect(page.locator("#count")).not_to_contain_text(f"{len(every):,} of")
    assert 0 < shown(page) < len(every)
    page.fill("#search", "one reads the question")
    expect(page.locator("#count")).to_contain_text("0 of")
    page.check("#deep")
    hedged = sum("one reads the question" in (record["reply"] or "") for record in every)
    expect(page.locator("#count")).to_have_text(f"{hedged:,} of {len(every):,} cases")


def test_columns_sort_both_ways(watched: Watched, run: Path) -> None:
    page = watched.opened(run / "report.html")
    head = page.locator("#list thead th").nth(2)
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert page.locator("#list tbody tr td[data-name=model]").first.inner_text() == "sim/mixed"
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert page.locator("#list tbody tr td[data-name=model]").first.inner_text() == "vendor/anchors-7b"


def test_a_case_opens_into_the_whole_exchange_by_keyboard_and_closes(watched: Watched, run: Path) -> None:
    page = watched.opened(run / "report.html")
    every = read_records(run / "records.jsonl")
    record = every[2]
    button = page.locator("#list tbody tr .open").nth(2)
    button.focus()
    page.keyboard.press("Enter")
    detail = page.locator(".detail")
    expect(detail).to_be_visible()
    assert button.get_attribute("aria-expanded") == "true"
    text = detail.inner_text()
    for part in (record["messages"][0]["content"][:60], record["reply"][:60], record["expected"], record["rule"]):
        assert part.split("\n")[0] in text
    start, end = record["span"]
    assert detail.locator("mark").inner_text() == record["reply"][start:end]
    page.keyboard.press("Enter")
    expect(detail).to_have_count(0)


def test_an_error_opens_into_what_went_wrong(watched: Watched, run: Path) -> None:
    page = watched.opened(run / "report.html", "#outcome=error")
    page.locator("#list tbody tr .open").first.click()
    assert "server: HTTP 503 <b>no</b>" in page.locator(".detail").inner_text()


def test_pages_turn(watched: Watched, run: Path) -> None:
    page = watched.opened(run / "report.html")
    first = page.locator("#list tbody tr .open").first.inner_text()
    assert page.locator("#previous").is_disabled()
    page.click("#next")
    assert page.locator("#list tbody tr .open").first.inner_text() != first


def test_the_legend_filters_and_a_bar_leads_to_its_cases(watched: Watched, run: Path) -> None:
    page = watched.opened(run / "report.html")
    every = read_records(run / "records.jsonl")
    button = page.locator("#legend button[data-outcome=refused]")
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    expect(page.locator("#by-outcome")).to_have_value(
        page.locator("#by-outcome option", has_text="refused").get_attribute("value") or ""
    )
    button.click()
    piece = page.locator("#outcomes rect[data-outcome=anchored]").first
    piece.hover()
    expect(page.locator("#tip")).to_contain_text("anchored")
    count = int(page.locator("#tip").inner_text().split(": ")[1].split(" of")[0])
    piece.click()
    expect(page.locator("#count")).to_have_text(f"{count} of {len(every):,} cases")


def test_a_link_leads_to_one_case_and_opens_it(watched: Watched, run: Path) -> None:
    link = "#task=constants&quantity=pi&redefinition=ra1&question=q1&format=ff&prompting=zs&model=sim%2Fmixed"
    page = watched.opened(run / "report.html", link)
    expect(page.locator(".detail")).to_be_visible()
    assert page.locator("#count").inner_text().startswith("1 of")


@pytest.mark.parametrize("watched", [{"java_script_enabled": False}], indirect=True)
def test_without_javascript_all_pictures_and_tables_are_there(watched: Watched, run: Path) -> None:
    watched.page.goto((run / "report.html").as_uri())
    assert watched.page.locator("svg").count() > 10
    assert watched.page.locator("noscript").count() == 1
    # A page may not look into itself there, so its text is asked for.
    assert "records.jsonl beside this file" in watched.page.content()
    assert watched.page.locator("#rates table tbody tr").count() == 3


@pytest.mark.parametrize(
    "watched", [{"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}], indirect=True
)
@pytest.mark.parametrize("which", ["run", "hostile"])
def test_a_phone_is_never_scrolled_sideways(watched: Watched, which: str, request: pytest.FixtureRequest) -> None:
    folder: Path = request.getfixturevalue(which)
    page = watched.opened(folder / "report.html")
    for row in range(6):
        page.locator("#list tbody .open").nth(row).tap()
    expect(page.locator(".detail").nth(5)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_hostile_text_is_text(watched: Watched, hostile: Path) -> None:
    page = watched.opened(hostile / "report.html")
    title = page.title()
    while True:
        page.evaluate("document.querySelectorAll('#list tbody .open').forEach(button => button.click())")
        expect(page.locator("#list tbody tr.below .detail")).to_have_count(page.locator("#list tbody .open").count())
        for element in ("script", "img", "iframe", "b", "base", "link", "style"):
            assert page.locator(f"#list {element}").count() == 0, element
        if page.locator("#next").is_disabled():
            break
        page.click("#next")
    assert page.title() == title
    assert page.evaluate("typeof window.pwned") == "undefined"
    assert page.locator("base, iframe, img").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_policy_stops_a_script_that_would_get_in(browser: Browser, run: Path) -> None:
    page = browser.new_page()
    page.goto((run / "report.html").as_uri())
    page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.pwned = 1';"
        "document.body.append(s);"
        "const i = document.createElement('img'); i.src = 'https://evil.example/x.png'; document.body.append(i); }"
    )
    assert page.evaluate("typeof window.pwned") == "undefined"
    page.close()


def test_details_that_do_not_fit_are_read_from_the_records(
    watched: Watched, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = cases.case_data
    monkeypatch.setattr(report, "case_data", lambda runs: small(runs, budget=30_000))
    path = tmp_path / "report.html"
    write(load_all([run / "records.jsonl"]), [path])
    page = watched.opened(path, "#outcome=correct&model=vendor%2Fadopts-70b")
    page.locator("#list tbody .open").nth(3).click()
    expect(page.locator("#list tbody tr.below")).to_contain_text("choose the run's records.jsonl")
    page.locator("#list tbody .open").nth(3).click()
    page.set_input_files("#file", run / "records.jsonl")
    name = page.locator("#list tbody .open").nth(3).inner_text()
    page.locator("#list tbody .open").nth(3).click()
    detail = page.locator(".detail")
    expect(detail).to_be_visible()
    quantity, level, question = name.split()[1:4]
    (record,) = [
        one
        for one in read_records(run / "records.jsonl")
        if (one["quantity"], one["redefinition"], one["question"], one["model"])
        == (quantity, level, question, "vendor/adopts-70b")
        and f"{one['format']} {one['prompting']}" == " ".join(name.split()[4:6])
    ]
    assert detail.locator("mark").inner_text() == record["reply"][slice(*record["span"])]


def test_two_runs_of_one_model_stand_side_by_side(watched: Watched, tmp_path: Path) -> None:
    folders = [
        write_run(tmp_path / name, records({"vendor/m": respondent}))
        for name, respondent in (("july", "sim/anchors"), ("august", "sim/adopts"))
    ]
    page_path = tmp_path / "both.html"
    write(load_all([folder / "records.jsonl" for folder in folders]), [page_path])
    page = watched.opened(page_path)
    names = page.locator("#rates tbody th").all_inner_texts()
    assert names == ["vendor/m @ july", "vendor/m @ august"]


def test_published_respondents_show_in_the_paper_s_tables_only(watched: Watched, tmp_path: Path) -> None:
    name = "sim/published-llama8b"
    folder = write_run(tmp_path / "paper", records({name: name}))
    write_outputs(folder)
    page = watched.opened(folder / "report.html")
    assert page.locator("#outcomes").count() == 0
    assert page.locator("#heat").count() == 0
    assert page.locator("#paper details").count() > 0
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["cells"] == []
    assert "measures" not in summary["models"][0]


def test_a_run_without_run_json_has_a_page_too(watched: Watched, tmp_path: Path) -> None:
    folder = write_run(tmp_path / "bare", records({"m": "sim/adopts"}))
    (folder / "run.json").unlink()
    write_outputs(folder)
    page = watched.opened(folder / "report.html")
    assert "270 of 270" in page.locator("#count").inner_text()


@pytest.fixture(scope="module")
def of_draws(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of drawn cases, with an example that tries to be more than text."""
    folder = write_run(tmp_path_factory.mktemp("drawn") / "drawn", drawn())
    side = {**example()["drawn"], "answer": "<img src=x onerror=alert(1)>", "reply": "</td></table><script>1</script>"}
    append_example(folder, example())
    append_example(folder, example(case_id="<b>hostile</b>", simplest=side, reason="<i>why</i>"))
    write_outputs(folder)
    return folder


@pytest.mark.parametrize("watched", [{"java_script_enabled": False}], indirect=True)
def test_gap_curve_and_examples_are_there_without_javascript(watched: Watched, of_draws: Path) -> None:
    page = watched.page
    page.goto((of_draws / "report.html").as_uri())
    gap = page.locator("#gap tbody tr").first.inner_text().split("\t")
    assert gap[:2] == ["vendor/m", "+33.3"]
    assert gap[3:] == ["12", "12", "100.0 %", "66.7 %"]
    told = page.locator("#dose li").all_inner_texts()
    assert re.match(r"ordinary sign, n=48 of 12 quantities: half is anchored at [\d.]+ decades \[", told[0])
    assert "other sign, n=48 of 12 quantities: no distance at which half is anchored: the points do not" in told[1]
    pictures = page.locator("#dose svg")
    assert pictures.count() == 2
    # Four rates with intervals; a fitted line and a d50 where they are borne, dashes where they are not.
    assert pictures.first.locator("g.point").count() == 4
    assert (pictures.first.locator("path.join").count(), pictures.first.locator("g.d50").count()) == (1, 1)
    assert (pictures.nth(1).locator("path.printed").count(), pictures.nth(1).locator("g.d50").count()) == (1, 0)
    assert "0.1 decades off: 100 % [76, 100] n=12" in (pictures.first.get_attribute("aria-label") or "")
    assert page.locator("#gap svg").get_attribute("aria-label") == (
        "Contamination gap by model. vendor/m: +33.3 points [+2.0, +64.6], n=12 pairs of 12 quantities"
    )
    shown_example = page.locator("#shrunk details").first.inner_text()
    for part in ("Redefine π as 1. 7 requests", "How much is π times 12?", "37.699", "3.14159", "m²"):
        assert part in shown_example
    assert page.locator("#shrunk details").count() == 2
    for element in ("img", "script", "i"):
        assert page.locator(f"#shrunk {element}").count() == 0


@pytest.mark.parametrize("watched", [{"viewport": {"width": 360, "height": 740}}], indirect=True)
def test_drawn_cases_fit_a_phone(watched: Watched, of_draws: Path) -> None:
    page = watched.opened(of_draws / "report.html")
    for fold in page.locator("#shrunk summary, #dose summary").all():
        fold.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_markdown_summary_tells_of_drawn_cases(of_draws: Path) -> None:
    told = (of_draws / "summary.md").read_text()
    assert "- `vendor/m`: contamination gap +33.3 points [+2.0, +64.6], n=12 pairs of 12 quantities" in told
    assert "- `vendor/m`, values of the other sign: no distance at which half is anchored: the points do not" in told
    assert "still anchored: `Redefine π as 1. What is the value of π?` is answered `3.14159` (7 requests)" in told
    assert "<img" not in re.sub("`[^`]*`", "", told)


def test_installed_templates_are_part_of_the_package() -> None:
    folder = Path(report.__file__).parents[1] / "templates"
    assert {path.name for path in folder.iterdir()} >= {"report.html.j2", "report.css", "report.js", "compare.html.j2"}
    assert load_data().swap_partners["constants", "pi", "rs1"] == "phi"
