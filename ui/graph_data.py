"""What is computed once for a state of the graph and shared by all sessions: places, views."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from weakref import WeakKeyDictionary

import networkx as nx
import streamlit as st

from lightrag_engine.records import Entity
from ui import graph_view
from ui.graph_layout import Positions, layout

# The engine hands out one frozen graph a revision: what is derived from it lives exactly as long.
_Places = WeakKeyDictionary[Any, Positions]
_Views = WeakKeyDictionary[Any, dict[frozenset[str], graph_view.View]]
_VIEWS_KEPT = 16


@st.cache_resource
def _places() -> _Places:
    return WeakKeyDictionary()


@st.cache_resource
def _views() -> _Views:
    return WeakKeyDictionary()


def view(graph: nx.Graph[str], keys: Iterable[str]) -> graph_view.View:
    """Return the drawing of some entities of a graph of the engine; a click draws nothing anew."""
    wanted, kept = frozenset(keys), _views().setdefault(graph, {})
    if wanted not in kept:
        while len(kept) >= _VIEWS_KEPT:
            kept.pop(next(iter(kept)), None)
        kept[wanted] = graph_view.view(graph, wanted, _positions(graph))
    return kept[wanted]


def _positions(graph: nx.Graph[str]) -> Positions:
    kept = _places()
    if graph not in kept:
        kept[graph] = layout(graph)
    return kept[graph]


def entity_at(graph: nx.Graph[str], key: str) -> Entity:
    """Return a node as an entity."""
    data = graph.nodes[key]
    return Entity(
        key=key,
        name=str(data.get("name", key)),
        type=graph_view.type_of(data),
        description=str(data.get("description", "")),
        weight=float(data.get("weight", 0.0)),
        source_ids=tuple(data.get("source_ids", ())),
        spellings=tuple(data.get("spellings", ())),
    )
