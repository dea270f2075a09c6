"""Prompts of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from lightrag_engine import SettingsError
from lightrag_engine.language.prompts import Prompts, answer_prompt, fill, load_prompts
from lightrag_engine.language.prompts.filling import placeholders
from lightrag_engine.settings import Settings
from lightrag_engine.tokens import count


def write(folder: Path, text: str) -> Path:
    path = folder / "prompts.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_file_they_are_our_own(tmp_path: Path) -> None:
    assert load_prompts(tmp_path / "prompts.toml") == Prompts()


def test_a_file_replaces_those_it_names(tmp_path: Path) -> None:
    prompts = load_prompts(write(tmp_path, 'answer = """{context}\nFrage: {question} {braces}"""'))
    assert prompts.keywords == Prompts().keywords
    assert answer_prompt("Was?", "T", template=prompts.answer) == "T\nFrage: Was? {braces}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('antwort = "x"', "no prompt called 'antwort'"),
        ('answer = "{question}"', "lacks {context}"),
        ('passage = "{title}"', "lacks {text}"),
        ('extract_records = "{entity_types}"', "lacks {completion}, {field}, {record}"),
        ("answer = 3", "is not a text"),
        ('answer = "', "cannot be read"),
    ],
)
def test_what_cannot_be_used_is_said_with_its_name(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load_prompts(write(tmp_path, text))
    assert words in str(caught.value)
    assert caught.value.hint


def test_filled_text_is_not_filled_again() -> None:
    assert fill("{a} {b} {c}", {"a": "{b}", "b": "{a}"}) == "{b} {a} {c}"
    assert placeholders("{a} { b } {c-d} {e}") == {"a", "e"}


def test_instructions_stay_small() -> None:
    prompts = Prompts()
    assert count(prompts.extract_json) < 500
    assert count(prompts.extract_records) < 600
    assert count(prompts.answer) < 200


def test_examples_are_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(
        "LIGHTRAG_EXTRACTION_EXAMPLES", '[{"text": "A met B.", "entities": [["A", "person", "Met B."]]}]'
    )
    (example,) = Settings().extraction_examples
    assert example.names == ("A",)
    with pytest.raises(SettingsError, match="extraction_examples"):
        Settings(extraction_examples=[{"text": 3}])
