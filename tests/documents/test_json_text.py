import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.documents import read
from lightrag_engine.errors import DocumentError
from lightrag_engine.settings import Settings


def text_of(value: object, name: str = "a.json") -> str:
    return read(name, json.dumps(value).encode(), Settings()).text


def test_keys_and_values() -> None:
    value = {"port": "Ansel", "fees": {"adult": 4, "child": None}, "tags": ["a", "b"], "open": True, "no": {}}
    assert text_of(value) == "port: Ansel\nfees:\n  adult: 4\n  child: null\ntags: a, b\nopen: true"


def test_arrays_of_objects_are_records() -> None:
    ferries = [{"name": "Cormorant", "home": {"port": "Ansel"}, "crew": ["Renn", "Vogt"]}, {"name": "Gull"}]
    assert text_of(ferries) == "name: Cormorant; home.port: Ansel; crew: Renn, Vogt\nname: Gull"


def test_what_does_not_fit_on_a_line_becomes_several() -> None:
    legs = [{"to": "Ansel", "km": 3}, {"to": "Harrow", "km": 5}]
    assert text_of({"lines": [{"name": "North", "legs": legs}]}) == (
        "lines:\n\n  name: North\n  legs:\n    to: Ansel; km: 3\n    to: Harrow; km: 5"
    )
    long = "First paragraph.\n\nSecond paragraph."
    assert text_of([{"title": "Log", "text": long}]) == f"title: Log\ntext: {long}"


def test_numbers_and_repeated_keys_stay_as_written(settings: Settings) -> None:
    data = b'{"a": 1.10, "a": 123456789012345678901234567890, "b": NaN, "c": ' + b"9" * 5000 + b"}"
    assert read("a.json", data, settings).text.startswith(
        "a: 1.10\na: 123456789012345678901234567890\nb: NaN"
    )


def test_title() -> None:
    assert read("a.json", b'{"title": "Ferry data", "n": 1}', Settings()).title == "Ferry data"
    assert read("a.json", b'{"title": {"n": 1}}', Settings()).title == "a"


@pytest.mark.parametrize("data", [b"[" * 100_000 + b"]" * 100_000, b'{"a":' * 100_000])
def test_too_deep(data: bytes, settings: Settings) -> None:
    with pytest.raises(DocumentError, match=r"a\.json (is nested too deeply|is not valid JSON)") as raised:
        read("a.json", data, settings)
    assert raised.value.hint


def test_deep_but_readable(settings: Settings) -> None:
    text = read("a.json", b'{"a":' * 400 + b'"Quill"' + b"}" * 400, settings).text
    assert text.endswith("a: Quill")
    assert len(text) < 20_000


def test_what_is_wrong_is_said(settings: Settings) -> None:
    with pytest.raises(DocumentError, match=r"a\.json is not valid JSON: .* in line 2, column 7") as raised:
        read("a.json", b'{"a": 1,\n "b": x}', settings)
    assert ".txt" in raised.value.hint


def test_lines(settings: Settings) -> None:
    data = b'{"name": "Quill"}\n\n{"name": "Renn"}\n'
    assert read("a.jsonl", data, settings).text == "name: Quill\nname: Renn"
    assert read("a.json", data, settings).text == "name: Quill\nname: Renn"
    document = read("a.ndjson", data + b"oops\n", settings)
    assert document.text.endswith("\noops")
    assert document.warnings == ("1 line is not JSON and read as plain text",)
    with pytest.raises(DocumentError, match=r"No line of a\.jsonl is JSON"):
        read("a.jsonl", b"one\ntwo", settings)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_any_value_is_read_and_every_word_of_it_found(value: object) -> None:
    try:
        text = text_of({"Quill": value})
    except DocumentError:
        assert value in ([], {}, "") or not any(map(str.isalnum, str(value)))
        return

    def words(part: object) -> list[str]:
        if isinstance(part, dict):
            return [word for item in part.values() for word in words(item)]
        if isinstance(part, list):
            return [word for item in part for word in words(item)]
        return [part] if isinstance(part, str) and part.isascii() and part.isalnum() else []

    assert [word for word in words(value) if word not in text] == []
