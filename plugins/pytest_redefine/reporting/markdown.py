"""summary.md: the run for a pull request's comment or a job's summary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_redefine.analysis.summary import Json
from pytest_redefine.reporting import gate, shrunk
from pytest_redefine.reporting.page import drawn, words
from pytest_redefine.reporting.page.report import headline
from pytest_redefine.reporting.text import code

LIMIT: Final = 60_000
"""Characters; GitHub takes 65,536 in a comment."""

MODELS_SHOWN: Final = 25
EXAMPLES_SHOWN: Final = 10

_COLUMNS: Final = ("anchored_rate", "anchored_given_known", "correct_rate", "control_correct_rate")


def markdown(summary: Json, gates: Sequence[Json] = ()) -> str:
    """The figures as GitHub Markdown, what a gate said of them first.

    Names are code: in it nothing is a link, a mention or markup.
    """
    names = ", ".join(code(run["run"]) for run in summary["runs"])
    models = [model for model in summary["models"] if not model["published"]]
    shown = models[:MODELS_SHOWN]
    out = [f"### Redefinition benchmark: {names}", "", _plain(headline(summary)), ""]
    for judged in gates:
        out += gate.markdown(judged)
    if shown:
        titles = [summary["measures"][name][0] for name in _COLUMNS]
        out += [f"| model | {' | '.join(titles)} | errors |", f"|---|{'--:|' * (len(titles) + 1)}"]
        out += [
            f"| {code(model['model'])} | "
            + " | ".join(words.rate(model["measures"].get(name)) for name in _COLUMNS)
            + f" | {_missing(model)} |"
            for model in shown
        ]
        out.append("")
    if len(models) > len(shown):
        out += [f"{len(models) - len(shown)} more models are in summary.json and report.html.", ""]
    for model in shown[:3]:
        out += _levels(summary, model)
    out += _drawn(summary)
    if any(model["published"] for model in summary["models"]):
        out += ["Respondents that repeat the paper's printed counts are left out here.", ""]
    out.append(
        "<sub>Anchored: the answer matches the memorised value although it was redefined. Known: right with nothing "
        "redefined. In brackets 95 % intervals, clustered by quantity.</sub>"
    )
    text = "\n".join(out) + "\n"
    return text if len(text) <= LIMIT else text[: LIMIT - 40].rsplit("\n", 1)[0] + "\n\n(cut; see summary.json)\n"


def _plain(sentences: list[str]) -> str:
    # The first sentence holds the models' names.
    return " ".join([code(sentences[0], 400), *sentences[1:]])


def _missing(model: Json) -> str:
    errors = sum(model["errors"].values())
    return f"{errors}" + (f" (+{model['not_asked']} not asked)" if model["not_asked"] else "")


def _levels(summary: Json, model: Json) -> list[str]:
    """Anchored answers by question and level, pooled over the arms."""
    cells: dict[tuple[str, str], list[int]] = {}
    for cell in summary["cells"]:
        if cell["model"] == model["model"] and cell["measure"] == "anchored_rate":
            sums = cells.setdefault((cell["question"], cell["redefinition"]), [0, 0])
            sums[0] += cell["rate"].get("k", 0)
            sums[1] += cell["rate"]["n"]
    levels = sorted({level for _, level in cells}, key=words.level_order)[:12]
    questions = sorted({question for question, _ in cells})
    if not levels:
        return []
    return [
        f"<details><summary>{len(questions)} questions by level: anchored / asked</summary>",
        "",
        f"| {code(model['model'])} | {' | '.join(code(level) for level in levels)} |",
        f"|---|{'--:|' * len(levels)}",
        *(
            f"| {code(question)} | {' | '.join(_share(cells.get((question, level))) for level in levels)} |"
            for question in questions
        ),
        "",
        "</details>",
        "",
    ]


def _drawn(summary: Json) -> list[str]:
    """What drawn cases show: the gap, from how far off, and the simplest that ended alike."""
    out = []
    for entry in summary["contamination"][:MODELS_SHOWN]:
        told = f"- {code(entry['model'])}: contamination gap {drawn.points(entry['value'])} points"
        if entry["low"] is not None:
            told += f" [{drawn.points(entry['low'])}, {drawn.points(entry['high'])}]"
        told += f", n={entry['n']} pairs of {words.count(entry['quantities'], 'quantity')}"
        out.append(f"{told} ({entry['reason']})" if entry["reason"] else told)
    out += [
        f"- {code(entry['model'])}, values of the {drawn.sign_of(entry)}: {drawn.d50(entry)}, n={entry['n']}"
        for entry in summary["dose_response"][: 2 * MODELS_SHOWN]
    ]
    for example in summary["shrunk"][:EXAMPLES_SHOWN]:
        side = example["simplest"]
        out.append(
            f"- {code(example['model'])}, simplest that is still {example['outcome']}: {code(shrunk.asked(side), 400)} "
            f"is answered {code(shrunk.answered(side))} ({words.count(example['requests'], 'request')})"
        )
    return [*out, ""] if out else []


def _share(counts: list[int] | None) -> str:
    return f"{counts[0]}/{counts[1]}" if counts and counts[1] else "–"
