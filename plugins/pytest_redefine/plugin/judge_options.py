"""The options that say who grades: numbers, another model, or both."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, cast

import pytest

from pytest_redefine.cases.judge_wording import JudgeWording
from pytest_redefine.cases.known_models import KnownModels
from pytest_redefine.cases.references import references
from pytest_redefine.cases.truth import Truth
from pytest_redefine.grading.judge import MOST_REQUESTS, PROMPT_CHARACTERS
from pytest_redefine.respondents.callers import JUDGE_EXACT
from pytest_redefine.respondents.errors import RespondentUnavailable
from pytest_redefine.respondents.exchange import Later
from pytest_redefine.respondents.names import ModelName, parse_model

Grading = Literal["numeric", "judge", "both"]
GRADINGS: Final[tuple[Grading, ...]] = ("numeric", "judge", "both")


def add_options(group: pytest.OptionGroup) -> None:
    """Add them to the suite's group."""
    group.addoption(
        "--grading",
        default=GRADINGS[0],
        metavar="|".join(GRADINGS),
        help="who classes the answers: numbers, the model of --judge, or both, which tells how far they agree "
        f"[{GRADINGS[0]}]",
    )
    group.addoption("--judge", default=None, metavar="NAME", help="the model that judges, named as for --model")
    group.addoption(
        "--judge-api-base",
        default=None,
        metavar="URL",
        help="ask the judge at URL [its provider's own address; --api-base where it is a model that is asked too]",
    )


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """These options, checked and read."""

    grading: Grading = "numeric"
    judge: ModelName | None = None
    """None where none is asked, whatever was typed."""
    api_base: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """The suite's own: what was typed for the models is not meant for the judge."""
    idle: str = ""
    """A judge that was typed and is not asked."""

    @property
    def shown(self) -> str:
        """For the header."""
        if self.judge is not None:
            return f"{self.judge.full}, --grading={self.grading}"
        return f"{self.idle} is not asked under --grading={self.grading}" if self.idle else ""

    def entry(self, case_id: str, truth: Truth, wording: JudgeWording) -> dict[str, Any] | None:
        """What stands under ``judge`` in a case's skeleton and record: whom to ask, and of which references."""
        if self.judge is None:
            return None
        return {
            "model": self.judge.full,
            "api_base": self.api_base,
            "parameters": dict(self.parameters),
            "droppable": list(self.parameters),
            "references": [one.to_json() for one in references(truth, case_id, wording)],
        }

    def later(self) -> tuple[Later, ...]:
        """What the judge may be asked of one case."""
        if self.judge is None:
            return ()
        return (Later(self.judge.full, MOST_REQUESTS, PROMPT_CHARACTERS, int(self.parameters["max_tokens"])),)

    def for_run_json(self) -> dict[str, Any]:
        """What must agree for a run to be continued."""
        judge = self.judge and {"model": self.judge.full, "api_base": self.api_base, **self.parameters}
        return {"grading": self.grading, "judge": judge}


def read(
    config: pytest.Config,
    models: Collection[ModelName],
    known: KnownModels,
    api_base: str | None,
    defaults: Mapping[str, Mapping[str, Any]],
) -> JudgeSettings:
    """Read and check these options.

    Args:
        config: pytest's.
        models: Those that are asked.
        known: Those that have a short name.
        api_base: Where.
        defaults: The suite's parameters by kind of model.

    Raises:
        pytest.UsageError: One of them makes no sense; one line.
    """
    grading, name = config.getoption("grading"), config.getoption("judge")
    if grading not in GRADINGS:
        raise pytest.UsageError(f"--grading={grading}: none of {', '.join(GRADINGS)}")
    if name is None:
        if grading != "numeric":
            raise pytest.UsageError(
                f"--grading={grading} needs a judge: add --judge=NAME, e.g. --judge=openai/gpt-4o or "
                f"--judge={JUDGE_EXACT}"
            )
        if config.getoption("judge_api_base") is not None:
            raise pytest.UsageError("--judge-api-base is where the judge is asked: add --judge=NAME --grading=both")
        return JudgeSettings()
    try:
        judge = parse_model(name, known)
    except RespondentUnavailable as error:
        raise pytest.UsageError(as_judge(str(error))) from None
    same = any(model.full == judge.full for model in models)
    typed = address("--judge-api-base", config.getoption("judge_api_base"))
    if same and typed not in (None, api_base):
        raise pytest.UsageError(
            f"--judge-api-base={typed}: {name} is asked at {api_base or 'its own address'} as --model already; "
            "one name can have one address only"
        )
    base = typed or (api_base if same else None)
    return JudgeSettings(
        grading=cast(Grading, grading),
        judge=None if grading == "numeric" else judge,
        api_base=None if judge.kind == "sim" else base,
        parameters=defaults[judge.kind],
        idle=judge.full if grading == "numeric" else "",
    )


def address(option: str, url: str | None) -> str | None:
    """A server's address, as typed.

    Raises:
        pytest.UsageError: It is none, or holds a secret, which would stand in records.
    """
    if url is not None and not re.fullmatch(r"https?://[^\s/]+(/\S*)?", url):
        raise pytest.UsageError(f"{option}={url}: write a URL, e.g. {option}=http://127.0.0.1:8000/v1")
    if url is not None and re.search(r"[@?#]", url):  # it stands in records, where no password may
        place = "--model-arg=api_key=... or the environment" if option == "--api-base" else "the environment"
        raise pytest.UsageError(f"{option}: write the address alone; a key goes into {place}")
    return url


def as_judge(message: str) -> str:
    """A message about a model, said of the judge."""
    return message.replace("--model=", "--judge=", 1)
