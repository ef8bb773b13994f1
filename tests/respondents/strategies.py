"""Requests, replies and interviews as Hypothesis draws them: any text, surrogates and NUL included."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from pytest_redefine.respondents.exchange import Interview, Message, Reply, Request, Turn

ANY_TEXT = st.text(st.characters(codec=None), max_size=30)
"""Lone surrogates and NUL too."""
TEXT = st.text(max_size=30)
"""What can be encoded."""
PARAMETER = st.one_of(st.integers(), st.floats(allow_nan=False), st.booleans(), TEXT, st.lists(TEXT, max_size=2))


def messages(text: st.SearchStrategy[str] = ANY_TEXT) -> st.SearchStrategy[tuple[Message, ...]]:
    message = st.fixed_dictionaries({"role": st.sampled_from(["system", "user", "assistant"]), "content": text})
    return st.lists(message, min_size=1, max_size=3).map(tuple)


def requests() -> st.SearchStrategy[Request]:
    return st.builds(
        Request,
        model=ANY_TEXT,
        messages=messages(),
        parameters=st.dictionaries(TEXT, PARAMETER, max_size=3),
        sample=st.integers(0, 9),
        api_base=st.none() | TEXT,
        droppable=st.lists(TEXT, max_size=2).map(tuple),
    )


def replies() -> st.SearchStrategy[Reply]:
    return st.builds(
        Reply,
        text=TEXT,
        finish_reason=st.sampled_from(["stop", "length", "tool_calls"]),
        reasoning=st.none() | TEXT,
        usage=st.dictionaries(st.sampled_from(["prompt_tokens", "completion_tokens"]), st.integers(0)),
        cost_usd=st.none() | st.floats(0, 10),
        latency_s=st.none() | st.floats(0, 1000),
        model_version=st.none() | TEXT,
        dropped_params=st.lists(TEXT, max_size=2).map(tuple),
        asked_at=st.none() | TEXT,
        from_store=st.booleans(),
    )


def turns() -> st.SearchStrategy[Turn]:
    return st.builds(Turn, messages=messages(TEXT), reply=replies(), key=TEXT)


def interviews() -> st.SearchStrategy[Interview]:
    case: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
        {"case_id": TEXT, "sample": st.integers(0, 9), "messages": messages(TEXT).map(list)}
    )
    return st.builds(
        Interview,
        id=TEXT,
        model=TEXT,
        case=case,
        parameters=st.dictionaries(TEXT, PARAMETER, max_size=3),
        droppable=st.lists(TEXT, max_size=2).map(tuple),
        api_base=st.none() | TEXT,
        step=TEXT,
    )
