"""Doing once what several columns of a comparison need: keywords, and the embedding of a text."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from lightrag_engine.embedding.base import EmbeddingModel, Role, Vectors
from lightrag_engine.language.by_task import LanguageByTask
from lightrag_engine.records import Keywords, Message

T = TypeVar("T")


class Once(Generic[T]):
    """Results by key. Who comes while one is being made waits for it; one that failed is tried again.

    Whoever is cancelled while waiting leaves the others undisturbed.
    """

    def __init__(self) -> None:
        self._tasks: dict[Hashable, asyncio.Future[T]] = {}

    async def get(self, key: Hashable, make: Callable[[], Awaitable[T]]) -> T:
        """Return the result of a key, made with `make` if there is none yet. In the engine's loop."""
        task = self._tasks.get(key)
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = self._tasks[key] = asyncio.ensure_future(make())
        return await asyncio.shield(task)


@dataclass(frozen=True)
class KeywordsOnce(LanguageByTask):
    """A language that asks for the keywords of a question once, however many columns share `asked`."""

    asked: Once[Keywords] = field(default_factory=Once)

    async def keywords(self, question: str, history: Sequence[Message] = ()) -> Keywords:
        """Return the keywords of a question."""
        return await self.asked.get(
            (question, tuple(history)), lambda: self.keywording.keywords(question, history)
        )


class EmbeddedOnce:
    """An embedding model that embeds a text once, with whichever others it is asked for.

    With `most`, all are forgotten when more texts are remembered.
    """

    def __init__(self, model: EmbeddingModel, most: int | None = None) -> None:
        self._most = most
        self.name = model.name
        self.dimensions = model.dimensions
        self._model = model
        # The batch in which a text is embedded, and its row there.
        self._rows: dict[tuple[str, Role], tuple[asyncio.Future[Vectors], int]] = {}

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one vector a text, in order. In the engine's loop."""
        if not texts:
            return await self._model.embed(texts, role)
        if self._most is not None and len(self._rows) > self._most:
            self._rows.clear()
        if missing := [text for text in dict.fromkeys(texts) if not self._is_made(text, role)]:
            batch = asyncio.ensure_future(self._model.embed(missing, role))
            self._rows |= {(text, role): (batch, row) for row, text in enumerate(missing)}
        places = [self._rows[text, role] for text in texts]
        return np.stack([(await asyncio.shield(batch))[row] for batch, row in places])

    def _is_made(self, text: str, role: Role) -> bool:
        batch, _ = self._rows.get((text, role), (None, 0))
        return batch is not None and not (
            batch.done() and (batch.cancelled() or batch.exception() is not None)
        )
