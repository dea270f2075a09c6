"""Adding what no document says: an entity, a relation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import networkx as nx
import streamlit as st

from lightrag_engine import LightRAG
from lightrag_engine.graphs.indexed import pair_of
from lightrag_engine.graphs.kinds import best_connected, entity_at, type_counts
from lightrag_engine.names import MAX_NAME_LENGTH, content_id, fold_name
from lightrag_engine.records import UNKNOWN_TYPE
from ui.format import shortened
from ui.graph import session
from ui.graph.changing import Popover, make

_OFFERED = 200  # best connected entities; others are found by typing their names


def add_entity(rag: LightRAG, graph: nx.Graph[str]) -> None:
    """Offer to make an entity by hand."""
    kinds = list(dict.fromkeys([*(kind for kind, _ in type_counts(graph)), UNKNOWN_TYPE]))
    with Popover("Add entity", "add_entity", "add") as opened:
        if not opened:
            return
        with st.form("add_entity_form", border=False):
            name = st.text_input("Name", max_chars=MAX_NAME_LENGTH, placeholder="Marie Curie")
            kind = st.selectbox("Type", kinds, accept_new_options=True)
            said = st.text_area("Description", height=100, placeholder="Who or what this is")
            added = st.form_submit_button("Add", type="primary")
    if added:

        def add() -> Any:
            edit = rag.add_entity(name, str(kind or UNKNOWN_TYPE), said)
            session.choose(*edit.keys)
            return edit

        make(add)


def add_relation(rag: LightRAG, graph: nx.Graph[str], ends: Sequence[str] = ()) -> None:
    """Offer to relate two entities by hand; `ends` are those that it begins with."""
    known = [key for key in ends if key in graph][:2]
    options = list(dict.fromkeys([*known, *best_connected(graph, _OFFERED)]))
    key = content_id("add_relation", *known)
    with Popover("Add relation", key, "add_link") as opened:
        if not opened:
            return
        with st.form(f"{key}_form", border=False):
            chosen = [
                st.selectbox(
                    label,
                    options,
                    options.index(known[n]) if n < len(known) else None,
                    format_func=lambda key: _name(graph, key),
                    accept_new_options=True,
                    placeholder="Choose, or type a name",
                    key=f"{key}_{label}",
                )
                for n, label in enumerate(("From", "To"))
            ]
            said = st.text_area("Description", height=80, placeholder="How the two are related")
            about = st.text_input("About", help="Keywords, with commas between them")
            weight = st.number_input("Weight", min_value=0.1, value=1.0, step=0.5)
            added = st.form_submit_button("Add", type="primary")
    if added:
        source, target = (str(end or "") for end in chosen)

        def add() -> Any:
            edit = rag.add_relation(source, target, said, about.split(","), float(weight))
            found = [end if end in rag.graph else fold_name(end) for end in (source, target)]
            if rag.graph.has_edge(*found):
                session.choose_edge(pair_of(*found))
            return edit

        make(add)


def _name(graph: nx.Graph[str], key: str) -> str:
    return shortened(entity_at(graph, key).name, 48) if key in graph else key
