"""What the figures need of a record, and no more: 50,000 of these take 30 MB where the records take a gigabyte."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from sys import intern
from typing import Any, Final

from pytest_redefine.cases.model import CONTROL, DOSE, FRESH, NEUTRAL

DRAWN_CONTROL: Final = "drawn-nr"
"""The level of the control of a drawn case, ``nr`` in records: most have their like among the benchmark's controls."""

DRAWN_NEUTRAL: Final = "drawn-neutral"
"""That of its neutral control."""

_LEVELS_OF_DRAWN: Final = {CONTROL: DRAWN_CONTROL, NEUTRAL: DRAWN_NEUTRAL}

_COMPLETELY_WRONG: Final = frozenset({"wrong", "refused", "blank", "hedged"})


@dataclass(frozen=True, slots=True)
class Row:
    """One record, cut down."""

    case_id: str
    model: str
    task: str
    quantity: str
    redefinition: str
    question: str
    format: str
    prompting: str
    sample: int
    rotation: int
    status: str
    """``answered``, ``error`` or ``not_asked``."""
    outcome: str
    """Empty without an answer."""
    detail: str
    contested: bool
    indistinct: bool
    simulated: bool
    letter: str
    """Multiple choice: the option named, where one was."""
    right_letter: str
    """Multiple choice: the option of the expected answer."""
    option_value: str
    """Multiple choice: the value under ``letter``."""
    mirrored: str
    """``correct`` or ``anchored`` for an answer that matches that reference but for its sign, else empty."""
    error_kind: str
    cost_usd: float | None
    latency_s: float | None
    tokens_in: int
    tokens_out: int
    tokens_reasoning: int
    from_store: bool
    dose: float | None
    """|log10(new/default)| of a drawn value, where the draw says one."""
    minus: bool
    """Whether a drawn value has a minus sign."""
    judged: str
    """What the judge said, empty without one."""
    measured: str
    """What the numeric grader said, empty without an answer."""
    drawn: bool = False
    """A fresh case, a dose, or the control of one: no figure of the benchmark counts it."""
    draw_kind: str = ""
    """Where its value was drawn; a level of the benchmark where nothing but the value differs from its case."""
    draw_tag: str = ""
    """Which draw it is (``fresh3/7``, of seed 7), so that case and controls are found together."""

    @property
    def answered(self) -> bool:
        """Whether there is an outcome: a judge may have given none to an answer."""
        return self.status == "answered" and bool(self.outcome)

    @property
    def is_control(self) -> bool:
        """Nothing is redefined."""
        return self.redefinition == CONTROL

    @property
    def is_neutral(self) -> bool:
        """The value stands under a name that means nothing."""
        return self.redefinition.startswith(NEUTRAL)

    @property
    def is_redefined(self) -> bool:
        """One of the benchmark's redefinitions: neither of the two, and not drawn."""
        return not self.is_control and not self.is_neutral and not self.is_drawn

    @property
    def is_drawn(self) -> bool:
        """The value was drawn (fresh, dose): the benchmark's rates are not theirs to say."""
        return self.redefinition in (FRESH, DOSE, DRAWN_CONTROL, DRAWN_NEUTRAL)

    @property
    def cluster(self) -> str:
        """The quantity, over all tasks: cases of one quantity hang together (units have an N, constants an N_A)."""
        return f"{self.task}/{self.quantity}"

    @property
    def completely_wrong(self) -> bool:
        """The paper's word for wrong, refused, blank and hedged together."""
        return self.outcome in _COMPLETELY_WRONG


def rows(records: Iterable[Mapping[str, Any]]) -> list[Row]:
    """The rows of records, in their order; records of versions that lack a field are read as if it were empty."""
    return [row(record) for record in records]


def row(record: Mapping[str, Any]) -> Row:
    """One row."""
    level = str(record.get("redefinition"))
    options = record.get("options") or {}
    extracted = record.get("extracted")
    letter = extracted if isinstance(extracted, str) and extracted in options else ""
    expected = str(record.get("expected"))
    usage = record.get("usage") or {}
    error = record.get("error") or {}
    grades = record.get("grades") or {}
    draw = record.get("draw")
    draw = draw if isinstance(draw, Mapping) else {}
    outcome = str(record.get("outcome") or "")
    detail = str(record.get("detail") or "")
    return Row(
        case_id=str(record["case_id"]),
        # The same few words stand in every record; shared, they cost nothing.
        model=intern(str(record["model"])),
        task=intern(str(record.get("task"))),
        quantity=intern(str(record.get("quantity"))),
        redefinition=intern(_LEVELS_OF_DRAWN.get(level, level) if draw else level),
        question=intern(str(record.get("question"))),
        format=intern(str(record.get("format"))),
        prompting=intern(str(record.get("prompting"))),
        sample=_whole(record.get("sample")),
        rotation=_whole(record.get("rotation")),
        status=intern(str(record.get("status"))),
        outcome=intern(outcome),
        detail=intern(detail[:40]),
        contested=bool(record.get("contested")),
        indistinct=bool(record.get("indistinct")),
        simulated=bool(record.get("simulated")),
        letter=intern(letter),
        right_letter=intern(next((name for name, value in options.items() if value == expected), "")),
        option_value=str(options[letter]) if letter else "",
        mirrored=_mirrored(record) if outcome == "wrong" and detail == "sign" else "",
        error_kind=intern(str(error.get("kind") or "")),
        cost_usd=_number(record.get("cost_usd")),
        latency_s=_number(record.get("latency_s")),
        tokens_in=_whole(usage.get("prompt_tokens")),
        tokens_out=_whole(usage.get("completion_tokens")),
        tokens_reasoning=_whole(usage.get("reasoning_tokens")),
        from_store=bool(record.get("from_store")),
        dose=_number(draw.get("dose")),
        minus=str(draw.get("value", "")).startswith("-"),
        judged=intern(str(grades.get("judge") or "")),
        measured=intern(str(grades.get("numeric") or "")),
        drawn=bool(record.get("draw")),
        draw_kind=intern(str(draw.get("kind", ""))),
        draw_tag=f"{draw.get('family')}{draw.get('index', 0)}/{draw.get('seed', '')}" if draw else "",
    )


def _mirrored(record: Mapping[str, Any]) -> str:
    """Which reference an answer matches but for its sign: the grader's detail says only that one does."""
    try:
        value = complex(str(record.get("extracted")).replace("*I", "j"))
        references = {
            name: complex(str(record[field]).replace("*I", "j"))
            for name, field in (("correct", "expected"), ("anchored", "default"))
            if record.get(field) is not None
        }
    except ValueError:
        return ""  # infinite, or a value in words
    # Where the sign is all that is asked about (i ra3 q1), blindness would make every answer right.
    if "correct" in references and references["correct"] == -references.get("anchored", 0j):
        return ""
    return min(references, key=lambda name: abs(-value - references[name]) / (abs(references[name]) or 1), default="")


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _whole(value: Any) -> int:
    return int(value) if isinstance(value, int | float) else 0
