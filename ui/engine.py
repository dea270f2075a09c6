"""The engine of this server: one open workspace each, shared by all sessions."""

from __future__ import annotations

from pathlib import Path

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


@st.cache_resource
def _last_used() -> dict[Path, str]:
    """Return the workspace last used in each data folder; shared by all sessions of this server."""
    return {}


def engine() -> LightRAG:
    """Return the workspace that this session looks at; on failure say why, and stop the page."""
    require_app()
    settings = Settings()
    try:
        opened = _opened(workspace_name(), settings)
    except LightRAGError as error:
        show_error(error)
        st.stop()
    _last_used()[settings.data_dir] = opened.name
    return opened


def workspace_name() -> str:
    """Return the name of the workspace that this session looks at.

    It is the one in the address; without one, the one last used on this server; on a server just started, the
    one whose files changed last; and `DEFAULT_WORKSPACE` where there is none.
    """
    chosen = st.session_state.get("workspace")
    if chosen:
        return str(chosen)
    data_dir = Settings().data_dir
    return _last_used().get(data_dir) or last_changed(data_dir) or DEFAULT_WORKSPACE


def last_changed(data_dir: Path) -> str:
    """Return the name of the workspace in a folder whose files changed last; empty when there is none."""
    newest = max(list_workspaces(data_dir), key=lambda info: _changed_at(info.folder), default=None)
    return newest.name if newest else ""


def _changed_at(folder: Path) -> float:
    return max((file.stat().st_mtime for file in folder.iterdir() if file.is_file()), default=0.0)


def workspace_names() -> list[str]:
    """Return the names of all workspaces; the current and the default one are always among them."""
    found = {info.name for info in list_workspaces(Settings().data_dir)}
    return sorted({*found, workspace_name(), DEFAULT_WORKSPACE}, key=str.casefold)


def show_error(error: LightRAGError) -> None:
    """Show what happened and what to do; as plain text, for a message may quote a file name."""
    st.error(literal(error.hint or "Try again."), title=literal(str(error)))
