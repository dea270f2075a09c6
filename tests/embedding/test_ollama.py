"""The embedding model of a server with the real client against the double."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from asking import PATIENCE
from ollama_double import ChatDouble, EmbedDouble, OllamaDouble, in_turn

from lightrag_engine import ModelError, Settings
from lightrag_engine.embedding.base import Role, Vectors
from lightrag_engine.embedding.ollama import OllamaEmbedding, open_embedding
from lightrag_engine.language.ollama import OllamaModel, discover

TEXTS = ["the ferry sails", "a harbour town", "the ferry sails to a harbour", "snow"]


def opened(double: OllamaDouble) -> OllamaEmbedding:
    async def open_first() -> OllamaEmbedding:
        settings = Settings(ollama_host=double.address)
        state = await discover(settings)
        return await open_embedding(state.embedding_models[0], settings, PATIENCE)

    return asyncio.run(open_first())


def embed(embedding: OllamaEmbedding, texts: Sequence[str], role: Role = "passage") -> Vectors:
    return asyncio.run(embedding.embed(texts, role))


def faulty(word: str, fault: str) -> Callable[[str], str]:
    return lambda text: fault if word in text else ""


def test_a_unit_row_a_text_in_order() -> None:
    with OllamaDouble([EmbedDouble("embedder", 32)]) as double:
        embedding = opened(double)
        rows = embed(embedding, TEXTS)
        alone = np.concatenate([embed(embedding, [text]) for text in TEXTS])
        (body, *_) = double.bodies("/api/embed")
    assert (embedding.name, embedding.dimensions) == ("ollama:embedder:latest", 32)
    assert rows.shape == (4, 32)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    assert np.allclose(rows, alone)
    assert body == {
        "model": "embedder:latest",
        "input": TEXTS,
        "truncate": False,
        "options": {"num_ctx": 512},
        "keep_alive": "10m",
    }


def test_many_texts_go_in_batches() -> None:
    texts = [f"text number{n}" for n in range(40)]
    with OllamaDouble([EmbedDouble("embedder", 4096)]) as double:
        rows = embed(opened(double), texts)
        sizes = [len(body["input"]) for body in double.bodies("/api/embed")]
    assert sizes == [16, 16, 8]
    assert len({row.tobytes() for row in rows}) == 40


def test_blank_texts_are_not_sent() -> None:
    with OllamaDouble([EmbedDouble("embedder")]) as double:
        rows = embed(opened(double), ["", "snow", " \n"])
        assert double.bodies("/api/embed")[0]["input"] == ["snow"]
        assert embed(opened(double), []).shape == (0, 64)
    assert rows.any(axis=1).tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("name", "query", "passage"),
    [
        ("nomic-embed-text", "search_query: snow", "search_document: snow"),
        ("jeffh/intfloat-multilingual-e5-large", "query: snow", "passage: snow"),
        ("mxbai-embed-large", "Represent this sentence for searching relevant passages: snow", "snow"),
        ("bge-m3", "snow", "snow"),
        ("all-minilm", "snow", "snow"),
        ("embeddinggemma", "task: search result | query: snow", "title: none | text: snow"),
        ("snowflake-arctic-embed2", "query: snow", "snow"),
    ],
)
def test_models_get_the_prefixes_that_they_want(name: str, query: str, passage: str) -> None:
    with OllamaDouble([EmbedDouble(name)]) as double:
        embedding = opened(double)
        embed(embedding, ["snow"], "query")
        embed(embedding, ["snow"], "passage")
        assert [body["input"] for body in double.bodies("/api/embed")] == [[query], [passage]]


@pytest.mark.parametrize("fault", ["nan", "null", "zero", "nan_error", "nan_400", "crash"])
def test_a_text_without_a_usable_vector_is_left_out_by_name(
    fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    texts = [*TEXTS, "a cursed text", *TEXTS]
    with OllamaDouble([EmbedDouble("embedder", 32, fault=faulty("cursed", fault))]) as double:
        embedding = opened(double)
        with caplog.at_level(logging.WARNING):
            rows = embed(embedding, texts)
        good = embed(embedding, TEXTS)
        assert ["a cursed text"] in [body["input"] for body in double.bodies("/api/embed")]
    assert not rows[4].any()
    assert np.allclose(rows[:4], good)  # the others are where they belong
    assert np.allclose(rows[5:], good)
    assert "a cursed text" in caplog.text


def test_a_server_that_fails_for_every_text_is_an_error() -> None:
    with OllamaDouble([EmbedDouble("embedder", fault=lambda text: "crash")]) as double:
        embedding = opened(double)
        with pytest.raises(ModelError, match="llama runner"):
            embed(embedding, TEXTS)


def test_a_fault_that_passes_costs_nothing() -> None:
    with OllamaDouble([EmbedDouble("embedder")], refusals=[(503, "busy"), (500, "crashed")]) as double:
        assert embed(opened(double), ["snow"]).any()


@pytest.mark.parametrize("missing", [1, 4])
def test_a_wrong_number_of_vectors_is_an_error(missing: int) -> None:
    with OllamaDouble([EmbedDouble("embedder", missing=missing)]) as double:
        embedding = opened(double)
        with pytest.raises(ModelError, match=f"{4 - missing} vectors for 4 texts"):
            embed(embedding, TEXTS)


def test_vectors_of_another_size_are_an_error() -> None:
    with OllamaDouble([EmbedDouble("embedder", 32, longer=8)]) as double:
        embedding = opened(double)
        with pytest.raises(ModelError, match="40 dimensions, 32 were expected"):
            embed(embedding, TEXTS)


def test_a_text_longer_than_the_context_is_embedded_in_parts(caplog: pytest.LogCaptureFixture) -> None:
    long = "The ferry sails to the harbour. " * 200 + "Snow falls. " * 200
    with OllamaDouble([EmbedDouble("embedder", 64, 512)]) as double:
        embedding = opened(double)
        with caplog.at_level(logging.INFO):
            rows = embed(embedding, ["snow", long, "ferry"])
        answered = double.bodies("/api/embed")
        reference = embed(embedding, ["The ferry sails to the harbour. Snow falls."])[0]
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    assert rows[1] @ reference > 0.9
    assert len(answered) > 1
    assert "parts" in caplog.text


def test_texts_that_only_the_server_finds_too_long_are_embedded_in_parts() -> None:
    # A run of signs: few tokens for us, one each for the double.
    texts = ["snow", "=!" * 900, "ferry", "=!" * 900]
    with OllamaDouble([EmbedDouble("embedder", 64, 512)]) as double:
        embedding = opened(double)
        rows = embed(embedding, texts)
        assert rows[[0, 2]].any(axis=1).all()
        assert not rows[[1, 3]].any()  # no word in them, for the double
        assert any("=!" in body["input"][0] for body in double.bodies("/api/embed"))


def test_an_older_server_gets_one_text_at_a_time() -> None:
    with OllamaDouble([EmbedDouble("all-minilm", fault=faulty("cursed", "crash"))], old=True) as double:
        embedding = opened(double)
        rows = embed(embedding, [*TEXTS, "cursed"])
        embed(embedding, TEXTS)
        assert len(double.bodies("/api/embed")) == 1  # asked once
    assert rows.any(axis=1).tolist() == [True] * 4 + [False]
    assert np.allclose(np.linalg.norm(rows[:4], axis=1), 1)


def test_dimensions_that_are_not_told_are_measured() -> None:
    with OllamaDouble([EmbedDouble("embedder", 48, tells_dimensions=False)]) as double:
        embedding = opened(double)
        assert embedding.dimensions == 48
        assert embed(embedding, TEXTS).shape == (4, 48)


def test_a_chat_model_does_not_embed() -> None:
    chat = OllamaModel("chatty")
    with pytest.raises(ModelError, match="cannot embed") as caught:
        OllamaEmbedding(chat, Settings())
    assert "nomic-embed-text" in caught.value.hint
    with OllamaDouble([ChatDouble("chatty", in_turn("Hi"))]) as double:
        told_wrong = replace(chat, capabilities=frozenset({"embedding"}), dimensions=8)
        embedding = OllamaEmbedding(told_wrong, Settings(ollama_host=double.address), PATIENCE)
        with pytest.raises(ModelError, match="cannot embed"):
            embed(embedding, TEXTS)


def test_a_model_that_is_gone_and_a_server_that_is_gone() -> None:
    model = OllamaModel("gone", dimensions=8, capabilities=frozenset({"embedding"}))
    with OllamaDouble() as double:
        embedding = OllamaEmbedding(model, Settings(ollama_host=double.address), PATIENCE)
        with pytest.raises(ModelError, match="is not on") as caught:
            embed(embedding, TEXTS)
        assert "ollama pull gone" in caught.value.hint
    with pytest.raises(ModelError, match="does not answer"):
        embed(embedding, TEXTS)


def test_a_slow_server_is_not_waited_for_without_end() -> None:
    patience = replace(PATIENCE, first_token=0.01, attempts=1)
    model = OllamaModel("embedder", dimensions=64, capabilities=frozenset({"embedding"}))
    with OllamaDouble([EmbedDouble("embedder")]) as double:
        embedding = OllamaEmbedding(model, Settings(ollama_host=double.address), patience)
        with double.lock, pytest.raises(ModelError, match="too slow"):  # it cannot note the request
            embed(embedding, TEXTS)
