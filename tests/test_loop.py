"""The engine's loop: steps that are waited for can be interrupted, and leave nothing running."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from lightrag_engine.loop import BackgroundLoop, engine_loop


class InterruptedStepError(Exception):
    pass


def interrupt() -> None:
    raise InterruptedStepError


def test_a_result_is_waited_for_and_the_waiting_can_be_interrupted() -> None:
    loop = engine_loop()
    cancelled = asyncio.Event()

    async def never() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    async def soon() -> int:
        await asyncio.sleep(0.3)
        return 7

    calls: list[int] = []
    assert loop.run(soon(), lambda: calls.append(1)) == 7
    assert calls
    with pytest.raises(InterruptedStepError):
        loop.run(never(), interrupt)
    loop.run(_within(cancelled))


def test_an_interrupted_step_closes_its_generator_even_when_that_takes_a_while() -> None:
    loop = engine_loop()
    closed = asyncio.Event()

    async def steps() -> AsyncIterator[int]:
        try:
            yield 1
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.1)
            closed.set()

    def run(loop: BackgroundLoop) -> None:
        for number in loop.iterate(steps(), interrupt):
            assert number == 1

    with pytest.raises(InterruptedStepError):
        run(loop)
    assert closed.is_set(), "closing is waited for"


async def _within(event: asyncio.Event) -> None:
    async with asyncio.timeout(10):
        await event.wait()
