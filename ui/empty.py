"""What a screen shows before there is anything to show: one sentence, one action."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from lightrag_engine import LightRAG, LightRAGError
from ui import documents
from ui.engine import show_error
from ui.format import counted

_POLL_SECONDS = 1.5
_PICTURE = Path(__file__).parent / "assets" / "icon.svg"


def no_documents(rag: LightRAG, sentence: str, *, own: bool = True) -> None:
    """Say what the screen is for, and lead to documents: samples, and unless `own` is False one's own."""
    at_work = documents.active(rag.documents())
    with st.container(border=True, horizontal_alignment="center", gap="medium"):
        st.space("small")
        st.image(_PICTURE, width=88, alt="")
        st.markdown(sentence, text_alignment="center")
        if at_work:
            _wait(rag)
            st.page_link("pages/documents.py", label="Watch the progress", icon=":material/description:")
        else:
            with st.container(horizontal=True, horizontal_alignment="center", vertical_alignment="center"):
                if st.button("Load the sample documents", type="primary", icon=":material/auto_stories:"):
                    _load_samples(rag)
                if own:
                    st.page_link("pages/documents.py", label="Add your own", icon=":material/upload_file:")
        st.space("small")


@st.fragment(run_every=_POLL_SECONDS)
def _wait(rag: LightRAG) -> None:
    at_work = documents.active(rag.documents())
    if rag.graph or not at_work:
        st.rerun()
    reading = counted(len(at_work), "document")
    st.caption(f"Reading {reading}; the first results appear here by themselves.", text_alignment="center")


def _load_samples(rag: LightRAG) -> None:
    try:
        statuses = rag.load_samples()
    except LightRAGError as error:
        show_error(error)
    else:
        st.session_state.documents_message = documents.submitted_line(statuses)
        # With a mapping: without one, Streamlit refuses when the address names the workspace.
        st.switch_page("pages/documents.py", query_params={})
