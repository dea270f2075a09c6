"""The one event loop that runs the engine, in a thread of its own.

The asynchronous engine is the code; synchronous callers, and asynchronous ones of other loops, hand over
to this loop. A closed browser tab or a finished script changes nothing here.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
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

    def run(self, coroutine: Coroutine[Any, Any, T], while_waiting: Callable[[], None] | None = None) -> T:
        """Run a coroutine here and wait for its result. An interrupt cancels it.

        `while_waiting` is called a few times a second meanwhile; what it raises is an interrupt.
        """
        if threading.current_thread() is self._thread:
            coroutine.close()
            raise RuntimeError(
                "the engine was called from its own thread, as inside on_event, and would wait for itself"
            )
        future = self.submit(coroutine)
        try:
            while while_waiting is not None and not concurrent.futures.wait([future], _WAIT).done:
                while_waiting()
            return future.result()
        except BaseException:
            future.cancel()
            raise

    async def await_(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine here and await its result in the caller's loop."""
        return await asyncio.wrap_future(self.submit(coroutine))

    def iterate(
        self, stream: AsyncIterator[T], while_waiting: Callable[[], None] | None = None
    ) -> Iterator[T]:
        """Iterate an asynchronous generator of this loop from any thread; closing it closes the generator.

        `while_waiting`: see `run`.
        """
        try:
            while (item := self.run(_next(stream), while_waiting)) is not _END:
                yield item
        finally:
            self.run(_close(stream))

    async def relay(self, stream: AsyncIterator[T]) -> AsyncIterator[T]:
        """Iterate an asynchronous generator of this loop from another loop."""
        try:
            while (item := await self.await_(_next(stream))) is not _END:
                yield item
        finally:
            await self.await_(_close(stream))


def shutting_down() -> bool:
    """Whether the program is ending: from then on no thread can be started, and that is no fault."""
    return not threading.main_thread().is_alive()


_END: Any = object()
_WAIT = 0.2  # seconds


async def _next(stream: AsyncIterator[T]) -> T:
    return await anext(stream, _END)


async def _close(stream: AsyncIterator[Any]) -> None:
    # An interrupted step is still being cancelled.
    while getattr(stream, "ag_running", False):
        await asyncio.sleep(0.01)
    close = getattr(stream, "aclose", None)
    if close is not None:
        await close()


@cache
def engine_loop() -> BackgroundLoop:
    """Return the engine's loop of this process."""
    return BackgroundLoop()
