"""What the colours stand for; a click shows just that."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from lightrag_engine import LightRAG
from lightrag_engine.graphs import Colour, Scope
from lightrag_engine.graphs.kinds import type_counts
from ui.format import number
from ui.graph import session
from ui.graph.controlled import controlled, entity_name
from ui.graph.drawing import community_kind
from ui.graph.type_badge import type_badge, type_symbol
from ui.markdown import literal


def legend(rag: LightRAG, keys: Sequence[str]) -> None:
    """Show the types with how many entities have them; a click shows only those."""
    state, graph = session.current().state, rag.explorer.graph
    if state.scope is Scope.OVERVIEW:
        return
    if state.colour is Colour.COMMUNITY:
        _community_legend(rag, keys)
        return
    counts = dict(type_counts(graph))
    names = [*counts, *(kind for kind in state.types if kind not in counts)]
    controlled(
        st.pills,
        "Types: choose to show only these",
        "types",
        list(state.types),
        options=names,
        selection_mode="multi",
        label_visibility="collapsed",
        format_func=lambda kind: f"{type_badge(kind)} {number(counts.get(kind, 0))}",
        change=lambda kinds: {"types": tuple(kinds)},
    )


def _community_legend(rag: LightRAG, keys: Sequence[str]) -> None:
    found, graph = rag.explorer.communities(), rag.explorer.graph
    shown = sorted({found.number[key] for key in keys if key in found.number})[:11]
    with st.container(horizontal=True):
        for n in shown:
            st.button(
                f"{type_symbol(community_kind(n))} {literal(entity_name(graph, found.groups[n].key, 28))}",
                key=f"community_{n}",
                type="tertiary",
                help="Show this community alone",
                on_click=session.open_community,
                args=(found.groups[n].key,),
            )
