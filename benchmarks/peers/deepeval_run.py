"""DeepEval: its LiteLLM model in its own asyncio runner. Arguments: prompts, address, number in flight."""

import asyncio
import json
import sys
from pathlib import Path

from deepeval.models import GPTModel


async def main(prompts: str, url: str, width: str) -> None:
    """Ask all."""
    gate = asyncio.Semaphore(int(width))
    model = GPTModel(model="gpt-4o-mini", base_url=url, _openai_api_key="unused")

    async def ask(prompt: str) -> object:
        async with gate:
            return await model.a_generate(prompt)

    lines = Path(prompts).read_text().splitlines()
    await asyncio.gather(*(ask(json.loads(line)) for line in lines))


asyncio.run(main(*sys.argv[1:4]))
