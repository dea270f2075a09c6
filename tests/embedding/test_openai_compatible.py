"""An embedding model of an OpenAI-compatible server with the real client against a double."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest
from asking import PATIENCE
from ollama_double import EmbedDouble
from openai_double import OpenAIDouble

from lightrag_engine import ModelError, Settings
from lightrag_engine.embedding.base import Vectors
from lightrag_engine.embedding.openai_compatible import OpenAICompatibleEmbedding, open_embedding

TEXTS = ["the ferry sails", "a harbour town", "the ferry sails to a harbour", "snow"]


def opened(double: OpenAIDouble) -> OpenAICompatibleEmbedding:
    return asyncio.run(
        open_embedding(double.embedder.name, Settings(openai_base_url=double.address), PATIENCE)
    )


def embed(embedding: OpenAICompatibleEmbedding, texts: Sequence[str]) -> Vectors:
    return asyncio.run(embedding.embed(texts, "passage"))


def test_a_unit_row_a_text_in_order_whatever_the_order_of_the_answer() -> None:
    with OpenAIDouble(embedder=EmbedDouble("nomic-embed-text", 48)) as double:
        embedding = opened(double)
        rows = embed(embedding, TEXTS)
        alone = np.concatenate([embed(embedding, [text]) for text in TEXTS])
        assert double.bodies[1]["input"][0] == "search_document: the ferry sails"
    assert (embedding.name, embedding.dimensions) == ("openai:nomic-embed-text", 48)
    assert np.allclose(rows, alone)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)


@pytest.mark.parametrize("fault", ["nan", "null", "zero", "crash"])
def test_a_text_without_a_usable_vector_is_left_out(fault: str) -> None:
    embedder = EmbedDouble("embedder", fault=lambda text: fault if "cursed" in text else "")
    with OpenAIDouble(embedder=embedder) as double:
        rows = embed(opened(double), ["snow", "cursed", "ferry"])
    assert rows.any(axis=1).tolist() == [True, False, True]


def test_a_text_longer_than_the_context_is_embedded_in_parts() -> None:
    with OpenAIDouble(embedder=EmbedDouble("embedder", 64, 64)) as double:
        rows = embed(opened(double), ["snow", "The ferry sails to the harbour. " * 40])
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)


def test_a_wrong_number_of_vectors_and_a_missing_server_are_errors() -> None:
    with OpenAIDouble() as double:
        embedding = opened(double)
        double.embedder = EmbedDouble("embedder", missing=1)
        with pytest.raises(ModelError, match="3 vectors for 4 texts"):
            embed(embedding, TEXTS)
    with pytest.raises(ModelError, match="does not answer"):
        embed(embedding, TEXTS)
