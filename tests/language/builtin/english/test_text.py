"""Blocks: what is joined, what is cut, and that every character knows where it came from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.language.builtin.english.text import MAX_BLOCK, blocks


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Oslo is the\ncapital of\nNorway.", ["Oslo is the capital of Norway."]),
        ("One.\n\nTwo.", ["One.", "Two."]),
        ("- first item\n- second item", ["first item", "second item"]),
        ("1. Norway\n2. Sweden", ["Norway", "Sweden"]),
        ("the _Ghost_ and **Marley**", ["the Ghost and Marley"]),
        ("a [link](https://example.org/x) here", ["a [link here"]),
        ("spot--say there", ["spot -- say there"]),
        ("a\x00b\u200bc\tend", ["a b c end"]),
        ("| Oslo | Norway | North |", ["Oslo , Norway , North"]),
        ("Oslo\nBergen\nThe fjord is a long and narrow arm of the sea.", None),
        ("", []),
        (" \n\t\n", []),
    ],
)
def test_layout(content: str, expected: list[str] | None) -> None:
    found = [block.text for block in blocks(content)]
    assert found == (
        ["Oslo", "Bergen", "The fjord is a long and narrow arm of the sea."] if expected is None else expected
    )


@pytest.mark.parametrize("line", ["# Results", "CHAPTER I", "MARLEY'S GHOST", "Chapter 12"])
def test_headings(line: str) -> None:
    found = blocks(f"{line}\nMarley was dead: to begin with.")
    assert [block.heading for block in found] == [True, False]
    assert found[1].text == "Marley was dead: to begin with."


def test_capitals_take_the_form_used_elsewhere() -> None:
    (block,) = blocks("MARLEY was dead, and Marley knew NATO.")
    assert block.text == "Marley was dead, and Marley knew NATO."


def test_long_paragraphs_are_cut_at_spaces() -> None:
    found = blocks("word " * 3 * MAX_BLOCK)
    assert all(len(block.text) <= MAX_BLOCK for block in found)
    assert sum(block.text.count("word") for block in found) == 3 * MAX_BLOCK


@given(st.text(alphabet=st.characters(), max_size=300))
def test_offsets_point_into_the_content(content: str) -> None:
    for block in blocks(content):
        assert len(block.offsets) == len(block.text) > 0
        assert list(block.offsets) == sorted(block.offsets)
        assert all(0 <= at <= len(content) for at in block.offsets)
        assert not any(c in "\n\r\t\x00" for c in block.text)
