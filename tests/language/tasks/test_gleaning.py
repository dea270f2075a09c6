"""A second reading, and when it is made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scripted_chat import Line, Script, ScriptedChat

from lightrag_engine import ModelError, Settings
from lightrag_engine.language.parsing import ParsedReply
from lightrag_engine.language.tasks.asking import Asking
from lightrag_engine.language.tasks.extraction import Extractor
from lightrag_engine.language.tasks.gleaning import capital_names, missed_names, pays
from lightrag_engine.records import Chunk, EntityRecord, Extraction
from lightrag_engine.storage.json_kv import JsonKeyValue
from lightrag_engine.tokens import count

BUILTIN = Path(__file__).parents[2] / "data" / "builtin"
PEOPLE = ("Mara Quill", "Tobias Renn", "Ilse Vogt", "Adam Corr", "Nina Falk", "Otto Lind")
TEXT = " ".join(
    f"In the spring of that year the old ferry was steered by {name}, who had learned it from an uncle "
    "and went on doing so in every kind of weather until the new bridge was built and the boats were sold."
    for name in PEOPLE
)


def reply(*names: str) -> str:
    return json.dumps(
        {
            "entities": [
                {"name": name, "type": "person", "description": f"{name} steers."} for name in names
            ],
            "relations": [],
            "content_keywords": [],
        }
    )


def chunk(text: str = TEXT) -> Chunk:
    return Chunk("chunk-1", text, count(text), 0, "doc-1")


def parsed(*names: str) -> ParsedReply:
    return ParsedReply(entities=tuple(EntityRecord(name, "person", "x", "chunk-1") for name in names))


async def read(chat: ScriptedChat, cache: JsonKeyValue | None = None, **settings: Any) -> Extraction:
    return await Extractor(Asking(chat, cache), Settings(**settings)).extract(chunk(), "Ferries")


def script(*lines: Line | Script) -> ScriptedChat:
    return ScriptedChat(*lines)


async def test_a_thin_reading_is_made_again_in_the_same_conversation() -> None:
    chat = script(reply("Mara Quill"), reply(*PEOPLE[1:]))
    extraction = await read(chat)
    assert [e.entity_name for e in extraction.entities] == list(PEOPLE)
    assert extraction.health is not None
    assert (extraction.health.calls, extraction.health.gleanings) == (2, 1)
    second = chat.requests[1]
    assert [message.role for message in second.messages] == ["system", "user", "assistant", "user"]
    assert second.messages[:2] == chat.requests[0].messages
    assert second.messages[2].content == reply("Mara Quill")
    # The model is told what it missed.
    assert "Tobias Renn" in second.last
    assert "Mara Quill" not in second.last


async def test_a_dense_reading_is_enough() -> None:
    chat = script(reply(*PEOPLE[:4]))
    await read(chat)
    assert len(chat.requests) == 1


async def test_it_can_be_switched_off() -> None:
    chat = script(reply("Mara Quill"))
    await read(chat, entity_extract_max_gleaning=0)
    assert len(chat.requests) == 1


@pytest.mark.parametrize(("said", "calls"), [("Yes.", 4), ("**no**", 3)])
async def test_before_another_round_the_model_is_asked_whether_anything_is_left(
    said: str, calls: int
) -> None:
    chat = script(reply("Mara Quill"), reply("Tobias Renn"), said, reply("Ilse Vogt"))
    await read(chat, entity_extract_max_gleaning=2)
    assert len(chat.requests) == calls
    assert "yes or no" in chat.requests[2].last


async def test_a_round_that_brings_nothing_is_the_last() -> None:
    chat = script(reply("Mara Quill"))
    extraction = await read(chat, entity_extract_max_gleaning=5)
    assert len(chat.requests) == 2
    assert len(extraction.entities) == 1


async def test_the_first_reading_stands_when_the_second_fails() -> None:
    chat = script(reply("Mara Quill"), ModelError("The server is gone."))
    extraction = await read(chat)
    assert [e.entity_name for e in extraction.entities] == ["Mara Quill"]
    assert extraction.problems == ("A second reading failed, so the first one stands: The server is gone.",)


async def test_a_second_reading_is_left_out_when_the_context_has_no_room() -> None:
    chat = ScriptedChat(reply("Mara Quill"), context_tokens=1_800)
    extraction = await read(chat)
    assert len(chat.requests) == 1
    assert extraction.problems == ()


async def test_an_interrupted_run_repeats_no_call(tmp_path: Path) -> None:
    cache = JsonKeyValue(tmp_path, "responses")
    chat = script(reply("Mara Quill"), reply(*PEOPLE[1:]))
    first = await read(chat, cache)
    assert (await read(chat, cache)).entities == first.entities
    assert len(chat.requests) == 2


def test_names_are_what_stands_inside_sentences_with_capitals() -> None:
    names = capital_names(
        "Later Mara Quill met Tobias in Ansel. They left Ansel. The Cormorant sailed; Keep calm, said "
        "Tobias. And then they keep going for a long time without any name, as people will when the night "
        "is long, the water calm and nobody in a hurry to be home before the morning comes."
    )
    assert names == ["Mara Quill", "Tobias", "Ansel"]


def test_where_capitals_tell_nothing_entities_are_counted() -> None:
    for name in ("deu.txt", "cmn_hans.txt"):
        text = (BUILTIN / name).read_text(encoding="utf-8")[:3000]
        assert capital_names(text) == []
        assert pays(chunk(text), parsed("A"))
        assert not pays(chunk(text), parsed(*(f"Name {n}" for n in range(20))))


def test_short_texts_are_never_read_twice() -> None:
    assert not pays(chunk("Mara Quill met Tobias Renn, Ilse Vogt, Adam Corr and Nina Falk."), parsed())


def test_a_name_counts_as_read_when_one_of_its_words_was() -> None:
    missed, total = missed_names(TEXT, parsed("Captain Quill", "Renn"))
    assert total == len(PEOPLE)
    assert missed == list(PEOPLE[2:])
