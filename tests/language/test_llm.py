"""The prompted language as a whole, and in the engine."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import MakeRag
from doubles import ScriptedLanguage
from scripted_chat import Request, ScriptedChat

from lightrag_engine import QueryParam, Settings
from lightrag_engine.language.llm import PromptedLanguage
from lightrag_engine.language.prompts import Prompts
from lightrag_engine.records import UNKNOWN_TYPE, DocumentState

BOND = '("relationship"<|>"Mara Quill"<|>"Ilse Vogt"<|>"Quill trained Vogt"<|>"training"<|>5)<|COMPLETE|>'
VOGT = '("entity"<|>"ILSE VOGT"<|>"person"<|>"Chief engineer since 2024")<|COMPLETE|>'
REFUSAL = "I am sorry, I can not help with that."


def language(chat: ScriptedChat, prompts: Prompts | None = None, **settings: Any) -> PromptedLanguage:
    return PromptedLanguage(chat, Settings(**settings), ScriptedLanguage(), prompts=prompts)


def fingerprint(**settings: Any) -> str:
    return language(ScriptedChat("x"), **settings).fingerprint


@pytest.mark.parametrize(
    "change",
    [
        {"extraction_format": "records"},
        {"entity_types": ("person",)},
        {"entity_extract_max_gleaning": 0},
        {"output_language": "German"},
        {"extraction_examples": ()},
        {"tuple_delimiter": "§"},
    ],
)
def test_the_fingerprint_changes_with_what_shapes_an_extraction(change: dict[str, Any]) -> None:
    assert fingerprint(**change) != fingerprint()


def test_the_fingerprint_knows_model_and_prompts_and_nothing_that_does_not_matter() -> None:
    assert fingerprint(answer_max_tokens=99, chunk_token_size=500) == fingerprint()
    assert language(ScriptedChat("x", name="other")).fingerprint != fingerprint()
    assert language(ScriptedChat("x"), Prompts(glean="More.")).fingerprint != fingerprint()


def test_the_room_for_prompts_follows_the_context() -> None:
    small = language(ScriptedChat("x", context_tokens=4_096))
    assert small.context_tokens == 4_096
    assert 1_500 < small.max_prompt_tokens < 3_000
    assert language(ScriptedChat("x")).max_prompt_tokens > 20_000


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_an_end_that_another_chunk_declares_gets_its_type_in_any_order(
    make_rag: MakeRag, order: tuple[int, int]
) -> None:
    def reads(request: Request) -> str:
        return BOND if "trained" in request.last else VOGT

    rag = make_rag(language=language(ScriptedChat(reads)))
    texts = ("Mara Quill trained Ilse Vogt.", "ILSE VOGT is chief engineer since 2024.")
    rag.insert(texts[order[0]])
    if order == (0, 1):
        assert rag.graph.nodes["ilse vogt"]["type"] == UNKNOWN_TYPE
        assert rag.graph.nodes["ilse vogt"]["description"] == "Quill trained Vogt"
    rag.insert(texts[order[1]])
    node = rag.graph.nodes["ilse vogt"]
    assert (node["type"], node["description"]) == ("person", "Chief engineer since 2024")
    assert rag.graph.has_edge("mara quill", "ilse vogt")


@pytest.mark.parametrize("reply", [REFUSAL, "<think>still thinking"])
def test_a_document_of_which_nothing_was_read_is_no_silent_success(make_rag: MakeRag, reply: str) -> None:
    rag = make_rag(language=language(ScriptedChat(reply)))
    rag.insert("Mara Quill founded the ferry of Port Ansel.")
    (status,) = rag.documents()
    assert status.state in (DocumentState.PROBLEMS, DocumentState.FAILED)
    assert rag.graph.number_of_nodes() == 0


def test_a_question_from_keywords_to_answer(make_rag: MakeRag) -> None:
    def replies(request: Request) -> str:
        if "keywords for a search" in request.text:
            return '{"high_level_keywords": ["training"], "low_level_keywords": ["Ilse Vogt"]}'
        return BOND if "PASSAGE" in request.last else "Answer: Mara Quill trained her [1]."

    rag = make_rag(language=language(ScriptedChat(replies)))
    rag.insert("Mara Quill trained Ilse Vogt.")
    answer = rag.query("Who trained Ilse Vogt?", QueryParam(mode="hybrid"))
    assert answer.text == "Mara Quill trained her [1]."
    assert answer.keywords.low_level == ("Ilse Vogt",)
    assert [citation.number for citation in answer.citations] == [1]
