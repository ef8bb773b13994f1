"""Reads the head of a GGUF file: enough to tell its chat template without starting the engine.

Own code because the ``gguf`` package needs NumPy and maps every tensor to answer this. The format is
described in ``docs/gguf.md`` of the ggml project.
"""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import BinaryIO, Final

MAGIC: Final = b"GGUF"
HEAD_LIMIT: Final = 64 * 2**20
"""Bytes of a head that are read; the largest vocabularies in use (262,144 tokens and their merges) take about 15 MB."""
VALUE_LIMIT: Final = 2**20
"""Bytes of a string that is kept: chat templates are some kilobytes long."""
_KEY_LIMIT: Final = 2**16
_PAIRS_LIMIT: Final = 2**16
_STRING: Final = 8
_ARRAY: Final = 9
_SCALARS: Final = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d",
}  # fmt: skip

Scalar = str | int | float | bool


class GgufError(ValueError):
    """The file is no GGUF file that can be read; the message says why."""


def read_head(path: Path) -> dict[str, Scalar]:
    """Read the key/value pairs of a GGUF file; arrays are skipped.

    Work is bounded by :data:`HEAD_LIMIT`, whatever the counts in the file say.

    Raises:
        GgufError: no GGUF file, cut short, or not within the limits.
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        return _Head(file, path.stat().st_size).pairs()


class _Head:
    """A reader that never passes the end of the file or of the head."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._left = min(size, HEAD_LIMIT)
        self._cut = f"the head is longer than {HEAD_LIMIT >> 20} MiB" if size > HEAD_LIMIT else "the file is cut short"

    def pairs(self) -> dict[str, Scalar]:
        if self._left < len(MAGIC) or self._take(len(MAGIC)) != MAGIC:
            raise GgufError("it does not begin with the letters GGUF")
        version = self._number("<I")
        if version not in (2, 3):
            raise GgufError(f"GGUF version {version} is neither 2 nor 3")
        self._number("<Q")  # how many tensors follow the head
        count = self._number("<Q")
        if count > _PAIRS_LIMIT:
            raise GgufError(f"it claims {count} keys")
        pairs: dict[str, Scalar] = {}
        for _ in range(int(count)):
            key = self._string(_KEY_LIMIT)
            value = self._value(int(self._number("<I")))
            if value is not None:
                pairs[key] = value
        return pairs

    def _value(self, kind: int) -> Scalar | None:
        if kind == _STRING:
            return self._string(VALUE_LIMIT)
        if kind != _ARRAY:
            return self._number(self._format(kind))
        element, count = int(self._number("<I")), int(self._number("<Q"))
        if element == _STRING:
            if count * 8 > self._left:  # each string takes 8 bytes at least
                raise GgufError(self._cut)
            for _ in range(count):
                self._skip(int(self._number("<Q")))
        else:
            self._skip(count * struct.calcsize(self._format(element)))
        return None

    @staticmethod
    def _format(kind: int) -> str:
        if kind not in _SCALARS:  # arrays of arrays, which no model uses, end here too
            raise GgufError(f"a value has the unknown type {kind}")
        return _SCALARS[kind]

    def _string(self, limit: int) -> str:
        length = int(self._number("<Q"))
        if length > limit:
            if length > self._left:
                raise GgufError(self._cut)
            raise GgufError(f"a text of {length} bytes is longer than {limit}")
        return self._take(length).decode("utf-8", "replace")

    def _number(self, form: str) -> int | float | bool:
        (value,) = struct.unpack(form, self._take(struct.calcsize(form)))
        assert isinstance(value, int | float)
        return value

    def _take(self, length: int) -> bytes:
        self._spend(length)
        data = self._file.read(length)
        if len(data) < length:
            raise GgufError("the file is cut short")
        return data

    def _skip(self, length: int) -> None:
        self._spend(length)
        self._file.seek(length, io.SEEK_CUR)

    def _spend(self, length: int) -> None:
        if length > self._left:
            raise GgufError(self._cut)
        self._left -= length
