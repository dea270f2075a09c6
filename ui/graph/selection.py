"""Several entities chosen at once: how they are connected, what they share, and asking about them."""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx
import streamlit as st

from lightrag_engine import LightRAG
from lightrag_engine.graphs import Scope
from lightrag_engine.graphs.indexed import pair_of
from lightrag_engine.graphs.kinds import entity_at, type_of
from lightrag_engine.names import content_id
from ui.chat.session import put
from ui.format import counted, listed, number, shortened
from ui.graph import adding, editing, session
from ui.graph.type_badge import type_symbol
from ui.markdown import literal

_LISTED = 12


def several(rag: LightRAG, graph: nx.Graph[str], keys: Sequence[str]) -> None:
    """Show what can be done with several entities."""
    st.subheader(f"{number(len(keys))} entities", anchor=False)
    for key in keys[:_LISTED]:
        _name(graph, key, "chosen")
    if len(keys) > _LISTED:
        st.caption(f"and {number(len(keys) - _LISTED)} more")
    shared = rag.explorer.common_neighbours(keys)
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Paths between",
            icon=":material/route:",
            key="paths_between",
            help="The shortest ways from the first to the last one you chose, each step with its sentence",
            on_click=session.connect,
            args=(keys[0], keys[-1]),
        )
        st.button(
            "Around them",
            icon=":material/target:",
            key="around_them",
            help="Show nothing but their neighbourhood",
            on_click=session.look_around,
            args=tuple(keys),
        )
        st.button(
            f"{number(len(shared))} in common",
            icon=":material/join_inner:",
            key="in_common",
            help="Show only them and the entities that are related to every one of them",
            disabled=not shared,
            on_click=_show_common,
            args=(tuple(keys), tuple(shared)),
        )
    with st.container(horizontal=True, gap="small"):
        _ask(rag, graph, keys)
        editing.merge(rag, graph, keys)
        if len(keys) == 2 and not graph.has_edge(*keys):
            adding.add_relation(rag, graph, keys)
    if shared:
        st.markdown(f"**{counted(len(shared), 'common neighbour')}**")
        for key in shared[:_LISTED]:
            _name(graph, key, "shared")
        if len(shared) > _LISTED:
            st.caption(f"and {number(len(shared) - _LISTED)} more")


def _name(graph: nx.Graph[str], key: str, role: str) -> None:
    st.button(
        f"{type_symbol(type_of(graph.nodes[key]))} {literal(shortened(entity_at(graph, key).name, 48))}",
        key=content_id(role, key),
        type="tertiary",
        help=f"{literal(type_of(graph.nodes[key]))} · {counted(graph.degree(key), 'relation')}",
        on_click=session.choose,
        args=(key,),
    )


def _show_common(keys: tuple[str, ...], shared: tuple[str, ...]) -> None:
    pairs = tuple(pair_of(key, other) for other in shared[:100] for key in keys)
    session.change(scope=Scope.EVIDENCE, nodes=keys, pairs=pairs, expanded=(), chosen=keys, edge=None)


def _ask(rag: LightRAG, graph: nx.Graph[str], keys: Sequence[str]) -> None:
    names = [entity_at(graph, key).name for key in keys[:6]]
    with st.popover("Ask about these", icon=":material/forum:"), st.form("ask_about", border=False):
        question = st.text_input("Question", f"How are {listed(names)} related?", max_chars=500)
        asked = st.form_submit_button("Ask", type="primary")
    if asked and question.strip():
        put(rag, question.strip(), "hybrid")
        # With a mapping: without one, Streamlit refuses when the address names the workspace.
        st.switch_page("pages/chat.py", query_params={})
