"""Reasoning in front of an answer, and tags that an answer only talks about."""

from __future__ import annotations

import pytest

from lightrag_engine.language.parsing import parse_json, parse_keywords, parse_records, strip_reasoning

DRAFT = 'Maybe ("entity"<|>"Draft Person"<|>"person"<|>"not sure"). Better leave it.'
ANSWER = '("entity"<|>"Mara Quill"<|>"person"<|>"Founder")<|COMPLETE|>'


@pytest.mark.parametrize(
    "text",
    [
        f"<think>{DRAFT}</think>{ANSWER}",
        f"\n<THINK>\n{DRAFT}\n</think>\n\n{ANSWER}",
        f"<thinking>{DRAFT}</thinking>\n{ANSWER}",
        f"[THINK]{DRAFT}[/THINK]{ANSWER}",
        f"◁think▷{DRAFT}◁/think▷{ANSWER}",
        f"{DRAFT}\n</think>\n{ANSWER}",
        f"<think></think><think>{DRAFT}</think>{ANSWER}",
        f"<|channel|>analysis<|message|>{DRAFT}<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}",
    ],
)
def test_drafts_in_a_leading_block_are_no_records(text: str) -> None:
    parsed = parse_records(text)
    assert [e.entity_name for e in parsed.entities] == ["Mara Quill"]
    assert "think" not in str(parsed)


def test_reasoning_that_never_ends_leaves_nothing() -> None:
    assert strip_reasoning(f"<think>{DRAFT} {ANSWER}") == ("", True)
    assert parse_records("<think>still thinking").records == 0


def test_tags_inside_an_answer_stay() -> None:
    told = "The guide says replies start with <think>plan</think> and then the answer."
    assert strip_reasoning(told) == (told, False)
    record = '("entity"<|>"Guide"<|>"work"<|>"It shows <think>plan</think>\nand more.")'
    assert parse_records(ANSWER.replace("<|COMPLETE|>", "##") + record + "<|COMPLETE|>").records == 2


def test_reasoning_before_json() -> None:
    assert parse_json('<think>{"name": "Draft"}</think>{"entities": [{"name": "Mara"}]}').records == 1
    found = parse_keywords(
        '<think>{"low_level_keywords": ["draft"]}</think>{"low_level_keywords": ["fares"]}'
    )
    assert found is not None
    assert found.low_level == ("fares",)
