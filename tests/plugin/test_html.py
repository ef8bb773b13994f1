"""--html: pytest-html's report with our columns and details, opened in a real Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.plugin.conftest import KILLS_ITS_WORKER, SIX, Suite, asking
from tests.servers import Behaviour, ChatServer, by_question, failure

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HTML = ("--html=report.html", "--self-contained-html")

ESCAPES = "</pre></div></td></tr></table></textarea></script></template></style>--><!-- ]]> \" ' ` &lt; &amp;"
HOSTILE = (
    f"{ESCAPES}<script>window.ran = 1</script><img src=x onerror='window.ran = 1'>"
    "<img src='http://127.0.0.1:9/leak'><link rel=stylesheet href='http://127.0.0.1:9/leak.css'>"
    "<iframe src='http://127.0.0.1:9/frame'></iframe><svg onload='window.ran = 1'><style>body{display:none}</style>"
    "<a href='javascript:window.ran = 1'>here</a> {{ 7 * 7 }} \x1b[31mred\x1b[0m \u202ebackwards\u2066 \x00 \ud800 "
    + "x" * 30_000
    + "<b>bold</b>\nThe final answer is: 13.5"
)
MARKUP = "<script>window.ran = 1</script><img src=x onerror='window.ran = 1'>"


class Opened:
    """A report in the browser, and all that it did behind our backs."""

    def __init__(self, page: Page, path: Path) -> None:
        self.page = page
        self.requests: list[str] = []
        self.errors: list[str] = []
        page.route("http*://**", lambda route: route.abort())
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda said: self.errors.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.goto(path.as_uri())
        page.wait_for_selector("#results-table tbody")
        self._itself = path.as_uri()

    def harmless(self) -> bool:
        """It loaded nothing but itself, and the browser had nothing to complain about."""
        return self.requests == [self._itself] and self.errors == []

    def column(self, name: str) -> list[str]:
        return [cell.inner_text() for cell in self.page.query_selector_all(f"td.col-redefine{name}")]

    def body(self, nodeid: str) -> str:
        """The selector of a case's rows."""
        return f'tbody[id="{nodeid}"]'


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    yield page
    page.close()


def nodeid(level: str, model: str = "x") -> str:
    return f"evals/test_constants.py::test_constants[pi-{level}-q2-ff-zs-s0-{model}]"


def test_columns_sorting_and_details(suite: Suite, page: Page, mode: tuple[str, ...]) -> None:
    assert suite.run(*SIX, *mode, *HTML, "--model=sim/mixed", "--run=shown").ret == 0
    opened = Opened(page, suite.path / "report.html")
    heads = [head.inner_text() for head in page.query_selector_all("#results-table-head th")]
    assert heads[2:7] == ["Outcome", "Model", "Expected", "Default", "Extracted"]
    records = {record["nodeid"]: record for record in suite.records("shown")}
    assert len(records) == 6

    outcomes = [f"{r['outcome']} ({r['detail']})" if r["detail"] else r["outcome"] for r in records.values()]
    assert sorted(opened.column("outcome")) == sorted(outcomes)
    assert set(opened.column("model")) == {"sim/mixed"}
    page.click('th[data-column-type="redefineoutcome"]')
    ascending = opened.column("outcome")
    page.click('th[data-column-type="redefineoutcome"]')
    descending = opened.column("outcome")
    assert sorted([ascending, descending]) == sorted([sorted(outcomes), sorted(outcomes, reverse=True)])

    assert "Run shown" in page.inner_text(".additional-summary.prefix")
    assert "Simulated respondents took part." in page.inner_text(".additional-summary.prefix")

    page.click("#show_all_details")
    for name, record in records.items():
        shown = page.inner_text(f"{opened.body(name)} .extraHTML")
        for part in (
            record["messages"][0]["content"],
            record["reply"] or "(nothing)",
            f"expected: {record['expected']}",
        ):
            assert part in shown
        if record["extracted"]:
            assert f"extracted: {record['extracted']}" in shown
            assert page.inner_text(f"{opened.body(name)} .extraHTML mark") in record["reply"]
    assert opened.harmless(), (opened.requests, opened.errors)


def test_details_open_one_by_one(suite: Suite, page: Page) -> None:
    assert suite.run(*SIX, "-n0", *HTML, "--model=sim/adopts").ret == 0
    opened = Opened(page, suite.path / "report.html")
    details = f"{opened.body(nodeid('ra2', 'adopts'))} .extraHTML"
    page.click("#hide_all_details")
    assert not page.is_visible(details)
    page.click(f"{opened.body(nodeid('ra2', 'adopts'))} .col-result")
    assert page.is_visible(details)
    assert "The final answer is: 1500" in page.inner_text(details)


def test_a_hostile_model_does_nothing_to_the_page(suite: Suite, page: Page, mode: tuple[str, ...]) -> None:
    answers = by_question(
        {
            "π as 4.5": Behaviour(text=HOSTILE, reasoning=HOSTILE, finish_reason=MARKUP),
            "π as 500": failure(400, HOSTILE[:400]),
            "π as -10": Behaviour(text=f"The final answer is: {MARKUP}"),
        },
        Behaviour(text="The final answer is: 9.42477"),
    )
    with ChatServer(answers) as server:
        assert suite.run(*SIX, *mode, *HTML, *asking(server)).ret == pytest.ExitCode.TESTS_FAILED
    opened = Opened(page, suite.path / "report.html")
    scripts = page.locator("script").count()
    width = page.evaluate("document.documentElement.scrollWidth")
    page.click("#show_all_details")
    page.click('th[data-column-type="redefineextracted"]')

    shown = page.inner_text(f"{opened.body(nodeid('ra1'))} .extraHTML")
    assert "<script>window.ran = 1</script>" in shown
    assert ESCAPES in shown
    assert r"\x1b[31mred\x1b[0m \u202ebackwards\u2066 \x00" in shown
    assert MARKUP in page.inner_text(f"{opened.body(nodeid('ra3'))} .extraHTML")
    assert "window.ran" in page.inner_text(opened.body(nodeid("ra2")))

    assert page.evaluate("window.ran") is None
    assert page.locator("script").count() == scripts == 2  # pytest-html's, and our choice of outcomes
    inside = ".extraHTML img, .extraHTML a, .extraHTML iframe, .extraHTML svg, .extraHTML style, .log img, .log script"
    assert page.locator(inside).count() == 0
    assert len(opened.column("outcome")) == 6
    assert page.evaluate("document.documentElement.scrollWidth") <= max(width, 1280)
    assert opened.harmless(), (opened.requests, opened.errors)


def test_a_case_whose_worker_died_has_its_row(suite: Suite, page: Page) -> None:
    suite.conftest(KILLS_ITS_WORKER)
    assert suite.run(*SIX, "-n2", *HTML, "--model=sim/adopts").ret == 1
    opened = Opened(page, suite.path / "report.html")
    assert sorted(opened.column("outcome")) == ["correct"] * 5 + ["error"]
    page.click("#show_all_details")
    texts = [details.inner_text() for details in page.query_selector_all(".extraHTML")]
    assert sum("worker_died: " in text and "Redefine π as 500." in text for text in texts) == 1
    assert page.inner_text(".filters .failed") == "1 Failed,"
    assert opened.harmless(), (opened.requests, opened.errors)


def test_without_pytest_html_all_else_works(suite: Suite, mode: tuple[str, ...]) -> None:
    assert suite.run(*SIX, *mode, "-p", "no:html", "--model=sim/adopts").ret == 0
    assert len(suite.records()) == 6


def test_ordinary_tests_have_empty_cells(suite: Suite, page: Page) -> None:
    (suite.path / "evals" / "test_plain.py").write_text("def test_plain():\n    pass\n")
    assert suite.run("-k", "plain or (pi and q2 and ra1)", "-n0", *HTML, "--model=sim/adopts").ret == 0
    opened = Opened(page, suite.path / "report.html")
    assert sorted(opened.column("outcome")) == ["", "correct"]
    assert opened.harmless(), (opened.requests, opened.errors)


def test_an_outcome_can_be_chosen(suite: Suite, page: Page) -> None:
    assert suite.run("-k", "pi or euler", "-n0", "--model=sim/mixed", "--html=r.html", "--self-contained-html").ret == 0
    opened = Opened(page, suite.path / "r.html")
    shown = opened.page
    before = shown.locator("#results-table tbody:visible").count()
    shown.select_option("#redefine-filter", "anchored")
    anchored = sum(record["outcome"] == "anchored" for record in suite.records())
    assert 0 < anchored < before
    assert shown.locator("#results-table tbody:visible").count() == anchored
    shown.locator("#results-table th.sortable").nth(1).click()  # pytest-html lays its rows anew
    shown.wait_for_timeout(200)
    assert shown.locator("#results-table tbody:visible").count() == anchored
    shown.select_option("#redefine-filter", "")
    assert shown.locator("#results-table tbody:visible").count() == before
    assert opened.harmless()
