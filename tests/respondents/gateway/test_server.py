"""Workers at the gateway's door: real sockets, each worker in a thread of its own."""

from __future__ import annotations

import contextlib
import logging
import socket
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from pytest_redefine.respondents.errors import Fault
from pytest_redefine.respondents.exchange import Interview, Reply
from pytest_redefine.respondents.gateway import Gateway, GatewayClient, GatewayLost, frames
from pytest_redefine.respondents.gateway.dispatcher import Dispatcher
from tests.respondents.gateway.support import STEPS, FakeCaller, FakeStore, interview, interviews, rules

WAIT_S = 30.0


@pytest.fixture
def caller() -> FakeCaller:
    return FakeCaller()


@pytest.fixture
def gateway(caller: FakeCaller) -> Iterator[Gateway]:
    gateway = Gateway(Dispatcher(lambda name: caller, FakeStore, STEPS, rules(8)))
    yield gateway
    gateway.close()


@contextlib.contextmanager
def worker(gateway: Gateway) -> Iterator[GatewayClient]:
    client = GatewayClient(*gateway.serve())
    try:
        yield client
    finally:
        client.close()


class Raw:
    """A connection that says whatever a test wants."""

    def __init__(self, gateway: Gateway) -> None:
        self.url, self.token = gateway.serve()
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(WAIT_S)
        self.socket.connect(self.url.removeprefix("unix:"))

    def say(self, message: dict[str, Any]) -> dict[str, Any]:
        self.socket.sendall(frames.encode(message))
        return self.answer()

    def answer(self) -> dict[str, Any]:
        header = self.socket.recv(frames.HEADER.size, socket.MSG_WAITALL)
        return frames.decode(self.socket.recv(frames.body_length(header), socket.MSG_WAITALL))

    def hello(self) -> None:
        assert self.say({"op": "hello", "token": self.token}) == {"ok": True}

    def is_hung_up_on(self) -> bool:
        try:
            return self.socket.recv(1) == b""
        except ConnectionError:
            return True


def test_several_workers_share_the_work_and_each_question_is_asked_once(gateway: Gateway, caller: FakeCaller) -> None:
    cases = interviews(60)

    def work(number: int) -> list[str]:
        with worker(gateway) as client:
            client.announce(cases, 2)
            return [client.ask(f"q{index}").reply.text for index in range(number, 60, 4)]

    with ThreadPoolExecutor(4) as pool:
        texts = list(pool.map(work, range(4)))
    assert texts == [[f"q{index}!" for index in range(number, 60, 4)] for number in range(4)]
    assert sorted(caller.asked) == sorted(f"q{index}" for index in range(60))
    assert caller.prepared == 1
    assert gateway.deselected() == 2
    assert list(gateway.interviews().values()) == cases
    assert gateway.progress().finished == 60


def test_the_cases_are_sent_by_the_first_worker_only(gateway: Gateway) -> None:
    first = Raw(gateway)
    first.hello()
    assert first.say({"op": "announce", "digest": "d", "deselected": 0, "shard": None}) == {"need": True}
    second = Raw(gateway)
    second.hello()
    assert second.say({"op": "announce", "digest": "d", "deselected": 0, "shard": None}) == {"need": False}
    assert second.say({"op": "announce", "digest": "other", "deselected": 0, "shard": None}) == {"need": True}


def test_a_worker_that_dies_while_announcing_is_stood_in_for(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = interviews(450)

    def dies(self: GatewayClient, items: list[dict[str, Any]]) -> None:
        self._call({"op": "interviews", "items": items[:200]})
        self.close()

    with monkeypatch.context() as patch, worker(gateway) as unlucky:
        patch.setattr(GatewayClient, "_send", dies)
        unlucky.announce(cases)
    assert len(gateway.interviews()) == 200
    with worker(gateway) as other:
        other.announce(cases)
        assert len(gateway.interviews()) == 200  # it was told that nothing is needed
        assert other.ask("q449").reply.text == "q449!"
        assert other.ask("q0").reply.text == "q0!"
    assert len(gateway.interviews()) == 450


def test_a_worker_that_dies_while_waiting_leaves_its_case_to_others(gateway: Gateway, caller: FakeCaller) -> None:
    caller.gate.clear()
    with worker(gateway) as client:
        client.announce(interviews(2))
    unlucky = Raw(gateway)
    unlucky.hello()
    unlucky.socket.sendall(frames.encode({"op": "ask", "id": "q0"}))
    unlucky.socket.close()
    gateway._loop.call_soon_threadsafe(caller.gate.set)
    with worker(gateway) as client:
        assert client.ask("q0").reply.text == "q0!"
    assert sorted(caller.asked) == ["q0", "q1"]


def test_an_unknown_case_is_told(gateway: Gateway) -> None:
    with worker(gateway) as client:
        client.announce(interviews(1))
        with pytest.raises(KeyError, match="nobody"):
            client.ask("nobody")
        assert client.ask("q0").reply.text == "q0!"


def test_hostile_and_long_text_crosses(gateway: Gateway, caller: FakeCaller) -> None:
    text = "\x00\x1b[31mπ\u202e</script>" + "x" * 399_000
    caller.answer = lambda request: Reply(text, reasoning=text)
    with worker(gateway) as client:
        client.announce([interview("\x00\u202e question")])
        reply = client.ask("\x00\u202e question").reply
    assert (reply.text, reply.reasoning) == (text, text)


def test_faults_cross(gateway: Gateway, caller: FakeCaller) -> None:
    caller.answer = lambda request: ValueError("odd")
    with worker(gateway) as client:
        client.announce(interviews(1))
        assert client.ask("q0").fault == Fault("internal", "ValueError: odd")


@pytest.mark.parametrize("token", ["", "0" * 32, "\ud800", None, 7])
def test_without_the_token_the_line_is_dead(gateway: Gateway, token: Any) -> None:
    line = Raw(gateway)
    line.socket.sendall(frames.encode({"op": "hello", "token": token}))
    assert line.is_hung_up_on()


def test_the_client_tells_of_a_wrong_token(gateway: Gateway) -> None:
    url, _ = gateway.serve()
    with pytest.raises(GatewayLost, match="the gateway is gone"):
        GatewayClient(url, "wrong")


def test_only_this_user_may_enter_the_socket_s_folder(gateway: Gateway) -> None:
    url, token = gateway.serve()
    folder = Path(url.removeprefix("unix:")).parent
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert len(token) == 32
    assert gateway.serve() == (url, token)


@pytest.mark.parametrize(
    "nonsense",
    [
        frames.HEADER.pack(frames.MAX_FRAME + 1),
        frames.HEADER.pack(9) + b"no json!!",
        frames.HEADER.pack(8) + b'{"v": 9}',
        frames.HEADER.pack(100_000) + b"[" * 100_000,
        frames.encode({"op": "dance"}),
        frames.encode({"op": "announce"}),
        frames.encode({"op": "announce", "digest": 7, "deselected": "x", "shard": None}),
        frames.encode({"op": "interviews", "items": 7}),
        frames.encode({"op": "interviews", "items": [{}]}),
        frames.encode({"op": "interviews", "items": ["x"]}),
        frames.encode({"op": "ask"}),
        frames.encode({}),
    ],
)
def test_nonsense_costs_a_worker_its_line_and_nobody_else_anything(
    gateway: Gateway, caplog: pytest.LogCaptureFixture, nonsense: bytes
) -> None:
    line = Raw(gateway)
    line.hello()
    with caplog.at_level(logging.WARNING, "asyncio"):
        line.socket.sendall(nonsense)
        assert line.is_hung_up_on()
        with worker(gateway) as client:
            client.announce(interviews(1))
            assert client.ask("q0").reply.text == "q0!"
    assert caplog.messages == []  # no traceback into somebody's terminal


def test_a_gateway_that_is_gone_is_told_to_the_worker(gateway: Gateway, caller: FakeCaller) -> None:
    caller.gate.clear()
    url, token = gateway.serve()
    client = GatewayClient(url, token)
    client.announce(interviews(1))
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(client.ask, "q0")
        gateway.close()
        # Released by the end of the run, or hung up on, whichever comes first; it never hangs.
        try:
            fault = waiting.result(WAIT_S).fault
        except GatewayLost:
            fault = None
    assert fault is None or fault.kind == "interrupted"
    with pytest.raises(GatewayLost):
        client.ask("q0")
    assert not Path(url.removeprefix("unix:")).parent.exists()
    with pytest.raises(GatewayLost, match="cannot be reached"):
        GatewayClient(url, token)


def test_an_interview_crosses_whole(gateway: Gateway) -> None:
    sent = Interview(
        "t[a]", "m", {"messages": [{"role": "user", "content": "?"}], "truth": {"expected": "4"}, "sample": 2},
        {"temperature": 0.0, "stop": ["x"]}, ("temperature",), "http://127.0.0.1:1/v1", "single",
    )  # fmt: skip
    with worker(gateway) as client:
        client.announce([sent])
    assert gateway.interviews() == {"t[a]": sent}
