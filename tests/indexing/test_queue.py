"""Turns by rank, and a queue that keeps the order of arrival."""

from __future__ import annotations

import asyncio

import pytest

from lightrag_engine.indexing.bounded import Turns, to_the_end
from lightrag_engine.indexing.queue import Queue

pytestmark = pytest.mark.anyio


async def test_the_lowest_rank_is_next() -> None:
    turns, order = Turns(1), []

    async def work(rank: int) -> None:
        async with turns.turn(rank):
            order.append(rank)
            await asyncio.sleep(0)

    async with turns.turn(0):
        waiting = [asyncio.create_task(work(rank)) for rank in (3, 1, 2)]
        await asyncio.sleep(0)
    await asyncio.gather(*waiting)
    assert order == [1, 2, 3]


async def test_a_cancelled_wait_loses_no_turn() -> None:
    turns = Turns(1)

    async def work() -> None:
        async with turns.turn(0):
            pass

    async with turns.turn(0):
        given_up, other = asyncio.create_task(work()), asyncio.create_task(work())
        await asyncio.sleep(0)
    # The turn has just been given to the first one, which is cancelled before it knows.
    given_up.cancel()
    async with asyncio.timeout(20):
        await other
        await work()
    assert given_up.cancelled() or given_up.done()


async def test_a_cancellation_that_comes_too_late_is_told() -> None:
    done = []

    async def work() -> None:
        await asyncio.sleep(0.01)
        done.append(1)

    task = asyncio.create_task(to_the_end(work()))
    await asyncio.sleep(0)
    task.cancel()
    assert await task
    assert done


async def test_documents_are_taken_in_order_and_keep_their_place() -> None:
    begun: list[str] = []
    go_on = asyncio.Event()

    async def work(document_id: str) -> None:
        begun.append(document_id)
        await go_on.wait()

    queue = Queue(work, lambda: None, at_once=1)
    run = asyncio.create_task(queue.run())
    for id_ in "abc":
        queue.add(id_)
    while not begun:
        await asyncio.sleep(0)
    await queue.remove("a")
    queue.hold(True)
    queue.add("a")
    queue.hold(False)
    go_on.set()
    async with asyncio.timeout(20):
        while not queue.is_idle:
            await asyncio.sleep(0)
    run.cancel()
    assert begun in (["a", "a", "b", "c"], ["a", "b", "a", "c"])
