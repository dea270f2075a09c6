"""Keywords of a question by asking a chat model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from doubles import ScriptedLanguage
from scripted_chat import Line, Said, ScriptedChat

from lightrag_engine import ModelError
from lightrag_engine.language.tasks.asking import Asking
from lightrag_engine.language.tasks.keywords import NOTE, KeywordFinder
from lightrag_engine.records import Keywords, Message
from lightrag_engine.storage.json_kv import JsonKeyValue

REPLY = '{"high_level_keywords": ["fares"], "low_level_keywords": ["Mara Quill"]}'
HISTORY = (Message("user", "Who is Mara Quill?"), Message("assistant", "The founder of the ferry."))


def finder(chat: ScriptedChat, cache: JsonKeyValue | None = None) -> KeywordFinder:
    return KeywordFinder(Asking(chat, cache), ScriptedLanguage())


async def ask(*script: Line, question: str = "What does Mara Quill charge?") -> Keywords:
    return await finder(ScriptedChat(*script)).keywords(question)


@pytest.mark.parametrize(
    "reply",
    [
        REPLY,
        f"```json\n{REPLY}\n```",
        'To extract keywords I would run:\n```python\nd = {"a": 1}\n```\nResult: '
        + REPLY
        + " Hope it helps {:-)",
        f"<think>{{}}</think>{REPLY}",
    ],
)
async def test_keywords_are_recovered_from_what_surrounds_them(reply: str) -> None:
    assert await ask(reply) == Keywords(("fares",), ("Mara Quill",))


async def test_umlauts_in_a_fence() -> None:
    reply = '```json\n{"high_level_keywords": ["Gebühren"], "low_level_keywords": ["Port Ansel"]}\n```'
    assert await ask(reply) == Keywords(("Gebühren",), ("Port Ansel",))


async def test_a_useless_reply_is_asked_again_with_more_room() -> None:
    chat = ScriptedChat(Said("", "thoughts", True), REPLY)
    assert (await finder(chat).keywords("What?")).note == ""
    assert chat.requests[1].options.max_tokens > chat.requests[0].options.max_tokens


@pytest.mark.parametrize(
    "reply", ["I do not know.", "", '{"high_level_keywords": [], "low_level_keywords": []}']
)
async def test_after_two_failures_the_words_of_the_question_serve_and_that_is_said(reply: str) -> None:
    chat = ScriptedChat(reply)
    found = await finder(chat).keywords("What does Mara Quill charge?")
    assert len(chat.requests) == 2
    assert "Mara Quill" in found.low_level[-1]
    assert found.note == NOTE


async def test_a_model_that_cannot_be_reached_is_an_error() -> None:
    with pytest.raises(ModelError):
        await ask(ModelError("The server is gone."))


async def test_braces_in_a_question_are_data() -> None:
    chat = ScriptedChat(REPLY)
    await finder(chat).keywords("what is {input_text}? {history}")
    assert chat.requests[0].last == "Question: what is {input_text}? {history}\n"


async def test_a_follow_up_is_made_independent_of_the_conversation() -> None:
    chat = ScriptedChat(json.dumps({"question": "What does Mara Quill charge?", **json.loads(REPLY)}))
    found = await finder(chat).keywords("And what does she charge?", HISTORY)
    assert found.question == "What does Mara Quill charge?"
    request = chat.requests[0]
    assert "user: Who is Mara Quill?" in request.last
    assert request.last.endswith("Question: And what does she charge?\n")
    assert request.options.schema is not None
    assert "question" in request.options.schema["properties"]


async def test_without_a_history_no_question_is_asked_for() -> None:
    chat = ScriptedChat(json.dumps({"question": "x", **json.loads(REPLY)}))
    assert (await finder(chat).keywords("What?")).question == ""
    assert "question" not in dict(chat.requests[0].options.schema or {})["properties"]


async def test_a_long_history_is_cut_to_its_last_turns() -> None:
    chat = ScriptedChat(REPLY, context_tokens=2_000)
    history = [Message("user", f"{n} " + "word " * 900) for n in range(20)]
    await finder(chat).keywords("And she?", history)
    assert "user: 19 word" in chat.requests[0].last
    assert "user: 3 word" not in chat.requests[0].last


async def test_the_same_question_is_asked_once(tmp_path: Path) -> None:
    chat = ScriptedChat(REPLY)
    cache = JsonKeyValue(tmp_path, "responses")
    first = await finder(chat, cache).keywords("What?")
    assert await finder(chat, cache).keywords("What?") == first
    assert len(chat.requests) == 1
