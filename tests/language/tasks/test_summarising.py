"""Many descriptions into one, by asking a chat model."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from doubles import ScriptedLanguage
from scripted_chat import Line, Request, ScriptedChat

from lightrag_engine.language.tasks.asking import Asking
from lightrag_engine.language.tasks.summarising import Summariser
from lightrag_engine.storage.json_kv import JsonKeyValue
from lightrag_engine.tokens import count

NOTES = ("Mara Quill founded the ferry.", "Mara Quill was born in Low Harrow.", "She {likes} tea.")


def summariser(chat: ScriptedChat, cache: JsonKeyValue | None = None) -> Summariser:
    return Summariser(Asking(chat, cache), ScriptedLanguage())


async def summarise(*script: Line, max_tokens: int = 60) -> str:
    return await summariser(ScriptedChat(*script)).summarise("Mara Quill", NOTES, max_tokens)


@pytest.mark.parametrize(
    "reply",
    [
        "Mara Quill founded the ferry.",
        "Summary: Mara Quill founded the ferry.",
        "**Description of Mara Quill:** Mara Quill founded\nthe ferry.",
        '<think>Let me see.</think>\n"Mara Quill founded the ferry."',
    ],
)
async def test_the_summary_is_plain_text(reply: str) -> None:
    assert await summarise(reply) == "Mara Quill founded the ferry."


async def test_the_order_of_descriptions_plays_no_part() -> None:
    chat = ScriptedChat("Mara Quill.")
    for notes in (NOTES, NOTES[::-1], (*NOTES, NOTES[0])):
        await summariser(chat).summarise("Mara Quill", notes, 60)
    assert len({request.text for request in chat.requests}) == 1
    assert "She {likes} tea." in chat.requests[0].last
    assert "third person" in chat.requests[0].messages[0].content


async def test_what_is_too_long_is_asked_shorter_then_cut_at_a_sentence() -> None:
    sentence = "Mara Quill founded the ferry of Port Ansel in that year. "
    chat = ScriptedChat(sentence * 9)
    text = await summariser(chat).summarise("Mara Quill", NOTES, 40)
    assert len(chat.requests) == 2
    assert count(text) <= 40
    assert text.endswith("in that year.")


async def test_one_endless_sentence_is_cut_too() -> None:
    assert 0 < count(await summarise("word " * 400, max_tokens=30)) <= 30


async def test_lists_longer_than_the_context_are_summarised_in_steps() -> None:
    def names_numbers(request: Request) -> str:
        return "Mara Quill did " + " ".join(re.findall(r"\d+", request.last)[:60])

    chat = ScriptedChat(names_numbers, context_tokens=2_000)
    notes = [f"Mara Quill did number {n:03}. " + "She went on and on. " * 15 for n in range(40)]
    text = await summariser(chat).summarise("Mara Quill", notes, 200)
    assert len(chat.requests) > 3
    assert all(sum(count(m.content) for m in r.messages) < 2_000 for r in chat.requests)
    assert set(re.findall(r"\d{3}", text)) == {f"{n:03}" for n in range(40)}
    again = ScriptedChat(names_numbers, context_tokens=2_000)
    assert await summariser(again).summarise("Mara Quill", notes[::-1], 200) == text


async def test_one_description_longer_than_the_context_is_divided() -> None:
    chat = ScriptedChat("Mara Quill went on.", context_tokens=1_500)
    text = await summariser(chat).summarise("Mara Quill", ["Mara Quill went on. " * 800], 100)
    assert text == "Mara Quill went on."
    assert all(sum(count(m.content) for m in r.messages) < 1_500 for r in chat.requests)


async def test_an_empty_reply_leaves_it_to_the_fallback() -> None:
    assert await summarise("") == f"Mara Quill: {min(NOTES)}"
    assert await summariser(ScriptedChat("x")).summarise("Mara Quill", [" "], 50) == ""


async def test_a_summary_is_paid_once(tmp_path: Path) -> None:
    chat = ScriptedChat("Mara Quill.")
    cache = JsonKeyValue(tmp_path, "responses")
    for notes in (NOTES, NOTES[::-1]):
        await summariser(chat, cache).summarise("Mara Quill", notes, 60)
    assert len(chat.requests) == 1
