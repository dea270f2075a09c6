"""Sentences of an answer and what bears them out."""

from __future__ import annotations

import asyncio

import pytest
from conftest import MakeRag
from doubles import HashEmbedding
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.support import told
from lightrag_engine import Answer, Keywords, QueryParam
from lightrag_engine.conversations import Turn
from lightrag_engine.embedding.builtin import BuiltinEmbedding
from lightrag_engine.evaluation.once import EmbeddedOnce
from lightrag_engine.evaluation.support import SentenceSupport, support
from lightrag_engine.language.base import CANNOT_ANSWER
from lightrag_engine.records import EntityRow, SourceText
from lightrag_engine.retrieval.context import Context

SOURCES = (
    SourceText(1, "Tobias Renn built the steamer Heron.", "b.txt", "", "c2", "d1"),
    SourceText(4, "It was painted red. Mara Quill founded the ferry in 1921.", "a.txt", "", "c1", "d1"),
)
ENTITIES = (EntityRow(1, "Ilse Vogt", "person", "Ilse Vogt paints harbours by moonlight.", 2),)


def answer(text: str, kind: str = "answer") -> Answer:
    context = Context("mix", ENTITIES, (), SOURCES)
    return Answer(text, "Who?", "mix", "x", Keywords(), context, kind=kind)  # type: ignore[arg-type]


def of(text: str, embedding: HashEmbedding | None = None) -> tuple[SentenceSupport, ...]:
    return asyncio.run(support(answer(text), embedding or HashEmbedding()))


def test_each_sentence_is_told_with_the_sentence_that_bears_it_out() -> None:
    text = "# Ferry\n\n- **Mara Quill** founded the ferry in 1921 [4].\n- Penguins swim around the pole [1]."
    first, second = of(text)
    assert text[first.start : first.end].endswith("[4].")
    assert (first.supported, first.source, first.overlap) == (True, 4, 1.0)
    assert first.sentence == "Mara Quill founded the ferry in 1921."
    assert first.similarity is None
    assert not second.supported
    assert second.similarity is not None


def test_a_description_in_the_tables_bears_out_too() -> None:
    (one,) = of("Ilse Vogt paints harbours by moonlight.")
    assert (one.supported, one.source) == (True, 0)


@pytest.mark.parametrize("number", ["1925", "12,000", "3.75"])
def test_a_number_that_stands_nowhere_speaks_against_a_sentence(number: str) -> None:
    (one,) = of(f"Mara Quill founded the ferry in {number}.")
    assert (one.supported, one.unfounded) == (False, (number,))
    assert one.overlap > 0.7


def test_numbers_are_the_same_however_their_thousands_are_written() -> None:
    sources = (SourceText(1, "The ferry carried 12,000 people.", "a.txt", "", "c", "d"),)
    asked = Answer(
        "The ferry carried 12000 people.", "", "mix", "", Keywords(), Context("mix", source_rows=sources)
    )
    (one,) = asyncio.run(support(asked, HashEmbedding()))
    assert (one.supported, one.unfounded) == (True, ())


@pytest.mark.parametrize("text", ["", "Yes.", CANNOT_ANSWER, "# A heading", "[1] [4]"])
def test_what_says_nothing_is_not_judged(text: str) -> None:
    assert of(text) == ()


@pytest.mark.parametrize("kind", ["context", "prompt"])
def test_a_context_or_a_prompt_is_no_answer(kind: str) -> None:
    assert asyncio.run(support(answer("Mara Quill founded the ferry.", kind), HashEmbedding())) == ()


def test_without_sources_nothing_is_supported() -> None:
    asked = Answer("Mara Quill founded the ferry.", "", "mix", "", Keywords(), Context("mix"))
    (one,) = asyncio.run(support(asked, HashEmbedding()))
    assert (one.supported, one.sentence, one.source) == (False, "", 0)


@given(st.text(max_size=200))
def test_whatever_the_text_the_spans_are_parts_of_it_in_order(text: str) -> None:
    found = of(text)
    ends = [0, *(one.end for one in found)]
    assert all(end <= one.start < one.end <= len(text) for end, one in zip(ends, found, strict=False))
    assert all(0 <= one.overlap <= 1 for one in found)


def test_a_text_is_embedded_once() -> None:
    model = HashEmbedding()
    once = EmbeddedOnce(model)

    async def twice() -> None:
        for text in (
            "Somebody founded a ferry there.",
            "Somebody founded a ferry there. Someone painted it red.",
        ):
            await support(answer(text), once)

    asyncio.run(twice())
    assert len(model.embedded) == len(set(model.embedded))


def test_what_is_remembered_is_bounded() -> None:
    model = HashEmbedding()
    once = EmbeddedOnce(model, most=2)

    async def embed(*texts: str) -> None:
        assert (await once.embed(texts, "passage")).shape == (len(texts), 64)

    async def story() -> None:
        await embed("a", "b", "c")
        await embed("a", "d")
        await embed("a")

    asyncio.run(story())
    assert model.embedded == ["a", "b", "c", "a", "d"]


def test_the_built_in_model_tells_most_statements_apart() -> None:
    found = asyncio.run(told(BuiltinEmbedding()))
    borne_out = [one.supported for _, right, one in found if right]
    invented = [one.supported for _, right, one in found if not right]
    assert len(borne_out) == len(invented) == 32
    # By their words alone, three of those that are borne out would be.
    assert sum(borne_out) >= 24
    assert sum(invented) <= 5


def test_a_kept_answer_is_judged_like_a_new_one(make_rag: MakeRag) -> None:
    rag = make_rag()
    rag.insert("Mara Quill founded the Brindle Valley Ferry. Tobias Renn met Mara Quill.")
    fresh = rag.query("Who founded the Brindle Valley Ferry?")
    found = rag.support(fresh)
    assert found
    assert all(one.supported for one in found)
    chat = rag.create_conversation()
    rag.save_turn(chat.id, Turn("Who?", QueryParam(), fresh))
    kept = rag.conversation(chat.id).turns[0].answer
    assert kept is not None
    assert rag.support(kept) == found
