"""LiteLLM in a bare asyncio loop. Arguments: prompts, address, number in flight."""

import asyncio
import json
import sys
from pathlib import Path

import litellm

litellm.suppress_debug_info = True


async def main(prompts: str, url: str, width: str) -> None:
    """Ask all."""
    gate = asyncio.Semaphore(int(width))

    async def ask(prompt: str) -> str:
        async with gate:
            response = await litellm.acompletion(
                model="openai/bench",
                messages=[{"role": "user", "content": prompt}],
                api_base=url,
                api_key="unused",
                temperature=0,
                max_retries=0,
            )
            return str(response.choices[0].message.content)

    lines = Path(prompts).read_text().splitlines()
    await asyncio.gather(*(ask(json.loads(line)) for line in lines))


asyncio.run(main(*sys.argv[1:4]))
