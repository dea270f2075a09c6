"""A few things at a time: many items by one coroutine, turns that are shared, work that is not stopped."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

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


class Turns:
    """At most `limit` holders at once; of those that wait the one with the lowest rank is next."""

    def __init__(self, limit: int) -> None:
        self._free = limit
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._arrivals = itertools.count()

    @asynccontextmanager
    async def turn(self, rank: int) -> AsyncIterator[None]:
        """Wait for a turn and hold it for the block."""
        if self._free:
            self._free -= 1
        else:
            await self._wait(rank)
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, rank: int) -> None:
        mine = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (rank, next(self._arrivals), mine))
        try:
            await mine
        except asyncio.CancelledError:
            if not mine.cancelled():
                self._pass_on()  # the turn came together with the cancellation
            raise

    def _pass_on(self) -> None:
        while self._waiting:
            *_, waiting = heapq.heappop(self._waiting)
            if not waiting.done():
                waiting.set_result(None)
                return
        self._free += 1


async def to_the_end(work: Coroutine[Any, Any, None]) -> bool:
    """Await what cannot be stopped, such as a thread; return whether a cancellation came meanwhile.

    The cancellation is taken back when the work succeeded: the caller decides what it means then.
    """
    step = asyncio.ensure_future(work)
    try:
        await asyncio.shield(step)
    except asyncio.CancelledError:
        await asyncio.wait([step])
        if step.cancelled() or step.exception() is not None:
            raise
        if (task := asyncio.current_task()) is not None:
            task.uncancel()
        return True
    return False
