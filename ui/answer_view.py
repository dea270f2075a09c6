"""An answer on screen: the text as it streams, its citations, its evidence."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lightrag_engine import Keywords, LightRAG, Message
from lightrag_engine.errors import MissingModelError
from lightrag_engine.records import Citation, SourceText
from lightrag_engine.retrieval.context import Context
from ui import pull_view
from ui.engine import show_error
from ui.format import duration, shortened
from ui.markdown import literal, safe_answer
from ui.marks import excerpt, occurrences, segments
from ui.passage import passage
from ui.tables import context_tables, why_line
from ui.turns import Turn, found_line, run, timings_line

Box = DeltaGenerator
_FILE, _BEGINNING = 44, 28  # characters in the name of a citation
_LONG = 3  # seconds after which the time is shown


def show_turn(rag: LightRAG, turn: Turn, key: str, aside: Box, conversation: Sequence[Message] = ()) -> None:
    """Show an answer, and its evidence in the box `aside`; a question still waiting is answered now.

    `key` must differ from answer to answer.
    """
    if turn.waiting:
        _stream(rag, turn, key, aside, tuple(conversation))
    else:
        if turn.text:
            st.markdown(safe_answer(turn.text))
        _show_evidence(turn, key, aside)
    if turn.error:
        show_error(turn.error)
        if isinstance(turn.error, MissingModelError):
            pull_view.offer_elsewhere(rag, turn.error.model, f"{key}_pull")
    elif turn.stopped:
        st.caption("Stopped. Ask again for the whole answer.")
    if turn.answer:
        if turn.answer.thinking:
            with st.expander("What the model thought", icon=":material/psychology:"):
                st.text(turn.answer.thinking)
        _citations(turn.answer.citations, turn.answer.context.source_rows, key)
        for note in turn.answer.notes:
            st.caption(f":material/info: {literal(note)}")
        st.caption(literal(timings_line(turn.answer)))


def _stream(rag: LightRAG, turn: Turn, key: str, aside: Box, conversation: tuple[Message, ...]) -> None:
    waiting, text = st.empty(), st.empty()
    began = time.monotonic()

    def wait() -> None:
        # Drawn again and again: only then can a press of the stop button end the waiting.
        if turn.text:
            text.markdown(safe_answer(turn.text))
            return
        what = "Reading the evidence" if turn.context is not None else "Looking for evidence"
        seconds = time.monotonic() - began
        since = f" · {duration(seconds)}" if seconds >= _LONG else ""
        waiting.caption(f":shimmer[{'Thinking' if turn.thinking else what} …{since}]")

    def found() -> None:
        wait()
        _show_evidence(turn, key, aside)

    def more(so_far: str) -> None:
        waiting.empty()
        text.markdown(safe_answer(so_far))

    wait()
    run(rag, turn, conversation, on_found=found, on_text=more, while_waiting=wait)
    waiting.empty()


def _show_evidence(turn: Turn, key: str, aside: Box) -> None:
    if turn.context is not None:
        with aside:
            _evidence(turn.context, turn.keywords or Keywords(), key)


@st.fragment
def _evidence(context: Context, keywords: Keywords, key: str) -> None:
    st.caption(f"**Retrieved**: {found_line(context)}")
    if line := keywords_line(keywords):
        st.caption(literal(line))
    context_tables(context, key)


def keywords_line(keywords: Keywords) -> str:
    """Return the keywords of a question in a line, those of each level apart."""
    levels = (("Themes", keywords.high_level), ("Details", keywords.low_level))
    return " · ".join(f"{label}: {', '.join(words)}" for label, words in levels if words)


@st.fragment
def _citations(citations: tuple[Citation, ...], sources: tuple[SourceText, ...], key: str) -> None:
    if not citations:
        return
    by_number = {citation.number: citation for citation in citations}
    labels = citation_labels(citations)
    number = st.pills(
        "Citations: choose one to read the passage",
        list(by_number),
        format_func=lambda n: f"\\[{n}\\] {literal(labels[n])}",
        key=f"{key}_citation",
        wrap=True,
    )
    if number not in by_number:
        return
    citation = by_number[number]
    with st.container(border=True):
        st.caption(f"\\[{number}\\] {literal(citation_place(citation))}")
        reasons = next((row.why for row in sources if row.id == number), ())
        if reasons:
            st.caption(f"Why this passage: {literal(why_line(reasons))}")
        spans = occurrences(citation.content, citation.sentences)
        whole = st.toggle("Whole passage", key=f"{key}_whole_{number}")
        pieces = segments(citation.content, spans) if whole else excerpt(citation.content, spans)
        passage(pieces, key=f"{key}_passage_{number}")


def citation_place(citation: Citation) -> str:
    """Return where the cited passage stands: the file, and the page if it has pages."""
    return f"{citation.document}, p. {citation.page}" if citation.page else citation.document


def citation_labels(citations: Sequence[Citation]) -> dict[int, str]:
    """Return a short name for every citation by its number.

    It is the file, cut if need be, and the page; and the first words of the passage where
    several stand in one place.
    """
    places = Counter(citation_place(citation) for citation in citations)
    labels = {}
    for citation in citations:
        page = f", p. {citation.page}" if citation.page else ""
        begins = (
            f": {shortened(citation.content, _BEGINNING)}" if places[citation_place(citation)] > 1 else ""
        )
        labels[citation.number] = f"{shortened(citation.document, _FILE)}{page}{begins}"
    return labels
