"""An embedding model on an OpenAI-compatible server."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from lightrag_engine.embedding.base import Role, Vectors
from lightrag_engine.embedding.batches import Batches, Refusal, RefusedError
from lightrag_engine.embedding.prefixes import prefixes
from lightrag_engine.language.openai_server import explain, failures, may_pass, open_client, too_long
from lightrag_engine.language.patience import Patience, answered
from lightrag_engine.settings import Settings


class OpenAICompatibleEmbedding:
    """An embedding model on an OpenAI-compatible server (see `EmbeddingModel`).

    Parameters
    ----------
    model
        Its name on the server.
    dimensions
        Of its vectors (see `open_embedding`).
    patience
        Limits of a request; default: those of the settings.
    """

    def __init__(
        self, model: str, dimensions: int, settings: Settings, patience: Patience | None = None
    ) -> None:
        self.name = f"openai:{model}"
        self.dimensions = dimensions
        self._model = model
        self._prefixes = prefixes(model)
        self._settings = settings
        self._patience = patience or Patience.of(settings)
        self._turns = asyncio.Semaphore(settings.server_parallel)

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one unit-length row a text, in order (see `EmbeddingModel.embed`)."""
        prefix = self._prefixes.of(role)

        async def send(part: Sequence[str]) -> Sequence[Sequence[float]]:
            return await self._send([prefix + t.encode("utf-8", "replace").decode() for t in part])

        try:
            return await Batches(self.name, self.dimensions, send).embed(texts)
        except failures() as error:
            raise explain(error, self._settings, self._model) from error

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
            raise explain(refused.error, self._settings, self._model) from refused.error
        except failures() as error:
            raise explain(error, self._settings, self._model) from error

    async def _send(self, texts: list[str]) -> Sequence[Sequence[float]]:
        def again(error: BaseException) -> bool:
            # Of several texts one may be the cause: they are tried apart instead.
            return may_pass(error) and (len(texts) == 1 or getattr(error, "status_code", 0) != 500)

        async def request() -> Sequence[Sequence[float]]:
            async with open_client(self._settings, self._patience) as client:
                answer = await client.embeddings.create(
                    model=self._model, input=texts, encoding_format="float"
                )
            return [row.embedding for row in sorted(answer.data, key=lambda row: row.index)]

        async with self._turns:
            try:
                return await answered(request, self._patience, again)
            except failures() as error:
                why = _refusal(error)
                if why is None:
                    raise
                raise RefusedError(why, error) from error


async def open_embedding(
    model: str, settings: Settings, patience: Patience | None = None
) -> OpenAICompatibleEmbedding:
    """Return the embedding model; its dimensions are measured.

    Raises
    ------
    ModelError
        When it cannot embed, or does not answer.
    """
    dimensions = await OpenAICompatibleEmbedding(model, 0, settings, patience).probe()
    return OpenAICompatibleEmbedding(model, dimensions, settings, patience)


def _refusal(error: Exception) -> Refusal | None:
    if too_long(error):
        return Refusal.TOO_LONG
    return Refusal.FAULT if getattr(error, "status_code", 0) == 500 else None
