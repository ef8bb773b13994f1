"""What the page shows of drawn cases: the dose-response curve, the contamination gap, the worked examples."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from markupsafe import Markup

from pytest_redefine.cases.wording import unit_text
from pytest_redefine.reporting import shrunk
from pytest_redefine.reporting.page import words
from pytest_redefine.reporting.page.pictures import Axes
from pytest_redefine.reporting.page.svg import element, picture, text
from pytest_redefine.reporting.text import one_line

Figure = Mapping[str, Any]

SIGNS: Final = {"same": "ordinary sign", "minus": "other sign"}

EXAMPLES_SHOWN: Final = 50

_TICKS: Final = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30)
"""Decades: what runs along grows by factors, as the distances do."""
_AROUND: Final = 1.25
_WIDE: Final = 520.0
_LEAST_REACH: Final = 0.1


def context(summary: Figure) -> dict[str, Any]:
    """What the template of drawn cases needs."""
    by_model: dict[str, list[Figure]] = {}
    for entry in summary["dose_response"]:
        if entry["bins"]:
            by_model.setdefault(str(entry["model"]), []).append(entry)
    order = {model["model"]: at for at, model in enumerate(summary["models"])}
    return {
        "doses": [
            {
                "model": model,
                "signs": [(sign_of(entry), entry, d50(entry), dose_curve(entry)) for entry in entries],
            }
            for model, entries in by_model.items()
        ],
        "gaps": summary["contamination"],
        "gap_picture": gaps([entry for entry in summary["contamination"] if entry["low"] is not None]),
        "points": points,
        "examples": sorted(summary["shrunk"], key=lambda one: order.get(one["model"], len(order)))[:EXAMPLES_SHOWN],
        "examples_left": max(0, len(summary["shrunk"]) - EXAMPLES_SHOWN),
        "answered": shrunk.answered,
        "unit_text": unit_text,
        "effort": shrunk.effort,
    }


def sign_of(entry: Figure) -> str:
    """``ordinary sign``."""
    return SIGNS.get(entry["sign"], one_line(str(entry["sign"]), 20))


def d50(entry: Figure) -> str:
    """The distance at which half is anchored, with its interval, or why there is none."""
    if entry["d50"] is None:
        return f"no distance at which half is anchored: {entry['reason']}"
    return f"half is anchored at {entry['d50']:.2g} decades [{entry['low']:.2g}, {entry['high']:.2g}]"


def points(share: float | None) -> str:
    """A difference of shares: ``+4.2``."""
    return "–" if share is None else f"{100 * share:+.1f}"


def dose_curve(entry: Figure) -> Markup:
    """Anchored rate by distance: rates with intervals, and where one is fitted the curve with its d50.

    Args:
        entry: Of the summary's ``dose_response``, with bins.
    """
    rates = [{**one, "value": one["k"] / one["n"], "low": one["rate_low"], "high": one["rate_high"]}
             for one in entry["bins"]]  # fmt: skip
    nearest, farthest = (end(one["mean"] for one in rates) for end in (min, max))
    nearest, farthest = nearest / _AROUND, farthest * _AROUND
    ticks = [(math.log10(one), f"{one:g}") for one in _TICKS if nearest <= one <= farthest]
    kind = f"f{list(SIGNS).index(entry['sign']) if entry['sign'] in SIGNS else 2}"
    axes = Axes(math.log10(nearest), math.log10(farthest), ticks, f"{sign_of(entry)}: anchored (%)", "decades off")
    along = [(math.log10(one["mean"]), one["value"]) for one in rates]
    fitted = [(math.log10(dose), share) for dose, share in entry["fitted"]]
    if fitted:
        axes.line(fitted, f"join {kind}")
    elif len(along) > 1:
        axes.line(along, f"join {kind} printed")
    said = [f"{one['mean']:.2g} decades off: {words.rate(one)}" for one in rates]
    for (x, _), one, told in zip(along, rates, said, strict=True):
        axes.point(x, one, "", f"point {kind}", told)
    if entry["d50"] is not None:
        low, middle, high = (math.log10(min(max(entry[x], nearest), farthest)) for x in ("low", "d50", "high"))
        axes.level(0.5, low, middle, high, f"d50 {kind}", d50(entry))
    name = f"{one_line(str(entry['model']), 60)}, {sign_of(entry)}"
    return axes.picture(f"{name}, anchored rate by distance. " + "; ".join([*said, d50(entry)]))


def gaps(entries: Sequence[Figure]) -> Markup | None:
    """The gap of each model that has one, with its interval, beside the line of no difference; None of none."""
    if not entries:
        return None
    farthest = max(_LEAST_REACH, *(abs(float(entry[end])) for entry in entries for end in ("low", "high")))
    reach = math.ceil(10 * farthest) / 10
    row, left = 44.0, 16.0
    height = row * len(entries) + 44

    def x(share: float) -> float:
        return left + _WIDE * (share + reach) / (2 * reach)

    ticks = [-reach, -reach / 2, 0.0, reach / 2, reach]
    parts = [
        element("line", x1=x(one), x2=x(one), y1=8, y2=height - 36, class_="grid" if one else "zero") for one in ticks
    ]
    said = []
    for at, entry in enumerate(entries):
        y = 14 + row * at
        name = one_line(str(entry["model"]), 60)
        said.append(
            f"{name}: {points(entry['value'])} points [{points(entry['low'])}, {points(entry['high'])}], "
            f"n={entry['n']} pairs of {entry['quantities']} quantities"
        )
        parts.append(text(left, y + 6, name, "head"))
        parts.append(
            element(
                "g", element("title", said[-1]),
                element("line", x1=x(entry["low"]), x2=x(entry["high"]), y1=y + 20, y2=y + 20),
                element("circle", cx=x(entry["value"]), cy=y + 20, r=5),
                class_="i-anchored", tabindex="0",
            )
        )  # fmt: skip
    parts += [text(x(one), height - 22, f"{100 * one:+.0f}" if one else "0", "tick", "middle") for one in ticks]
    parts.append(text(left, height - 6, "better on fresh values", "tick"))
    parts.append(text(left + _WIDE, height - 6, "better on published values", "tick", "end"))
    return picture(left * 2 + _WIDE + 20, height, "Contamination gap by model. " + "; ".join(said), *parts)
