"""What stands beside the drawing: what is chosen, possible duplicates, or the edits."""

from __future__ import annotations

import streamlit as st

from lightrag_engine import LightRAG
from lightrag_engine.graphs import GraphView
from ui.graph import adding, history, session
from ui.graph.details import details
from ui.graph.duplicates_view import duplicates


def aside(rag: LightRAG, view: GraphView, height: int) -> None:
    """Show one of the three; which, is in the address."""
    session.settle_aside()
    part = st.segmented_control(
        "Beside the graph",
        list(session.ASIDES),
        required=True,
        key="beside",
        label_visibility="collapsed",
    )
    graph = rag.explorer.graph
    with st.container(height=height, border=False):
        if part == session.DUPLICATES:
            duplicates(rag, graph)
        elif part == session.EDITS:
            with st.container(horizontal=True, gap="small"):
                adding.add_entity(rag, graph)
                adding.add_relation(rag, graph, session.current().state.chosen)
            history.steps(rag)
            history.history(rag)
        else:
            details(rag, view)
