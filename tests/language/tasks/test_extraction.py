"""Reading a chunk with a chat model: what is asked, what is retried, what is said about it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scripted_chat import Line, Said, Script, ScriptedChat

from lightrag_engine import ModelError, Settings
from lightrag_engine.language.parsing import Delimiters, parse_json
from lightrag_engine.language.prompts.examples import DEFAULT_EXAMPLES, as_json, as_records
from lightrag_engine.language.tasks.asking import Asking
from lightrag_engine.language.tasks.extraction import Extractor
from lightrag_engine.records import UNKNOWN_TYPE, Chunk, Extraction
from lightrag_engine.storage.json_kv import JsonKeyValue
from lightrag_engine.tokens import count

DATA = Path(__file__).parents[2] / "data" / "language"
TEXT = "Mara Quill founded the ferry of Port Ansel. Her steamer is the Cormorant, kept by Tobias Renn."
RECORDS = (
    '("entity"<|>"Mara Quill"<|>"person"<|>"Founder")##("entity"<|>"Port Ansel"<|>"geo"<|>"Town")##'
    '("relationship"<|>"Mara Quill"<|>"Port Ansel"<|>"She founded its ferry."<|>"founding"<|>7)<|COMPLETE|>'
)
JSON = json.dumps(
    {
        "entities": [
            {"name": "Mara Quill", "type": "person", "description": "Founder"},
            {"name": "Cormorant", "type": "product", "description": "A steamer"},
        ],
        "relations": [],
        "content_keywords": ["ferries"],
    }
)
REFUSAL = "I am sorry, I can not help with that."


def chunk(text: str = TEXT, id_: str = "chunk-1") -> Chunk:
    return Chunk(id_, text, count(text), 0, "doc-1")


def extractor(chat: ScriptedChat, cache: JsonKeyValue | None = None, **settings: Any) -> Extractor:
    return Extractor(Asking(chat, cache), Settings(**settings))


async def read(
    *script: Line | Script, text: str = TEXT, title: str = "Ferries", **settings: Any
) -> Extraction:
    return await extractor(ScriptedChat(*script), **settings).extract(chunk(text), title)


def names(extraction: Extraction) -> list[str]:
    return [entity.entity_name for entity in extraction.entities]


@pytest.mark.parametrize("reply", [JSON, RECORDS])
@pytest.mark.parametrize("form", ["json", "records"])
async def test_a_reply_in_either_format_is_read_whatever_was_asked_for(reply: str, form: str) -> None:
    extraction = await read(reply, extraction_format=form)
    assert "Mara Quill" in names(extraction)
    assert {record.source_id for record in extraction.entities} == {"chunk-1"}
    assert extraction.problems == ()
    assert extraction.health is not None
    assert (extraction.health.calls, extraction.health.failed) == (1, False)


@pytest.mark.parametrize("form", ["json", "records"])
async def test_what_is_constant_comes_first_and_the_passage_last(form: str) -> None:
    chat = ScriptedChat(JSON)
    reader = extractor(chat, extraction_format=form)
    for text in (TEXT, "Another text about Mara Quill and the Cormorant."):
        await reader.extract(chunk(text), "Ferries")
    first, second = chat.requests
    assert first.messages[0] == second.messages[0]
    assert first.last.endswith(f"-----BEGIN PASSAGE-----\n{TEXT}\n-----END PASSAGE-----\n")
    assert "Ferries" in first.last
    assert (first.options.schema is not None) == (form == "json")
    assert first.options.think is False
    assert first.options.temperature == 0


@pytest.mark.parametrize("form", ["json", "records"])
async def test_braces_reach_the_model_as_they_are_and_no_placeholder_is_left(form: str) -> None:
    text = (DATA / "special_tokens.txt").read_text(encoding="utf-8")
    chat = ScriptedChat(RECORDS)
    await extractor(chat, extraction_format=form).extract(chunk(text), "What is {title}?")
    assert text in chat.requests[0].last
    assert "Document: What is {title}?" in chat.requests[0].last
    around = chat.requests[0].text.replace(text, "").replace("What is {title}?", "")
    for name in (
        "entity_types",
        "language",
        "examples",
        "field",
        "record",
        "completion",
        "text",
        "title",
        "answer",
    ):
        assert f"{{{name}}}" not in around


async def test_types_examples_language_and_delimiters_are_settings() -> None:
    chat = ScriptedChat('("entity"§"Mara Quill"§"PERSON"§"Gründerin")[[ENDE]]')
    reader = extractor(
        chat,
        extraction_format="records",
        entity_types=("person", "vessel"),
        output_language="German",
        tuple_delimiter="§",
        completion_delimiter="[[ENDE]]",
    )
    extraction = await reader.extract(chunk(), "t")
    assert [e.entity_type for e in extraction.entities] == ["person"]
    system = chat.requests[0].messages[0].content
    assert "one of person, vessel" in system
    assert "German" in system
    assert "§" in system
    assert "<|>" not in system
    # What the example says of other types would contradict the list.
    assert '"organization"' not in system


def test_the_examples_are_read_as_they_were_meant() -> None:
    for example in DEFAULT_EXAMPLES:
        for answer in (as_json(example), as_records(example, Delimiters())):
            parsed = parse_json(answer) if answer.startswith("{") else None
            if parsed:
                assert len(parsed.entities) == len(example.entities)
                assert len(parsed.relations) == len(example.relations)
                assert parsed.repairs == {}


async def test_types_that_were_not_asked_for_become_known_ones_or_unknown() -> None:
    extraction = await read(RECORDS.replace('"person"', '"spaceship"'))
    assert [e.entity_type for e in extraction.entities] == [UNKNOWN_TYPE, "location"]


async def test_repairs_and_losses_are_said_in_words() -> None:
    extraction = await read(
        '"entity"<|>"Mara Quill"<|>"person"<|>"Founder")\n("entity"<|>"Port Ansel"<|>"geo"<|>"Town"\n'
        '("relationship"<|>"Mara Quill"<|>"MARA QUILL"<|>"same"<|>"k"<|>9)<|COMPLETE|>'
    )
    assert extraction.problems == (
        "2 records repaired (missing brackets), 1 record dropped (related to itself).",
    )
    assert extraction.health is not None
    assert (extraction.health.repaired, extraction.health.dropped) == (2, 1)
    assert json.dumps(extraction.health.repairs)


@pytest.mark.parametrize("first", [Said("", "long thoughts", True), Said("<think>still thinking", "", True)])
async def test_only_reasoning_is_retried_with_more_room_and_never_a_silent_success(first: Said) -> None:
    chat = ScriptedChat(first, JSON)
    extraction = await extractor(chat).extract(chunk(), "t")
    assert names(extraction) == ["Mara Quill", "Cormorant"]
    assert extraction.problems == ()
    before, after = (request.options for request in chat.requests)
    assert after.think is False
    assert after.max_tokens >= 2 * before.max_tokens

    failed = await read(first)
    assert names(failed) == []
    assert failed.problems == ("The model gave no answer: it spent all its tokens on reasoning.",)
    assert failed.health is not None
    assert failed.health.failed
    assert failed.health.calls == 2


async def test_a_refusal_is_asked_again_and_then_reported() -> None:
    chat = ScriptedChat(REFUSAL, RECORDS)
    assert names(await extractor(chat).extract(chunk(), "t")) == ["Mara Quill", "Port Ansel"]
    assert [message.role for message in chat.requests[1].messages] == ["system", "user", "assistant", "user"]

    failed = await read(REFUSAL)
    assert failed.health is not None
    assert failed.health.failed
    assert failed.problems == ("The model's answer held nothing that could be read.",)


async def test_an_empty_answer_in_the_format_is_no_failure() -> None:
    extraction = await read(
        '{"entities": [], "relations": [], "content_keywords": []}', text="Nothing happened."
    )
    assert extraction.health is not None
    assert not extraction.health.failed
    assert extraction.health.calls == 1


async def test_a_reply_that_is_cut_off_is_asked_again_with_more_room_then_reported() -> None:
    cut = Said(RECORDS[:120], cut_off=True)
    chat = ScriptedChat(cut, RECORDS)
    extraction = await extractor(chat).extract(chunk(), "t")
    assert len(extraction.relations) == 1
    assert extraction.problems == ()
    assert chat.requests[1].options.max_tokens > chat.requests[0].options.max_tokens

    still_cut = await read(cut)
    assert names(still_cut) == ["Mara Quill", "Port Ansel"]
    assert still_cut.problems == ("The model's answer was cut off after 2 records.",)
    assert still_cut.health is not None
    assert still_cut.health.truncated


async def test_what_was_read_before_a_retry_is_never_lost() -> None:
    cut = Said(RECORDS[:120], cut_off=True)
    for second in (REFUSAL, Said(), ModelError("The server is gone.")):
        assert names(await read(cut, second)) == ["Mara Quill", "Port Ansel"]


async def test_a_model_that_goes_round_in_circles_gets_chance_not_room() -> None:
    record = '("entity"<|>"Mara Quill"<|>"person"<|>"Founder")##'
    chat = ScriptedChat(Said(record * 40, cut_off=True), RECORDS)
    await extractor(chat).extract(chunk(), "t")
    first, second = (request.options for request in chat.requests)
    assert second.temperature > 0
    assert second.max_tokens == first.max_tokens


async def test_a_model_that_cannot_be_reached_is_an_error() -> None:
    with pytest.raises(ModelError, match="gone"):
        await read(ModelError("The server is gone."))


async def test_a_chunk_that_does_not_fit_is_an_error_that_says_what_to_do() -> None:
    reader = extractor(ScriptedChat(JSON, context_tokens=800))
    with pytest.raises(ModelError, match="does not fit") as caught:
        await reader.extract(chunk("word " * 900), "t")
    assert "LIGHTRAG_CHUNK_TOKEN_SIZE" in caught.value.hint


async def test_an_empty_chunk_costs_nothing() -> None:
    chat = ScriptedChat(JSON)
    assert await extractor(chat).extract(chunk(" \n"), "t") == Extraction("chunk-1")
    assert chat.requests == []


@pytest.mark.parametrize("form", ["json", "records"])
async def test_names_copied_from_the_example_are_dropped(form: str) -> None:
    example = DEFAULT_EXAMPLES[0]
    answer = as_json(example) if form == "json" else as_records(example, Delimiters())
    extraction = await read(answer, text="Nothing happened today.", extraction_format=form)
    assert extraction.entities == ()
    assert extraction.relations == ()
    assert "copied from the prompt's example" in extraction.problems[0]

    about_it = await read(answer, text=example.text)
    assert len(about_it.entities) == len(example.entities)


async def test_names_that_do_not_occur_are_kept_and_said() -> None:
    extraction = await read(RECORDS, text="Mara Quill went home.")
    assert names(extraction) == ["Mara Quill", "Port Ansel"]
    assert extraction.problems == ("1 entity does not occur in the text by name: Port Ansel.",)
    assert extraction.health is not None
    assert extraction.health.ungrounded == 1


async def test_no_answered_call_is_paid_twice(tmp_path: Path) -> None:
    cache = JsonKeyValue(tmp_path, "responses")
    chat = ScriptedChat(JSON)
    first = await extractor(chat, cache).extract(chunk(), "t")
    second = await extractor(chat, cache).extract(chunk(), "t")
    assert len(chat.requests) == 1
    assert second.entities == first.entities
    assert second.health is not None
    assert (second.health.calls, second.health.cached_calls) == (0, 1)
    await extractor(chat, cache, entity_types=("person",)).extract(chunk(), "t")
    assert len(chat.requests) == 2
    other = ScriptedChat(JSON, name="other")
    await extractor(other, cache).extract(chunk(), "t")
    assert len(other.requests) == 1


async def test_a_useless_reply_is_not_remembered_and_reasoning_never(tmp_path: Path) -> None:
    cache = JsonKeyValue(tmp_path, "responses")
    await extractor(ScriptedChat(REFUSAL), cache).extract(chunk(), "t")
    assert len(cache) == 0
    await extractor(ScriptedChat(f"<think>secret</think>{JSON}"), cache).extract(chunk(), "t")
    assert len(cache) == 1
    assert "secret" not in json.dumps([cache.get(key) for key in list(cache.keys())])
