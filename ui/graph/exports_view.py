"""Downloads of exactly what is seen, and of the whole graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import networkx as nx
import streamlit as st

from lightrag_engine import LightRAG
from lightrag_engine.exporting import graph_file, graph_formats
from lightrag_engine.graphs import Colour, GraphView
from lightrag_engine.graphs.kinds import type_of
from lightrag_engine.graphs.placing import Place
from ui.format import counted
from ui.graph import session
from ui.graph.drawing import community_kind
from ui.graph.html_export import html
from ui.graph.png import png_button
from ui.graph.svg import svg

_TYPES = {
    "graphml": "application/xml",
    "gexf": "application/xml",
    "json": "application/json",
    "csv": "text/csv",
}
_LABELS = {
    "html": "HTML, opens in any browser",
    "svg": "SVG picture",
    "graphml": "GraphML (Gephi, yEd, NetworkX)",
    "gexf": "GEXF (Gephi)",
    "json": "JSON node-link",
    "entities.csv": "Entities as CSV",
    "relations.csv": "Relations as CSV",
}


def exports(rag: LightRAG, view: GraphView) -> None:
    """Offer the downloads; a file is made when it is asked for."""
    popover = st.popover("Export", icon=":material/download:", key="export", on_change="rerun")
    if not popover.open:
        return
    with popover:
        part = st.segmented_control(
            "What to export",
            ["seen", "whole"],
            default="seen",
            required=True,
            key="export_part",
            format_func=lambda name: {"seen": "What is shown", "whole": "The whole graph"}[name],
        )
        seen = part != "whole"
        graph = rag.explorer.shown_graph(view) if seen else rag.explorer.graph
        st.caption(
            f"{counted(len(graph), 'entity', 'entities')}, {counted(graph.number_of_edges(), 'relation')}. "
            "The button on the drawing saves just what is in sight, too."
        )
        name = "graph-view" if seen else "graph"
        for ending, (mime, make) in _files(rag, view, graph, seen).items():
            st.download_button(
                _LABELS[ending],
                make,
                f"{name}-{ending}" if ending.endswith(".csv") else f"{name}.{ending}",
                mime,
                key=f"export_{part}_{ending}",
                type="tertiary",
                on_click="ignore",
            )
            if ending == "svg":
                shapes = len(graph) + graph.number_of_edges()
                png_button(make, f"{name}.png", shapes, key=f"export_{part}_png")


def _files(
    rag: LightRAG, view: GraphView, graph: nx.Graph[str], seen: bool
) -> dict[str, tuple[str, Callable[[], bytes]]]:
    theme = "dark" if st.context.theme.type == "dark" else "light"
    state = session.current().state

    def picture(draw: Callable[..., str]) -> bytes:
        places: Mapping[str, Place] = rag.explorer.map_places()
        if seen:
            places = rag.explorer.places(view, state.layout)
        line = view.line if seen else f"All {counted(len(graph), 'entity', 'entities')}"
        return draw(graph, places, _kinds(rag, graph, state.colour), theme, line).encode("utf-8", "replace")

    files: dict[str, tuple[str, Callable[[], bytes]]] = {
        "html": ("text/html", partial(picture, html)),
        "svg": ("image/svg+xml", partial(picture, svg)),
    }
    for ending in graph_formats():
        files[ending] = (_TYPES[ending.rpartition(".")[2]], partial(graph_file, graph, ending))
    return files


def _kinds(rag: LightRAG, graph: nx.Graph[str], colour: Colour) -> dict[str, str]:
    if colour is Colour.COMMUNITY:
        number = rag.explorer.communities().number
        return {key: community_kind(number[key]) for key in graph}
    return {key: type_of(data) for key, data in graph.nodes(data=True)}
