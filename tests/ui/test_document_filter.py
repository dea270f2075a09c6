"""Which documents are shown, and in which order."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.records import DocumentState, DocumentStatus
from ui import document_filter
from ui.document_filter import Filter

BASE = DocumentStatus("doc-1", "Straße.txt", ("Straße.txt",), "text/plain", 10, DocumentState.DONE)
PDF = replace(
    BASE, id="doc-2", name="Ｒeport.pdf", names=("Ｒeport.pdf", "old.pdf"), size=20, added_at=5.0,
    state=DocumentState.FAILED, error="It has no text.", title="Annual figures",
)  # fmt: skip
PAUSED = replace(
    BASE, id="doc-3", name="渡轮.txt", names=("渡轮.txt",), state=DocumentState.PAUSED, entities=4
)
WAITING = replace(BASE, id="doc-4", name="b.md", names=("b.md",), state=DocumentState.WAITING, seconds=9.0)
ALL = [BASE, PDF, PAUSED, WAITING]


def ids(**fields):
    return [status.id[-1] for status in document_filter.shown(ALL, Filter(**fields))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "2134"), ("  ", "2134"), ("STRASSE", "1"), ("report", "2"), ("OLD", "2"),
        ("figures annual", "2"), ("no text", "2"), ("渡轮", "3"), ("nowhere", ""), ("[", ""),
        ("txt straße", "1"),
    ],
)  # fmt: skip
def test_words_are_found_in_names_titles_and_messages(text, expected):
    assert sorted(ids(text=text)) == sorted(expected)


def test_states_and_types_are_alternatives_and_go_together():
    assert ids(states=("Failed", "Paused")) == ["2", "3"]
    assert ids(states=(document_filter.UNDER_WAY,)) == ["4"]
    assert document_filter.types(ALL) == ["Markdown", "PDF", "Text"]
    assert ids(types=("Text",)) == ["1", "3"]
    assert ids(types=("Text",), states=("Paused",)) == ["3"]
    assert ids(types=("PDF",), states=("Paused",)) == []


def test_the_order_is_chosen():
    firsts = {order: ids(order=order)[0] for order in document_filter.ORDERS}
    assert firsts == {
        "Newest first": "2",
        "Oldest first": "1",
        "Name": "4",
        "Largest first": "2",
        "Most entities first": "3",
        "Slowest first": "4",
        "What needs you first": "2",
    }
    assert ids(order="What needs you first") == ["2", "3", "4", "1"]


@given(st.lists(st.sampled_from(DocumentState), max_size=8))
def test_every_document_has_just_one_of_the_states_to_choose(states):
    rows = [replace(BASE, id=f"doc-{n}", state=state) for n, state in enumerate(states)]
    parts = [document_filter.shown(rows, Filter(states=(name,))) for name in document_filter.STATES]
    assert sorted(row.id for part in parts for row in part) == sorted(row.id for row in rows)
