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
from pytest_redefine.grading.outcome import Category
from pytest_redefine.records.record import Record, make_record
from pytest_redefine.respondents.callers import published
from pytest_redefine.respondents.callers.simulated import SimulatedCaller
from pytest_redefine.respondents.errors import Fault
from pytest_redefine.respondents.exchange import Reply, Request, Transcript, Turn
from tests.records.samples import answered


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


def drawn(model: str = "vendor/m") -> Iterator[Record]:
    """Records of published, fresh and dose cases of one model, which anchors below one decade and knows the tables."""
    for at in range(12):
        asked = {"quantity": f"q{at}", "question": "q2", "model": model}
        draw = {"family": "fresh", "kind": "ra2", "index": at, "seed": "7"}
        one: Category = "correct" if at % 3 else "anchored"
        levels: list[tuple[Category, str, Any]] = [
            ("correct", "ra2", None), ("correct", "nr", None), (one, "fresh", draw), ("correct", "nr", draw)
        ]  # fmt: skip
        for outcome, level, drawn_as in levels:
            name = f"constants-q{at}-{level}-{'drawn' if drawn_as else 'q2'}"
            yield answered(outcome, redefinition=level, draw=drawn_as, case_id=name, nodeid=name, **asked)
        for place, distance in enumerate((0.1, 0.5, 2.0, 8.0)):
            for value in ("3", "-3"):
                # The other sign is never taken for the ordinary one.
                outcome = "anchored" if distance < 1 and value == "3" else "correct"
                dose = {"family": "dose", "dose": distance, "value": value, "index": 4 * at + place}
                name = f"constants-q{at}-dose-{distance}{value}"
                yield answered(outcome, redefinition="dose", draw=dose, case_id=name, nodeid=name, **asked)


def example(model: str = "vendor/m", **changes: Any) -> dict[str, Any]:
    """A worked example of --shrink."""
    side: dict[str, Any] = {
            "draw": {}, "redefinition": "Redefine π as 9.54.", "question": "How much is π times 12?", "options": None,
            "expected": "114.48", "default": "37.699", "unit": "m^2", "answer": "37.699", "reply": "It is 37.699.",
            "key": "ab" * 32}  # fmt: skip
    simplest = {**side, "redefinition": "Redefine π as 1.", "question": "What is the value of π?", "answer": "3.14159"}
    return {"schema": 1, "run": "run", "model": model, "simulated": False, "case_id": "constants-pi-fresh3-op1",
            "nodeid": "n", "task": "constants", "quantity": "pi", "format": "ff", "prompting": "zs", "sample": 0,
            "rotation": 0, "outcome": "anchored", "drawn": side, "simplest": simplest, "requests": 7,
            "reason": ""} | changes  # fmt: skip
