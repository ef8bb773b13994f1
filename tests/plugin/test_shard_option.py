"""--shard: parts of a selection that know nothing of each other and make one run again."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.plugin.conftest import SIX, Start, Suite, asking, selected, timeless
from tests.redis_server import RedisServer
from tests.servers import Behaviour, ChatServer

SLICE = ("-k", "constants and pi", "--model=sim/mixed")


def by_case(records: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Records without what must differ: the clock, and whether another machine had asked before."""
    return {record["case_id"]: {**timeless(record), "from_store": None} for record in records}


def test_shards_of_every_way_to_run_make_the_whole(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    assert suite.run(*SLICE, "-n0", "--run=whole").ret == 0
    for number, mode, seed in ((1, ("-n2",), "1"), (2, ("-p", "no:xdist"), "2")):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        result = suite.run(*SLICE, *mode, f"--shard={number}/2", f"--run=s{number}")
        assert result.ret == 0
        result.stdout.fnmatch_lines([f"redefine: asks shard {number}/2 of the selected cases"])
        run = suite.run_json(f"s{number}")
        assert (run["announced"], run["complete"], run["shard"]["cases"]) == (9, True, 18)
        assert run["case_set"]["deselected"] == suite.run_json("whole")["case_set"]["deselected"] == 444
    assert suite.command("merge", "s1", "s2", "--run=merged").ret == 0
    assert by_case(suite.records("merged")) == by_case(suite.records("whole"))
    merged, whole = suite.run_json("merged"), suite.run_json("whole")
    for name in ("parameters", "case_set", "announced", "complete", "exit_status", "counts", "requests", "spent"):
        assert merged[name] == whole[name]
    result = suite.run(*SLICE, "-n0", "--shard=1/2", "--run=whole")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--run=whole exists and was asked otherwise (shard: None, now '1/2')*"])


def test_the_selection_comes_first(suite: Suite) -> None:
    collect = suite.pytester.runpytest_inprocess
    every, *parts = (
        selected(collect("evals", *SIX, "--collect-only", "-q", *shard))
        for shard in ((), ["--shard=1/2"], ["--shard=2/2"])
    )
    assert [len(part) for part in parts] == [3, 3]
    assert set().union(*parts) == set(every)


def test_a_shard_of_nothing_is_nothing_selected(suite: Suite) -> None:
    result = suite.run(*SIX, "-n0", "--model=sim/adopts", "--shard=7/7")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    assert suite.runs() == []


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--shard=0/4"], "--shard=0/4: of 4 shards the first is 1/4 and the last 4/4"),
        (["--shard=5/4"], "--shard=5/4: of 4 shards the first is 1/4 and the last 4/4"),
        (["--shard=a/b"], "--shard=a/b: write I/N, e.g. 1/4 for the first of four"),
        (["--shard=1/4", "--fresh=2"], "--shard=1/4: every shard must draw the same cases; *--fresh-seed=1"),
        (["--shard=1/4", "--dose=3"], "--shard=1/4: every shard must draw the same cases; *--fresh-seed=1"),
        (["--shard=1/4", "--lf"], "--shard=1/4 --lf: what failed last differs from shard to shard*leave --lf out*"),
    ],
)
def test_what_makes_no_sense_is_one_line(suite: Suite, args: list[str], told: str) -> None:
    result = suite.refused("--model=sim/adopts", *args)
    (line,) = [line for line in result.errlines if "--shard" in line]
    pytest.LineMatcher([line]).fnmatch_lines([f"ERROR: {told}"])


def test_workers_on_other_hosts_are_refused(suite: Suite) -> None:
    result = suite.refused("--model=sim/adopts", "-d", "--tx=2*ssh=user@host//python=python3")
    result.stderr.fnmatch_lines(["ERROR: --tx=2[*]ssh=*cannot reach the gateway; give each host a shard instead*"])


def checkout_of_its_own(suite: Suite, folder: Path) -> dict[str, Any]:
    """Another machine's: its own files, home and reports; what ``start`` needs to run there."""
    shutil.copytree(suite.path, folder, ignore=shutil.ignore_patterns("reports", folder.name))
    (folder / "home").mkdir()
    return {"cwd": folder, "env": {**os.environ, "HOME": str(folder / "home")}}


def test_two_machines_share_a_redis_store(
    suite: Suite, start: Start, empty_redis: RedisServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("machines")
    with ChatServer(Behaviour(text="The final answer is: 4")) as server:
        command = ("-k", "constants and pi", *asking(server), f"--store={empty_redis.url}")
        places = [folder / "one", folder / "two"]
        machines: list[subprocess.Popen[bytes]] = [
            start("evals", *command, mode, f"--shard={at}/2", f"--run=s{at}", **checkout_of_its_own(suite, place))
            for at, (mode, place) in enumerate(zip(("-n0", "-n2"), places, strict=True), start=1)
        ]
        assert [machine.wait() for machine in machines] == [0, 0]
        assert server.received == 18  # each its own half
        assert suite.run(*command, "-n0", "--run=whole").ret == 0
        assert server.received == 18
    whole = suite.run_json("whole")
    assert whole["requests"] == {"asked": 0, "from_store": 18, "sent_again": 0}
    artifacts = [str(place / "reports" / f"s{at}") for at, place in enumerate(places, start=1)]
    assert suite.command("merge", *artifacts, "--run=merged").ret == 0
    assert by_case(suite.records("merged")) == by_case(suite.records("whole"))
    merged = suite.run_json("merged")
    assert merged["requests"] == {"asked": 18, "from_store": 0, "sent_again": 0}
    assert merged["case_set"] == whole["case_set"]
