"""What pytest-html's report shows of a case: columns, the whole exchange in the details, the outcome table above.

pytest-html puts cells and extras into the page as they are, so everything is escaped here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_redefine.analysis.agreement import agreement_by_model
from pytest_redefine.analysis.rates import tally_by_model
from pytest_redefine.grading.outcome import CATEGORIES, UNGRADED
from pytest_redefine.reporting.summary import agreement_line, percent
from pytest_redefine.reporting.text import escaped, one_line

_COLUMNS: Final = (
    ("outcome", "Outcome"),
    ("model", "Model"),
    ("expected", "Expected"),
    ("default", "Default"),
    ("extracted", "Extracted"),
)
_AFTER: Final = 2  # behind pytest-html's own result and test id


def header(cells: list[str]) -> None:
    """Insert the columns' heads; sortable, each by the name that its cells carry."""
    cells[_AFTER:_AFTER] = [
        f'<th class="sortable" data-column-type="redefine{name}">{title}</th>' for name, title in _COLUMNS
    ]


def row(record: Mapping[str, Any] | None, cells: list[str]) -> None:
    """Insert a case's cells; empty ones for an ordinary test."""
    cells[_AFTER:_AFTER] = [f'<td class="col-redefine{name}">{_cell(record, name)}</td>' for name, _ in _COLUMNS]


def _cell(record: Mapping[str, Any] | None, name: str) -> str:
    if record is None:
        return ""
    if name == "outcome":
        outcome = record["outcome"] or record["status"]
        if record["outcome"] is None and record["detail"] == UNGRADED:
            return UNGRADED
        return escaped(one_line(f"{outcome} ({record['detail']})" if record["detail"] else str(outcome), 60))
    value = record[name]
    return "" if value is None else escaped(one_line(str(value), 60))


def details(record: Mapping[str, Any]) -> dict[str, Any]:
    """The extra that pytest-html shows in a row's details: what was asked, said, expected and read."""
    parts = [_block(f"asked ({message['role']})", str(message["content"])) for message in record["messages"]]
    if record["error"] is not None:
        parts.append(_block("no answer", f"{record['error']['kind']}: {record['error']['message']}"))
    else:
        if record["reasoning"]:
            parts.append(_block("reasoning", record["reasoning"]))
        parts.append(_reply(record))
    parts.append(_block("graded", _verdict(record)))
    return {
        "name": None,
        "format_type": "html",
        "content": f'<div style="max-width:60em;color:#222">{"".join(parts)}</div>',
        "mime_type": None,
        "extension": None,
    }


def _block(title: str, text: str) -> str:
    return _framed(title, escaped(text))


def _framed(title: str, body: str) -> str:
    # An inline style: pytest-html takes no style sheet of ours, and a long line must not widen the page.
    style = "white-space:pre-wrap;overflow-wrap:anywhere;margin:.2em 0 .8em;font:inherit"
    return f'<strong>{escaped(title)}</strong><pre style="{style}">{body}</pre>'


def _reply(record: Mapping[str, Any]) -> str:
    text, span = record["reply"], record["span"]
    title = "said" if record["finish_reason"] == "stop" else f"said, ended by {record['finish_reason']}"
    if not text:
        return _block(title, "(nothing)")
    if not span:
        return _block(title, text)
    start, end = span
    body = f"{escaped(text[:start])}<mark>{escaped(text[start:end])}</mark>{escaped(text[end:])}"
    return _framed(title, body)


def _verdict(record: Mapping[str, Any]) -> str:
    lines = [f"outcome: {record['outcome'] or record['status']}"]
    for name in ("detail", "extracted", "rule", "relative_error", "expected", "default", "unit"):
        if record[name] not in (None, ""):
            lines.append(f"{name.replace('_', ' ')}: {record[name]}")
    marks = [name for name in ("contested", "indistinct") if record[name]]
    if marks:
        lines.append(f"marks: {', '.join(marks)}")
    if record.get("judge") is not None:
        lines.append(f"judge {record['judge']['model']}: {_judged(record)}")
    source = "from the store" if record["from_store"] else f"{record['latency_s']} s"
    if record["error"] is None:
        tokens = record["usage"] or {}
        lines.append(
            f"tokens: {tokens.get('prompt_tokens', '?')} in, {tokens.get('completion_tokens', '?')} out; {source}"
        )
    return "\n".join(lines)


def _judged(record: Mapping[str, Any]) -> str:
    error = record["judge"]["error"]
    if error is not None:
        return f"no verdict, {error['kind']}: {error['message']}"
    return str(record["grades"].get("judge") or UNGRADED)


def summary_table(run: str, records: Sequence[Mapping[str, Any]]) -> str:
    """The outcome table as HTML."""
    head = "".join(f"<th>{title}</th>" for title in ("", "asked", *CATEGORIES, "errors", "anchored rate"))
    rows = []
    for model, tally in tally_by_model(records).items():
        for label, part in tally.parts.items():
            if label not in ("redefined", "controls") and not part.asked:
                continue
            counts = [part.asked, *(part.outcomes[outcome] for outcome in CATEGORIES), part.errors]
            rate = percent(part.anchored_rate) if label in ("redefined", "fresh", "dose") else ""
            cells = "".join(f'<td style="text-align:right;padding:0 .6em">{count}</td>' for count in counts)
            rows.append(f"<tr><th>{escaped(one_line(model, 60))}, {label}</th>{cells}<td>{rate}</td></tr>")
    simulated = any(record["simulated"] for record in records)
    note = "<p>Simulated respondents took part.</p>" if simulated else ""
    for model, found in agreement_by_model(records).items():
        told = agreement_line(found) or "the judge is the only grader"
        note += f"<p>{escaped(one_line(model, 60))}, judged: {escaped(told)}</p>"
    ungraded = sum(part.ungraded for tally in tally_by_model(records).values() for part in tally.parts.values())
    note += f"<p>Ungraded, in no rate: {ungraded}.</p>" if ungraded else ""
    body = f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
    table = f'<table style="border-collapse:collapse">{body}</table>'
    return f"<h3>Run {escaped(run)}</h3>{table}{note}"


_FILTER_SCRIPT: Final = """<script>(() => {
  const chosen = document.getElementById("redefine-filter");
  const apply = () => {
    for (const row of document.querySelectorAll("#results-table tbody")) {
      const cell = row.querySelector(".col-redefineoutcome");
      row.style.display = chosen.value && cell && cell.textContent.split(" ")[0] !== chosen.value ? "none" : "";
    }
  };
  chosen.addEventListener("change", apply);
  // pytest-html lays its rows anew whenever it sorts or filters by itself.
  new MutationObserver(apply).observe(document.body, { childList: true, subtree: true });
})();</script>"""
"""Our own text: nothing of a record is in it."""


def filters(records: Sequence[Mapping[str, Any]]) -> str:
    """A choice of one outcome, which hides all other rows of pytest-html's table."""
    ends = dict.fromkeys(str(record["outcome"] or record["status"]) for record in records)
    options = "".join(f'<option value="{escaped(end)}">{escaped(end)}</option>' for end in sorted(ends))
    return (
        '<p><label>Show only <select id="redefine-filter"><option value="">all outcomes</option>'
        f"{options}</select></label></p>{_FILTER_SCRIPT}"
    )
