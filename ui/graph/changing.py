"""Making a change of the graph: what documents say stays kept, so every change can be taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from lightrag_engine import LightRAGError
from ui.engine import show_error
from ui.format import shortened
from ui.markdown import literal


def make(change: Callable[[], Any], said: str = "{}") -> None:
    """Make a change and draw anew; say what happened, or why it cannot be done."""
    try:
        with st.spinner("Changing the graph …"):
            edit = change()
    except LightRAGError as error:
        show_error(error)
        return
    if edit is not None:
        st.session_state.graph_edited = said.format(edit.text)
        st.rerun()


def tell() -> None:
    """Say what was last changed, once."""
    if text := st.session_state.pop("graph_edited", ""):
        st.toast(literal(shortened(str(text), 200)), icon=":material/edit:")


class Popover:
    """A popover whose content is only made while it is open: ``with Popover(…) as opened``."""

    def __init__(self, label: str, key: str, icon: str = "edit") -> None:
        self._element = st.popover(label, icon=f":material/{icon}:", key=key, on_change="rerun")

    def __enter__(self) -> bool:
        self._element.__enter__()
        return bool(self._element.open)

    def __exit__(self, *error: Any) -> None:
        self._element.__exit__(*error)
