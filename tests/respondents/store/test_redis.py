"""What only a server can suffer."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_redefine.respondents.exchange import Reply, Request, prompt_digest, stored_request
from pytest_redefine.respondents.store import StoreError, open_store, shown_location
from tests.redis_server import RedisServer

PASSWORD = "hunter2"
REQUEST: Mapping[str, Any] = stored_request(Request("m", ()), {})


def put(location: str, reply: Reply) -> None:
    async def go() -> None:
        store = open_store(location, Path("/"))
        try:
            await store.put("a", REQUEST, reply)
        finally:
            await store.close()

    asyncio.run(go())


def refusal(location: str, reply: Reply = Reply("4")) -> str:  # noqa: B008 - frozen
    with pytest.raises(StoreError) as caught:
        put(location, reply)
    line = str(caught.value)
    assert "\n" not in line
    assert PASSWORD not in line
    return line


def guarded(server: RedisServer, *rules: str) -> str:
    """A URL without its password's last letter, for a user with these rights."""
    with server.client() as client:
        client.execute_command("ACL", "SETUSER", "redefine", "reset", "on", f">{PASSWORD}", *rules)
    return f"redis://redefine:{{}}@127.0.0.1:{server.port}/0"


def test_the_key_is_namespaced_and_nothing_else_is_touched(empty_redis: RedisServer) -> None:
    with empty_redis.client() as client:
        client.set("a", "somebody else's")
        put(empty_redis.url, Reply("4"))
        assert sorted(client.keys()) == [
            b"a",
            b"pytest-redefine:1:a",
            f"pytest-redefine:1:prompt:{prompt_digest(REQUEST)}".encode(),
        ]
        assert client.get("a") == b"somebody else's"
        assert client.ttl("pytest-redefine:1:a") == -1


def test_another_type_under_our_key_is_as_good_as_absent(empty_redis: RedisServer) -> None:
    with empty_redis.client() as client:
        client.rpush("pytest-redefine:1:a", "x")

    async def go() -> dict[str, Reply]:
        store = open_store(empty_redis.url, Path("/"))
        try:
            return await store.get_many(["a"])
        finally:
            await store.close()

    assert asyncio.run(go()) == {}


def test_nobody_listens() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        line = refusal(f"redis://:{PASSWORD}@127.0.0.1:{port}/0")
    assert line.startswith(f"--store=redis://***@127.0.0.1:{port}/0: a reply could not be written: Error ")
    assert line.endswith("see that the server runs there, or give a file with --store=PATH")


def test_no_such_socket(tmp_path: Path) -> None:
    assert "No such file or directory" in refusal(f"unix://{tmp_path}/none.sock?password={PASSWORD}")


def test_the_right_password(empty_redis: RedisServer) -> None:
    put(guarded(empty_redis, "~*", "+@all").format(PASSWORD), Reply("4"))
    with empty_redis.client() as client:
        assert client.dbsize() > 0


def test_a_wrong_password(empty_redis: RedisServer) -> None:
    line = refusal(guarded(empty_redis, "~*", "+@all").format(PASSWORD + "x"))
    assert line.startswith(f"--store=redis://***@127.0.0.1:{empty_redis.port}/0: the server refuses: ")
    assert line.endswith("write --store=redis://USER:PASSWORD@HOST:PORT/0")


def test_a_user_without_the_right_to_write(empty_redis: RedisServer) -> None:
    line = refusal(guarded(empty_redis, "~*", "+@read", "+client", "+hello").format(PASSWORD))
    assert "the server refuses: " in line
    assert "'set'" in line


def test_a_full_server(empty_redis: RedisServer) -> None:
    with empty_redis.client() as client:
        client.config_set("maxmemory", "1")
    line = refusal(empty_redis.url)
    assert "a reply could not be written: " in line
    assert line.endswith("make room on the server, or give another --store")


def test_a_server_that_speaks_another_protocol() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        async def go() -> None:
            async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                writer.write(b"220 mail.example ESMTP ready\r\n" * 4)
                await writer.drain()
                writer.close()

            async with await asyncio.start_server(answer, sock=listener):
                store = open_store(f"redis://127.0.0.1:{port}/0", Path("/"))
                with pytest.raises(StoreError, match="a reply could not be written: "):
                    await store.put("a", REQUEST, Reply("4"))
                await store.close()

        asyncio.run(go())


@pytest.mark.parametrize(
    "location",
    [
        f"redis://user:{PASSWORD}@host:port/0",
        f"redis://:{PASSWORD}@[::1/0",
        f"redis://host/0?password={PASSWORD}&colour=blue",
        f"postgres://user:{PASSWORD}@host/base",
        f"http://{PASSWORD}@host/",
    ],
)
def test_a_url_that_names_no_store(location: str) -> None:
    assert "redis://HOST:6379/0" in refusal(location)


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("reports/store.sqlite", "reports/store.sqlite"),
        ("redis://cache:6379/2", "redis://cache:6379/2"),
        ("redis://me:pw@cache:6379/2", "redis://***@cache:6379/2"),
        ("rediss://:p@ss@cache/0", "rediss://***@cache/0"),
        ("unix:///run/redis.sock?db=1&password=pw", "unix:///run/redis.sock"),
        ("redis://:pw@[::1/0", "redis://***"),
    ],
)
def test_what_is_shown_of_a_location(location: str, shown: str) -> None:
    assert shown_location(location) == shown
