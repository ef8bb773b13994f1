"""How long 50,000 records take: analysis, page, opening the page; and how large all of it is.

    python benchmarks/report.py [--cases 50000] [--keep FOLDER]

Issue targets: analysis under 10 s and 1 GB, page written under 20 s, under 30 MB, open in Chromium under 3 s.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pytest_redefine.analysis.summary import summarise
from pytest_redefine.cases.catalogue import FORMATS, PROMPTINGS, Catalogue
from pytest_redefine.cases.prompts import Prompts
from pytest_redefine.cases.truths import TruthTable
from pytest_redefine.grading.outcome import CATEGORIES, Outcome
from pytest_redefine.records.record import make_record
from pytest_redefine.reporting.loading import load_all, load_data
from pytest_redefine.reporting.page.report import write_report
from pytest_redefine.respondents.exchange import Reply, Transcript, Turn

_WORDS = (
    "the", "of", "value", "constant", "redefined", "as", "we", "compute", "multiply", "step", "therefore",
    "result", "new", "given", "that", "which", "is", "so", "π", "≈", "500", "×", "3", "=", "1500", "and", "hence",
    "answer", "because", "suppose", "normally", "however", "with", "units", "metres", "per", "second",
)  # fmt: skip
_SIZES = (1, 3, 7, 8, 12, 14, 24, 32, 70, 72, 90, 104, 123, 180, 235, 405, 500, 671, 1000)


def records(cases: int) -> Iterator[dict[str, Any]]:
    """Real cases and prompts; replies of 30 to 240 words of no meaning, outcomes drawn."""
    catalogue = Catalogue.load()
    truths = TruthTable(catalogue, Prompts.load())
    number = 0
    for size in _SIZES:
        model = f"vendor/family-{size}b"
        for task in catalogue.tasks:
            for case in catalogue.cases(task, formats=FORMATS, promptings=PROMPTINGS):
                source = random.Random(f"{model} {case.case_id}")  # noqa: S311 - filler text
                truth = truths.truth(case)
                body = " ".join(source.choices(_WORDS, k=source.randrange(30, 240)))
                wanted = [name for name in CATEGORIES if name != "anchored" or truth.default is not None]
                outcome = source.choices(wanted, weights=[8, 4, 3, 1, 1, 1][: len(wanted)])[0]
                text = f"{body}. The final answer is: {truth.expected}"
                span = (len(text) - len(truth.expected), len(text))
                messages = tuple(truths.messages(case))
                skeleton: dict[str, Any] = {
                    name: getattr(case, name)
                    for name in ("task", "quantity", "redefinition", "question", "format", "prompting", "sample")
                } | {
                    "case_id": case.case_id,
                    "nodeid": f"evals/test_{task}.py::test_{task}[{case.id_stem}-family-{size}b]",
                    "model": model,
                    "simulated": False,
                    "contested": case.contested,
                    "messages": list(messages),
                    "parameters": {"temperature": 0.0, "max_tokens": 1024},
                    "options": dict(truth.options) if truth.options else None,
                    "truth": truth.to_json(),
                }
                usage = {"prompt_tokens": 80, "completion_tokens": len(body.split())}
                reply = Reply(text, usage=usage, cost_usd=1e-4, latency_s=1.25, model_version=model)
                said = Transcript((Turn(messages, reply, "ab" * 32),))
                yield make_record("bench", skeleton, said, Outcome(outcome, "", truth.expected, span, "marker", 0.0))
                number += 1
                if number == cases:
                    return


def main() -> None:
    """Write the run, then measure each step in this process; memory is the process's highest so far."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=50_000)
    parser.add_argument("--keep", type=Path, help="leave run and page here")
    args = parser.parse_args()
    folder = args.keep or Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "records.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for record in records(args.cases):
            file.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")
    print(f"{'records':<22}{args.cases:>9,}   {path.stat().st_size / 1e6:6.1f} MB")
    data, page = load_data(), folder / "report.html"
    with _timed("read"):
        runs = load_all([path])
    with _timed("analysis"):
        summary = summarise([run.rows for run in runs], data)
    with _timed("page"):
        write_report(page, runs, data, summary)
    print(f"{'page':<22}{'':>9}   {page.stat().st_size / 1e6:6.1f} MB")
    _open(page)
    if args.keep is None:
        shutil.rmtree(folder)


class _timed:  # noqa: N801 - reads as the statement it stands in
    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def __exit__(self, *_: object) -> None:
        wall, cpu = time.perf_counter() - self.wall, time.process_time() - self.cpu
        high = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{self.name:<22}{wall:>7.1f} s   {cpu:6.1f} s CPU   {high:6.0f} MB highest")


def _open(page: Path) -> None:
    """Open the page three times in Chromium, where there is one."""
    chromium = shutil.which("chromium")
    if chromium is None:
        print("no chromium: the page was not opened")
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for _ in range(3):
            tab = browser.new_page()
            start = time.perf_counter()
            tab.goto(page.as_uri())
            tab.wait_for_selector("#list tbody tr")
            print(f"{'opened, list shown':<22}{time.perf_counter() - start:>7.1f} s")
            tab.close()
        browser.close()


if __name__ == "__main__":
    main()
