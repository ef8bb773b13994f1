"""A process that writes replies: ``python -m tests.respondents.store.writer LOCATION NAME FIRST LAST``.

Prints each key once its reply is kept.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from pytest_redefine.respondents.exchange import Reply
from pytest_redefine.respondents.store import StoreError, open_store


async def write(location: str, name: str, first: int, last: int) -> None:
    store = open_store(location, Path("/"))
    print("open", flush=True)  # noqa: T201 - whoever started it waits for this
    sys.stdin.readline()
    for number in range(first, last):
        await store.put(
            f"key{number}", {"model": "m", "messages": [], "number": number}, Reply(f"{number} says {name}")
        )
        print(f"key{number}", flush=True)  # noqa: T201 - likewise
    await store.close()


if __name__ == "__main__":
    where, who, *bounds = sys.argv[1:]
    try:
        asyncio.run(write(where, who, *(int(bound) for bound in bounds)))
    except StoreError as error:
        sys.exit(str(error))
