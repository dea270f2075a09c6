"""Which entities and relations pass, whatever part of the graph is looked at."""

from __future__ import annotations

import streamlit as st

from lightrag_engine import LightRAG
from lightrag_engine.graphs import GraphViewState, Scope
from ui.format import shortened
from ui.graph import session
from ui.graph.controlled import controlled


def filters(rag: LightRAG) -> None:
    """Show the filters other than by type; they combine."""
    state = session.current().state
    active = sum(
        map(
            bool,
            (
                state.documents and state.scope is not Scope.DOCUMENTS,
                state.min_degree,
                state.min_weight,
                state.keyword,
                state.text,
            ),
        )
    )
    with st.popover(
        f"Filters · {active}" if active else "Filters", icon=":material/filter_alt:", key="filters"
    ):
        if state.scope is not Scope.DOCUMENTS:
            document_choice(rag, "In documents", "documents", state)
        left, right = st.columns(2)
        with left:
            controlled(
                st.number_input, "Relations, at least", "min_degree", state.min_degree, min_value=0, step=1
            )
        with right:
            controlled(
                st.number_input, "Weight, at least", "min_weight", state.min_weight, min_value=0.0, step=0.5
            )
        controlled(
            st.text_input, "Related by", "keyword", state.keyword, placeholder="A word, such as: founded"
        )
        controlled(
            st.text_input, "Name or description holds", "text", state.text, placeholder="Any words in a row"
        )
        st.button("Clear all filters", on_click=_clear_filters, disabled=not state.filtered)


def _clear_filters() -> None:
    session.go(session.current().state.without_filters())


def document_choice(
    rag: LightRAG, label: str, key: str, state: GraphViewState, width: int | str = "stretch"
) -> None:
    """Let a person choose documents."""
    names = {status.id: status.name for status in rag.documents()}
    controlled(
        st.multiselect,
        label,
        "documents",
        [id_ for id_ in state.documents if id_ in names],
        options=list(names),
        format_func=lambda id_: shortened(names[id_], 60),
        placeholder="All documents" if key == "documents" else "Choose documents",
        width=width,
        widget=key,
        change=lambda ids: {"documents": tuple(ids)},
    )
