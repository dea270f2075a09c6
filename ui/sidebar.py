"""The sidebar: which workspace, and which models read and answer."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from lightrag_engine import LightRAG
from ui.engine import workspace_names
from ui.markdown import literal

_ASSETS = Path(__file__).parent / "assets"


def brand() -> None:
    """Show the app's name and mark above the navigation."""
    st.logo(_ASSETS / "logo.svg", size="large", icon_image=_ASSETS / "icon.svg")


def workspace_picker() -> None:
    """Let a person choose a workspace or make a new one; the choice is in the page's address."""
    with st.sidebar:
        st.selectbox(
            "Workspace",
            workspace_names(),
            key="workspace",
            bind="query-params",
            help="A workspace is one collection of documents with its own graph.",
        )
        with st.popover("New workspace", icon=":material/add:", type="tertiary"):
            st.text_input("Name", key="new_workspace", max_chars=60, placeholder="press, research, 知识库 …")
            st.button("Create workspace", on_click=_create)


def _create() -> None:
    name = " ".join(str(st.session_state.new_workspace).split())
    if name:
        st.session_state.workspace = name
        st.session_state.new_workspace = ""


def model_status(rag: LightRAG) -> None:
    """Say which models are in use, and why these."""
    models = rag.models()
    with st.sidebar:
        for role, model, reason in (
            ("language", models.language, models.language_reason),
            ("embeddings", models.embedding, models.embedding_reason),
        ):
            st.caption(f":green[●] **{literal(model_name(model))}** {role}  \n{literal(reason)}".strip())


def model_name(model: str) -> str:
    """Return a model's name as people read it.

    Examples
    --------
    >>> model_name("builtin"), model_name("builtin:multilingual-e5-small"), model_name("qwen3:4b")
    ('Built-in', 'Built-in multilingual-e5-small', 'qwen3:4b')
    """
    family, _, rest = model.partition(":")
    return f"Built-in {rest}".strip() if family == "builtin" else model
