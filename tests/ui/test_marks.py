"""Marks in text: what is marked, and that marking never changes the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui import marks
from ui.marks import GAP, USED, Segment, Span, excerpt, mentions, occurrences, segments, sentences_with


def marked(text, names):
    return [(text[span.start : span.end], span.kind) for span in mentions(text, names)]


def test_the_longest_name_wins_and_case_is_ignored():
    names = {"Mara": "person", "Mara Quill": "person", "Ferry": "product"}
    assert marked("mara quill took the FERRY", names) == [("mara quill", "person"), ("FERRY", "product")]


def test_names_stand_as_whole_words():
    assert marked("Annapolis and Ann", {"Ann": "person"}) == [("Ann", "person")]


def test_chinese_names_stand_anywhere():
    assert marked("云渡坊的马清和说", {"马清和": "person"}) == [("马清和", "person")]


@pytest.mark.parametrize("name", ["C++", ".NET", 'R-7/"B"', "$3.20", "(x)", "[1]"])
def test_names_are_no_patterns(name):
    assert marked(f"about {name} here", {name: "concept"}) == [(name, "concept")]


def test_empty_names_mark_nothing():
    assert marked("text", {"": "person", " ": "person"}) == []
    assert marked("text", {}) == []


def test_occurrences_are_joined_where_they_overlap():
    text = "One two. Two three."
    assert occurrences(text, ["Two three.", "One two.", "missing", "two. Two"]) == [Span(0, 19, USED)]


def test_excerpt_shows_the_marked_sentences_with_gaps():
    text = "First one here. Second has Mara. Third one here. Fourth has Mara. Fifth."
    pieces = excerpt(text, mentions(text, {"Mara": "person"}))
    assert [p.text for p in pieces if p.kind == "person"] == ["Mara", "Mara"]
    assert sum(p.kind == GAP for p in pieces) == 3
    shown = "".join(p.text for p in pieces)
    assert "Second has Mara." in shown
    assert "Third" not in shown


def test_excerpt_without_marks_is_the_beginning_and_bounded():
    text = "A sentence of some length is here. " * 200
    pieces = excerpt(text, [], limit=300)
    assert pieces[0].text.startswith("A sentence")
    assert sum(len(p.text) for p in pieces) < 500
    assert pieces[-1].kind == GAP


def test_sentences_with_both_ends():
    text = "Mara met Tobias. Mara left. Tobias stayed."
    assert sentences_with(text, [("Mara", "M. Quill"), ("Tobias",)]) == ["Mara met Tobias."]


def whole(text):
    return "".join(piece.text for piece in marks.joined([Segment(text)]))


def test_lines_that_a_page_has_cut_are_filled():
    text = (
        "The committee met in spring and spoke about the\nprogramme of the coming year. Mara Quill asked\n"
        "for more time.\n\nThe end\n- one\n- two\n"
    )
    assert whole(text) == (
        "The committee met in spring and spoke about the programme of the coming year. Mara Quill asked "
        "for more time.\n\nThe end\n- one\n- two\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "Annual report\nMara Quill\nPort Ansel, 1921",
        "a,b\n  c,d",
        "| name | degree of the entity in the graph |\n| Mara | 12 relations and several more |",
        "One ends here.\n\nthe next",
    ],
)
def test_lines_that_mean_something_stay(text):
    assert whole(text) == text


def test_chinese_lines_are_joined_without_a_space():
    line = "马清和在云渡坊造船" * 5
    assert whole(f"{line}\n{line}") == line + line


@given(st.lists(st.tuples(st.text("ab. \n-中", max_size=60), st.sampled_from(["", "used"])), max_size=6))
def test_joining_changes_only_line_breaks(parts):
    pieces = [Segment(text, kind) for text, kind in parts]
    after = marks.joined(pieces)
    assert [piece.kind for piece in after] == [piece.kind for piece in pieces]
    before_text = "".join(piece.text for piece in pieces)
    after_text = "".join(piece.text for piece in after)
    assert "".join(before_text.split()) == "".join(after_text.split())


@given(st.text(), st.lists(st.text(min_size=1, max_size=6), max_size=4))
def test_segments_give_the_text_back(text, names):
    spans = mentions(text, dict.fromkeys(names, "person"))
    assert "".join(piece.text for piece in segments(text, spans)) == text


@given(st.text(max_size=400), st.lists(st.text(min_size=1, max_size=6), max_size=4))
def test_excerpt_shows_nothing_that_is_not_in_the_text(text, names):
    pieces: list[Segment] = excerpt(text, mentions(text, dict.fromkeys(names, "person")))
    position = 0
    for piece in pieces:
        if piece.kind != GAP:
            position = text.index(piece.text, position) + len(piece.text)
