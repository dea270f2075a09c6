"""The citations of an answer: their names, and the passages they stand for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from lightrag_engine.records import Citation, SourceText
from ui.format import shortened
from ui.graph.evidence import place
from ui.markdown import literal
from ui.marks import GAP, excerpt, joined, occurrences, segments
from ui.passage import passage
from ui.tables import why_line

_ASSETS = Path(__file__).parent.parent / "assets"
_FILE, _BEGINNING = 44, 28  # characters in the name of a citation
_GLANCE = 420  # characters of a passage that are shown on hover
_hover = st.components.v2.component(
    "lightrag_citations",
    html="<div class='card' role='tooltip'></div>",
    css=(_ASSETS / "citations.css").read_text(encoding="utf-8"),
    js=(_ASSETS / "citations.js").read_text(encoding="utf-8"),
)


def hover(cited: Sequence[Citation], key: str) -> bool:
    """Make the numbers in the answer in which this stands show their passages, and choose them.

    Nothing is loaded on hover: the passages come along with the page. Returns whether one was just chosen.
    """
    name = f"{key}_hover"

    def clicked() -> None:
        if str(number := st.session_state[name].clicked).isdigit():
            choose(key, int(number), cited)

    if not cited:
        return False
    result = _hover(
        data={"citations": {str(one.number): glance(one) for one in cited}},
        key=name,
        on_clicked_change=clicked,
    )
    return bool(result.clicked)


def choose(key: str, number: int | None, cited: Sequence[Citation]) -> None:
    """Choose the source whose passage is shown with the answer `key`; for use in callbacks."""
    st.session_state[f"{key}_source"] = number
    there = number in {one.number for one in cited}
    st.session_state[f"{key}_citation"] = number if there else None


def chosen(key: str) -> int | None:
    """Return the number of the source whose passage is shown with the answer `key`."""
    number: int | None = st.session_state.get(f"{key}_source")
    return number


def glance(citation: Citation) -> dict[str, Any]:
    """Return what is shown of a citation on hover, as plain text with the used sentences marked."""
    pieces = joined(excerpt(citation.content, occurrences(citation.content, citation.sentences), _GLANCE))
    return {
        "place": f"[{citation.number}] {place(citation)}",
        "pieces": [{"text": piece.text, "kind": piece.kind} for piece in pieces],
    }


def picker(cited: Sequence[Citation], key: str) -> None:
    """Let a citation be chosen by its name; the same choice as a click on its number in the text."""
    if not cited:
        return
    labels = citation_labels(cited)
    name = f"{key}_citation"
    st.pills(
        "Citations: choose one to read the passage",
        list(labels),
        format_func=lambda number: f"\\[{number}\\] {literal(labels.get(number, ''))}",
        key=name,
        wrap=True,
        on_change=lambda: choose(key, st.session_state[name], cited),
    )


def shown_passage(source: SourceText, citation: Citation | None, key: str) -> None:
    """Show a passage with the sentences that the answer used, where it stands, and why it was found."""
    number = source.id
    used = citation.sentences if citation else ()
    with st.container(border=True):
        st.caption(f"\\[{number}\\] {literal(place(citation or source))}")
        if source.why:
            st.caption(f"Why this passage: {literal(why_line(source.why))}")
        spans = occurrences(source.content, used)
        pieces = excerpt(source.content, spans)
        cut = any(piece.kind == GAP for piece in pieces)
        if cut and st.toggle("Whole passage", key=f"{key}_whole_{number}"):
            pieces = segments(source.content, spans)
        passage(pieces, key=f"{key}_passage_{number}")


def citation_labels(citations: Sequence[Citation]) -> dict[int, str]:
    """Return a short name for every citation by its number.

    It is the file, cut if need be, and the page; and the first words of the passage where
    several stand in one place.
    """
    places = Counter(place(citation) for citation in citations)
    labels = {}
    for citation in citations:
        page = f", p. {citation.page}" if citation.page else ""
        begins = f": {shortened(citation.content, _BEGINNING)}" if places[place(citation)] > 1 else ""
        labels[citation.number] = f"{shortened(citation.document, _FILE)}{page}{begins}"
    return labels
