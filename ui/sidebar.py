"""The sidebar: which workspace, and which models read and answer."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from lightrag_engine import LightRAG, LightRAGError
from lightrag_engine.models import ModelChoice
from ui.engine import settle_workspace, show_error, workspace_name, workspace_names, workspaces
from ui.markdown import literal

_ASSETS = Path(__file__).parent / "assets"
_PREFERRED = "preferred_workspace"
_MADE = "workspaces_made"
_REFUSED = "workspace_refused"


def brand() -> None:
    """Show the app's name and mark above the navigation."""
    st.logo(_ASSETS / "logo.svg", size="large", icon_image=_ASSETS / "icon.svg")


def workspace_picker() -> None:
    """Let a person choose a workspace or make a new one; the choice is in the page's address."""
    settle_workspace()
    names = workspace_names()
    # What the address does not name is decided once a session: another session may use another one later.
    preferred = st.session_state.setdefault(_PREFERRED, workspace_name())
    with st.sidebar:
        st.selectbox(
            "Workspace",
            names,
            # A default beside a value that was set is warned of, though it plays no part.
            index=names.index(preferred) if preferred in names and "workspace" not in st.session_state else 0,
            key="workspace",
            bind="query-params",
            help="A workspace is one collection of documents with its own graph.",
        )
        # Another key is another popover, a closed one.
        made = st.session_state.get(_MADE, 0)
        popover = st.popover(
            "New workspace", icon=":material/add:", type="tertiary", key=f"new_workspace_popover_{made}"
        )
        with popover, st.form(f"new_workspace_form_{made}", border=False):
            st.text_input("Name", key="new_workspace", max_chars=60, placeholder="press, research, 知识库 …")
            st.form_submit_button("Create workspace", on_click=_create)
        with popover:
            if (error := st.session_state.pop(_REFUSED, None)) is not None:
                show_error(error)
            st.page_link("pages/workspaces.py", label="Manage workspaces", icon=":material/workspaces:")


def _create() -> None:
    try:
        made = workspaces().create(str(st.session_state.new_workspace))
    except LightRAGError as error:
        st.session_state[_REFUSED] = error
        return
    st.session_state.workspace = made.name
    st.session_state.new_workspace = ""
    st.session_state[_MADE] = st.session_state.get(_MADE, 0) + 1


def model_status(rag: LightRAG) -> None:
    """Say in a line each which models are in use; why these is in the tooltip."""
    with st.sidebar:
        for role, model, reason, absent in model_lines(rag.models()):
            color = "orange" if absent else "green"
            st.caption(
                f":{color}[●] **{literal(_short_name(model))}** · {role}",
                help=literal(f"{model_name(model)}: {reason}" if reason else model_name(model)),
            )


def model_lines(choice: ModelChoice) -> list[tuple[str, str, str, bool]]:
    """Return for each model in use what it does, its name, why, and whether what was asked for is absent."""
    stands_in = any(name != choice.embedding for name in choice.absent)
    others = {"reads documents": choice.reading, "finds keywords": choice.keywords}
    same = [role for role, name in others.items() if name == choice.language]
    if len(same) == len(others):
        lines = [("reads and answers", choice.language, choice.language_reason, stands_in)]
    else:
        lines = [("answers", choice.language, choice.language_reason, stands_in)]
        lines += [(role, name, "", stands_in) for role, name in others.items() if role not in same]
    absent = choice.embedding in choice.absent
    return [*lines, ("embeddings", choice.embedding, choice.embedding_reason, absent)]


def _short_name(model: str) -> str:
    return "Built-in" if model.partition(":")[0] == "builtin" else model


def model_name(model: str) -> str:
    """Return a model's name as people read it.

    Examples
    --------
    >>> model_name("builtin"), model_name("builtin:multilingual-e5-small"), model_name("qwen3:4b")
    ('Built-in', 'Built-in multilingual-e5-small', 'qwen3:4b')
    """
    family, _, rest = model.partition(":")
    return f"Built-in {rest}".strip() if family == "builtin" else model
