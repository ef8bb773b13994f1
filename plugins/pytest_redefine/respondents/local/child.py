"""The child process: llama.cpp behind HTTP on the loopback, until its standard input ends.

Run as a file, so that nothing of the project is imported. The first line of standard input is the configuration, in
JSON; the only line of standard output is the handshake. Everything that llama.cpp prints goes to standard error.
"""

from __future__ import annotations

import json
import os
import select
import sys
import threading
from typing import Any

LOG_LIMIT = 16 * 2**20
"""Bytes: standard error is a file, and what writes more than this into it is not worth reading."""
ORPHAN_CHECK_S = 2.0


def exit_with_parent(parent: int) -> None:
    """Return never: the process ends when the pipe from its parent does, or when the parent is gone.

    The kernel closes the pipe even after ``kill -9``. The parent's id is watched as well, since a process that the
    parent forked may hold the pipe open for longer.
    """
    while os.getppid() == parent:
        readable, _, _ = select.select([0], [], [], ORPHAN_CHECK_S)
        if readable and not os.read(0, 4096):
            break
    os._exit(0)


def parameters(xllamacpp: Any, config: dict[str, Any]) -> Any:
    """What llama.cpp is told; ``config["set"]`` overrides any of it (for measurements)."""
    p = xllamacpp.CommonParams()
    p.model.path = config["path"]
    p.hostnames, p.port = ["127.0.0.1"], 0
    p.api_keys = [config["api_key"]]
    p.ui = p.endpoint_slots = p.endpoint_props = False
    p.use_jinja = True
    p.verbosity = 2  # warnings
    p.n_parallel, p.n_ctx = config["slots"], config["slots"] * config["context"]
    p.cpuparams.n_threads = p.cpuparams_batch.n_threads = config["threads"]
    p.fit_params = False  # it would shrink the context unasked where memory is short
    p.cache_ram_mib = 0  # prompts of a benchmark are asked once; the default keeps up to 8 GiB of them
    p.cache_idle_slots = False
    # So an answer hardly ever hangs on what is batched with it or was cached before it: 59 to 60 of 60 replies stay the
    # same, against 42 to 58 with flash attention and 16-bit keys and values (benchmarks/local_engine.py).
    p.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    p.cache_type_k = p.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_F32
    for dotted, value in config.get("set", {}).items():
        target, (*path, last) = p, dotted.split(".")
        for name in path:
            target = getattr(target, name)
        old = getattr(target, last)
        setattr(target, last, type(old)(value))
    return p


def main() -> None:
    """Serve."""
    handshake = os.dup(1)
    os.dup2(2, 1)
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (LOG_LIMIT, LOG_LIMIT))
    except (ImportError, ValueError, OSError):  # a lower limit is in force already
        pass
    line = b""
    while not line.endswith(b"\n"):  # unbuffered: the watcher reads the same descriptor
        byte = os.read(0, 1)
        if not byte:
            os._exit(0)
        line += byte
    config = json.loads(line)
    watcher = threading.Thread(target=exit_with_parent, args=(config["parent"],), daemon=True)
    watcher.start()
    import xllamacpp

    server = xllamacpp.Server(parameters(xllamacpp, config))
    ready = {"address": server.listening_address, "slots": config["slots"], "engine": xllamacpp.__version__}
    os.write(handshake, json.dumps(ready).encode() + b"\n")
    os.close(handshake)
    watcher.join()


if __name__ == "__main__":
    try:
        main()
    except Exception as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)  # noqa: T201  (the log)
        os._exit(1)
