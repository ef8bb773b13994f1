from __future__ import annotations

import json
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_redefine.respondents.gateway import frames

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
MESSAGES = st.dictionaries(st.text().filter(lambda name: name != "v"), JSON, max_size=4)


def read(frame: bytes) -> dict[str, Any]:
    length = frames.body_length(frame[: frames.HEADER.size])
    assert len(frame) == frames.HEADER.size + length
    return frames.decode(frame[frames.HEADER.size :])


@given(MESSAGES)
def test_a_message_arrives_as_it_was_sent(message: dict[str, Any]) -> None:
    assert read(frames.encode(message)) == message


def test_lone_surrogates_and_nul_cross() -> None:
    assert read(frames.encode({"text": "\ud800\x00π"})) == {"text": "\ud800\x00π"}


def test_a_message_that_is_too_long_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MAX_FRAME", 100)
    overhead = len(frames.encode({"t": ""})) - frames.HEADER.size
    assert read(frames.encode({"t": "x" * (100 - overhead)}))
    with pytest.raises(frames.BadFrame, match="a frame of 101 bytes; 100 at most"):
        frames.encode({"t": "x" * (101 - overhead)})


def test_a_header_that_announces_too_much_is_refused_before_anything_is_read() -> None:
    assert frames.body_length(struct.pack(">I", frames.MAX_FRAME)) == frames.MAX_FRAME
    with pytest.raises(frames.BadFrame, match="at most"):
        frames.body_length(struct.pack(">I", frames.MAX_FRAME + 1))


@pytest.mark.parametrize("body", [b'{"v": 2}', b'{"v": "1"}', b'{"v": null}', b"{}", b"[]", b"1", b'"v"'])
def test_another_version_is_refused(body: bytes) -> None:
    with pytest.raises(frames.BadFrame, match="must run the same pytest-redefine"):
        frames.decode(body)


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe\x00", b"\x80\x04K\x01.", b"[" * 500_000])
def test_what_is_no_json_is_refused(body: bytes) -> None:
    with pytest.raises(frames.BadFrame, match="no JSON"):
        frames.decode(body)


@given(st.binary(max_size=60))
def test_garbage_is_a_bad_frame_and_nothing_else(body: bytes) -> None:
    try:
        message = frames.decode(body)
    except frames.BadFrame:
        message = None
    assert message is None or json.loads(body)["v"] == frames.VERSION
