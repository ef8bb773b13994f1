"""What drawn cases show, as lines for the end of a run."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_redefine.analysis.contamination import gap
from pytest_redefine.analysis.dose import Curve, curves, points
from pytest_redefine.analysis.rows import Row, rows
from pytest_redefine.cases.model import DOSE, FRESH
from pytest_redefine.reporting.text import one_line

_SIGNS: Final = {"same": "ordinary sign", "minus": "other sign"}


def lines(records: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The contamination gap and the dose-response curves of each model; nothing where nothing was drawn."""
    by_model: dict[str, list[Mapping[str, Any]]] = {}
    for record in records:
        by_model.setdefault(str(record["model"]), []).append(record)
    for model, members in by_model.items():
        levels = {record["redefinition"] for record in members}
        found = rows(members)
        told = [*(_gap(found) if FRESH in levels else ()), *(_curves(found) if DOSE in levels else ())]
        if told:
            yield one_line(model, 66)
            for line in told:
                yield from textwrap.wrap(line, 80, subsequent_indent="      ")


def _gap(members: Sequence[Row]) -> Iterator[str]:
    found = gap(members)
    if found.value is None:
        yield f"  contamination gap  -: {found.reason}"
        return
    assert found.fixed is not None
    assert found.fresh is not None
    interval = f"[{_points(found.low)}, {_points(found.high)}]" if math.isfinite(found.low) else f"({found.reason})"
    yield (
        f"  contamination gap  {_points(found.value)} points {interval} "
        f"n={found.pairs} pairs of {found.quantities} quantities"
    )
    yield f"    correct: {100 * found.fixed:.1f} % as published, {100 * found.fresh:.1f} % with another value"


def _points(share: float) -> str:
    return f"{100 * share:+.1f}"


def _curves(members: Sequence[Row]) -> Iterator[str]:
    for sign, found in curves(points(members)).items():
        yield f"  dose-response, {_SIGNS[sign]}: n={found.n} of {found.quantities} quantities"
        yield f"    {_d50(found)}"
        for one in found.bins:
            rate = one.rate
            yield (
                f"    {one.mean:>7.3g} decades off  {100 * rate.share:5.1f} % anchored "
                f"[{100 * rate.low:.1f}, {100 * rate.high:.1f}] n={rate.n}"
            )


def _d50(found: Curve) -> str:
    if found.d50 is None:
        return f"no d50: {found.reason}"
    return f"d50 {found.d50:.2g} decades [{found.low:.2g}, {found.high:.2g}]"
