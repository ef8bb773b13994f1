"""What passes between the suite and a respondent: requests, replies, turns, transcripts, interviews."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pytest_redefine.respondents.errors import Fault
from pytest_redefine.respondents.text import clean_text

KEY_SCHEMA = 1
"""Part of every store key: raise it when the meaning of a stored reply changes."""

Message = Mapping[str, str]

Role = Literal["respondent", "judge"]
"""Who is spoken to: the model that is evaluated, or another one that is asked about its answer."""


@dataclass(frozen=True, slots=True)
class Request:
    """One question to one respondent: everything that can change the reply."""

    model: str
    messages: Sequence[Message]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Sampling parameters by their LiteLLM names, the suite's defaults included."""
    sample: int = 0
    api_base: str | None = None
    droppable: Sequence[str] = ()
    """Parameters the suite added by itself: left out, and said so, for a model that does not take them."""
    role: Role = "respondent"
    """No part of the key: the same words get the same reply."""

    def key(self, identity: Mapping[str, str]) -> str:
        """Sha256, in hex, of the canonical request.

        Args:
            identity: what stands for the address of a local engine (sha256 of its weights and chat template,
                its version); empty for others.
        """
        return _digest({"schema": KEY_SCHEMA, **stored_request(self, identity)})


def stored_request(request: Request, identity: Mapping[str, str]) -> dict[str, Any]:
    """What the key is made of, as plain builtins: it stands in the store beside the reply, to explain a miss."""
    return {
        "model": request.model,
        "api_base": request.api_base,
        "messages": [dict(message) for message in request.messages],
        "parameters": {name: _plain(value) for name, value in request.parameters.items()},
        "sample": request.sample,
        "identity": dict(identity),
    }


def _plain(value: Any) -> Any:
    """``0.0`` typed or set by us and ``0`` typed are one request."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def prompt_digest(request: Mapping[str, Any]) -> str:
    """Sha256, in hex, of a stored request's messages: what requests that differ otherwise have in common."""
    return _digest(request["messages"])


def _digest(canonical: Any) -> str:
    text = json.dumps(canonical, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. Text is hostile: bounded here, never evaluated anywhere, escaped where it is shown."""

    text: str
    finish_reason: str = "stop"
    reasoning: str | None = None
    usage: Mapping[str, int] = field(default_factory=dict)
    """``prompt_tokens``, ``completion_tokens``, ``reasoning_tokens`` where the provider counts them."""
    cost_usd: float | None = None
    latency_s: float | None = None
    model_version: str | None = None
    """The model's name as the provider reports it."""
    dropped_params: Sequence[str] = ()
    asked_at: str | None = None
    """UTC, ISO 8601."""
    from_store: bool = False

    def to_json(self) -> dict[str, Any]:
        """Plain builtins."""
        return {
            "text": self.text,
            "finish_reason": self.finish_reason,
            "reasoning": self.reasoning,
            "usage": dict(self.usage),
            "cost_usd": self.cost_usd,
            "latency_s": self.latency_s,
            "model_version": self.model_version,
            "dropped_params": list(self.dropped_params),
            "asked_at": self.asked_at,
            "from_store": self.from_store,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Reply:
        """The inverse of :meth:`to_json`.

        Raises:
            KeyError, TypeError, ValueError: the data is not a reply.
        """
        if not isinstance(data, Mapping) or not isinstance(data["text"], str):
            raise TypeError("no reply")
        reasoning = data.get("reasoning")
        return cls(
            text=clean_text(data["text"]),
            finish_reason=str(data.get("finish_reason") or "stop"),
            reasoning=None if reasoning is None else clean_text(reasoning),
            usage=dict(data.get("usage") or {}),
            cost_usd=data.get("cost_usd"),
            latency_s=data.get("latency_s"),
            model_version=data.get("model_version"),
            dropped_params=tuple(data.get("dropped_params") or ()),
            asked_at=data.get("asked_at"),
            from_store=bool(data.get("from_store", False)),
        )


@dataclass(frozen=True, slots=True)
class Turn:
    """One question and its answer inside an interview."""

    messages: Sequence[Message]
    reply: Reply
    key: str
    role: Role = "respondent"

    def to_json(self) -> dict[str, Any]:
        """Plain builtins."""
        return {
            "messages": [dict(message) for message in self.messages],
            "reply": self.reply.to_json(),
            "key": self.key,
            "role": self.role,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Turn:
        """The inverse of :meth:`to_json`."""
        return cls(tuple(data["messages"]), Reply.from_json(data["reply"]), str(data["key"]), _role(data))


def _role(data: Mapping[str, Any]) -> Role:
    return "judge" if data.get("role") == "judge" else "respondent"


@dataclass(frozen=True, slots=True)
class Transcript:
    """All that was said about one case, and the fault that ended it early, if one did."""

    turns: Sequence[Turn] = ()
    fault: Fault | None = None
    fault_role: Role = "respondent"
    """Who gave no answer, where there is a fault."""

    @property
    def answers(self) -> Sequence[Turn]:
        """The turns of the model that is evaluated."""
        return [turn for turn in self.turns if turn.role == "respondent"]

    @property
    def judged(self) -> Sequence[Turn]:
        """The turns of the judge."""
        return [turn for turn in self.turns if turn.role == "judge"]

    @property
    def reply(self) -> Reply:
        """The last answer.

        Raises:
            IndexError: nothing was answered.
        """
        return self.answers[-1].reply

    def to_json(self) -> dict[str, Any]:
        """Plain builtins."""
        return {
            "turns": [turn.to_json() for turn in self.turns],
            "fault": self.fault.to_json() if self.fault else None,
            "role": self.fault_role,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Transcript:
        """The inverse of :meth:`to_json`."""
        fault = data.get("fault")
        return cls(
            tuple(Turn.from_json(turn) for turn in data["turns"]),
            Fault.from_json(fault) if fault else None,
            _role(data),
        )


@dataclass(frozen=True, slots=True)
class Later:
    """What an interview may ask of one model after its first question, at most."""

    model: str
    requests: int
    characters: int
    """Of one of its prompts, about."""
    max_tokens: int
    """Of one of its replies."""

    def to_json(self) -> dict[str, Any]:
        """Plain builtins."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Later:
        """The inverse of :meth:`to_json`."""
        return cls(str(data["model"]), int(data["requests"]), int(data["characters"]), int(data["max_tokens"]))


@dataclass(frozen=True, slots=True)
class Interview:
    """One case to be asked of one model, as plain data that crosses a socket.

    ``step`` names a registered :data:`Step`, which turns the case and the turns so far into the next request.
    """

    id: str
    """The test's node id: one interview a test."""
    model: str
    case: Mapping[str, Any]
    """The record's skeleton: what was asked and the truth it is graded by, so that a case whose worker died
    still gets its record."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    droppable: Sequence[str] = ()
    api_base: str | None = None
    step: str = "single"
    later: Sequence[Later] = ()
    """Whom else the step may ask: checked before anything is asked, and counted by an estimate."""

    def to_json(self) -> dict[str, Any]:
        """Plain builtins."""
        return {
            "id": self.id,
            "model": self.model,
            "case": dict(self.case),
            "parameters": dict(self.parameters),
            "droppable": list(self.droppable),
            "api_base": self.api_base,
            "step": self.step,
            "later": [later.to_json() for later in self.later],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Interview:
        """The inverse of :meth:`to_json`."""
        return cls(
            id=str(data["id"]),
            model=str(data["model"]),
            case=dict(data["case"]),
            parameters=dict(data["parameters"]),
            droppable=tuple(data["droppable"]),
            api_base=data["api_base"],
            step=str(data["step"]),
            later=tuple(Later.from_json(later) for later in data["later"]),
        )

    def request(self, messages: Sequence[Message]) -> Request:
        """A request of this interview's model and parameters."""
        return Request(
            model=self.model,
            messages=tuple(dict(message) for message in messages),
            parameters=self.parameters,
            sample=int(self.case.get("sample", 0)),
            api_base=self.api_base,
            droppable=self.droppable,
        )


Step = Callable[[Interview, Sequence[Turn]], "Request | None"]
"""``next(interview, turns so far) -> the next request, or None when the interview is over``. Pure. The request may
go to another model than the interview's."""


def single_turn(interview: Interview, turns: Sequence[Turn]) -> Request | None:
    """The plain step: the case's messages are asked once."""
    return None if turns else interview.request(interview.case["messages"])
