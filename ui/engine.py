"""The engine of this server: one open workspace each, shared by all sessions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import streamlit as st

from lightrag_engine import LightRAG, LightRAGError, Settings, WorkspaceInfo, Workspaces
from ui.entry import require_app
from ui.markdown import literal

DEFAULT_WORKSPACE = "default"
_WANTED = "wanted_workspace"


@st.cache_resource(
    show_spinner="Opening the workspace …",
    on_release=lambda rag: rag.close(),
    hash_funcs={Settings: lambda settings: settings.model_dump_json()},
)
def _opened_in(folder: Path, settings: Settings, _name: str) -> LightRAG:
    # The folder decides, not the name: that one can change while the workspace is open.
    return LightRAG(workspace=_name, settings=settings)


def _opened(workspace: str, settings: Settings) -> LightRAG:
    return _opened_in(_folder(workspace), settings, workspace)


@st.cache_resource
def _last_used() -> dict[Path, Path]:
    """Return the folder of the workspace last used in each data folder; shared by all sessions here."""
    return {}


def workspaces() -> Workspaces:
    """Return the workspaces of this app."""
    return Workspaces(Settings().data_dir)


def engine() -> LightRAG:
    """Return the workspace that this session looks at; on failure say why, and stop the page."""
    require_app()
    settings = Settings()
    try:
        name = workspace_name()
        opened = _opened(name, settings)
        _last_used()[settings.data_dir] = _folder(name)
    except LightRAGError as error:
        show_error(error)
        st.stop()
    return opened


def _folder(name: str) -> Path:
    found = workspaces()
    return (found.find(name) or found.create(name)).folder


def close_workspace(info: WorkspaceInfo) -> None:
    """Close a workspace if this server has it open, so that it can be deleted."""
    _opened_in.clear(info.folder, Settings(), info.name)


def go_to(name: str) -> NoReturn:
    """Run the page anew, on another workspace unless the name is empty."""
    if name:
        st.session_state[_WANTED] = name
    st.rerun(scope="app")


def settle_workspace() -> None:
    """Decide, before it is shown, which workspace this session looks at.

    One that is not there any more, because another session has renamed or deleted it, is left.
    """
    if wanted := st.session_state.pop(_WANTED, ""):
        st.session_state.workspace = wanted
        return
    chosen = st.session_state.get("workspace")
    if chosen and chosen != DEFAULT_WORKSPACE and workspaces().find(chosen) is None:
        st.toast(literal(f"There is no workspace “{chosen}” any more."))
        st.session_state.workspace = preferred_workspace()


def workspace_name() -> str:
    """Return the name of the workspace that this session looks at.

    It is the one in the address; without one, the one last used on this server; on a server just started, the
    one whose files changed last, of those that hold documents if there are any; and `DEFAULT_WORKSPACE` where
    there is none.
    """
    return str(st.session_state.get("workspace") or preferred_workspace())


def preferred_workspace() -> str:
    """Return the name of the workspace that is opened where nothing names one."""
    found = workspaces().all()
    last = _last_used().get(Settings().data_dir)
    used = next((info.name for info in found if info.folder == last), "")
    return used or last_changed(found) or DEFAULT_WORKSPACE


def last_changed(found: Sequence[WorkspaceInfo]) -> str:
    """Return the name of the workspace that changed last; an empty one only when all are empty.

    Opening a workspace changes its files as well: the one that was opened to look around must not win, nor
    one that cannot be opened.
    """
    newest = max(found, key=lambda info: (bool(info.documents), info.changed), default=None)
    return newest.name if newest else ""


def workspace_names() -> list[str]:
    """Return the names of all workspaces, the current one among them."""
    return sorted({*(info.name for info in workspaces().all()), workspace_name()}, key=str.casefold)


def show_error(error: LightRAGError) -> None:
    """Show what happened and what to do; as plain text, for a message may quote a file name."""
    st.error(literal(error.hint or "Try again."), title=literal(str(error)))
