"""The document screen's parts: adding, live progress, the table, the preview, deleting."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from functools import partial

import streamlit as st
from streamlit.typing import UploadedFile

from lightrag_engine import LightRAG, LightRAGError, Upload
from lightrag_engine.documents import SUPPORTED
from lightrag_engine.records import DocumentState, DocumentStatus
from ui import documents
from ui.engine import show_error
from ui.format import counted, number, roughly, shortened
from ui.graph_import import graph_import
from ui.markdown import literal
from ui.marks import mentions, segments
from ui.passage import passage

_POLL_SECONDS = 1.0
# What can be done with a document besides deleting it: the word, its icon, how, and where it makes sense.
_COURSES: tuple[tuple[str, str, Callable[[LightRAG, str], None], Callable[[DocumentStatus], bool]], ...] = (
    ("Pause", "pause", LightRAG.pause_document, lambda status: status.state.stoppable),
    ("Resume", "play_arrow", LightRAG.resume_document, lambda s: s.state is DocumentState.PAUSED),
    ("Cancel", "close", LightRAG.cancel_document, documents.can_be_cancelled),
    ("Retry", "refresh", LightRAG.retry_document, documents.can_be_retried),
    ("Index again", "restart_alt", LightRAG.reindex, documents.can_be_read_again),
)


def add_documents(rag: LightRAG) -> None:
    """Take files or pasted text, hand them to the engine in the same run, and empty the widgets."""
    files, text, tables = st.tabs(["Upload files", "Paste text", "Import a graph"])
    turn = st.session_state.setdefault("upload_turn", 0)
    with files:
        uploads = st.file_uploader(
            "Drop files here, as many as you like",
            type=sorted(suffix for suffix in SUPPORTED if suffix),
            accept_multiple_files=True,
            key=f"uploads_{turn}",
        )
    with text, st.form(f"paste_{turn}", border=False):
        name = st.text_input("Name", placeholder="Meeting notes", max_chars=120)
        content = st.text_area("Text", height=160)
        pasted = st.form_submit_button("Add text")
    with tables:
        imported = graph_import(turn)
    try:
        if imported:
            _take(rag, [imported])
        elif uploads:
            _take(rag, [_upload(file) for file in uploads])
        elif pasted and content.strip():
            _take(rag, [Upload.from_text(content, name.strip())])
        elif pasted:
            st.warning("There is no text to add: paste some first.")
    except LightRAGError as error:
        show_error(error)
    # Stays until something else is handed in: no row of the table says it.
    for line in st.session_state.get("documents_not_taken", ()):
        st.warning(literal(line))


def _upload(file: UploadedFile) -> Upload:
    return Upload(name=file.name, data=file.getvalue())


def _take(rag: LightRAG, uploads: list[Upload]) -> None:
    known = {status.id for status in rag.documents()}
    statuses = rag.submit(uploads)
    # New keys empty the widgets: what was handed in once is never handed in again by a rerun.
    st.session_state.upload_turn += 1
    st.session_state.documents_message = documents.submitted_line(statuses, known)
    st.session_state.documents_not_taken = documents.not_taken_lines(statuses)
    st.rerun()


def live_table(rag: LightRAG) -> None:
    """Show progress and the table; they refresh themselves only while something is being worked on."""
    busy = bool(documents.active(rag.documents()))

    @st.fragment(run_every=_POLL_SECONDS if busy else None)
    def refreshed() -> None:
        statuses = rag.documents()
        at_work = documents.active(statuses)
        _progress(rag, statuses, at_work)
        _table(statuses)
        if busy and not at_work:
            st.rerun()

    refreshed()


def _progress(rag: LightRAG, statuses: list[DocumentStatus], at_work: list[DocumentStatus]) -> None:
    if not at_work:
        return
    first = at_work[0]
    parts = [documents.summary_line(statuses)]
    if first.state is not DocumentState.QUEUED:
        parts.append(f"{literal(shortened(first.name, 48))}: {documents.work_text(first)}")
    if (left := documents.seconds_left(statuses, time.time())) is not None:
        parts.append(f"{roughly(left)} left")
    if rag.queue_paused:
        parts = [parts[0], "the queue is paused"]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(documents.progress(statuses), text=" · ".join(parts))
        if rag.queue_paused and st.button("Resume all", icon=":material/play_arrow:"):
            rag.resume_queue()
            st.rerun()
        elif not rag.queue_paused and st.button("Pause all", icon=":material/pause:"):
            rag.pause_queue()
            st.rerun()
    # What holds everything up is said where it is looked for, not only in a column far to the right.
    if held := next((status for status in at_work if status.error), None):
        st.warning(literal(held.hint), title=literal(held.error))


def _table(statuses: list[DocumentStatus]) -> None:
    ids = [status.id for status in statuses]
    # The key follows the rows: a selection is a row number and would point at another document else.
    key = f"documents_{hashlib.blake2b(repr(ids).encode(), digest_size=6).hexdigest()}"
    chosen = set(st.session_state.get("chosen_documents", ()))
    st.dataframe(
        documents.table(statuses),
        key=key,
        hide_index=True,
        column_order=documents.columns(statuses),
        on_select=partial(_choose, key, ids),
        selection_mode="multi-row",
        selection_default={"selection": {"rows": [row for row, id_ in enumerate(ids) if id_ in chosen]}},
        alt="Documents of this workspace with their state and what was found in them",
        column_config={
            "name": st.column_config.TextColumn("Name", width=190),
            "type": st.column_config.TextColumn("Type", width=90),
            "size": st.column_config.TextColumn("Size", width=65, alignment="right"),
            "state": st.column_config.TextColumn("State", width=185),
            "chunks": st.column_config.NumberColumn("Chunks", format="localized", width=62),
            "entities": st.column_config.NumberColumn("Entities", format="localized", width=66),
            "relations": st.column_config.NumberColumn("Relations", format="localized", width=72),
            "time": st.column_config.TextColumn(
                "Time", width=80, help="Time spent indexing, without the time of waiting", alignment="right"
            ),
            "added": st.column_config.DatetimeColumn("Added", format="distance", width=125),
            "note": st.column_config.TextColumn("Errors and warnings", width="large"),
        },
    )


def _choose(key: str, ids: list[str]) -> None:
    rows = st.session_state[key].selection.rows
    st.session_state.chosen_documents = [ids[row] for row in rows if row < len(ids)]
    # The table is a fragment, the preview below it is not.
    st.rerun()


def chosen_documents(rag: LightRAG) -> list[DocumentStatus]:
    """Return the documents whose rows are selected and that still exist."""
    chosen = set(st.session_state.get("chosen_documents", ()))
    return [status for status in rag.documents() if status.id in chosen] if chosen else []


def actions(rag: LightRAG, chosen: list[DocumentStatus]) -> None:
    """Offer what can be done with the selected documents: change their course, or delete them."""
    with st.container(horizontal=True):
        for label, icon, act, fitting in _COURSES:
            some = [status for status in chosen if fitting(status)]
            if some and st.button(f"{label} {counted(len(some), 'document')}", icon=f":material/{icon}:"):
                try:
                    for status in some:
                        act(rag, status.id)
                except LightRAGError as error:
                    show_error(error)
                else:
                    st.rerun()
        if st.button(f"Delete {counted(len(chosen), 'document')} …", icon=":material/delete:"):
            _confirm_deletion(rag, chosen)


@st.dialog("Delete documents?")
def _confirm_deletion(rag: LightRAG, chosen: list[DocumentStatus]) -> None:
    for status in chosen[:10]:
        st.markdown(f"- {literal(shortened(status.name, 80))}")
    if len(chosen) > 10:
        st.caption(f"and {number(len(chosen) - 10)} more")
    st.caption("Their chunks leave the index, and the graph is as if they had never been added.")
    with st.container(horizontal=True, horizontal_alignment="right"):
        if st.button("Keep"):
            st.rerun()
        if st.button("Delete", type="primary"):
            try:
                with st.spinner("Deleting …"):
                    notes = [rag.delete_document(status.id) for status in chosen]
            except LightRAGError as error:
                show_error(error)
            else:
                done = f"Deleted {counted(len(chosen), 'document')}."
                st.session_state.documents_message = " ".join([done, *dict.fromkeys(filter(None, notes))])
                st.session_state.chosen_documents = []
                st.rerun()


def preview(rag: LightRAG, status: DocumentStatus) -> None:
    """Show what was read from a document: facts, warnings, and its chunks with entities marked."""
    st.subheader(literal(shortened(status.name, 80)), anchor=False)
    if facts := documents.facts(status):
        st.caption(literal(" · ".join(facts)))
    if status.error:
        st.error(literal(status.hint or "Delete it, or add it again."), title=literal(status.error))
    for warning in status.warnings:
        st.warning(literal(warning))
    chunks = rag.document_chunks(status.id)
    if not chunks:
        if not status.error:
            st.caption("No chunks yet: the document is still being read.")
        return
    page = st.pagination(len(chunks), key=f"chunk_of_{status.id}") if len(chunks) > 1 else 1
    chunk = chunks[page - 1]
    where = [f"Chunk {number(page)} of {number(len(chunks))}", f"{number(chunk.tokens)} tokens"]
    if chunk.page_first is not None:
        pages = {chunk.page_first, chunk.page_last or chunk.page_first}
        where.insert(1, ("pages " if len(pages) > 1 else "page ") + "–".join(map(str, sorted(pages))))
    found = rag.entities_of_chunk(chunk.id)
    where.append(counted(len({e.key for e in found}), "entity", "entities"))
    st.caption(" · ".join(where))
    names = {spelling: entity.type for entity in found for spelling in (entity.name, *entity.spellings)}
    passage(segments(chunk.content, mentions(chunk.content, names)), key=f"preview_{status.id}_{page}")
