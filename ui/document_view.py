"""A document: its text with the entities marked, its chunks, and the report of how it was read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from lightrag_engine import LightRAG
from lightrag_engine.records import Chunk, DocumentStatus, Entity
from ui import document_report, document_text
from ui.format import counted, number, shortened
from ui.markdown import literal
from ui.marks import mentions, segments
from ui.passage import passage

TEXT, CHUNKS, REPORT = "Text", "Chunks", "Report"
_WARNINGS_SHOWN = 3
_START = 160  # characters of a chunk in the table
_TABLE_HEIGHT = 320


def view(rag: LightRAG, status: DocumentStatus) -> None:
    """Show a document."""
    st.subheader(literal(shortened(status.name, 80)), anchor=False)
    if status.error:
        st.error(literal(status.hint or "Delete it, or add it again."), title=literal(status.error))
    for warning in status.warnings[:_WARNINGS_SHOWN]:
        st.warning(literal(warning))
    if more := status.warnings[_WARNINGS_SHOWN:]:
        with st.expander(counted(len(more), "more warning")):
            for warning in more:
                st.markdown(literal(warning))
    chosen = st.segmented_control(
        "View", [TEXT, CHUNKS, REPORT], default=TEXT, required=True, key="document_view",
        label_visibility="collapsed", persist_state="session",
    )  # fmt: skip
    if chosen == REPORT:
        document_report.show(status, rag.document_report(status.id))
        return
    chunks = rag.document_chunks(status.id)
    if not chunks:
        waiting = "" if status.error or not status.state.active else ": the document is still being read"
        st.caption(f"No chunks yet{waiting}.")
    elif chosen == CHUNKS:
        _chunks(rag, status, chunks)
    else:
        _text(rag, status, chunks)


def _text(rag: LightRAG, status: DocumentStatus, chunks: Sequence[Chunk]) -> None:
    parts = document_text.parts(rag.document_text(status.id), chunks)
    number_ = st.pagination(len(parts), key=f"part_of_{status.id}") if len(parts) > 1 else 1
    part = parts[number_ - 1]
    first, last = part.chunks[0].chunk_order_index + 1, part.chunks[-1].chunk_order_index + 1
    span = number(first) if first == last else f"{number(first)}–{number(last)}"
    where = f"Chunk{'s' if first != last else ''} {span} of {number(len(chunks))}"
    found = [entity for chunk in part.chunks for entity in rag.entities_of_chunk(chunk.id)]
    _marked(rag, part.text, found, [where, document_text.pages_of(part.chunks)], f"{status.id}_{number_}")


def _chunks(rag: LightRAG, status: DocumentStatus, chunks: Sequence[Chunk]) -> None:
    ids = tuple(chunk.id for chunk in chunks)
    table = pd.DataFrame(
        {
            "number": range(1, len(chunks) + 1),
            "page": [document_text.pages_of([chunk]).partition(" ")[2] for chunk in chunks],
            "tokens": [chunk.tokens for chunk in chunks],
            "entities": _entity_counts(rag, str(rag.settings.data_dir), rag.name, rag.revision, ids),
            "text": [shortened(chunk.content[:_START], _START) for chunk in chunks],
        }
    )
    paged = ["page"] if any(table["page"]) else []
    event = st.dataframe(
        table,
        key=f"chunks_of_{status.id}",
        hide_index=True,
        height=min(38 + 35 * len(table), _TABLE_HEIGHT),
        column_order=["number", *paged, "tokens", "entities", "text"],
        on_select="rerun",
        selection_mode="single-row-required",
        selection_default={"selection": {"rows": [0]}},
        alt="Chunks of this document",
        column_config={
            "number": st.column_config.NumberColumn("#", format="localized", width=50),
            "page": st.column_config.TextColumn("Page", width=65),
            "tokens": st.column_config.NumberColumn("Tokens", format="localized", width=65),
            "entities": st.column_config.NumberColumn("Entities", format="localized", width=70),
            "text": st.column_config.TextColumn("Begins with", width="large"),
        },
    )
    rows = event.selection.rows or [0]
    chunk = chunks[min(rows[0], len(chunks) - 1)]
    where = [
        f"Chunk {number(rows[0] + 1)}",
        document_text.pages_of([chunk]),
        f"{number(chunk.tokens)} tokens",
    ]
    _marked(rag, chunk.content, rag.entities_of_chunk(chunk.id), where, f"{status.id}_chunk_{rows[0]}")


@st.cache_data(show_spinner="Counting entities …", max_entries=16)
def _entity_counts(
    _rag: LightRAG, data_dir: str, workspace: str, revision: int, chunk_ids: Sequence[str]
) -> list[int]:
    """Return how many entities each chunk speaks of, once for a state of the graph: a book has many."""
    return [len(_rag.entities_of_chunk(id_)) for id_ in chunk_ids]


def _marked(rag: LightRAG, text: str, found: Sequence[Entity], where: Sequence[str], key: str) -> None:
    entities = counted(len({entity.key for entity in found}), "entity", "entities")
    st.caption(" · ".join([*filter(None, where), entities]))
    kinds, keys = document_text.spellings(found)
    pieces = [
        replace(piece, entity=keys.get(piece.text.casefold(), "")) if piece.kind else piece
        for piece in segments(text, mentions(text, kinds))
    ]
    if clicked := passage(pieces, key=f"preview_{key}", workspace=rag.name):
        st.switch_page("pages/graph.py", query_params={"entity": clicked})
