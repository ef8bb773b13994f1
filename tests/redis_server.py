"""A real Redis server of the tests' own; without the program they are skipped with the reason."""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import redis

from tests.parts import need

START_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class RedisServer:
    """A server of this session's own."""

    port: int
    socket: Path

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    @property
    def unix_url(self) -> str:
        return f"unix://{self.socket}?db=0"

    def client(self) -> redis.Redis:
        return redis.Redis(unix_socket_path=str(self.socket))


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    program = need("redis-server", "redis-server")
    folder = Path(tempfile.mkdtemp(prefix="redefine-redis-"))  # a unix socket's path must be short
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        server = RedisServer(probe.getsockname()[1], folder / "redis.sock")
    options = {
        "--port": str(server.port),
        "--bind": "127.0.0.1",
        "--unixsocket": str(server.socket),
        "--dir": str(folder),
    }
    process = subprocess.Popen(
        [program, *(word for option in options.items() for word in option), "--save", "", "--appendonly", "no"],
        stdout=subprocess.DEVNULL,
    )
    try:
        _wait_for(server, process)
        yield server
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for(server: RedisServer, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_TIMEOUT_S
    while True:
        try:
            with server.client() as client:
                client.ping()
            return
        except redis.ConnectionError:
            if process.poll() is not None or time.monotonic() > until:
                raise
            time.sleep(0.02)


@pytest.fixture
def empty_redis(redis_server: RedisServer) -> Iterator[RedisServer]:
    """The server without data, users or limits of an earlier test."""
    with redis_server.client() as client:
        client.flushall()
        yield redis_server
        client.config_set("maxmemory", "0")
        client.acl_deluser("redefine")
