"""The floor: aiohttp, a semaphore, nothing else. Arguments: prompts, address, number in flight."""

import asyncio
import json
import sys
from pathlib import Path

import aiohttp


async def main(prompts: str, url: str, width: str) -> None:
    """Ask all."""
    gate = asyncio.Semaphore(int(width))
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def ask(prompt: str) -> str:
            async with gate:
                body = {"model": "bench", "messages": [{"role": "user", "content": prompt}], "temperature": 0}
                async with session.post(f"{url}/chat/completions", json=body) as response:
                    data = await response.json()
                    return str(data["choices"][0]["message"]["content"])

        lines = Path(prompts).read_text().splitlines()
        await asyncio.gather(*(ask(json.loads(line)) for line in lines))


asyncio.run(main(*sys.argv[1:4]))
