"""What is chosen on the graph screen: in the session, and in the page's address."""

from __future__ import annotations

import streamlit as st

_CHOSEN = "graph_chosen"
GRAPH_KEY = "entity_graph"


def chosen() -> dict[str, str] | None:
    """Return ``{"node": key}`` or ``{"edge": id}``, at first from the address; None when nothing is."""
    if _CHOSEN not in st.session_state:
        entity = st.query_params.get("entity")
        st.session_state[_CHOSEN] = {"node": entity} if entity else None
    selected: dict[str, str] | None = st.session_state[_CHOSEN]
    return selected


def choose(selected: dict[str, str] | None) -> None:
    """Choose an entity or a relation, or nothing; for use in callbacks."""
    st.session_state[_CHOSEN] = selected
    if selected and "node" in selected:
        st.query_params["entity"] = selected["node"]
    else:
        st.query_params.pop("entity", None)


def picked() -> None:
    """Take over what was clicked in the drawing; the callback of the component."""
    choose(st.session_state[GRAPH_KEY].picked)
