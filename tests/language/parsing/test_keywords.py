"""The two lists of keywords, in whatever they are wrapped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.language.parsing import parse_keywords


@pytest.mark.parametrize(
    "text",
    [
        '{"high_level_keywords": ["fares"], "low_level_keywords": ["Mara Quill"]}',
        '```json\n{"high_level_keywords": ["fares"], "low_level_keywords": ["Mara Quill"]}\n```',
        'To extract keywords I would run:\n```python\nd = {"a": 1}\n```\n'
        'Result: {"high_level_keywords": ["fares"], "low_level_keywords": ["Mara Quill"]} Hope it helps {:-)',
        "```python\nhigh_level_keywords = ['fares']\nlow_level_keywords = ['Mara Quill']\n```",
        "{'high_level_keywords': ['fares'], 'low_level_keywords': ['Mara Quill',]}",
        '{"high_level_keywords": "fares", "low_level_keywords": "Mara Quill"}',
        '**High-level**: none\n{"High Level Keywords": ["fares"], "Low Level Keywords": ["Mara Quill"]}',
        '{"high_level_keywords": ["fares"], "low_level_keywords": ["Mara Quill"',
        '{"high_level_keywords": [], "low_level_keywords": []} '
        '{"high_level_keywords": ["fares", "Fares"], "low_level_keywords": ["Mara Quill", ""]}',
        '{"properties": {"high_level_keywords": {"type": "array"}}} {"high_level_keywords": ["fares"], '
        '"low_level_keywords": ["Mara Quill"]}',
        '<think>{"high_level_keywords": ["x"]}</think>'
        '{"high_level_keywords": ["fares"], "low_level_keywords": ["Mara Quill"]}',
    ],
)
def test_the_object_with_both_lists_is_found(text: str) -> None:
    found = parse_keywords(text)
    assert found is not None
    assert (found.high_level, found.low_level) == (("fares",), ("Mara Quill",))


def test_umlauts_and_the_question() -> None:
    found = parse_keywords(
        '{"question": "Was kostet die Fähre?", "high_level_keywords": ["Gebühren"], '
        '"low_level_keywords": ["Port Ansel"]}'
    )
    assert found is not None
    assert found.high_level == ("Gebühren",)
    assert found.question == "Was kostet die Fähre?"


@pytest.mark.parametrize("text", ["", "I do not know.", "{}", '{"a": 1}', "[1, 2]"])
def test_without_lists_there_is_nothing(text: str) -> None:
    assert parse_keywords(text) is None


@given(st.text(alphabet='{}[]",:=high_levlkywords \n', max_size=150))
def test_nothing_raises(text: str) -> None:
    parse_keywords(text)
