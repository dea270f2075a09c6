"""The graph screen: map, communities, analysis. A fragment, so that a click runs nothing else of the app."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lightrag_engine import LightRAG
from lightrag_engine.graphs import GraphView
from ui.graph import changing, session
from ui.graph.analysis_view import analysis
from ui.graph.arrangement import arrangement
from ui.graph.aside import aside
from ui.graph.communities_view import communities
from ui.graph.component import draw
from ui.graph.drawing import Drawing, drawing
from ui.graph.exports_view import exports
from ui.graph.filters import filters
from ui.graph.legend import legend
from ui.graph.saved import saved_views
from ui.graph.scope import scope
from ui.graph.search import hits, search
from ui.graph.view_steps import steps
from ui.markdown import literal

_HEIGHT = 600


@st.fragment
def screen(rag: LightRAG) -> None:
    """Show the screen; `session.enter` was called before."""
    head = st.container(horizontal=True, vertical_alignment="center", gap="xsmall")
    head.title("Graph", anchor=False, width="content")
    section = head.segmented_control(
        "Section",
        list(session.SECTIONS),
        default=session.MAP,
        required=True,
        key="section",
        bind="query-params",
        label_visibility="collapsed",
    )
    if section == session.COMMUNITIES:
        communities(rag)
    elif section == session.ANALYSIS:
        analysis(rag)
    else:
        _map(rag, head)


def _map(rag: LightRAG, head: DeltaGenerator) -> None:
    now = session.current()
    view = rag.explorer.view(now.state)
    with head:
        steps()
        filters(rag)
        arrangement(rag)
        saved_views(rag)
        exports(rag, view)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"):
        search(rag)
        scope(rag)
    hits(rag)
    changing.tell()
    legend(rag, view.keys)
    for problem in (*now.problems, *view.problems):
        st.warning(literal(problem))

    # Two parts to one, and below each other where there is no room.
    grid = st.grid(3, min_column_width=270, gap="medium")
    picture, beside = grid.cell(column_span=2), grid.cell()
    with picture:
        draw(
            _drawing(rag, now, view),
            now.told,
            key=session.GRAPH_KEY,
            height=_HEIGHT,
            alt=f"Entity graph: {view.line}. The search above finds every entity without the drawing, the "
            "arrow keys go through those drawn, and Analysis lists all as a table.",
            empty=_empty(view),
            on_events=session.handle(rag),
            loaded=True,
        )
        st.caption(literal(view.line))
    with beside:
        aside(rag, view, _HEIGHT)


def _drawing(rag: LightRAG, now: session.Session, view: GraphView) -> Drawing:
    """Return the drawing of a view; that of the run before, when only something else was selected."""
    explorer = rag.explorer
    of = (explorer.graph, explorer.map_places(), view, now.state.picture)
    if now.drawn is None or now.drawn[0] != of:
        now.drawn = of, drawing(explorer, now.state, view)
    return now.drawn[1]


def _empty(view: GraphView) -> str:
    if view.keys:
        return ""
    return view.line if not view.line.startswith("0 of") else f"Nothing to show: {view.line}"
