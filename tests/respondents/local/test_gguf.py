from __future__ import annotations

import struct
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_redefine.respondents.local import gguf
from pytest_redefine.respondents.local.gguf import GgufError, read_head
from pytest_redefine.respondents.local.model_file import find_model
from tests.respondents.local.conftest import SMALL, head, pair, text


def _read(tmp_path: Path, data: bytes) -> dict[str, gguf.Scalar]:
    path = tmp_path / "any.gguf"
    path.write_bytes(data)
    return read_head(path)


def test_reads_scalars_and_skips_arrays(small: Path) -> None:
    assert read_head(small) == {
        "general.architecture": "llama",
        "llama.block_count": 2,
        "llama.embedding_length": 64,
        "llama.attention.head_count": 4,
        "llama.attention.head_count_kv": 2,
        "tokenizer.chat_template": "{{ messages }}",
    }


def test_reads_the_embedded_model_quickly() -> None:
    path = find_model("local/smollm2-135m").path
    start = time.perf_counter()
    pairs = read_head(path)
    assert time.perf_counter() - start < 2  # 0.05 s where nothing else runs
    assert pairs["llama.context_length"] == 8192
    assert "<|im_start|>" in str(pairs["tokenizer.chat_template"])


def test_every_truncation_is_an_error(tmp_path: Path) -> None:
    for length in range(len(SMALL)):
        with pytest.raises(GgufError):
            _read(tmp_path, SMALL[:length])


HUGE = 2**64 - 1


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "GGUF"),
        (b"GGML" + bytes(100), "GGUF"),
        (head(version=1), "version 1"),
        (head(version=0x03000000), "version"),
        (head(count=HUGE), "keys"),
        (head(count=1), "cut short"),
        (head(struct.pack("<Q", HUGE), count=1), "cut short"),
        (head(pair("k", 8, struct.pack("<Q", HUGE))), "cut short"),
        (head(pair("k", 8, text("x" * (gguf.VALUE_LIMIT + 1)))), "longer than"),
        (head(text("x" * 2**17), count=1), "longer than"),
        (head(pair("k", 77, b"")), "type 77"),
        (head(pair("k", 9, struct.pack("<IQ", 8, HUGE))), "cut short"),
        (head(pair("k", 9, struct.pack("<IQ", 4, HUGE))), "cut short"),
        (head(pair("k", 9, struct.pack("<IQ", 9, 1))), "type 9"),
        (head(pair("k", 9, struct.pack("<IQQ", 8, 1, HUGE))), "cut short"),
    ],
)
def test_hostile_heads_end_in_one_line(tmp_path: Path, data: bytes, says: str) -> None:
    start = time.perf_counter()
    with pytest.raises(GgufError, match=says) as caught:
        _read(tmp_path, data)
    assert time.perf_counter() - start < 1
    assert "\n" not in str(caught.value)


def test_a_head_without_end_is_left_at_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gguf, "HEAD_LIMIT", 2**16)
    with pytest.raises(GgufError, match="head is longer"):
        _read(tmp_path, head(pair("k", 9, struct.pack("<IQ", 8, 2**15))) + bytes(2**20))


@given(st.data())
def test_any_damage_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    damaged = bytearray(SMALL)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "damaged.gguf"
    path.write_bytes(damaged)
    try:
        found = read_head(path)
    except GgufError:
        found = {}
    assert all(isinstance(name, str) for name in found)
