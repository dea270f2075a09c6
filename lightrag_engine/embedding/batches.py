"""Many texts through a model server that may refuse some of them."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from lightrag_engine.embedding.base import Vectors
from lightrag_engine.embedding.windows import halve, pooled, unit
from lightrag_engine.errors import ModelError
from lightrag_engine.tokens import count

logger = logging.getLogger(__name__)

BATCH = 16  # texts in a request: with long ones on a slow machine still answered in a minute
_PROBE = "test"


class Refusal(Enum):
    """Why a request brought no vectors although the server is there."""

    TOO_LONG = "it is longer than the model's context"
    NO_NUMBER = "the vector has values that are no numbers"
    FAULT = "the server failed"


class RefusedError(Exception):
    """A request was refused, perhaps because of one of its texts; `error` is what the server said."""

    def __init__(self, why: Refusal, error: Exception) -> None:
        super().__init__(why.value)
        self.why = why
        self.error = error


@dataclass(frozen=True, slots=True)
class Batches:
    """Embeds texts by requests that are halved until what is refused stands alone.

    Parameters
    ----------
    name, dimensions
        The model's.
    send
        One request: texts to vectors; None in place of a number is not a number. Raises `RefusedError`.
    context_tokens
        The longest text that the model takes, in tokens of our own counting; 0: not known.
    """

    name: str
    dimensions: int
    send: Callable[[Sequence[str]], Awaitable[Sequence[Sequence[float | None]]]]
    context_tokens: int = 0

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row a text, in order; zeros for a blank text and for one without a usable vector.

        A text longer than the model's context is embedded in parts, and the mean of their vectors stands
        for it.

        Raises
        ------
        ModelError
            When the number or the size of the vectors is wrong: they cannot be told apart any more.
        """
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        filled = [i for i, text in enumerate(texts) if text.strip()]
        long = [i for i in filled if self.context_tokens and count(texts[i]) > self.context_tokens]
        short = [i for i in filled if i not in set(long)]
        for start in range(0, len(short), BATCH):
            batch = short[start : start + BATCH]
            rows[batch] = await self._batch([texts[i] for i in batch])
        for i in long:
            rows[i] = await self._parts(texts[i])
        return rows

    async def _batch(self, texts: Sequence[str]) -> Vectors:
        try:
            rows = await self._rows(texts)
        except RefusedError as refused:
            if len(texts) == 1:
                return (await self._alone(texts[0], refused))[np.newaxis]
            middle = len(texts) // 2
            return np.concatenate([await self._batch(texts[:middle]), await self._batch(texts[middle:])])
        for i in map(int, np.flatnonzero(~rows.any(axis=1))):
            if len(texts) == 1:
                self._skip(texts[0], "the vector is zero or no number")
            else:
                rows[i] = (await self._batch([texts[i]]))[0]
        return rows

    async def _alone(self, text: str, refused: RefusedError) -> Vectors:
        """Return the row of a text that was refused alone."""
        if refused.why is Refusal.TOO_LONG and len(text) > 1:
            return await self._parts(text)
        if refused.why is Refusal.FAULT:
            try:
                await self._rows([_PROBE])
            except RefusedError:
                raise refused.error from None  # not because of this text
        self._skip(text, refused.why.value)
        return np.zeros(self.dimensions, dtype=np.float32)

    async def _parts(self, text: str) -> Vectors:
        parts = [part for half in halve(text) for part in self._fitting(half) if part.strip()]
        logger.info("%s embeds a text of %d characters in %d parts", self.name, len(text), len(parts))
        rows = [
            row
            for start in range(0, len(parts), BATCH)
            for row in await self._batch(parts[start : start + BATCH])
        ]
        return pooled(rows, [len(part) for part in parts])

    def _fitting(self, text: str) -> list[str]:
        if len(text) < 2 or not self.context_tokens or count(text) <= self.context_tokens:
            return [text]
        return [part for half in halve(text) for part in self._fitting(half)]

    async def _rows(self, texts: Sequence[str]) -> Vectors:
        vectors = await self.send(texts)
        if len(vectors) != len(texts):
            raise ModelError(
                f'The model "{self.name}" gave {len(vectors)} vectors for {len(texts)} texts.',
                hint="Look at the server's log, update it, or choose another embedding model.",
            )
        sizes = {len(vector) for vector in vectors}
        if sizes != {self.dimensions}:
            raise ModelError(
                f'The model "{self.name}" gave vectors of {" and ".join(map(str, sorted(sizes)))} '
                f"dimensions, {self.dimensions} were expected.",
                hint="Was the model changed on the server? Choose it again.",
            )
        return unit(np.array(vectors, dtype=np.float32))

    def _skip(self, text: str, why: str) -> None:
        start = " ".join(text[:60].split())
        logger.warning("%s cannot embed the text that begins with %r: %s", self.name, start, why)
