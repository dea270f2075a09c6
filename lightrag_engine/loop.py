"""The one event loop that runs the engine, in a thread of its own.

The asynchronous engine is the code; synchronous callers, and asynchronous ones of other loops, hand over
to this loop. A closed browser tab or a finished script changes nothing here.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")


class BackgroundLoop:
    """An event loop in a daemon thread."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="lightrag-engine", daemon=True)
        self._thread.start()

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Start a coroutine here; the future may be waited for in any thread."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop)

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine here and wait for its result. An interrupt cancels it."""
        if threading.current_thread() is self._thread:
            coroutine.close()
            raise RuntimeError(
                "the engine was called from its own thread, as inside on_event, and would wait for itself"
            )
        future = self.submit(coroutine)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    async def await_(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine here and await its result in the caller's loop."""
        return await asyncio.wrap_future(self.submit(coroutine))

    def iterate(self, stream: AsyncIterator[T]) -> Iterator[T]:
        """Iterate an asynchronous generator of this loop from any thread; closing it closes the generator."""
        try:
            while (item := self.run(_next(stream))) is not _END:
                yield item
        finally:
            close = getattr(stream, "aclose", None)
            if close is not None:
                self.run(close())

    async def relay(self, stream: AsyncIterator[T]) -> AsyncIterator[T]:
        """Iterate an asynchronous generator of this loop from another loop."""
        try:
            while (item := await self.await_(_next(stream))) is not _END:
                yield item
        finally:
            close = getattr(stream, "aclose", None)
            if close is not None:
                await self.await_(close())


def shutting_down() -> bool:
    """Whether the program is ending: from then on no thread can be started, and that is no fault."""
    return not threading.main_thread().is_alive()


_END: Any = object()


async def _next(stream: AsyncIterator[T]) -> T:
    return await anext(stream, _END)


@cache
def engine_loop() -> BackgroundLoop:
    """Return the engine's loop of this process."""
    return BackgroundLoop()
