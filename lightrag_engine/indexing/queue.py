"""The queue of documents: in the order of their arrival, a few at a time, and each can be taken out."""

from __future__ import annotations

import asyncio
import itertools
import logging
from bisect import insort
from collections.abc import Callable, Coroutine
from typing import Any

logger = logging.getLogger(__name__)


class Queue:
    """Does `work` for documents, at most `at_once` under way; `after` is called when one has ended.

    A document that is put in again keeps its place in the order.
    """

    def __init__(
        self, work: Callable[[str], Coroutine[Any, Any, None]], after: Callable[[], None], at_once: int
    ) -> None:
        self.held = False
        self._work = work
        self._after = after
        self._at_once = at_once
        self._arrivals = itertools.count()
        self._ranks: dict[str, int] = {}
        self._waiting: list[str] = []
        self._current: dict[str, asyncio.Task[None]] = {}
        self._wake = asyncio.Event()

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits and nothing is under way."""
        return not (self._waiting or self._current)

    def rank(self, document_id: str) -> int:
        """Return the place of a document in the order of arrival."""
        return self._ranks[document_id]

    def add(self, document_id: str) -> None:
        """Put a document in; nothing changes when it is in already."""
        if document_id in self._waiting or document_id in self._current:
            return
        self._ranks.setdefault(document_id, next(self._arrivals))
        insort(self._waiting, document_id, key=self.rank)
        self._wake.set()

    async def remove(self, document_id: str) -> None:
        """Take a document out; when it is under way the work has ended on return."""
        if document_id in self._waiting:
            self._waiting.remove(document_id)
            self._after()  # it may have been the last one
        task = self._current.get(document_id)
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    def hold(self, held: bool) -> None:
        """Begin nothing until told otherwise."""
        self.held = held
        self._wake.set()

    async def stop_all(self) -> list[str]:
        """Stop all that is under way; return what it was."""
        stopped = dict(self._current)
        for task in stopped.values():
            task.cancel()
        if stopped:
            await asyncio.wait(stopped.values())
        return list(stopped)

    async def run(self) -> None:
        """Begin whatever can begin, until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting and not self.held and len(self._current) < self._at_once:
                self._begin(self._waiting.pop(0))

    def _begin(self, document_id: str) -> None:
        def ended(task: asyncio.Task[None]) -> None:
            del self._current[document_id]
            self._wake.set()
            if not task.cancelled() and (error := task.exception()) is not None:
                logger.error("the work on %s ended", document_id, exc_info=error)
            self._after()

        task = asyncio.create_task(self._work(document_id))
        self._current[document_id] = task
        task.add_done_callback(ended)
