"""The settings of this workspace: models, their server, chunking and extraction, retrieval, limits."""

import streamlit as st

from ui import embedding_view, model_test_view, models_view, setting_fields
from ui.engine import engine
from ui.markdown import literal
from ui.settings_view import settings_form

rag = engine()
st.title("Settings", anchor=False)
if message := st.session_state.pop("settings_message", ""):
    st.toast(literal(message))
st.caption(f"Saved in the workspace **{literal(rag.name)}**; other workspaces have their own.")

models, server, reading, answering, limits = st.tabs(
    ["Models", "Server", "Chunking and extraction", "Retrieval", "Limits"],
    key="settings_tab",
    bind="query-params",
)
state = models_view.server_state(rag)
with models:
    models_view.language(rag, state)
    embedding_view.embedding(rag, state)
    model_test_view.model_test(rag, state)
with server:
    models_view.server(rag, state)
    st.subheader("Server settings", anchor=False)
    settings_form(rag, "server", setting_fields.SERVER)
with reading:
    st.caption(
        "These count for documents that are added from now on. Those that are here stay as they were read; "
        "to read some anew, select them on the Documents page and choose *Index again*."
    )
    settings_form(rag, "reading", setting_fields.READING)
with answering:
    st.caption(
        "What the model that answers is given. These count for the next question, in chat and comparison. A "
        "model with a short context shrinks them by itself, and an answer says what was left out."
    )
    settings_form(rag, "answering", setting_fields.ANSWERING)
with limits:
    settings_form(rag, "limits", setting_fields.LIMITS)
