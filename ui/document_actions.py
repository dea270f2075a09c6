"""What can be done with the selected documents: change their course, replace one, delete them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from lightrag_engine import LightRAG, LightRAGError, Upload
from lightrag_engine.documents.names import suffix_of
from lightrag_engine.records import DocumentState, DocumentStatus
from ui import document_jobs, documents
from ui.engine import show_error
from ui.format import counted, number, shortened
from ui.markdown import literal

_LISTED = 8


@dataclass(frozen=True, slots=True)
class Course:
    """A way to change the course of a document: its words, how it is done, and where it makes sense."""

    word: str
    icon: str
    doing: str
    done: str
    act: Callable[[LightRAG, str], None]
    fits: Callable[[DocumentStatus], bool]
    help: str


def _ask_again(rag: LightRAG, document_id: str) -> None:
    rag.reindex(document_id, ask_again=True)


_COURSES = (
    Course(
        "Retry", "refresh", "Queuing", "Queued", LightRAG.retry_document, documents.can_be_retried,
        "Reads what could not be read, and nothing else",
    ),
    Course(
        "Pause", "pause", "Pausing", "Paused", LightRAG.pause_document, lambda s: s.state.active,
        "Stops the work and keeps what was read and embedded",
    ),
    Course(
        "Resume", "play_arrow", "Resuming", "Resumed", LightRAG.resume_document,
        lambda s: s.state is DocumentState.PAUSED, "Goes on where it was",
    ),
    Course(
        "Cancel", "close", "Cancelling", "Cancelled", LightRAG.cancel_document, documents.can_be_cancelled,
        "Stops the work and leaves everything as it was before: a new document goes",
    ),
    Course(
        "Index again", "restart_alt", "Queuing", "Queued", LightRAG.reindex, documents.can_be_read_again,
        "Reads its file with the models and settings of now; what the same model has read under the same "
        "settings costs nothing",
    ),
    Course(
        "Ask the model again", "psychology", "Queuing", "Queued", _ask_again, documents.can_be_read_again,
        "Has the model read every chunk anew, also what it has read already: takes as long, and costs as "
        "much, as the first time",
    ),
)  # fmt: skip


def actions(rag: LightRAG, chosen: Sequence[DocumentStatus]) -> None:
    """Offer what can be done with the selected documents."""
    busy = document_jobs.busy(rag)
    with st.container(horizontal=True, vertical_alignment="center"):
        if len(chosen) > 1:
            st.markdown(f"**{counted(len(chosen), 'document')} selected**", width="content")
        for course in _COURSES:
            some = [status for status in chosen if course.fits(status)]
            if some and st.button(
                course_label(course, some, len(chosen)),
                icon=f":material/{course.icon}:",
                key=f"course_{course.word}",
                help=course.help,
                disabled=busy,
            ):
                document_jobs.change(rag, some, course.act, course.doing, course.done)
        if len(chosen) == 1:
            _download(rag, chosen[0])
            if st.button(
                "Replace …", icon=":material/upload_file:", disabled=busy, help="By a newer version"
            ):
                _replace(rag, chosen[0])
        if st.button("Delete …", icon=":material/delete:", disabled=busy):
            _confirm_deletion(rag, chosen)


def course_label(course: Course, some: Sequence[DocumentStatus], selected: int) -> str:
    """Return what stands on a button: with how many it is about where that is not all of what is selected."""
    if course.word == "Retry" and (failed := sum(status.failed_chunks for status in some)):
        return f"Retry {counted(failed, 'failed chunk')}"
    if course.act is _ask_again:
        return f"Ask the model again: {counted(sum(status.chunks for status in some), 'chunk')}"
    return course.word if len(some) == selected else f"{course.word} {number(len(some))}"


def _download(rag: LightRAG, status: DocumentStatus) -> None:
    name = status.names[0] if status.names else status.name
    st.download_button(
        "Download",
        lambda: rag.document_file(status.id)[1],
        file_name=name,
        # Never shown by the browser, whatever it is.
        mime="application/octet-stream",
        key=f"download_{status.id}",
        icon=":material/download:",
        on_click="ignore",
        help="The original file",
    )


@st.dialog("Replace this document")
def _replace(rag: LightRAG, status: DocumentStatus) -> None:
    suffix = suffix_of(status.names[0] if status.names else status.name)
    st.markdown(
        f"A newer version of **{literal(shortened(status.name, 80))}** takes its place as soon as it is "
        "read. What both have in common is not read again."
    )
    file = st.file_uploader("New version", type=[suffix] if suffix else None, key=f"replacement_{status.id}")
    with st.container(horizontal=True, horizontal_alignment="right"):
        if st.button("Replace", type="primary", disabled=file is None) and file is not None:
            try:
                rag.replace_document(status.id, Upload(file.name, file.getvalue()))
            except LightRAGError as error:
                show_error(error)
            else:
                st.session_state.documents_message = (
                    f"Reading the new version of {shortened(status.name, 60)}."
                )
                st.rerun()


@st.dialog("Delete documents?")
def _confirm_deletion(rag: LightRAG, chosen: Sequence[DocumentStatus]) -> None:
    for status in chosen[:_LISTED]:
        st.markdown(f"- {literal(shortened(status.name, 80))}")
    if len(chosen) > _LISTED:
        st.caption(f"and {number(len(chosen) - _LISTED)} more")
    st.caption("Their chunks leave the index, and the graph is as if they had never been added.")
    with st.container(horizontal=True, horizontal_alignment="right"):
        if st.button("Keep"):
            st.rerun()
        label = "Delete" if len(chosen) == 1 else f"Delete {counted(len(chosen), 'document')}"
        if st.button(label, type="primary"):
            document_jobs.change(rag, chosen, LightRAG.delete_document, "Deleting", "Deleted")
