"""Answers by asking a chat model."""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path

import pytest
from doubles import ScriptedLanguage
from scripted_chat import Line, Said, ScriptedChat

from lightrag_engine import ModelError, Settings
from lightrag_engine.language.base import CANNOT_ANSWER, Thought
from lightrag_engine.language.llm import PromptedLanguage
from lightrag_engine.records import Message, SourceText
from lightrag_engine.retrieval.context import Context
from lightrag_engine.storage.json_kv import JsonKeyValue

DATA = Path(__file__).parents[2] / "data" / "language"
QUESTION = "What does Mara Quill charge?"
CONTEXT = Context("naive", source_rows=(SourceText(1, "Two crowns, {context}", "guide.md", "", "c", "d"),))


async def answer(*script: Line, context: Context = CONTEXT, question: str = QUESTION) -> str:
    chat = ScriptedChat(*script)
    return "".join([piece async for piece in language(chat).answer(question, context)])


def language(chat: ScriptedChat, cache: JsonKeyValue | None = None) -> PromptedLanguage:
    return PromptedLanguage(chat, Settings(), ScriptedLanguage(), cache)


async def test_the_prompt_holds_everything_and_braces_are_data() -> None:
    chat = ScriptedChat("Two crowns [1].")
    history = (Message("user", "Who is she?"), Message("assistant", "The founder."))
    pieces = language(chat).answer("what is {input_text}?", CONTEXT, history, "One Sentence")
    assert "".join([piece async for piece in pieces]) == "Two crowns [1]."
    (message,) = chat.requests[0].messages
    assert CONTEXT.to_csv() in message.content
    assert "assistant: The founder." in message.content
    assert "One Sentence" in message.content
    assert message.content.endswith("Question: what is {input_text}?\n")
    shown = language(chat).answer_prompt("what is {input_text}?", CONTEXT.to_csv(), history, "One Sentence")
    assert shown == message.content


async def test_a_leading_reasoning_block_goes_and_tags_that_are_talked_about_stay() -> None:
    guide = (DATA / "think_tags_in_document.md").read_text(encoding="utf-8")
    context = Context("naive", source_rows=(SourceText(1, guide, "guide.md", "", "c", "d"),))
    told = "The guide says replies start with <think>plan</think> and then the answer."
    assert await answer(told, context=context) == told
    assert await answer(f"<think>Let me see.</think>\n{told}", context=context) == told


async def test_role_names_and_the_question_in_front_go() -> None:
    assert await answer(f"Question: {QUESTION}\nAnswer: Two crowns [1].") == "Two crowns [1]."


async def test_no_context_costs_no_call() -> None:
    chat = ScriptedChat("made up")
    pieces = [piece async for piece in language(chat).answer(QUESTION, Context("naive"))]
    assert pieces == [CANNOT_ANSWER]
    assert chat.requests == []


async def test_only_reasoning_is_asked_again_with_more_room_then_an_error() -> None:
    empty = Said("", "long thoughts", True)
    assert await answer(empty, "Two crowns.") == "Two crowns."
    with pytest.raises(ModelError, match="gave no answer"):
        await answer(empty)


async def test_reasoning_comes_apart_from_the_text_and_only_where_it_was_asked_for() -> None:
    for thinking, thoughts in (("on", ["long thoughts"]), ("off", [])):
        chat = ScriptedChat(Said("Two crowns.", "long thoughts"))
        model = PromptedLanguage(chat, Settings(thinking=thinking), ScriptedLanguage())
        pieces = [piece async for piece in model.answer(QUESTION, CONTEXT)]
        assert [piece for piece in pieces if isinstance(piece, Thought)] == thoughts
        assert "".join(piece for piece in pieces if not isinstance(piece, Thought)) == "Two crowns."
        assert chat.requests[0].options.think == (thinking == "on")


async def test_answers_are_never_cached(tmp_path: Path) -> None:
    cache = JsonKeyValue(tmp_path, "responses")
    chat = ScriptedChat("Two crowns.", "Three crowns.")
    for expected in ("Two crowns.", "Three crowns."):
        pieces = language(chat, cache).answer(QUESTION, CONTEXT)
        assert "".join([piece async for piece in pieces]) == expected
    assert len(cache) == 0


async def test_an_answer_that_is_dropped_half_way_stops_the_model() -> None:
    chat = ScriptedChat("one two three four five six seven eight nine ten " * 9)
    async with aclosing(language(chat).answer(QUESTION, CONTEXT)) as pieces:
        async for _ in pieces:
            break
    assert chat.closed == 1


async def test_a_prompt_that_does_not_fit_is_an_error_before_the_call() -> None:
    chat = ScriptedChat("x", context_tokens=150)
    with pytest.raises(ModelError, match="does not fit"):
        _ = [piece async for piece in language(chat).answer(QUESTION, CONTEXT)]
    assert chat.requests == []
    assert language(chat).max_prompt_tokens < 150
