"""What --estimate and --why-ask print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_redefine.reporting.text import one_line
from pytest_redefine.respondents.gateway.forecast import Forecast, Miss

_CASES_SHOWN = 3


def estimate_lines(forecasts: Mapping[str, Forecast]) -> list[str]:
    """A line a model and, of several, one for all; prices are upper bounds."""
    head = f"{'model':<34}{'to ask':>8}{'stored':>8}{'tokens in':>11}{'out <=':>10}{'USD <=':>9}"
    lines = ["", head]
    for model, one in forecasts.items():
        usd = "?" if one.usd is None else f"{one.usd:.2f}"
        lines.append(
            f"{one_line(model, 33):<34}{one.to_ask:>8}{one.stored:>8}{one.prompt_tokens:>11}"
            f"{one.completion_tokens:>10}{usd:>9}"
        )
    if len(forecasts) > 1:
        every = list(forecasts.values())
        known = [one.usd for one in every if one.usd is not None]
        rest = " + ?" if len(known) < len(every) else ""
        lines.append(
            f"{'all':<34}{sum(one.to_ask for one in every):>8}{sum(one.stored for one in every):>8}"
            f"{sum(one.prompt_tokens for one in every):>11}{sum(one.completion_tokens for one in every):>10}"
            f"{sum(known):>9.2f}{rest}"
        )
    if any(one.usd is None for one in forecasts.values()):
        lines.append("?: no price is known; --budget-tokens and --budget-requests bound such a model")
    if any(one.at_most for one in forecasts.values()):
        lines.append("The judge is counted at the most that it may be asked, stored or not: it hangs on the answers.")
    lines.append("Nothing was asked. Tokens in are estimated from characters; out is what --max-tokens allows at most.")
    return lines


def why_lines(found: Sequence[Miss]) -> list[str]:
    """A line a reason, with some of the cases it holds for."""
    if not found:
        return ["", "Everything is in the store: the same command asks nothing."]
    lines = [""]
    for miss in found:
        shown = ", ".join(miss.cases[:_CASES_SHOWN]) + (" ..." if len(miss.cases) > _CASES_SHOWN else "")
        plural = "case" if len(miss.cases) == 1 else "cases"
        lines.append(f"{len(miss.cases)} {plural}: {one_line(miss.reason, 300)}")
        lines.append(f"    {shown}")
    lines.append("Nothing was asked.")
    return lines
