"""An embedding model on an Ollama server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ollama import ResponseError
from pydantic import ValidationError

from lightrag_engine.embedding.batches import Refusal, RefusedError
from lightrag_engine.embedding.served import ServedEmbedding
from lightrag_engine.errors import ModelError
from lightrag_engine.language.ollama.address import server_address
from lightrag_engine.language.ollama.chat import keep_alive
from lightrag_engine.language.ollama.client import OllamaClient
from lightrag_engine.language.ollama.failures import (
    FAILURES,
    NotOllamaError,
    explain,
    may_pass,
    nan,
    no_embeddings,
    no_memory,
    no_route,
    too_long,
)
from lightrag_engine.language.ollama.state import OllamaModel
from lightrag_engine.language.patience import Patience
from lightrag_engine.settings import Settings

_LARGEST_WINDOW = 8192  # tokens; longer texts embed in parts, which also says more about their contents


class OllamaEmbedding(ServedEmbedding):
    """An embedding model on an Ollama server (see `EmbeddingModel`).

    Parameters
    ----------
    model
        What the server told about it (`discover`). When it does not tell the dimensions: `open_embedding`.
    patience
        Limits of a request; default: those of the settings.

    Raises
    ------
    ModelError
        When it is a chat model.
    """

    def __init__(self, model: OllamaModel, settings: Settings, patience: Patience | None = None) -> None:
        if not model.embeds:
            raise ModelError(
                f'The model "{model.name}" cannot embed: it is a chat model.',
                hint="Choose an embedding model, such as nomic-embed-text.",
            )
        window = min(model.context_tokens, settings.server_context_tokens, _LARGEST_WINDOW)
        super().__init__(
            f"ollama:{model.name}",
            model.name,
            model.dimensions,
            window,
            settings.server_parallel,
            patience or Patience.of(settings),
        )
        self._address = server_address(settings.ollama_host)
        self._keep_alive = keep_alive(settings.server_keep_alive)
        self._options = {"num_ctx": window} if window else None
        self._one_by_one = False  # an older server

    def _may_pass(self, error: BaseException) -> bool:
        return may_pass(error)

    def _failures(self) -> tuple[type[Exception], ...]:
        return FAILURES

    def _explain(self, error: Exception) -> ModelError:
        return explain(error, self._address, self._model)

    def _refusal(self, error: Exception) -> Refusal | None:
        if not isinstance(error, ResponseError):
            return None
        if too_long(error):
            return Refusal.TOO_LONG
        if nan(error):
            return Refusal.NO_NUMBER
        lasting = no_memory(error) or no_embeddings(error)
        return Refusal.FAULT if error.status_code == 500 and not lasting else None

    async def _request(self, texts: list[str]) -> Sequence[Sequence[float]]:
        try:
            async with OllamaClient(self._address, self._patience.connect) as client:
                if self._one_by_one:
                    return [await self._one(client, text) for text in texts]
                try:
                    return await self._many(client, texts)
                except ResponseError as error:
                    if not no_route(error):
                        raise
                self._one_by_one = True
                return [await self._one(client, text) for text in texts]
        except ValidationError as error:
            if {detail["type"] for detail in error.errors()} == {"float_type"}:  # null, which stands for NaN
                raise RefusedError(Refusal.NO_NUMBER, NotOllamaError(Refusal.NO_NUMBER.value)) from error
            raise NotOllamaError.of(error) from error
        except (ValueError, AttributeError, TypeError) as error:
            raise NotOllamaError.of(error) from error

    async def _many(self, client: OllamaClient, texts: list[str]) -> Sequence[Sequence[float]]:
        answer = await client.embed(
            self._model, texts, truncate=False, options=self._options, keep_alive=self._keep_alive
        )
        vectors: Sequence[Sequence[float]] = answer.embeddings
        return vectors

    async def _one(self, client: OllamaClient, text: str) -> Sequence[float]:
        answer = await client.embeddings(
            self._model, text, options=self._options, keep_alive=self._keep_alive
        )
        vector: Sequence[float] = answer.embedding
        return vector


async def open_embedding(
    model: OllamaModel, settings: Settings, patience: Patience | None = None
) -> OllamaEmbedding:
    """Return the embedding model; its dimensions are measured when the server does not tell them.

    Raises
    ------
    ModelError
        When it cannot embed, or is asked and does not answer.
    """
    embedding = OllamaEmbedding(model, settings, patience)
    if model.dimensions:
        return embedding
    return OllamaEmbedding(replace(model, dimensions=await embedding.probe()), settings, patience)
