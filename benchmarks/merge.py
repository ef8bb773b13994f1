"""How long joining the shards of 50,000 records takes, and in how much memory.

    python benchmarks/report.py --keep FOLDER && python benchmarks/merge.py FOLDER/records.jsonl [--shards 8]

Measures the merge alone, without the report that the command writes after it.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path

from pytest_redefine.cases.sharding import Shard, ShardedCase, split
from pytest_redefine.records.merging import Merge
from pytest_redefine.records.shard_run import ShardRun


def main() -> None:
    """Write the shards, then join them in this process; memory is the process's highest so far."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path)
    parser.add_argument("--shards", type=int, default=8)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = _write_shards(args.records, folder, args.shards)
        start, cpu = time.perf_counter(), time.process_time()
        merge = Merge([ShardRun.read(path) for path in paths])
        merge.write(folder / "records.jsonl", "all")
        facts = merge.facts("all")
        wall, cpu = time.perf_counter() - start, time.process_time() - cpu
        assert facts["complete"]
        high = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{merge.records:,} records, {args.shards} shards: {wall:.1f} s, {cpu:.1f} s CPU, {high:.0f} MB highest")


def _write_shards(records: Path, folder: Path, of: int) -> list[Path]:
    cases, models = [], {}
    with records.open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            models[record["model"]] = record["parameters"]
            cases.append(ShardedCase(record["case_id"], record["model"], (record["prompting"], record["format"])))
    dealt = split(cases, of)
    shard_of = {at: number for number, part in enumerate(dealt.parts) for at in part}
    paths = [folder / f"s{number}" / "records.jsonl" for number in range(1, of + 1)]
    for number, path in enumerate(paths, start=1):
        path.parent.mkdir()
        run = {
            "schema": 1,
            "started_at": "2026-07-01T10:00:00+00:00",
            "parameters": {"models": models},
            "shard": dealt.facts(Shard(number, of)),
        }
        path.with_name("run.json").write_text(json.dumps(run), encoding="utf-8")
    files = [path.open("w", encoding="utf-8") for path in paths]
    with records.open(encoding="utf-8") as lines:
        for at, line in enumerate(lines):
            files[shard_of[at]].write(line)
    for file in files:
        file.close()
    return paths


if __name__ == "__main__":
    main()
