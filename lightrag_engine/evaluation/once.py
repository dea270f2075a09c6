"""Doing once what several columns of a comparison need: keywords, and the embedding of a text."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

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
    """An embedding model that embeds the same texts once."""

    def __init__(self, model: EmbeddingModel) -> None:
        self.name = model.name
        self.dimensions = model.dimensions
        self._model = model
        self._made: Once[Any] = Once()

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one vector a text, in order."""
        vectors: Vectors = await self._made.get((tuple(texts), role), lambda: self._model.embed(texts, role))
        return vectors
