"""What the page says of settings, and what it saves."""

import pytest

from lightrag_engine import Settings, SettingsError
from ui import setting_fields

GROUPS = (
    setting_fields.LANGUAGE,
    setting_fields.EMBEDDING,
    setting_fields.SERVER,
    setting_fields.READING,
    setting_fields.ANSWERING,
    setting_fields.LIMITS,
)
FIELDS = [field for group in GROUPS for field in group]


def test_every_setting_is_shown_once_or_left_out_on_purpose():
    names = [field.name for field in FIELDS]
    assert len(names) == len(set(names))
    assert set(names) | setting_fields.NOT_SHOWN == set(Settings.model_fields)
    assert not set(names) & setting_fields.NOT_SHOWN
    assert len({field.label for field in FIELDS}) == len(FIELDS)


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_every_explanation_ends_with_the_default_and_speaks_the_language_of_the_page(field, monkeypatch):
    monkeypatch.delenv(f"LIGHTRAG_{field.name.upper()}", raising=False)
    text = setting_fields.explanation(field, Settings())
    assert text[0].isupper()
    assert "Default: " in text
    assert "_model" not in text
    assert "LIGHTRAG_" not in text


def test_only_what_differs_is_changed_and_defaults_are_not_saved():
    settings = Settings(chunk_token_size=800, output_language="German")
    given = {
        "chunk_token_size": 1200,
        "max_pages": 5000,
        "output_language": " German ",
        "entity_types": ["person"],
        "country_rules": False,
    }
    assert setting_fields.changes(settings, given) == {
        "chunk_token_size": None,
        "entity_types": ("person",),
        "country_rules": False,
    }
    assert setting_fields.changes(settings, {}) == {}


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"chunk_token_size": 0}, "“Chunk size (tokens)” cannot be 0"),
        ({"thinking": "loudly"}, "“Thinking” cannot be 'loudly'"),
        (
            {"chunk_token_size": 50},
            "“Chunk overlap (tokens)” (100) must be smaller than “Chunk size (tokens)”",
        ),
    ],
)
def test_messages_name_the_labels_of_the_page(values, said):
    with pytest.raises(SettingsError) as caught:
        Settings(**values)
    assert said in setting_fields.in_labels(str(caught.value))
    assert "LIGHTRAG_" not in setting_fields.in_labels(caught.value.hint)


def test_plain_words_stay_as_they_are():
    text = 'The model "qwen3:4b" does not support thinking.'
    assert setting_fields.in_labels(text) == text


def test_the_reason_names_the_variable_only_where_there_is_one(monkeypatch):
    monkeypatch.setenv("LIGHTRAG_MAX_PAGES", "7")
    assert "LIGHTRAG_MAX_PAGES" in setting_fields.fixed_reason("max_pages")
    monkeypatch.delenv("LIGHTRAG_MAX_PAGES")
    assert "program" in setting_fields.fixed_reason("max_pages")
