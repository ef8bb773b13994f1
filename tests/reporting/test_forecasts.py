from __future__ import annotations

from pytest_redefine.reporting.forecasts import estimate_lines, why_lines
from pytest_redefine.respondents.gateway.forecast import Forecast, Miss
from pytest_redefine.respondents.prices import FREE, Price


def test_an_estimate_of_one_model() -> None:
    lines = estimate_lines({"openai/gpt-4o": Forecast(3, 2, 1_000_000, 2_000_000, Price(2e-6, 1e-5))})
    assert lines[1].split() == ["model", "to", "ask", "stored", "tokens", "in", "out", "<=", "USD", "<="]
    assert lines[2].split() == ["openai/gpt-4o", "3", "2", "1000000", "2000000", "22.00"]
    assert lines[3].startswith("Nothing was asked.")
    assert len(lines) == 4


def test_several_models_are_summed_and_an_unknown_price_is_no_zero() -> None:
    lines = estimate_lines(
        {"a": Forecast(1, 1, 10, 20, Price(0.1, 0.1)), "b\x1b[31m": Forecast(2, 0, 5, 6), "c": Forecast(price=FREE)}
    )
    assert lines[3].split()[-1] == "?"
    assert "\x1b" not in lines[3]
    assert lines[4].split()[-1] == "0.00"
    assert lines[5].split() == ["all", "3", "1", "15", "26", "3.00", "+", "?"]
    assert lines[6].startswith("?: no price is known")
    assert all(len(line) <= 110 for line in lines)


def test_reasons_with_some_of_their_cases() -> None:
    assert why_lines([Miss("because", [f"case{index}" for index in range(5)]), Miss("also", ["one"])]) == [
        "",
        "5 cases: because",
        "    case0, case1, case2 ...",
        "1 case: also",
        "    one",
        "Nothing was asked.",
    ]


def test_nothing_is_missing() -> None:
    assert why_lines([]) == ["", "Everything is in the store: the same command asks nothing."]
