"""What is chosen on the graph screen: in the session, and in the page's address."""

from __future__ import annotations

from collections.abc import Collection

import streamlit as st

from lightrag_engine import LightRAG

_CHOSEN = "graph_chosen"
GRAPH_KEY = "entity_graph"
TYPES_KEY = "types"
HITS = 6


def chosen() -> dict[str, str] | None:
    """Return ``{"node": key}`` or ``{"edge": id}``; None when nothing is. An address names an entity."""
    entity = st.query_params.get("entity")
    if _CHOSEN not in st.session_state or entity:
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


def find(rag: LightRAG) -> None:
    """Choose the entity whose name was typed, if just one is called so; the callback of the search."""
    wanted = " ".join(str(st.session_state.find or "").split()).casefold()
    if not wanted:
        return
    exact = [
        entity
        for entity in rag.search_entities(wanted, limit=HITS)
        if wanted in {name.casefold() for name in (entity.name, *entity.spellings)}
    ]
    if len(exact) == 1:
        choose({"node": exact[0].key})


def restore_types(offered: Collection[str]) -> None:
    """Take the chosen types from the address, where they stand by their plain names, at the first run."""
    if TYPES_KEY not in st.session_state:
        st.session_state[TYPES_KEY] = [k for k in st.query_params.get_all(TYPES_KEY) if k in offered]


def types_chosen() -> None:
    """Put the chosen types into the address; the callback of their choice."""
    if chosen_types := st.session_state[TYPES_KEY]:
        st.query_params[TYPES_KEY] = chosen_types
    else:
        st.query_params.pop(TYPES_KEY, None)
