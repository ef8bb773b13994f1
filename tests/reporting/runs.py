"""Runs on disk as reports need them: real cases, answered by simulated respondents, graded, recorded."""

from __future__ import annotations

import json
from collections.abc import Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any

from pytest_redefine.cases.catalogue import Catalogue
from pytest_redefine.cases.prompts import Prompts
from pytest_redefine.cases.truths import TruthTable
from pytest_redefine.grading.grader import grade
from pytest_redefine.records.record import Record, make_record
from pytest_redefine.respondents.callers import published
from pytest_redefine.respondents.callers.simulated import SimulatedCaller
from pytest_redefine.respondents.errors import Fault
from pytest_redefine.respondents.exchange import Reply, Request, Transcript, Turn


def records(
    models: dict[str, str],
    *,
    run: str = "run",
    tasks: Sequence[str] = ("constants",),
    formats: Sequence[str] = ("ff",),
    promptings: Sequence[str] = ("zs",),
    samples: int = 1,
    fault_every: int = 0,
) -> Iterator[Record]:
    """Records of models, each answering as a simulated respondent does.

    Args:
        models: Name in the records → simulated respondent.
        run: The run's name.
        tasks: What is asked, with the next three.
        formats: Likewise.
        promptings: Likewise.
        samples: Likewise.
        fault_every: Every so many cases end in an error; 0 for none.
    """
    catalogue = Catalogue.load()
    truths = TruthTable(catalogue, Prompts.load())
    number = 0
    for model, respondent in models.items():
        caller = SimulatedCaller(respondent)
        for task in tasks:
            for case in catalogue.cases(task, formats=formats, promptings=promptings, samples=samples):
                truth = truths.truth(case)
                axes = ("task", "quantity", "redefinition", "question", "format", "prompting", "sample", "case_id",
                        "contested", "rotation")  # fmt: skip
                skeleton: dict[str, Any] = {name: getattr(case, name) for name in axes} | {
                    "nodeid": f"evals/test_{task}.py::test_{task}[{case.id_stem}-{model}]",
                    "model": model,
                    "simulated": model.startswith("sim/"),
                    "messages": truths.messages(case),
                    "parameters": {"temperature": 0.0},
                    "options": dict(truth.options) if truth.options else None,
                    "truth": truth.to_json(),
                }
                if not published.is_printed(respondent, skeleton):
                    continue
                number += 1
                if fault_every and number % fault_every == 0:
                    yield make_record(run, skeleton, Transcript((), Fault("server", "HTTP 503 <b>no</b>")), None)
                    continue
                reply = _now(caller.call(Request(model, skeleton["messages"]), skeleton))
                said = Transcript((Turn(tuple(skeleton["messages"]), reply, "ab" * 32),))
                yield make_record(run, skeleton, said, grade(reply.text, truth))


def _now(call: Coroutine[Any, Any, Reply]) -> Reply:
    """What a simulated respondent says at once, without a loop: Playwright's own runs in this thread."""
    try:
        call.send(None)
    except StopIteration as end:
        reply = end.value
        assert isinstance(reply, Reply)
        return reply
    raise AssertionError("it waits for something")


def write_run(folder: Path, found: Iterator[Record] | list[Record], **facts: Any) -> Path:
    """Write a run's folder; returns it."""
    folder.mkdir(parents=True)
    with (folder / "records.jsonl").open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        for record in found:
            file.write(json.dumps({**record, "run": folder.name}, ensure_ascii=False) + "\n")
    run = {"schema": 1, "run": folder.name, "state": "finished", "wall_s": 75.0, "complete": True, **facts}
    (folder / "run.json").write_text(json.dumps(run))
    return folder
