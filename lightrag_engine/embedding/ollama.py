"""An embedding model on an Ollama server."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from ollama import ResponseError
from pydantic import ValidationError

from lightrag_engine.embedding.base import Role, Vectors
from lightrag_engine.embedding.batches import Batches, Refusal, RefusedError
from lightrag_engine.embedding.prefixes import prefixes
from lightrag_engine.errors import ModelError
from lightrag_engine.language.ollama.address import server_address
from lightrag_engine.language.ollama.chat import encodable, keep_alive
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
from lightrag_engine.language.patience import Patience, answered
from lightrag_engine.settings import Settings

_LARGEST_WINDOW = 8192  # tokens; longer texts embed in parts, which also says more about their contents


class OllamaEmbedding:
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
        self.name = f"ollama:{model.name}"
        self.dimensions = model.dimensions
        self._model = model.name
        self._prefixes = prefixes(model.name)
        self._address = server_address(settings.ollama_host)
        self._patience = patience or Patience.of(settings)
        self._keep_alive = keep_alive(settings.server_keep_alive)
        self._window = min(model.context_tokens, settings.server_context_tokens, _LARGEST_WINDOW)
        self._options = {"num_ctx": self._window} if self._window else None
        self._turns = asyncio.Semaphore(settings.server_parallel)
        self._one_by_one = False  # an older server

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one unit-length row a text, in order (see `EmbeddingModel.embed`)."""
        prefix = self._prefixes.of(role)

        async def send(part: Sequence[str]) -> Sequence[Sequence[float]]:
            return await self._send([prefix + encodable(text) for text in part])

        batches = Batches(self.name, self.dimensions, send, self._window)
        try:
            return await batches.embed(texts)
        except FAILURES as error:
            raise explain(error, self._address, self._model) from error

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
            raise explain(refused.error, self._address, self._model) from refused.error
        except FAILURES as error:
            raise explain(error, self._address, self._model) from error

    async def _send(self, texts: list[str]) -> Sequence[Sequence[float]]:
        def again(error: BaseException) -> bool:
            # Of several texts one may be the cause: they are tried apart instead.
            return may_pass(error) and (len(texts) == 1 or getattr(error, "status_code", 0) != 500)

        async with self._turns:
            try:
                return await answered(lambda: self._request(texts), self._patience, again)
            except ResponseError as error:
                why = _refusal(error)
                if why is None:
                    raise
                raise RefusedError(why, error) from error

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


def _refusal(error: ResponseError) -> Refusal | None:
    if too_long(error):
        return Refusal.TOO_LONG
    if nan(error):
        return Refusal.NO_NUMBER
    lasting = no_memory(error) or no_embeddings(error)
    return Refusal.FAULT if error.status_code == 500 and not lasting else None
