"""The report's pictures: outcome bars, rates of models, size. Each says its numbers in its label and titles."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from markupsafe import Markup

from pytest_redefine.grading.outcome import CATEGORIES
from pytest_redefine.reporting.letters import LETTERS
from pytest_redefine.reporting.page import words
from pytest_redefine.reporting.page.svg import element, joined, picture, text
from pytest_redefine.reporting.text import one_line

Figure = Mapping[str, Any]

_BAR: Final = 26.0
_GAP: Final = 4.0
_HIGH: Final = 150.0
_TOP: Final = 16.0


def outcome_bars(question: str, cells: Sequence[Figure]) -> Markup:
    """One question's outcomes: before (the control) and under each redefinition, as in the paper's Figures 3 and 4.

    Args:
        question: q1 ...
        cells: Of one model and arm, by level: entries of the summary's ``cells``.
    """
    ordered = sorted(cells, key=lambda cell: words.level_order(cell["redefinition"]))
    x = 30.0
    bars: list[Markup] = [
        joined(
            element("line", x1=27, x2=30, y1=y, y2=y, class_="axis") + text(24, y + 3.5, f"{share}", "tick", "end")
            for share, y in ((0, _TOP + _HIGH), (50, _TOP + _HIGH / 2), (100, _TOP))
        )
    ]
    said: list[str] = []
    for cell in ordered:
        bars.append(_bar(x, cell))
        counts = cell["outcomes"]
        said.append(
            f"{cell['redefinition']}: "
            + (", ".join(f"{counts[name]} {name}" for name in CATEGORIES if counts[name]) or "no answer")
        )
        x += _BAR + (_GAP * 3 if cell["redefinition"] == "nr" else _GAP)
    meaning = words.QUESTIONS.get(question, "")
    title = f"{question} {meaning}".strip()
    return picture(
        max(x, 150), _TOP + _HIGH + 34, f"{title}. {'; '.join(said)}", text(30, 10, title, "head"), *bars,
        data_question=question,
    )  # fmt: skip


def _bar(x: float, cell: Figure) -> Markup:
    counts: Mapping[str, int] = cell["outcomes"]
    n = sum(counts.values())
    place = f"{cell['redefinition']} {cell['question']}"
    parts: list[Markup] = []
    y = _TOP
    for name in reversed(CATEGORIES):  # correct stands at the foot
        if not counts[name]:
            continue
        height = _HIGH * counts[name] / n
        share = words.percent(counts[name] / n)
        parts.append(
            element(
                "rect", element("title", f"{place}: {counts[name]} of {n} {name} ({share})"),
                x=x, y=y, width=_BAR, height=height, class_=f"o-{name}", data_outcome=name,
            )
        )  # fmt: skip
        if height >= 11:
            parts.append(text(x + _BAR / 2, y + height / 2 + 4, LETTERS[name], f"l-{name}", "middle"))
        y += height
    if not n:
        parts.append(text(x + _BAR / 2, _TOP + _HIGH - 4, "–", "tick", "middle"))
    parts.append(text(x + _BAR / 2, _TOP + _HIGH + 14, str(cell["redefinition"])[:7], "tick", "middle"))
    parts.append(text(x + _BAR / 2, _TOP + _HIGH + 27, f"n={n}", "n", "middle"))
    return element("g", *parts, data_level=str(cell["redefinition"]))


def model_rates(models: Sequence[Figure]) -> Markup:
    """The one picture for whoever looks at one: each model's anchored rate with its interval, and what it knew."""
    row, left, wide = 54.0, 16.0, 520.0
    height = row * len(models) + 30
    parts = [_grid(left, wide, 8, height - 22, lambda share: left + wide * share)]
    said = []
    for at, model in enumerate(models):
        y = 14 + row * at
        name = one_line(model["model"], 60)
        known, anchored = model["measures"].get("control_correct_rate"), model["measures"].get("anchored_rate")
        parts.append(text(left, y + 6, f"{name}{' (simulated)' if model['simulated'] else ''}", "head"))
        for figure, kind, what in ((known, "known", "known"), (anchored, "anchored", "anchored")):
            if figure is None:
                continue
            said.append(f"{name}: {what} {words.rate(figure)}")
            parts.append(_interval(figure, left, wide, y + (20 if kind == "known" else 31), kind, said[-1]))
    parts.append(
        joined(
            text(left + wide * share, height - 6, f"{round(100 * share)} %", "tick", "middle")
            for share in (0, 0.25, 0.5, 0.75, 1)
        )
    )
    return picture(left * 2 + wide + 20, height, "Rates by model. " + "; ".join(said), *parts)


def _grid(left: float, wide: float, top: float, bottom: float, place: Callable[[float], float]) -> Markup:
    return joined(
        element("line", x1=place(share), x2=place(share), y1=top, y2=bottom, class_="grid")
        for share in (0.0, 0.25, 0.5, 0.75, 1.0)
    )


def _interval(figure: Figure, left: float, wide: float, y: float, kind: str, title: str) -> Markup:
    x, low, high = (left + wide * figure[name] for name in ("value", "low", "high"))
    mark = (
        element("circle", cx=x, cy=y, r=5)
        if kind == "anchored"
        else element("path", d=f"M{x:.1f} {y - 6:.1f}l6 6l-6 6l-6 -6z")
    )
    return element(
        "g", element("title", title), element("line", x1=low, x2=high, y1=y, y2=y), mark,
        class_=f"i-{kind}", tabindex="0",
    )  # fmt: skip


class Axes:
    """A picture with a share up and something else along."""

    def __init__(self, low: float, high: float, ticks: Sequence[tuple[float, str]], title: str, below: str) -> None:
        """``low`` and ``high`` are the ends of what runs along."""
        self.width, self.height = 330.0, 236.0
        self._left, self._bottom = 38.0, 196.0
        self._low, self._span = low, (high - low) or 1.0
        self.parts: list[Markup] = [text(self._left, 12, title, "head")]
        for share in (0.0, 0.25, 0.5, 0.75, 1.0):
            y = self.y(share)
            self.parts.append(element("line", x1=self._left, x2=self.width - 10, y1=y, y2=y, class_="grid"))
            self.parts.append(text(self._left - 5, y + 3.5, f"{round(100 * share)}", "tick", "end"))
        for value, label in ticks:
            self.parts.append(text(self.x(value), self._bottom + 15, label, "tick", "middle"))
        self.parts.append(text((self._left + self.width) / 2, self.height - 6, below, "tick", "middle"))

    def x(self, value: float) -> float:
        """Where a value stands."""
        return self._left + 10 + (self.width - self._left - 30) * (value - self._low) / self._span

    def y(self, share: float) -> float:
        """How high a share stands."""
        return self._bottom - 172 * share

    def line(self, points: Sequence[tuple[float, float]], class_: str) -> None:
        """Join points."""
        d = "M" + "L".join(f"{self.x(x):.1f} {self.y(y):.1f}" for x, y in points)
        self.parts.append(element("path", d=d, class_=class_))

    def point(self, x: float, figure: Figure, mark: str, class_: str, title: str) -> None:
        """A figure with its interval, marked by a letter where there are several: colours alone tell nobody apart."""
        at, y = self.x(x), self.y(figure["value"])
        self.parts.append(
            element(
                "g", element("title", title),
                element("line", x1=at, x2=at, y1=self.y(figure["low"]), y2=self.y(figure["high"])),
                element("circle", cx=at, cy=y, r=7.5 if mark else 5), text(at, y + 3.5, mark, "mark", "middle"),
                class_=class_, tabindex="0",
            )
        )  # fmt: skip

    def level(self, share: float, low: float, middle: float, high: float, class_: str, title: str) -> None:
        """Where something reaches a share, with its interval along."""
        y, ends = self.y(share), [self.x(low), self.x(high)]
        at = self.x(middle)
        self.parts.append(
            element(
                "g", element("title", title),
                element("line", x1=ends[0], x2=ends[1], y1=y, y2=y),
                *(element("line", x1=end, x2=end, y1=y - 5, y2=y + 5) for end in ends),
                element("path", d=f"M{at:.1f} {y - 6:.1f}l6 6l-6 6l-6 -6z"),
                class_=class_, tabindex="0",
            )
        )  # fmt: skip

    def picture(self, label: str) -> Markup:
        """The whole."""
        return picture(self.width, self.height, label, *self.parts)


def scale(entry: Figure) -> Markup:
    """Anchored rate against size; families joined, the paper's models hollow."""
    points = sorted(entry["points"], key=lambda point: (str(point["family"]), point["size_b"]))
    logs = [math.log10(point["size_b"]) for point in points]
    low, high = math.floor(min(logs)), math.ceil(max(logs))
    ticks = [(float(decade), _size(10.0**decade)) for decade in range(low, high + 1)]
    title = f"{entry['question']} {words.QUESTIONS.get(entry['question'], '')}".strip()
    axes = Axes(low, high, ticks, title, "parameters")
    marks = family_marks(points)
    for family, mark in marks.items():
        for printed in (True, False):
            of_family = [p for p in points if _family(p) == family and p["printed"] is printed]
            kind = f"f{'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.index(mark) % 6}{' printed' if printed else ''}"
            if len(of_family) > 1:
                axes.line([(math.log10(p["size_b"]), p["value"]) for p in of_family], f"join {kind}")
            for p in of_family:
                axes.point(math.log10(p["size_b"]), p, mark, f"point {kind}", _point_title(p))
    return axes.picture(f"Anchored rate against size, {title}. " + "; ".join(_point_title(p) for p in points))


def family_marks(points: Sequence[Figure]) -> dict[str, str]:
    """A letter for each family, A to Z; what is beyond shares Z."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    families = dict.fromkeys(_family(point) for point in points)
    return {family: letters[min(at, 25)] for at, family in enumerate(families)}


def _family(point: Figure) -> str:
    return str(point["family"] or point["model"]).lower()


def _point_title(point: Figure) -> str:
    printed = " (printed in the paper)" if point["printed"] else ""
    return f"{one_line(point['model'], 60)}, {_size(point['size_b'])}: {words.rate(point)}{printed}"


def _size(billions: float) -> str:
    if billions >= 1000:
        return f"{billions / 1000:g} T"
    return f"{billions:g} B" if billions >= 1 else f"{1000 * billions:g} M"
