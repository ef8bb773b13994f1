"""The command line: options, what they mean, and the mistakes that are told at once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import pytest

from pytest_redefine.cases.data import DataError
from pytest_redefine.cases.known_models import KnownModels
from pytest_redefine.cases.truth import DEFAULT_TOLERANCE
from pytest_redefine.plugin import case_options, judge_options, shrink_options
from pytest_redefine.respondents.errors import RespondentUnavailable
from pytest_redefine.respondents.gateway.budget import Cap
from pytest_redefine.respondents.gateway.lane import Rules
from pytest_redefine.respondents.gateway.retries import RetryPolicy
from pytest_redefine.respondents.names import DEFAULT_MODEL, ModelName, parse_models

DEFAULT_MAX_TOKENS: Final = 1024
LOCAL_MAX_TOKENS: Final = 256
"""For the embedded model: what it has not said by then it never says, and two cores feel every token."""
DEFAULT_IN_FLIGHT: Final = 64
"""An upper bound: the gateway starts lower and finds out what a provider takes."""
DEFAULT_STORE: Final = "reports/store.sqlite"

_RETRY: Final = RetryPolicy()

IGNORED_WARNINGS: Final = (
    r"ignore:::(pydantic|litellm|openai|httpx|aiohttp)\b.*",
    r"ignore:coroutine '.*acompletion' was never awaited:RuntimeWarning",
)
"""What LiteLLM's import says about its own dependencies, a hundred lines that no user of ours can act on, and what
it says of a request that Ctrl-C ended before it was sent."""

_SECRET = re.compile(r"key|secret|password|credential|authorization|(?<!max_)(?<!_)token(?!s)", re.IGNORECASE)


def add_options(parser: pytest.Parser) -> None:
    """Add the suite's options to pytest's."""
    group = parser.getgroup("redefine", "redefined constants and units, asked of language models")
    group.addoption(
        "--model",
        action="append",
        metavar="NAME",
        default=[],
        help="whom to ask: any LiteLLM name, a short one (pytest-redefine models lists them), local/..., sim/...; "
        f"repeatable or comma-separated [{DEFAULT_MODEL}]",
    )
    group.addoption(
        "--models-file",
        metavar="PATH",
        default=None,
        help="short names, families, sizes and prices of models of your own, in the form of fixtures/models.toml",
    )
    case_options.add_options(group)
    judge_options.add_options(group)
    shrink_options.add_options(group)
    group.addoption("--samples", type=int, default=1, metavar="N", help="ask each case N times [1]")
    group.addoption("--temperature", type=float, default=None, help="sampling temperature [0]")
    group.addoption(
        "--max-tokens",
        type=int,
        default=None,
        metavar="N",
        help=f"tokens of a reply at most [{DEFAULT_MAX_TOKENS}; {LOCAL_MAX_TOKENS} for local/...]",
    )
    group.addoption(
        "--model-arg",
        action="append",
        metavar="KEY=VALUE",
        default=[],
        help="a parameter passed on to the model, e.g. --model-arg=top_p=0.9 (a VALUE in JSON is read as such)",
    )
    group.addoption("--api-base", metavar="URL", default=None, help="ask the server at URL, e.g. a vLLM of your own")
    group.addoption(
        "--max-in-flight",
        type=int,
        default=DEFAULT_IN_FLIGHT,
        metavar="N",
        help=f"requests to one model at a time, whatever -n is [{DEFAULT_IN_FLIGHT}]",
    )
    group.addoption(
        "--requests-per-minute", type=int, default=None, metavar="N", help="requests a minute to one model at most"
    )
    group.addoption(
        "--tokens-per-minute",
        type=int,
        default=None,
        metavar="N",
        help="tokens a minute to one model at most, prompts and replies together",
    )
    group.addoption(
        "--attempt-timeout",
        type=float,
        default=_RETRY.attempt_timeout_s,
        metavar="SECONDS",
        help=f"how long one attempt at a request may take [{_RETRY.attempt_timeout_s:g}]",
    )
    group.addoption(
        "--retries",
        type=int,
        default=_RETRY.retries,
        metavar="N",
        help=f"times a request that failed is sent again [{_RETRY.retries}]; refusals for being too many do not count",
    )
    group.addoption(
        "--give-up-after",
        type=float,
        default=_RETRY.give_up_s,
        metavar="SECONDS",
        help=f"how long a request may take with all its attempts [{_RETRY.give_up_s:g}]",
    )
    group.addoption(
        "--drop-params",
        action="store_true",
        help="leave out parameters that a model does not take, also those typed here; each record names them",
    )
    group.addoption("--budget-usd", type=float, default=None, metavar="X", help="stop before the run costs more")
    group.addoption("--budget-tokens", type=int, default=None, metavar="N", help="stop before the run uses more")
    group.addoption("--budget-requests", type=int, default=None, metavar="N", help="stop before the run sends more")
    group.addoption(
        "--estimate", action="store_true", help="ask nothing: count requests, tokens and price, by model, and end"
    )
    group.addoption(
        "--why-ask", action="store_true", help="ask nothing: say why the store does not have the replies, and end"
    )
    group.addoption(
        "--store",
        default=DEFAULT_STORE,
        metavar="PATH|redis://...",
        help=f"where replies are kept, so that nothing is asked twice: a file, or a Redis server [{DEFAULT_STORE}]",
    )
    group.addoption("--offline", action="store_true", help="ask nobody: grade what the store has, skip the rest")
    group.addoption("--refresh", action="store_true", help="ask everything again and replace what the store has")
    group.addoption(
        "--tolerance",
        type=float,
        default=None,
        metavar="SHARE",
        help=f"how far an answer may lie from a reference, relative [{DEFAULT_TOLERANCE}, or as the question says]",
    )
    group.addoption(
        "--run",
        default=None,
        metavar="NAME",
        help="name the run's folder in reports/ [time stamp]; an existing one continues",
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """The options, checked and read."""

    models: tuple[ModelName, ...]
    known: KnownModels
    """Those of --models-file among them."""
    cases: case_options.CaseSettings
    judging: judge_options.JudgeSettings
    shrink: shrink_options.ShrinkSettings
    samples: int
    typed_parameters: Mapping[str, Any]
    """What the user asked for: never left out unasked."""
    secret_parameters: Mapping[str, Any]
    """Keys given as --model-arg: they reach the caller, and no file, key, socket or record."""
    api_base: str | None
    rules: Rules
    cap: Cap
    drop_params: bool
    forecast: Literal["", "estimate", "why-ask"]
    """What to tell instead of asking."""
    store: str
    offline: bool
    refresh: bool
    tolerance: float | None
    run: str | None
    maxfail: bool

    def parameters(self, model: ModelName) -> dict[str, Any]:
        """Sampling parameters of a request to ``model``: the suite's defaults, then what was typed."""
        return {**self.defaults(model), **self.typed_parameters}

    def droppable(self, model: ModelName) -> tuple[str, ...]:
        """The defaults among them that nobody typed."""
        return tuple(name for name in self.defaults(model) if name not in self.typed_parameters)

    @staticmethod
    def defaults(model: ModelName) -> dict[str, Any]:
        """Temperature 0 and a bound on tokens (PROTOCOL, 1)."""
        return dict(_DEFAULTS[model.kind])

    def for_run_json(self) -> dict[str, Any]:
        """What must agree for a run to be continued: all that can change an answer or its grade."""
        return {
            "models": {model.full: self.parameters(model) for model in self.models},
            **self.cases.for_run_json(),
            **self.judging.for_run_json(),
            "samples": self.samples,
            "api_base": self.api_base,
            "tolerance": self.tolerance,
        }


_DEFAULTS: Final = {
    kind: {"temperature": 0.0, "max_tokens": LOCAL_MAX_TOKENS if kind == "local" else DEFAULT_MAX_TOKENS}
    for kind in ("local", "sim", "litellm")
}


def read_settings(config: pytest.Config) -> Settings:
    """Read and check the options.

    Raises:
        pytest.UsageError: one of them makes no sense; one line.
    """
    option = config.getoption
    try:
        known = KnownModels.load(config.invocation_params.dir / own if (own := option("models_file")) else None)
    except DataError as error:
        raise pytest.UsageError(f"--models-file: {error}") from None
    try:
        models = parse_models(option("model") or [DEFAULT_MODEL], known)
    except RespondentUnavailable as error:
        raise pytest.UsageError(str(error)) from None
    for name, least in _LEAST.items():
        value = option(name)
        if value is not None and value < least:
            raise pytest.UsageError(f"--{name.replace('_', '-')}={value}: at least {least}")
    tolerance = option("tolerance")
    if tolerance is not None and not 0 <= tolerance < 1:
        raise pytest.UsageError(f"--tolerance={tolerance:g}: a share between 0 and 1, e.g. --tolerance=0.02")
    temperature = option("temperature")
    if temperature is not None and not 0 <= temperature <= 5:
        raise pytest.UsageError(f"--temperature={temperature:g}: between 0 and 5")
    if option("offline") and option("refresh"):
        raise pytest.UsageError("--offline asks nobody and --refresh asks everything again: give one of them")
    api_base = judge_options.address("--api-base", option("api_base"))
    for name in ("attempt_timeout", "give_up_after", "budget_usd"):
        value = option(name)
        if value is not None and not value > 0:
            raise pytest.UsageError(f"--{name.replace('_', '-')}={value:g}: more than 0")
    if option("estimate") and option("why_ask"):
        raise pytest.UsageError("--estimate and --why-ask each tell something and end: give one of them")
    cases = case_options.read(config)
    judging = judge_options.read(config, models, known, api_base, _DEFAULTS)
    typed, secret = _model_args(option("model_arg"))
    for name, value in (("temperature", temperature), ("max_tokens", option("max_tokens"))):
        if value is not None:
            typed[name] = value
    return Settings(
        models=tuple(models),
        known=known,
        cases=cases,
        judging=judging,
        shrink=shrink_options.read(config, cases.drawing, judging),
        samples=option("samples"),
        typed_parameters=typed,
        secret_parameters=secret,
        api_base=api_base,
        rules=Rules(
            max_in_flight=option("max_in_flight"),
            retry=RetryPolicy(
                retries=option("retries"),
                attempt_timeout_s=option("attempt_timeout"),
                give_up_s=option("give_up_after"),
            ),
            requests_per_minute=option("requests_per_minute"),
            tokens_per_minute=option("tokens_per_minute"),
        ),
        cap=Cap(option("budget_usd"), option("budget_tokens"), option("budget_requests")),
        drop_params=option("drop_params"),
        forecast="estimate" if option("estimate") else "why-ask" if option("why_ask") else "",
        store=option("store"),
        offline=option("offline"),
        refresh=option("refresh"),
        tolerance=tolerance,
        run=option("run"),
        maxfail=bool(config.getvalue("maxfail")),
    )


_LEAST: Final = {
    "samples": 1,
    "max_in_flight": 1,
    "max_tokens": 1,
    "requests_per_minute": 1,
    "tokens_per_minute": 1,
    "retries": 0,
    "budget_tokens": 1,
    "budget_requests": 1,
}


def _model_args(pairs: list[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    typed: dict[str, Any] = {}
    secret: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not re.fullmatch(r"[A-Za-z_]\w*", name):
            shown = f"{name}=..." if _SECRET.search(name) else pair
            raise pytest.UsageError(f"--model-arg={shown}: write KEY=VALUE, e.g. --model-arg=top_p=0.9")
        if name in _OURS:
            raise pytest.UsageError(f"--model-arg={name}=...: the suite sets this itself; {_OURS[name]}")
        value: Any
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        (secret if _SECRET.search(name) else typed)[name] = value
    return typed, secret


_OURS: Final = {
    "model": "use --model=NAME",
    "messages": "the cases are in evals/",
    "api_base": "use --api-base=URL",
    "base_url": "use --api-base=URL",
    "stream": "replies are read whole",
    "n": "use --samples=N",
    "num_retries": "retries are the gateway's",
    "max_retries": "retries are the gateway's",
}


def words_in_names(expression: str, models: Iterable[ModelName]) -> list[str]:
    """The words of a ``-k`` expression, in small letters, that are also a part of a model's short name."""
    words = {word.lower() for word in re.findall(r"[\w.+-]+", expression)}
    return sorted(word for word in words if any(word in model.short.lower() for model in models))


def stay_in_one_process(config: pytest.Config) -> None:
    """Undo ``-n``, where pytest-xdist is there."""
    for name, value in (("numprocesses", None), ("dist", "no"), ("tx", [])):
        if hasattr(config.option, name):
            setattr(config.option, name, value)


def reports_folder(config: pytest.Config) -> Path:
    """Where runs land."""
    return config.rootpath / "reports"
