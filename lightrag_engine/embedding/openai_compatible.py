"""An embedding model on an OpenAI-compatible server."""

from __future__ import annotations

from collections.abc import Sequence

from lightrag_engine.embedding.batches import Refusal
from lightrag_engine.embedding.served import ServedEmbedding
from lightrag_engine.errors import ModelError
from lightrag_engine.language.openai_server import explain, failures, may_pass, open_client, too_long
from lightrag_engine.language.patience import Patience
from lightrag_engine.settings import Settings


class OpenAICompatibleEmbedding(ServedEmbedding):
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
        patience = patience or Patience.of(settings)
        super().__init__(f"openai:{model}", model, dimensions, 0, settings.server_parallel, patience)
        self._settings = settings

    def _may_pass(self, error: BaseException) -> bool:
        return may_pass(error)

    def _failures(self) -> tuple[type[Exception], ...]:
        return failures()

    def _explain(self, error: Exception) -> ModelError:
        return explain(error, self._settings, self._model)

    def _refusal(self, error: Exception) -> Refusal | None:
        if too_long(error):
            return Refusal.TOO_LONG
        return Refusal.FAULT if getattr(error, "status_code", 0) == 500 else None

    async def _request(self, texts: list[str]) -> Sequence[Sequence[float]]:
        async with open_client(self._settings, self._patience) as client:
            answer = await client.embeddings.create(model=self._model, input=texts, encoding_format="float")
        return [row.embedding for row in sorted(answer.data, key=lambda row: row.index)]


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
