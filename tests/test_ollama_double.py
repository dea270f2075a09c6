"""The double itself: that it is like the real server where our code could go wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from ollama_double import (
    ChatCall,
    ChatDouble,
    EmbedDouble,
    OllamaDouble,
    Reply,
    broken,
    faulty,
    in_turn,
    sloppy,
    well_behaved,
)
from ollama_double.faults import JSON as JSON_FAULTS
from ollama_double.faults import RECORD, record

from lightrag_engine.language.parsing import parse_keywords, parse_reply

TEXT = (
    "Mara Quill founded the Cormorant Company in Port Ansel. The company ran a ferry to Grey Island.\n\n"
    "Tobias Reed, a painter, lived on Grey Island. He painted the ferry for Mara Quill."
)
NAMES = {"Mara Quill", "Cormorant Company", "Port Ansel", "Grey Island", "Tobias Reed"}
RECORDS = f'Write ("entity"<|>name<|>type<|>description) and end with <|COMPLETE|>.\n\nText:\n{TEXT}'
JSON = f'Write JSON with "entities" and "relations".\n\n<text>\n{TEXT}\n</text>'


def post(double: OllamaDouble, path: str, **body: Any) -> Any:
    return httpx.post(f"{double.address}{path}", json=body, trust_env=False)


def seen(call: ChatCall) -> str:
    return str(len(call.prompt.split()))


def test_a_window_at_the_wrong_place_has_no_effect_and_a_long_prompt_is_cut_in_silence() -> None:
    message = [{"role": "user", "content": "word " * 6000}]
    with OllamaDouble([ChatDouble("model", seen, 16384)]) as double:
        answers = [
            post(double, "/api/chat", model="model", messages=message, stream=False, **more).json()
            for more in ({"num_ctx": 8192}, {"options": {"num_ctx": 8192}})
        ]
        refused = post(double, "/api/chat", model="model", messages=message, truncate=False)
        loaded = httpx.get(f"{double.address}/api/ps", trust_env=False).json()["models"]
    assert int(answers[0]["message"]["content"]) < 4096
    assert answers[1]["message"]["content"] == "6000"
    assert (refused.status_code, "context length" in refused.text) == (400, True)
    assert loaded[0]["context_length"] == 4096


def test_a_stream_is_lines_and_the_last_one_is_done() -> None:
    message = [{"role": "user", "content": "Hi"}]
    with OllamaDouble([ChatDouble("model", in_turn(Reply("One two", thinking="Hm")))]) as double:
        answer = post(double, "/api/chat", model="model", messages=message, options={"num_predict": 2})
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert [line["done"] for line in lines] == [False, False, True]
    assert lines[0]["message"] == {"role": "assistant", "content": "", "thinking": "Hm"}
    assert lines[-1]["done_reason"] == "length"


def test_models_are_asked_for_what_they_are() -> None:
    with OllamaDouble([ChatDouble("model", broken), EmbedDouble("embedder")]) as double:
        chat = post(double, "/api/chat", model="embedder", messages=[])
        embed = post(double, "/api/embed", model="model", input=["a"])
        missing = post(double, "/api/show", model="gone")
    assert (chat.status_code, chat.json()["error"]) == (400, '"embedder" does not support chat')
    assert (embed.status_code, embed.json()["error"]) == (501, "this model does not support embeddings")
    assert (missing.status_code, missing.json()["error"]) == (404, "model 'gone' not found")


@pytest.mark.parametrize("prompt", [RECORDS, JSON], ids=["records", "json"])
@pytest.mark.parametrize("script", [well_behaved, sloppy])
def test_readers_read_what_stands_in_the_text(script: Any, prompt: str) -> None:
    said = script(ChatCall((("user", prompt),))).text
    reading = parse_reply(said, "chunk-1", prefer="records" if prompt is RECORDS else "json")
    assert {entity.entity_name for entity in reading.entities} >= NAMES
    assert len(reading.relations) >= 3


def test_a_sloppy_model_breaks_the_format_and_a_broken_one_has_none() -> None:
    call = ChatCall((("user", RECORDS),))
    assert sloppy(call).text != well_behaved(call).text
    assert "<|COMPLETE|>" not in sloppy(call).text
    assert not parse_reply(broken(call).text, "chunk-1").entities


@pytest.mark.parametrize("fault", RECORD)
def test_a_fault_of_a_record_can_be_made_good(fault: Any) -> None:
    rows = [
        ["entity", "Mara Quill", "person", "She founded the ferry."],
        ["entity", "Port Ansel", "location", "A town."],
        ["relationship", "Mara Quill", "Port Ansel", "She lives there.", "home", "7"],
    ]
    for damaged in range(len(rows)):
        texts = [
            fault(record(row, "<|>"), row, "<|>") if n == damaged else record(row, "<|>")
            for n, row in enumerate(rows)
        ]
        reading = parse_reply("##\n".join(texts) + "<|COMPLETE|>", prefer="records")
        assert {e.entity_name for e in reading.entities} == {"Mara Quill", "Port Ansel"}
        assert [(r.src_id, r.tgt_id) for r in reading.relations] == [("Mara Quill", "Port Ansel")]


@pytest.mark.parametrize("fault", JSON_FAULTS)
def test_a_fault_in_json_costs_no_other_object(fault: Any) -> None:
    rows = [
        {"name": name, "type": "person", "description": "It is. It was."} for name in ("A B", "C D", "E F")
    ]
    texts = [json.dumps(row) for row in rows]
    texts[1] = fault(texts[1], rows[1])
    reading = parse_reply('{"entities": [' + ", ".join(texts) + '], "relations": []}')
    assert {e.entity_name for e in reading.entities} >= {"A B", "E F"}


def test_a_faulty_model_errs_as_often_as_it_is_told() -> None:
    call = ChatCall((("user", RECORDS),))
    assert faulty(0.0)(call).text == well_behaved(call).text
    wrong = [faulty(0.5, seed=seed)(call).text for seed in range(8)]
    assert len({*wrong, well_behaved(call).text}) == 9
    read = [parse_reply(text, prefer="records") for text in wrong]
    assert sum(len(NAMES & {e.entity_name for e in reading.entities}) for reading in read) > 4 * len(NAMES)


def test_a_schema_holds_a_faulty_model_to_the_form() -> None:
    call = ChatCall((("user", JSON),), format={"properties": {"entities": {}}})
    for seed in range(8):
        json.loads(faulty(1.0, seed=seed)(call).text)
    loose = [faulty(1.0, keeps_schema=False, seed=seed)(call).text for seed in range(8)]
    assert all(text != well_behaved(call).text for text in loose)


def test_a_second_look_finds_nothing_more_and_says_so() -> None:
    first = (("user", RECORDS), ("assistant", "…"))
    more = well_behaved(ChatCall((*first, ("user", "Many were missed. Add them in the same format."))))
    rest = well_behaved(ChatCall((*first, ("user", "Are any still missing? Answer yes or no."))))
    assert not parse_reply(more.text, "chunk-1", prefer="records").entities
    assert rest.text == "no"


@pytest.mark.parametrize("script", [well_behaved, sloppy])
def test_keywords_of_a_question(script: Any) -> None:
    prompt = (
        'Answer with JSON: "high_level_keywords" and "low_level_keywords".\n\n'
        "Question: Who founded the Cormorant Company?"
    )
    keywords = parse_keywords(script(ChatCall((("user", prompt),))).text)
    assert "Cormorant Company" in keywords.low_level
    assert keywords.high_level


def test_an_answer_quotes_the_source_row_that_fits_best() -> None:
    prompt = (
        "-----Sources-----\nid,content,document,page\n1,Snow fell.,a.txt,1\n"
        "2,Mara Quill founded the ferry.,a.txt,1\n"
        "\nQuestion: Who founded the ferry?"
    )
    said = well_behaved(ChatCall((("user", prompt),))).text
    assert "Mara Quill" in said
    assert said.endswith("[2]")


def test_it_can_be_started_by_hand() -> None:
    root = Path(__file__).parent.parent
    command = [sys.executable, "-m", "tests.ollama_double", "--port", "0", "--model", "sloppy-3b"]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address, *_ = process.stdout.readline().split()
            tags = httpx.get(f"{address}/api/tags", trust_env=False).json()
        finally:
            process.kill()
    assert [model["name"] for model in tags["models"]] == [
        "sloppy-3b:latest",
        "hash-embed:latest",
        "other-embed:latest",
    ]
