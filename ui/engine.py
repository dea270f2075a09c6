"""The engine of this server: one open workspace each, shared by all sessions."""

from __future__ import annotations

import streamlit as st

from lightrag_engine import LightRAG, LightRAGError, Settings, list_workspaces
from ui.entry import require_app
from ui.markdown import literal

DEFAULT_WORKSPACE = "default"


@st.cache_resource(
    show_spinner="Opening the workspace …",
    on_release=lambda rag: rag.close(),
    hash_funcs={Settings: lambda settings: settings.model_dump_json()},
)
def _opened(workspace: str, settings: Settings) -> LightRAG:
    return LightRAG(workspace=workspace, settings=settings)


def engine() -> LightRAG:
    """Return the workspace that this session looks at; on failure say why, and stop the page."""
    require_app()
    try:
        return _opened(workspace_name(), Settings())
    except LightRAGError as error:
        show_error(error)
        st.stop()


def workspace_name() -> str:
    """Return the name of the workspace that this session looks at."""
    return str(st.session_state.get("workspace") or DEFAULT_WORKSPACE)


def workspace_names() -> list[str]:
    """Return the names of all workspaces; the current and the default one are always among them."""
    return sorted(
        {*(info.name for info in list_workspaces(Settings().data_dir)), workspace_name(), DEFAULT_WORKSPACE}
    )


def show_error(error: LightRAGError) -> None:
    """Show what happened and what to do; as plain text, for a message may quote a file name."""
    st.error(literal(error.hint or "Try again."), title=literal(str(error)))
