"""How the entities are arranged and coloured."""

from __future__ import annotations

import streamlit as st

from lightrag_engine import LightRAG
from lightrag_engine.graphs import Colour, Layout, Rank
from ui.format import counted
from ui.graph import session
from ui.graph.controlled import controlled

_LAYOUTS = {
    Layout.MAP: "Map",
    Layout.RADIAL: "Rings",
    Layout.LAYERS: "Columns by hops",
    Layout.CIRCLE: "Circle by type",
}


def arrangement(rag: LightRAG) -> None:
    """Show how the entities are arranged and coloured."""
    state = session.current().state
    with st.popover("Arrange", icon=":material/scatter_plot:", key="arrange"):
        controlled(
            st.segmented_control,
            "Arrangement",
            "layout",
            state.layout,
            options=list(Layout),
            format_func=lambda kind: _LAYOUTS[kind],
            required=True,
            help="On the map an entity always has the same place. Rings and columns start from what is "
            "looked around from, or from the best connected entity.",
        )
        controlled(
            st.segmented_control,
            "Colours",
            "colour",
            state.colour,
            options=list(Colour),
            format_func=lambda kind: {"type": "By type", "community": "By community"}[kind],
            required=True,
        )
        controlled(
            st.segmented_control,
            "The best are those with most",
            "rank",
            state.rank,
            options=list(Rank),
            format_func=lambda kind: {"degree": "Relations", "pagerank": "PageRank"}[kind],
            required=True,
            help="PageRank: relations with well connected entities count more.",
        )
        pinned = len(rag.explorer.pinned())
        st.caption(
            f"{counted(pinned, 'entity', 'entities')} put in place by hand."
            if pinned
            else "Drag a dot to put it elsewhere for good."
        )
        with st.container(horizontal=True):
            st.button("Release all", on_click=rag.explorer.unpin_all, disabled=not pinned)
            st.button(
                "Make the map anew",
                on_click=rag.explorer.arrange_anew,
                help="After many new documents: every entity but those put by hand may get another place",
            )
