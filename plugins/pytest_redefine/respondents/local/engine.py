"""Starts llama.cpp in a child process, watches it and ends it."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import re
import secrets
import sys
import tempfile
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, Final

from pytest_redefine.respondents.errors import RespondentUnavailable
from pytest_redefine.respondents.local.model_file import ModelFile, engine_version

SLOTS: Final = 8
"""Requests that are worked on at once: 20 s of CPU for 1,536 tokens, against 24 with 4 slots and 32 with one; 16 gain
nothing more and take 1.6 GB instead of 0.9 (benchmarks/local_engine.py)."""
CONTEXT: Final = 2048
"""Tokens a slot holds: 1,024 of answer and a prompt with worked examples."""
THREADS_LIMIT: Final = 8
KV_BYTES_LIMIT: Final = 2 * 2**30
"""Large models get fewer slots, so that keys and values fit in the memory of an ordinary machine."""
START_TIMEOUT_S: Final = 300.0
"""The embedded model takes a second; several gigabytes from a slow disk take minutes."""
STOP_TIMEOUT_S: Final = 2.0
LOG_TAIL: Final = 400
"""Characters of the child's log that an error quotes."""
ENVIRONMENT: Final = {"OMP_WAIT_POLICY": "passive"}
"""Threads that wait sleep. By default they spin and take the cores from each other as soon as anything else runs: 16
questions took 93 s instead of 13 s on two busy cores, and 209 s instead of 17 s beside one more busy process."""
SETTINGS: Final = "flash-attention=off kv=f32"
"""What in the child's configuration may change an answer: it stands in the store's key."""
_ERROR_LINE: Final = re.compile(r"^[\d.]+ E (.*)$", re.MULTILINE)  # 0.00.025.057 E llama_model_load: ...
_CHILD: Final = Path(__file__).with_name("child.py")


class LocalEngine:
    """One llama.cpp server. Not started by creating it, so that a replay from the store starts none.

    Use: ``await start()``, then POST to ``base_url + "/v1/chat/completions"`` with ``api_key`` as the bearer token,
    then ``await aclose()``. All methods belong to one event loop. The child dies by itself when this process dies.
    """

    def __init__(
        self,
        model: ModelFile,
        *,
        slots: int | None = None,
        threads: int | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        """Nothing is started or read.

        Args:
            model: what to run.
            slots: requests worked on at once; by default :data:`SLOTS`, fewer for large models.
            threads: by default the cores this process may use, :data:`THREADS_LIMIT` at most.
            settings: overrides for ``child.parameters``, for measurements.
        """
        self.model = model
        self.slots = slots or _slots_for(model)
        self.threads = threads or min(_usable_cores(), THREADS_LIMIT)
        self.api_key = secrets.token_urlsafe(24)
        self._settings = dict(settings or {})
        self._base_url: str | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._log: BinaryIO | None = None

    @cached_property
    def _identity(self) -> dict[str, str]:
        return {
            "weights": self.model.sha256,
            "chat_template": hashlib.sha256(self.model.chat_template.encode()).hexdigest(),
            "engine": f"xllamacpp {engine_version()}",
            "settings": SETTINGS,
        }

    def identity(self) -> Mapping[str, str]:
        """What answers depend on, besides the request; read from the file, no engine is started.

        Raises:
            RespondentUnavailable: the engine's wheel is not installed.
            OSError: the file can no longer be read.
        """
        return self._identity

    @property
    def base_url(self) -> str:
        """``http://127.0.0.1:PORT``."""
        if self._base_url is None:
            raise RuntimeError("start() comes first")
        return self._base_url

    @property
    def pid(self) -> int | None:
        """The child's process id, None before the start."""
        return self._process.pid if self._process else None

    @property
    def returncode(self) -> int | None:
        """The child's exit status, None while it runs or before it was started."""
        return self._process.returncode if self._process else None

    async def start(self, timeout_s: float = START_TIMEOUT_S) -> None:
        """Start the child and wait until it serves.

        Raises:
            RespondentUnavailable: it died or did not get ready in time; quotes its last errors.
        """
        if self._process is not None:
            raise RuntimeError("an engine is started once")
        # A file and not a pipe: it never fills up while the event loop is busy, and it has no name to clean up.
        self._log = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  (closed in aclose)
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", str(_CHILD)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=self._log,
            env={**ENVIRONMENT, **os.environ},
            start_new_session=True,  # Ctrl-C in the terminal is for pytest
        )
        try:
            async with asyncio.timeout(timeout_s):
                ready = await self._shake_hands()
        except TimeoutError:
            await self._fail(f"was not ready after {timeout_s:g} s")
        except (OSError, ValueError):  # the pipe broke, or the line is no JSON
            await self._fail("did not start")
        except asyncio.CancelledError:
            await self.aclose()
            raise
        else:
            self._base_url = str(ready["address"])

    async def _shake_hands(self) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        config = {
            "path": str(self.model.path),
            "slots": self.slots,
            "context": CONTEXT,
            "threads": self.threads,
            "api_key": self.api_key,  # not in argv, which every user of the machine can read
            "parent": os.getpid(),
            "set": self._settings,
        }
        self._process.stdin.write(json.dumps(config).encode() + b"\n")
        await self._process.stdin.drain()
        ready = json.loads(await self._process.stdout.readline())
        if not isinstance(ready, dict):
            raise ValueError("no handshake")
        return ready

    async def _fail(self, what: str) -> None:
        # A child that is ending anyway gets the time to: its status says more than our signal.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.5 if "start" in what else 0):
                await self.wait()
        status = "" if self.returncode is None else f" (status {self.returncode})"
        words = self.last_words()
        await self.aclose()
        if "libgomp.so.1" in words:
            raise RespondentUnavailable(
                f"{self.model.name}: llama.cpp needs a system library that is not there: type `apt install libgomp1`"
            ) from None
        raise RespondentUnavailable(
            f"{self.model.name}: llama.cpp {what}{status} with {self.model.path}: {words or 'it logged nothing'}"
        ) from None

    def last_words(self) -> str:
        """The last errors that the child logged, on one line, :data:`LOG_TAIL` characters at most."""
        if self._log is None or self._log.closed:
            return ""
        # pread: the child writes through the same file offset
        size = os.fstat(self._log.fileno()).st_size
        log = os.pread(self._log.fileno(), 2**14, max(0, size - 2**14)).decode("utf-8", "replace").strip()
        errors = _ERROR_LINE.findall(log) or log.splitlines()[-1:]
        line = " ".join("".join(c if c.isprintable() else " " for c in "; ".join(errors)).split())
        return line if len(line) <= LOG_TAIL else line[: LOG_TAIL - 1] + "…"

    async def wait(self) -> int:
        """Wait until the child has ended, and return its exit status."""
        if self._process is None:
            raise RuntimeError("start() comes first")
        return await self._process.wait()

    async def aclose(self) -> None:
        """End the child. May be called again, and before :meth:`start`."""
        if self._process is not None and self._process.returncode is None:
            assert self._process.stdin is not None
            self._process.stdin.close()  # the child ends by itself, as if we had died
            try:
                async with asyncio.timeout(STOP_TIMEOUT_S):
                    await self._process.wait()
            except TimeoutError:
                with contextlib.suppress(ProcessLookupError):
                    self._process.kill()
                await self._process.wait()
        if self._log is not None:
            self._log.close()


def _slots_for(model: ModelFile) -> int:
    per_token = model.kv_bytes_per_token()
    return SLOTS if not per_token else max(1, min(SLOTS, KV_BYTES_LIMIT // (per_token * CONTEXT)))


def _usable_cores() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
