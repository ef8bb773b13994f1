"""Inspect: one task over the prompts, scored by its number matcher. Arguments: prompts, address, number in flight."""

import json
import sys
from pathlib import Path

from inspect_ai import Task, eval  # noqa: A004 - Inspect's own name for it
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import match
from inspect_ai.solver import generate

prompts, url, width = sys.argv[1:4]
samples = [Sample(input=json.loads(line), target="4") for line in Path(prompts).read_text().splitlines()]
task = Task(dataset=MemoryDataset(samples), solver=generate(), scorer=match(numeric=True))
logs = eval(
    task,
    model="openai/bench",
    model_base_url=url,
    model_args={"responses_api": False},
    max_connections=int(width),
    max_samples=int(width),
    temperature=0,
    display="none",
    log_dir="logs",
)
sys.exit(0 if logs[0].status == "success" else 1)
