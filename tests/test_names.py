from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.names import MAX_NAME_LENGTH, clean_name, content_id, fold_name, xml_text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Brindle Valley Ferry", "brindle valley ferry"),
        ("“Harbour Board (HB)”", '"harbour board (HB)"'),
        ("Zoe\u0308 A\u030angstro\u0308m", "Zoë Ångström"),
        ("Auditoría Norte", "Ａｕｄｉｔｏｒíａ　Ｎｏｒｔｅ"),
        ("马 清和", "马清和"),
        ("Mara\nQuill", "Mara  Quill"),
        ("STRASSE", "straße"),
        ("‮Mara‬", "mara"),
    ],
)
def test_spellings_that_fold_together(one: str, other: str) -> None:
    assert fold_name(one) == fold_name(other) != ""


@pytest.mark.parametrize(
    ("one", "other"), [("Thea", "a"), ("C", "C++"), ("The Who", "The"), ("An", ""), ("O'Neil", "ONeil")]
)
def test_names_that_stay_apart(one: str, other: str) -> None:
    assert fold_name(one) != fold_name(other)


@pytest.mark.parametrize("nothing", ["", "  ", '""', "“ ”", "'", "\x00\x01"])
def test_nothing_is_left_of_these(nothing: str) -> None:
    assert clean_name(nothing) == fold_name(nothing) == ""


@pytest.mark.parametrize("name", ['Mara "Quickhand" Quill', 'unit R-7/"B"', "O'Neil", "AT&T", ".NET", "C++"])
def test_marks_inside_a_name_stay(name: str) -> None:
    assert clean_name(name) == name


@given(st.text())
def test_folding_is_idempotent_and_independent_of_normal_form(text: str) -> None:
    folded = fold_name(text)
    assert fold_name(folded) == folded
    assert fold_name(unicodedata.normalize("NFD", text)) == fold_name(unicodedata.normalize("NFC", text))
    assert folded == folded.strip()


@given(st.text())
def test_a_shown_name_is_one_bounded_line_that_xml_can_hold(text: str) -> None:
    name = clean_name(text)
    assert clean_name(name) == name
    assert len(name) <= MAX_NAME_LENGTH
    assert xml_text(name) == name
    assert not set(name) & set("\n\r\t")


def test_ids_depend_on_every_part_and_on_where_it_ends() -> None:
    assert content_id("x", "ab", "c") != content_id("x", "a", "bc")
    assert content_id("x", "ab") == content_id("x", "ab")
    assert content_id("x", "a\udc9a").startswith("x-")
