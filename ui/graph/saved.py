"""Views saved by name in the workspace."""

from __future__ import annotations

import streamlit as st

from lightrag_engine import LightRAG, LightRAGError
from lightrag_engine.names import content_id
from ui.engine import show_error
from ui.format import shortened
from ui.graph import session
from ui.markdown import literal


def saved_views(rag: LightRAG) -> None:
    """Show the saved views, and save this one."""
    names = rag.explorer.saved.names()
    with st.popover("Views", icon=":material/bookmark:", key="saved_views"):
        with st.form("save_view", border=False, clear_on_submit=True):
            name = st.text_input(
                "Save this view as", max_chars=80, placeholder="People of the ferry", key="view_name"
            )
            if st.form_submit_button("Save view") and name.strip():
                try:
                    kept = rag.explorer.saved.save(name, session.current().state)
                    names = rag.explorer.saved.names()
                    st.toast(f"Saved the view {literal(kept)}.")
                except LightRAGError as error:
                    show_error(error)
        if not names:
            st.caption("Saved views are kept in the workspace. The page's address also leads back to a view.")
        for name in names:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.button(
                    literal(shortened(name, 40)),
                    key=content_id("open", name),
                    type="tertiary",
                    width="stretch",
                    on_click=_open,
                    args=(rag, name),
                )
                st.button(
                    "",
                    icon=":material/delete:",
                    key=content_id("delete", name),
                    help=f"Delete the view {literal(shortened(name, 40))}",
                    type="tertiary",
                    on_click=rag.explorer.saved.delete,
                    args=(name,),
                )


def _open(rag: LightRAG, name: str) -> None:
    state = rag.explorer.saved.load(name)
    if state is None:
        st.toast("This view was deleted meanwhile.")
    else:
        session.go(state)
