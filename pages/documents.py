"""Documents: add them, watch them being read, look into them, retry and delete them."""

import streamlit as st

from ui import document_view, documents
from ui.empty import no_documents
from ui.engine import engine

rag = engine()
st.title("Documents", anchor=False)
if message := st.session_state.pop("documents_message", ""):
    st.toast(message)

statuses = rag.documents()
if statuses:
    counts = rag.counts()
    st.caption(documents.counts_line(counts.documents, counts.chunks, counts.entities, counts.relations))
document_view.add_documents(rag)
if not statuses:
    no_documents(
        rag, "Documents become chunks, entities and relations. Add yours above, or try these.", own=False
    )
    st.stop()

document_view.live_table(rag)
chosen = document_view.chosen_documents(rag)
if not chosen:
    st.caption("Select a row to look into a document, to change its course or to delete it.")
    st.stop()
document_view.actions(rag, chosen)
if len(chosen) == 1:
    document_view.preview(rag, chosen[0])
