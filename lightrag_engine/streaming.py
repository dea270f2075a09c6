"""An answer on its way: prepared, read piece by piece, stopped or finished."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

from lightrag_engine.answering import Answer
from lightrag_engine.language.base import Thought
from lightrag_engine.loop import BackgroundLoop
from lightrag_engine.querying import Prepared, Querying
from lightrag_engine.records import Keywords, QueryParam
from lightrag_engine.retrieval.context import Context


class AnswerStream:
    """The answer to one question, as it comes.

    `prepare` finds keywords and context (`found_keywords`, read from any thread, has the former before the
    latter are looked up); iterating yields the text, with ``for`` from any thread, with
    ``async for`` in any loop; `answer` is what there is so far, so that an answer stopped half-way keeps its
    text and evidence. `asked_at` is seconds since the epoch. `while_waiting` is called a few times a second
    while nothing comes, unless iterated with ``async for``; what it raises stops the answer.
    """

    def __init__(
        self,
        loop: BackgroundLoop,
        querying: Querying,
        question: str,
        param: QueryParam,
        on_done: Callable[[], Awaitable[None]],
        while_waiting: Callable[[], None] | None = None,
    ) -> None:
        self._loop = loop
        self._querying = querying
        self.question = question
        self.param = param
        self.asked_at = time.time()
        self._on_done = on_done
        self._while_waiting = while_waiting
        self._prepared: Prepared | None = None
        self.found_keywords: Keywords | None = None
        self._text: list[str] = []
        self._thoughts: list[str] = []
        self._first_text = 0.0
        self._total = 0.0
        self._finished = False

    def prepare(self) -> Prepared:
        """Find keywords and context; done once, however often it is called."""
        return self._prepared or self._loop.run(self.retrieve(), self._while_waiting)

    async def retrieve(self) -> Prepared:
        """Do what `prepare` does, in the engine's loop."""
        if self._prepared is None:
            self._prepared = await self._querying.prepare(self.question, self.param, self._keywords)
        return self._prepared

    def _keywords(self, found: Keywords) -> None:
        self.found_keywords = found

    @property
    def retrieved(self) -> bool:
        """Whether the context is there."""
        return self._prepared is not None

    @property
    def text(self) -> str:
        """The text so far; read from any thread."""
        return "".join(self._text)

    @property
    def finished(self) -> bool:
        """Whether the text has come to its end."""
        return self._finished

    @property
    def keywords(self) -> Keywords:
        """The keywords of the question."""
        return self.prepare().keywords

    @property
    def context(self) -> Context:
        """What retrieval found."""
        return self.prepare().context

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for a person about how the context was found."""
        return self.prepare().notes

    @property
    def thinks(self) -> bool:
        """Whether the model has reasoned and not begun to write yet."""
        return bool(self._thoughts) and not self._text

    def __iter__(self) -> Iterator[str]:
        yield from self._loop.iterate(self.pieces(), self._while_waiting)

    async def __aiter__(self) -> AsyncIterator[str]:
        async for piece in self._loop.relay(self.pieces()):
            yield piece

    async def pieces(self) -> AsyncIterator[str]:
        """Yield the text, in the engine's loop."""
        self._finished = False
        self._text.clear()
        self._thoughts.clear()
        self._first_text = 0.0
        started = time.perf_counter()
        try:
            if self._prepared is None:
                await self.retrieve()
                started = time.perf_counter()
            async for piece in self._querying.text(await self.retrieve()):
                if isinstance(piece, Thought):
                    self._thoughts.append(piece)
                    continue
                self._first_text = self._first_text or time.perf_counter() - started
                self._text.append(piece)
                self._total = time.perf_counter() - started
                yield piece
            self._finished = True
        finally:
            self._total = time.perf_counter() - started
            await self._on_done()

    @property
    def answer(self) -> Answer:
        """The answer as far as it has come."""
        return self._querying.finish(
            self.prepare(),
            "".join(self._text),
            self._first_text,
            self._total,
            thinking="".join(self._thoughts),
        )
