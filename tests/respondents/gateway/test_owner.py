"""The gateway as the process that owns it sees it: started, asked, closed, killed."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pytest_redefine.respondents.errors import Fault
from pytest_redefine.respondents.exchange import Transcript
from pytest_redefine.respondents.gateway import Gateway, owner
from pytest_redefine.respondents.gateway.dispatcher import Dispatcher
from pytest_redefine.respondents.store import SqliteStore
from tests.redis_server import RedisServer
from tests.respondents.gateway.support import STEPS, FakeCaller, FakeStore, interviews, rules
from tests.servers import Behaviour, ChatServer, Seen

ROOT = Path(__file__).parents[3]
WAIT_S = 30.0
ENDED = Fault("interrupted", "the run ended before this was asked")


def open_gateway(caller: FakeCaller, store: FakeStore) -> Gateway:
    return Gateway(Dispatcher(lambda name: caller, lambda: store, STEPS, rules(4)))


def gateway_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "redefine-gateway"]


def test_plain_calls_from_many_threads() -> None:
    gateway = open_gateway(FakeCaller(), FakeStore())
    gateway.announce(interviews(40), 5)
    with ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(lambda index: gateway.ask(f"q{index}").reply.text, range(40)))
    assert texts == [f"q{index}!" for index in range(40)]
    assert gateway.progress().asked == 40
    assert gateway.deselected() == 5
    with pytest.raises(KeyError):
        gateway.ask("nobody")
    gateway.close()
    gateway.close()
    assert gateway_threads() == []


def test_a_freeze_releases_the_waiting_tests() -> None:
    caller = FakeCaller()
    caller.gate.clear()
    gateway = open_gateway(caller, FakeStore())
    gateway.announce(interviews(6))
    with ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(gateway.ask, f"q{index}") for index in (0, 5)]
        gateway.freeze(ENDED)
        assert [future.result(WAIT_S) for future in waiting] == [Transcript((), ENDED)] * 2
    gateway.close()
    gateway.freeze(ENDED)  # after the end: nothing to do


def test_closing_while_asking_keeps_what_has_arrived(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    caller = FakeCaller()
    gateway = Gateway(Dispatcher(lambda name: caller, lambda: SqliteStore(path), STEPS, rules(4)))
    gateway.announce(interviews(4))
    answered = [gateway.ask(f"q{index}") for index in range(4)]
    gateway._loop.call_soon_threadsafe(caller.gate.clear)
    gateway.announce(interviews(9))
    gateway.close()
    assert gateway_threads() == []
    keys = [transcript.turns[0].key for transcript in answered]
    store = SqliteStore(path)
    rows = store._db.execute("SELECT key FROM replies").fetchall()
    assert sorted(key for (key,) in rows) == sorted(keys)


def test_a_respondent_that_will_not_let_go_does_not_keep_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stubborn(FakeCaller):
        async def close(self) -> None:
            await self.gate.wait()

    monkeypatch.setattr(owner, "CLOSE_TIMEOUT_S", 0.05)
    caller = Stubborn()
    caller.gate.clear()
    gateway = open_gateway(caller, FakeStore())
    gateway.announce(interviews(1))
    gateway.close()
    gateway._thread.join(WAIT_S)
    assert gateway_threads() == []


def victim(url: str, store: str, first: int, last: int, step: str = "single") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.respondents.gateway.victim", url, store, str(first), str(last), step],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.fixture(params=["sqlite", "redis"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "store.sqlite")
    server: RedisServer = request.getfixturevalue("empty_redis")
    return server.url


def test_a_killed_gateway_has_stored_every_answer_that_arrived_and_the_rest_is_asked_again(location: str) -> None:
    with ChatServer(Behaviour(latency_s=0.01)) as server:
        process = victim(server.url, location, 0, 10_000)
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(30)]
        process.kill()
        rest, _ = process.communicate()
    arrived = {line.split()[0] for line in [*lines, *rest.split("\n")[:-1]]}
    last = len(arrived) + 20
    with ChatServer() as server:
        again, _ = victim(server.url, location, 0, last).communicate(timeout=WAIT_S)
    asked = {seen.question for seen in server.seen}
    assert again.splitlines() == [
        *(f"q{number} The final answer is: 4" for number in range(last)),
        f"asked {len(asked)}",
    ]
    assert not asked & arrived
    assert len(asked) == server.received


def test_an_interview_whose_process_was_killed_resumes_at_its_turn(location: str) -> None:
    """The first turns were answered, the second ones hang when the kill comes."""
    second_asked = threading.Event()

    def choose(seen: Seen) -> Behaviour:
        if len(seen.body["messages"]) == 1:
            return Behaviour(text=f"answer to {seen.question}")
        if sum(len(one.body["messages"]) == 3 for one in server.seen) == 5:
            second_asked.set()
        return Behaviour(way="hang")

    with ChatServer(choose) as server:
        process = victim(server.url, location, 0, 5, "follow_up")
        assert second_asked.wait(WAIT_S)
        process.kill()
        assert process.communicate()[0] == ""
    with ChatServer() as server:
        again, _ = victim(server.url, location, 0, 5, "follow_up").communicate(timeout=WAIT_S)
    assert again.splitlines() == [*(f"q{number} The final answer is: 4" for number in range(5)), "asked 5"]
    assert sorted(seen.question for seen in server.seen) == [f"Why answer to q{number}" for number in range(5)]
    assert {len(seen.body["messages"]) for seen in server.seen} == {3}


def test_two_runs_on_one_store_at_once_lose_and_mix_nothing(location: str) -> None:
    with ChatServer(lambda seen: Behaviour(text=f"answer to {seen.question}")) as server:
        runs = [victim(server.url, location, 0, 100), victim(server.url, location, 50, 150)]
        outputs = [run.communicate(timeout=WAIT_S)[0].splitlines() for run in runs]
    assert [run.returncode for run in runs] == [0, 0]
    assert outputs[0][:-1] == [f"q{number} answer to q{number}" for number in range(100)]
    assert outputs[1][:-1] == [f"q{number} answer to q{number}" for number in range(50, 150)]
