"""A small GGUF writer: files that a test can break in any place."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def pair(key: str, kind: int, value: bytes) -> bytes:
    return text(key) + struct.pack("<I", kind) + value


def strings(*values: str) -> bytes:
    return struct.pack("<IQ", 8, len(values)) + b"".join(text(value) for value in values)


def head(*pairs: bytes, version: int = 3, count: int | None = None) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(pairs) if count is None else count) + b"".join(pairs)


SMALL = head(
    pair("general.architecture", 8, text("llama")),
    pair("llama.block_count", 4, struct.pack("<I", 2)),
    pair("llama.embedding_length", 4, struct.pack("<I", 64)),
    pair("llama.attention.head_count", 4, struct.pack("<I", 4)),
    pair("llama.attention.head_count_kv", 4, struct.pack("<I", 2)),
    pair("tokenizer.ggml.tokens", 9, strings("a", "", "ccc")),
    pair("tokenizer.ggml.scores", 9, struct.pack("<IQ3f", 6, 3, 1, 2, 3)),
    pair("tokenizer.chat_template", 8, text("{{ messages }}")),
)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A GGUF file with a head and nothing else: it can be found and fingerprinted, but not run."""
    path = tmp_path / "small.gguf"
    path.write_bytes(SMALL)
    return path
