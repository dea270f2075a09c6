"""The JSON format: whole, wrapped, damaged, cut off."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.language.parsing import Repair, parse_json, parse_reply

REPLY = {
    "entities": [
        {"name": "Mara Quill", "type": "Person", "description": "Founder"},
        {"name": 'Unit "B" {2}', "type": "group", "description": "A [small] unit, in braces {x}."},
    ],
    "relations": [
        {
            "source": "Mara Quill",
            "target": 'Unit "B" {2}',
            "description": "She leads it.",
            "keywords": ["leading", "work"],
            "strength": 8,
        }
    ],
    "content_keywords": ["ferries"],
}
TEXT = json.dumps(REPLY)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"Here you are:\n```json\n{json.dumps(REPLY, indent=2)}\n```\nDone {{:-)",
        f"I run {{'a': 1}} first. {TEXT} and [that] is it.",
        TEXT.replace("]}", "],}").replace("8}", "8,}"),
        json.dumps({"result": REPLY}),
        TEXT.replace("Founder", "Founder\n"),
        TEXT.replace('"name"', '"entity_name"')
        .replace('"source"', '"src_id"')
        .replace('"strength": 8', '"weight": "8"'),
    ],
)
def test_wrapped_and_slightly_damaged(text: str) -> None:
    parsed = parse_json(text, "c")
    assert [(e.entity_name, e.entity_type) for e in parsed.entities] == [
        ("Mara Quill", "person"),
        ('Unit "B" {2}', "group"),
    ]
    assert [(r.src_id, r.tgt_id, r.keywords, r.weight) for r in parsed.relations] == [
        ("Mara Quill", 'Unit "B" {2}', ("leading", "work"), 8.0)
    ]
    assert parsed.content_keywords == ("ferries",)
    assert parsed.complete
    assert not parsed.truncated


@given(st.integers(min_value=1, max_value=len(TEXT) - 1))
def test_a_reply_cut_off_anywhere_keeps_its_whole_records(cut: int) -> None:
    parsed = parse_json(TEXT[:cut])
    assert not parsed.complete
    whole = [
        record for record in (*REPLY["entities"], *REPLY["relations"]) if json.dumps(record) in TEXT[:cut]
    ]
    assert parsed.records == len(whole)
    assert all(e.entity_name in ("Mara Quill", 'Unit "B" {2}') for e in parsed.entities)


def test_a_cut_in_the_middle_of_a_record_is_noticed() -> None:
    parsed = parse_json('{"entities": [{"name": "Mara"}, {"name": "Po')
    assert parsed.truncated
    assert parsed.repairs[Repair.HALF] == 1


@pytest.mark.parametrize(
    "broken",
    [
        '{"name": "Port Ansel", "type": "geo", "description": "The "old" town"}',
        "{'name': 'Port Ansel', 'type': 'geo', 'description': 'Town'}",
        '{"name": "Port Ansel", "type": "geo" "description": "Town"}',
    ],
)
def test_a_damaged_record_is_repaired_and_its_neighbours_stay(broken: str) -> None:
    parsed = parse_json(f'{{"entities": [{{"name": "Mara"}}, {broken}, {{"name": "Cole"}}]}}')
    assert [e.entity_name for e in parsed.entities] == ["Mara", "Port Ansel", "Cole"]
    assert parsed.repairs[Repair.BROKEN_JSON] == 1


def test_missing_values_follow_the_rules_of_the_other_format() -> None:
    parsed = parse_json(
        '{"entities": [{"name": "Mara"}, {"name": null}, {"type": "x"}, 3], '
        '"relations": [{"source": "Mara", "target": "Port"}]}'
    )
    assert [e.entity_name for e in parsed.entities] == ["Mara"]
    assert parsed.repairs == {Repair.NO_TYPE: 1, Repair.NO_DESCRIPTION: 1}


def test_an_empty_answer_is_complete_and_a_refusal_is_not() -> None:
    assert parse_json('{"entities": [], "relations": []}').complete
    assert not parse_json("I am sorry, I can not help with that.").complete


def test_a_model_that_answers_in_the_other_format_is_understood() -> None:
    assert parse_reply('("entity"<|>"Mara"<|>"person"<|>"x")<|COMPLETE|>', prefer="json").records == 1
    assert parse_reply(TEXT, prefer="records").records == 3


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "{" * 5_000, '{"a":' * 3_000, '{"name": ' * 2_000, "[{" * 3_000]
)
def test_hostile_nesting_ends_soon(text: str) -> None:
    assert parse_reply(text).records == 0


@given(st.text(alphabet='{}[]",:<|>#()entiyrlaso \n0', max_size=200))
def test_nothing_raises(text: str) -> None:
    parse_reply(text, prefer="json")
    parse_reply(text, prefer="records")
