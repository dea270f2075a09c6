"""What the embedding models of all servers share: batches, turns, and what is tried again."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence

from lightrag_engine.embedding.base import Role, Vectors
from lightrag_engine.embedding.batches import Batches, Refusal, RefusedError
from lightrag_engine.embedding.prefixes import prefixes
from lightrag_engine.errors import ModelError
from lightrag_engine.language.patience import Patience, answered, encodable


class ServedEmbedding(ABC):
    """An embedding model on a server (see `EmbeddingModel`).

    Parameters
    ----------
    name
        The model's, for people; with its family.
    model
        Its name on the server.
    dimensions
        Of its vectors; 0 while they are not known (see `probe`).
    window
        The longest text that it takes, in our tokens; 0: not known.
    parallel
        Requests at once.
    """

    def __init__(
        self, name: str, model: str, dimensions: int, window: int, parallel: int, patience: Patience
    ) -> None:
        self.name = name
        self.dimensions = dimensions
        self._model = model
        self._window = window
        self._prefixes = prefixes(model)
        self._patience = patience
        self._turns = asyncio.Semaphore(parallel)

    @abstractmethod
    async def _request(self, texts: list[str]) -> Sequence[Sequence[float]]:
        """Return a vector a text, in order, by one request."""

    @abstractmethod
    def _may_pass(self, error: BaseException) -> bool:
        """Whether the same request may succeed a moment later."""

    @abstractmethod
    def _refusal(self, error: Exception) -> Refusal | None:
        """Return why one of the texts was refused, None when it is not about a text."""

    @abstractmethod
    def _explain(self, error: Exception) -> ModelError:
        """Return an error for a person."""

    @abstractmethod
    def _failures(self) -> tuple[type[Exception], ...]:
        """Return what the client raises."""

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one unit-length row a text, in order (see `EmbeddingModel.embed`)."""
        prefix = self._prefixes.of(role)

        async def send(part: Sequence[str]) -> Sequence[Sequence[float]]:
            return await self._send([prefix + encodable(text) for text in part])

        try:
            return await Batches(self.name, self.dimensions, send, self._window).embed(texts)
        except self._failures() as error:
            raise self._explain(error) from error

    async def probe(self) -> int:
        """Return how many dimensions the model's vectors have.

        Raises
        ------
        ModelError
            When it gives no vector.
        """
        try:
            return len((await self._send(["test"]))[0])
        except RefusedError as refused:
            raise self._explain(refused.error) from refused.error
        except self._failures() as error:
            raise self._explain(error) from error

    async def _send(self, texts: list[str]) -> Sequence[Sequence[float]]:
        def again(error: BaseException) -> bool:
            # Of several texts one may be the cause: they are tried apart instead.
            return self._may_pass(error) and (len(texts) == 1 or getattr(error, "status_code", 0) != 500)

        async with self._turns:
            try:
                return await answered(lambda: self._request(texts), self._patience, again)
            except self._failures() as error:
                why = self._refusal(error)
                if why is None:
                    raise
                raise RefusedError(why, error) from error
