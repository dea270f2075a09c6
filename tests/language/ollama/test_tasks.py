"""The four language tasks over HTTP: prompts, client, double and parsers together."""

from __future__ import annotations

import asyncio

import pytest
from asking import chatting
from doubles import ScriptedLanguage
from ollama_double import ChatScript, broken, reasoning, sloppy, well_behaved

from lightrag_engine import Settings
from lightrag_engine.language.llm import PromptedLanguage
from lightrag_engine.language.ollama import OllamaChat
from lightrag_engine.records import Chunk, Message, SourceText
from lightrag_engine.retrieval.context import Context

TEXT = (
    "Mara Quill founded the Cormorant Company in Port Ansel. The company ran a ferry to Grey Island.\n\n"
    "Tobias Reed, a painter, lived on Grey Island. He painted the ferry for Mara Quill."
)
NAMES = {"Mara Quill", "Cormorant Company", "Port Ansel", "Grey Island", "Tobias Reed"}
CHUNK = Chunk("chunk-1", TEXT, 45, 0, "doc-1")
SOURCES = Context(
    "naive",
    source_rows=(
        SourceText(1, "Snow fell, and more snow.", "a.txt", "1", "chunk-0", "doc-0"),
        SourceText(2, TEXT, "b.txt", "1", "chunk-1", "doc-1"),
    ),
)
QUESTION = "Who founded the Cormorant Company?"


def language(chat: OllamaChat, **settings: object) -> PromptedLanguage:
    return PromptedLanguage(chat, Settings(**settings), ScriptedLanguage())


@pytest.mark.parametrize("script", [well_behaved, sloppy, reasoning])
@pytest.mark.parametrize(
    "settings",
    [
        {"extraction_format": "json"},
        {"extraction_format": "records"},
        {"extraction_format": "records", "tuple_delimiter": "<||>", "record_delimiter": "%%"},
    ],
    ids=["json", "records", "other delimiters"],
)
def test_a_chunk_is_read(script: ChatScript, settings: dict[str, str]) -> None:
    with chatting(script) as (double, chat):
        extraction = asyncio.run(language(chat, **settings).extract(CHUNK, "Port Ansel"))
        schemas = {"format" in body for body in double.bodies("/api/chat")}
    assert {entity.entity_name for entity in extraction.entities} >= NAMES
    assert len(extraction.relations) >= 3
    assert schemas == {settings["extraction_format"] == "json"}


def test_a_chunk_that_the_model_will_not_read_is_reported() -> None:
    with chatting(broken) as (_, chat):
        extraction = asyncio.run(language(chat).extract(CHUNK, "Port Ansel"))
    assert not extraction.entities
    assert extraction.problems


@pytest.mark.parametrize("script", [well_behaved, sloppy, reasoning])
def test_a_question_has_its_keywords(script: ChatScript) -> None:
    history = [Message("user", "Tell me about the ferry."), Message("assistant", "It sailed.")]
    with chatting(script) as (_, chat):
        for past in ([], history):
            keywords = asyncio.run(language(chat).keywords(QUESTION, past))
            assert "Cormorant Company" in keywords.low_level
            assert not keywords.note


@pytest.mark.parametrize("script", [well_behaved, sloppy, reasoning])
def test_notes_become_one_description(script: ChatScript) -> None:
    notes = ["Mara Quill founded the company.", "Mara Quill lived in Port Ansel."]
    with chatting(script) as (_, chat):
        text = asyncio.run(language(chat).summarise("Mara Quill", notes, 100))
    assert text == " ".join(notes)


@pytest.mark.parametrize("script", [well_behaved, sloppy, reasoning])
def test_an_answer_quotes_its_source(script: ChatScript) -> None:
    async def answer(chat: OllamaChat) -> str:
        return "".join([piece async for piece in language(chat).answer(QUESTION, SOURCES)])

    with chatting(script) as (_, chat):
        assert asyncio.run(answer(chat)) == "Mara Quill founded the Cormorant Company in Port Ansel. [2]"
