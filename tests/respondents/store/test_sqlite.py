"""What only a file can suffer."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from pytest_redefine.respondents.exchange import Reply, Request, prompt_digest, stored_request
from pytest_redefine.respondents.store import SqliteStore, StoreError, open_store
from tests.respondents.store.test_stores import ROOT

REQUEST = {"model": "m", "messages": []}

# As root, nothing is read-only: the process becomes nobody first, once all is imported.
OPEN_AS_NOBODY = """
import os, sys
from pathlib import Path
from pytest_redefine.respondents.store import StoreError, open_store
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
try:
    open_store(sys.argv[1], Path("/"))
except StoreError as error:
    print(error)
"""

WRITE_UNTIL_FULL = """
import asyncio, resource, signal, sys
from pathlib import Path
from pytest_redefine.respondents.exchange import Reply, Request, prompt_digest, stored_request
from pytest_redefine.respondents.store import StoreError, open_store
async def go():
    store = open_store(sys.argv[1], Path("/"))
    await store.put("first", {"model": "m", "messages": []}, Reply("kept"))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
    try:
        for number in range(1000):
            await store.put(f"key{number}", {"model": "m", "messages": []}, Reply("x" * 5000))
            print(f"key{number}", flush=True)
    except StoreError as error:
        print(error)
asyncio.run(go())
"""


def run(code: str, path: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.splitlines()


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that others may enter too, which tmp_path's parents are not."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "store"
        folder.mkdir()
        folder.parent.chmod(0o755)
        yield folder
        folder.chmod(0o755)


def refusal(path: Path) -> str:
    with pytest.raises(StoreError) as caught:
        open_store(str(path), Path("/"))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_read_only_folder(open_folder: Path) -> None:
    open_folder.chmod(0o555)
    path = open_folder / "store.sqlite"
    assert run(OPEN_AS_NOBODY, path) == [
        f"--store={path}: unable to open database file; give another file with --store=PATH, or move this one away"
    ]


def test_a_read_only_file(open_folder: Path) -> None:
    path = open_folder / "store.sqlite"
    asyncio.run(SqliteStore(path).close())
    path.chmod(0o444)
    open_folder.chmod(0o555)
    (line,) = run(OPEN_AS_NOBODY, path)
    assert line.startswith(f"--store={path}: attempt to write a readonly database")


def test_a_folder_where_a_file_should_be(tmp_path: Path) -> None:
    assert "unable to open database file" in refusal(tmp_path)


def test_a_file_where_a_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "give another file with --store=PATH" in refusal(tmp_path / "file" / "store.sqlite")


def test_a_foreign_database_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE bookmarks (url TEXT)")
    before = path.read_bytes()
    assert refusal(path) == f"--store={path}: this SQLite file belongs to something else; give another file"
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"not a database, but long enough to look at" * 100, b"\x00" * 4096, b"{}\n"])
def test_a_file_that_is_no_database_is_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    assert "give another file with --store=PATH, or move this one away" in refusal(path)
    assert path.read_bytes() == content


def test_a_newer_schema_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    asyncio.run(SqliteStore(path).close())
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA user_version=9")
    assert "written by a newer pytest-redefine (schema 9, this one reads 2); upgrade" in refusal(path)


def of_schema_1(path: Path, requests: dict[str, Request]) -> None:
    """As version 0.1.0's first commits wrote it."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "CREATE TABLE replies (key TEXT PRIMARY KEY, model TEXT NOT NULL, request TEXT NOT NULL,"
            " reply TEXT NOT NULL, stored_at TEXT NOT NULL) WITHOUT ROWID"
        )
        database.execute(f"PRAGMA application_id={0x72656465}")
        database.execute("PRAGMA user_version=1")
        for key, request in requests.items():
            row = (
                key,
                request.model,
                json.dumps(dataclasses.asdict(request)),
                json.dumps(Reply(key).to_json()),
                "2026",
            )
            database.execute("INSERT INTO replies VALUES (?, ?, ?, ?, ?)", row)
        database.execute("INSERT INTO replies VALUES ('odd', 'm', 'no json', '{}', '2026')")


def test_an_older_schema_is_taken_over_with_its_answers(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    question = ({"role": "user", "content": "π?"},)
    paid = Request("openai/gpt-4o", question, {"temperature": 0.0}, droppable=("temperature",))
    local = Request("local/smollm2-135m", question, {"temperature": 0.0})
    of_schema_1(path, {"paid": paid, "local": local})
    for _ in range(2):  # the second time there is nothing to take over
        store = SqliteStore(path)
        found = asyncio.run(store.get_many([paid.key({}), "local", "odd", "paid"]))
        assert {key: reply.text for key, reply in found.items()} == {paid.key({}): "paid", "local": "local"}
        similar = asyncio.run(store.similar(prompt_digest(stored_request(paid, {}))))
        assert sorted(request["model"] for request in similar) == ["local/smollm2-135m", "openai/gpt-4o"]
        asyncio.run(store.close())


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    path.touch()
    store = SqliteStore(path)
    asyncio.run(store.put("a", REQUEST, Reply("4")))
    assert asyncio.run(store.get_many(["a"]))["a"].text == "4"
    asyncio.run(store.close())


def test_the_path_is_relative_to_the_root_and_folders_are_made(tmp_path: Path) -> None:
    store = open_store("reports/deep/store.sqlite", tmp_path)
    asyncio.run(store.close())
    assert (tmp_path / "reports/deep/store.sqlite").is_file()


def test_home_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    asyncio.run(open_store("~/store.sqlite", Path("/nowhere")).close())
    assert (tmp_path / "store.sqlite").is_file()


def test_a_file_that_may_not_grow_fails_in_one_line_and_keeps_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    *kept, line = run(WRITE_UNTIL_FULL, path)
    assert line.startswith(f"--store={path}: a reply could not be written: ")
    assert line.endswith("free some space or give another file")
    assert kept
    found = asyncio.run(SqliteStore(path).get_many(["first", *kept]))
    assert sorted(found) == sorted(["first", *kept])


def test_a_full_disk_is_told_and_harms_no_earlier_reply(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.sqlite")
    asyncio.run(store.put("a", REQUEST, Reply("kept")))
    store._db.execute("PRAGMA max_page_count=8")  # SQLite then fails as it does on a full disk
    with pytest.raises(StoreError, match="database or disk is full; free some space"):
        asyncio.run(store.put("b", REQUEST, Reply("x" * 100_000)))
    assert sorted(asyncio.run(store.get_many(["a", "b"]))) == ["a"]
    store._db.execute("PRAGMA max_page_count=1000000")
    asyncio.run(store.put("b", REQUEST, Reply("there is room again")))
    assert sorted(asyncio.run(store.get_many(["a", "b"]))) == ["a", "b"]
    asyncio.run(store.close())


def test_a_store_spoilt_while_it_is_open_is_told(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.sqlite")
    with closing(sqlite3.connect(store.path)) as database, database:
        database.execute("DROP TABLE replies")
    with pytest.raises(StoreError, match="no such table: replies; move the file away or give another"):
        asyncio.run(store.get_many(["a"]))
    with pytest.raises(StoreError, match="a reply could not be written: no such table"):
        asyncio.run(store.put("a", REQUEST, Reply("4")))


def test_a_model_name_that_cannot_be_encoded_is_no_reason_to_lose_its_reply(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.sqlite")
    name = os.fsdecode(b"openai/\xff")
    asyncio.run(store.put("a", {"model": name, "messages": []}, Reply("4")))
    assert asyncio.run(store.get_many(["a"]))["a"].text == "4"


def test_several_processes_create_one_store_at_once(tmp_path: Path) -> None:
    """They used to take the half-made file for a foreign one, or find it locked."""
    code = """
import os, sys, time
from pathlib import Path
from pytest_redefine.respondents.store import StoreError, open_store
print("ready", flush=True)
sys.stdin.readline()
for number in range(25):
    try:
        open_store(f"{sys.argv[1]}/{number}.sqlite", Path("/"))
    except StoreError as error:
        print(error, flush=True)
"""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    assert [process.communicate()[0] for process in processes] == [""] * 4
