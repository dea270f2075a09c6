"""Widgets that stand for a field of the view: they follow it, and they change it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx
import streamlit as st

from ui.format import shortened
from ui.graph import session


def controlled(
    element: Callable[..., Any],
    label: str,
    field: str,
    value: Any,
    *,
    widget: str = "",
    change: Callable[[Any], dict[str, Any]] | None = None,
    **options: Any,
) -> None:
    """Show a widget whose value is a field of the view: it follows the view, and changes it."""
    key = widget or field

    def changed() -> None:
        new = st.session_state[key]
        session.change(**(change(new) if change else {field: type(value)(new if new is not None else value)}))

    st.session_state[key] = value
    element(label, key=key, on_change=changed, **options)


def entity_name(graph: nx.Graph[str], key: str, length: int = 48) -> str:
    """Return the name of an entity, shortened; the key itself when there is no such entity."""
    return shortened(str(graph.nodes[key].get("name", key)) if key in graph else key, length)
