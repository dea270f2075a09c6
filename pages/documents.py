"""Documents: add them, watch them being read, look into them, change their course, delete them."""

import streamlit as st

from ui import document_actions, document_adding, document_jobs, document_table, document_view, documents
from ui.empty import no_documents
from ui.engine import engine
from ui.graph.duplicates_view import link
from ui.markdown import literal

rag = engine()
st.title("Documents", anchor=False)
if message := st.session_state.pop("documents_message", ""):
    st.toast(literal(message))

statuses = rag.documents()
if statuses:
    counts = rag.counts()
    files = sum(status.size for status in statuses)
    st.caption(
        documents.counts_line(counts.documents, counts.chunks, counts.entities, counts.relations, files)
    )
    st.caption(documents.storage_line(document_table.storage_use(rag)))
    if counts.entities:
        link(rag)
document_adding.add_documents(rag)
document_jobs.watch(rag)
if not statuses:
    no_documents(
        rag, "Documents become chunks, entities and relations. Add yours above, or try these.", own=False
    )
    st.stop()

chosen = document_table.live_table(rag, document_table.filter_bar(statuses))
if not chosen:
    st.caption("Select a row to look into a document, to change its course or to delete it.")
    st.stop()
document_actions.actions(rag, chosen)
if len(chosen) == 1:
    document_view.view(rag, chosen[0])
