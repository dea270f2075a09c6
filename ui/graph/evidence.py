"""The passages that an entity or a relation rests on, with mentions or sentences marked."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from lightrag_engine import LightRAG
from lightrag_engine.records import Citation, SourceText
from ui.format import number
from ui.markdown import literal
from ui.marks import Segment, excerpt, mentions, occurrences, sentences_with
from ui.passage import passage

_PASSAGES_SHOWN = 5


def sources(
    rag: LightRAG,
    source_ids: tuple[str, ...],
    names: dict[str, str],
    together: list[tuple[str, ...]] | None = None,
) -> None:
    """Show passages; `names` (spelling to type) are marked in them.

    With `together`, the spellings of each of several entities, the sentences that name all are marked
    instead.
    """
    if not source_ids:
        return
    found = rag.passages(source_ids[:_PASSAGES_SHOWN])
    more = len(source_ids) > len(found)
    shown = f"{number(len(found))} of {number(len(source_ids))} passages" if more else "Passages"
    st.markdown(f"**{shown}**")
    for source in found:
        with st.container(border=True):
            st.caption(literal(place(source)))
            passage(_pieces(source.content, names, together), key=f"source_{source.chunk_id}")


def _pieces(content: str, names: dict[str, str], together: list[tuple[str, ...]] | None) -> list[Segment]:
    if together and (sentences := sentences_with(content, together)):
        return excerpt(content, occurrences(content, sentences))
    return excerpt(content, mentions(content, names))


def first_sentence(
    rag: LightRAG, source_ids: Sequence[str], together: Sequence[tuple[str, ...]]
) -> tuple[str, SourceText] | None:
    """Return the first sentence that names all of several entities, and where it stands."""
    for source in rag.passages(source_ids[:_PASSAGES_SHOWN]):
        for sentence in sentences_with(source.content, together):
            return sentence, source
    return None


def place(source: SourceText | Citation) -> str:
    """Return where a passage stands: the file, and the page if it has pages."""
    return f"{source.document}, p. {source.page}" if source.page else source.document
