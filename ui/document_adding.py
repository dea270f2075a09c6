"""Adding documents: files or pasted text, and the question what becomes of names that are taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st
from streamlit.typing import UploadedFile

from lightrag_engine import LightRAG, LightRAGError, NameConflict, Upload
from lightrag_engine.documents import supported_text
from lightrag_engine.taking_in import NameChoice
from ui import document_jobs
from ui.engine import show_error
from ui.format import counted, shortened, size
from ui.graph_import import graph_import
from ui.markdown import literal

_HELD = "documents_held"
_TURN = "upload_turn"
_CHOICES: dict[str, NameChoice] = {"Keep both": "keep", "Replace": "replace", "Leave out": "leave out"}
_MEANING = (
    "Keep both: the new one gets a number after its name. Replace: the old one is taken out as soon as the "
    "new one is read; what both have in common is not read again. Leave out: the new one is not added."
)
_TABLE_HEIGHT = 215


@dataclass(frozen=True, slots=True)
class Held:
    """Files that wait until it is said what becomes of those whose names are taken."""

    workspace: str
    uploads: Sequence[Upload]
    conflicts: Sequence[NameConflict]


def add_documents(rag: LightRAG) -> None:
    """Take files or pasted text, hand them to the engine in the same run, and empty the widgets."""
    files, text, tables = st.tabs(["Upload files", "Paste text", "Import a graph"])
    turn = st.session_state.setdefault(_TURN, 0)
    busy = document_jobs.busy(rag)
    with files:
        uploads = st.file_uploader(
            "Drop files here, as many as you like",
            # Of any kind: of a file that cannot be read the engine says how to make it one that can.
            accept_multiple_files=True,
            help=f"Read are {supported_text()}.",
            key=f"uploads_{turn}",
            disabled=busy,
        )
    with text, st.form(f"paste_{turn}", border=False):
        name = st.text_input("Name", placeholder="Meeting notes", max_chars=120)
        content = st.text_area("Text", height=160)
        pasted = st.form_submit_button("Add text", disabled=busy)
    try:
        with tables:
            imported = graph_import(turn)
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
    held = st.session_state.get(_HELD)
    if isinstance(held, Held) and held.workspace == rag.name:
        _ask(rag, held)


def _upload(file: UploadedFile) -> Upload:
    return Upload(name=file.name, data=file.getvalue())


def _take(rag: LightRAG, uploads: list[Upload]) -> None:
    conflicts: list[NameConflict] = []
    if rag.documents():
        with st.spinner("Looking at the files …"):
            conflicts = rag.name_conflicts(uploads)
    # New keys empty the widgets: what was handed in once is never handed in again by a rerun.
    st.session_state[_TURN] += 1
    if conflicts:
        st.session_state[_HELD] = Held(rag.name, uploads, conflicts)
        st.rerun()
    document_jobs.take_in(rag, uploads, {})


@st.dialog("Some names are taken", width="medium", dismissible=False)
def _ask(rag: LightRAG, held: Held) -> None:
    turn, conflicts = st.session_state[_TURN], held.conflicts
    if len(conflicts) == 1:
        (only,) = conflicts
        st.markdown(
            f"**{literal(shortened(only.name, 80))}** ({size(only.size)}) has the name of a document with "
            f"other content ({literal(_known(only))})."
        )
    else:
        st.markdown(
            f"{counted(len(conflicts), 'file')} have names of documents with other content. Choose for all "
            "of them, and for single ones in the table."
        )
    for_all = st.segmented_control(
        "What to do" if len(conflicts) == 1 else "What to do with all of them",
        list(_CHOICES),
        default="Keep both",
        required=True,
        key=f"same_name_{turn}",
    )
    st.caption(_MEANING)
    chosen = [for_all or "Keep both"] * len(conflicts)
    if len(conflicts) > 1:
        chosen = _choices(conflicts, chosen, f"same_names_{turn}_{for_all}")
    others = len(held.uploads) - len(conflicts)
    if others > 0:
        st.caption(f"{counted(others, 'other file')} {'is' if others == 1 else 'are'} added in any case.")
    with st.container(horizontal=True, horizontal_alignment="right"):
        if st.button("Add nothing"):
            del st.session_state[_HELD]
            st.rerun()
        if st.button("Continue", type="primary"):
            del st.session_state[_HELD]
            ids = [conflict.document_id for conflict in conflicts]
            choices = {id_: _CHOICES[word] for id_, word in zip(ids, chosen, strict=True)}
            try:
                document_jobs.take_in(rag, held.uploads, choices)
            except LightRAGError as error:
                show_error(error)


def _choices(conflicts: Sequence[NameConflict], chosen: Sequence[str], key: str) -> list[str]:
    """Let a person choose for each file; one table, however many there are."""
    table = pd.DataFrame(
        {
            "name": [conflict.name for conflict in conflicts],
            "new": [conflict.size for conflict in conflicts],
            "known": [_known(conflict) for conflict in conflicts],
            "choice": list(chosen),
        }
    )
    edited = st.data_editor(
        table,
        key=key,
        hide_index=True,
        height=min(38 + 35 * len(table), _TABLE_HEIGHT),
        disabled=["name", "new", "known"],
        column_config={
            "name": st.column_config.TextColumn("File", width=200),
            "new": st.column_config.NumberColumn("New size", format="bytes", width=75),
            "known": st.column_config.TextColumn("The document that is here", width=230),
            "choice": st.column_config.SelectboxColumn(
                "What to do", options=list(_CHOICES), required=True, width=120
            ),
        },
        alt="Files whose names are taken, and what to do with each",
    )
    return [str(choice) for choice in edited["choice"]]


def _known(conflict: NameConflict) -> str:
    """Return what is here under the name of a file."""
    document = conflict.document
    parts = [size(document.size), str(document.state)]
    if document.entities:
        parts.append(counted(document.entities, "entity", "entities"))
    if document.name != conflict.name:
        parts.insert(0, f"as {shortened(document.name, 60)}")
    return " · ".join(parts)
