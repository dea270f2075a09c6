"""Running one coroutine over many items, a few at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")


async def bounded(work: Callable[[Item], Awaitable[None]], items: Iterable[Item], at_once: int) -> None:
    """Do `work` for every item, begun in order, at most `at_once` under way.

    The first error ends it all: what is under way is cancelled and has ended before the error is raised.
    """
    remaining = iter(items)

    async def take() -> None:
        for item in remaining:
            await work(item)

    workers = [asyncio.create_task(take()) for _ in range(at_once)]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
