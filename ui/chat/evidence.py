"""The evidence of an answer: the passage that was chosen, the tables, a graph of just that, downloads."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from lightrag_engine import Answer, LightRAG
from lightrag_engine.conversations import Turn as Kept
from lightrag_engine.conversations import evidence_of, turn_zip
from lightrag_engine.graphs import GraphView, GraphViewState, Scope, to_params
from lightrag_engine.graphs.indexed import Pair, pair_of
from lightrag_engine.records import EntityRow, RelationRow, SourceText
from lightrag_engine.retrieval.context import Context
from ui.chat import citations
from ui.graph.component import draw
from ui.graph.drawing import drawing
from ui.tables import context_tables

_GRAPH_HEIGHT = 300
_MOST = 150  # entities or relations that fit into an address


def evidence(rag: LightRAG, record: Kept, answer: Answer, key: str, *, with_graph: bool) -> None:
    """Show the evidence of an answer; call it in a fragment."""
    wanted: GraphViewState | None = st.session_state.pop(f"{key}_open", None)
    if wanted is not None:
        # With a mapping: without one, Streamlit refuses when the address names the workspace.
        st.switch_page("pages/graph.py", query_params=to_params(wanted))
    citations.picker(answer.citations, key)
    number = citations.chosen(key)
    if source := next((row for row in answer.context.source_rows if row.id == number), None):
        own = next((one for one in answer.citations if one.number == number), None)
        citations.shown_passage(source, own, key)

    def opened(row: EntityRow | RelationRow | SourceText) -> None:
        if isinstance(row, SourceText):
            citations.choose(key, row.id, answer.citations)
        else:
            st.session_state[f"{key}_open"] = looked_at(answer.context, row)

    context_tables(answer, key, opened)
    if with_graph and answer.context.entity_rows:
        _graph(rag, answer, key)
    st.download_button(
        "Download all as ZIP",
        partial(turn_zip, record),
        file_name="evidence.zip",
        mime="application/zip",
        key=f"{key}_zip",
        icon=":material/folder_zip:",
        type="tertiary",
        on_click="ignore",
        help="The three tables as CSV, and the answer with its passages as Markdown",
    )


def _graph(rag: LightRAG, answer: Answer, key: str) -> None:
    state = looked_at(answer.context)
    view = rag.explorer.view(state)
    if not state.pairs:
        view = replace(view, pairs=())
    name = f"{key}_graph"

    def done() -> None:
        for event in st.session_state[name].events or []:
            match event:
                case {"do": "expand", "node": str(node)}:
                    st.session_state[f"{key}_open"] = state.with_(chosen=(node,))

    faint = _faint(view, answer)
    draw(
        drawing(rag.explorer, state, view, faint=faint),
        {"number": 0, "nodes": [], "edge": None},
        key=name,
        height=_GRAPH_HEIGHT,
        alt="Graph of the retrieved entities and relations, those in the answer emphasised; the tables "
        "list them.",
        empty="" if view.keys else "What was retrieved is no longer in the graph.",
        on_events=done,
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        bright = "Bright: in the answer. " if faint else ""
        st.caption(f"{bright}Double-click an entity to open it in the graph.", width="stretch")
        st.page_link(
            "pages/graph.py",
            label="Open in the graph",
            icon=":material/hub:",
            query_params=to_params(state),
        )


def _faint(view: GraphView, answer: Answer) -> frozenset[str | Pair]:
    """Return what the answer does not speak of; nothing when it names no entity at all."""
    found = evidence_of(answer)
    named: set[str | Pair] = {row.key for row in found.entities if row.id in found.cited_entities}
    if not named:
        return frozenset()
    for row in found.relations:
        if row.id in found.cited_relations:
            named |= {row.source_key, row.target_key, pair_of(row.source_key, row.target_key)}
    return frozenset[str | Pair]([*view.keys, *view.pairs]) - named


def looked_at(context: Context, row: EntityRow | RelationRow | None = None) -> GraphViewState:
    """Return the view of the graph page of just this evidence, with one row of it selected."""
    pairs = list(dict.fromkeys(pair_of(row.source_key, row.target_key) for row in context.relation_rows))
    state = GraphViewState(
        scope=Scope.EVIDENCE,
        nodes=tuple(row.key for row in context.entity_rows[:_MOST]),
        pairs=tuple(pairs[:_MOST]),
    )
    match row:
        case EntityRow():
            return state.with_(chosen=(row.key,))
        case RelationRow():
            pair = pair_of(row.source_key, row.target_key)
            return state.with_(edge=pair, pairs=tuple(dict.fromkeys([*state.pairs, pair])))
        case None:
            return state
