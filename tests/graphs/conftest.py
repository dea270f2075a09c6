"""Graphs as the engine has them, made by hand."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import pytest

from lightrag_engine.graphs import GraphViewState, views
from lightrag_engine.graphs.communities import communities
from lightrag_engine.graphs.indexed import indexed
from lightrag_engine.retrieval.search import search_entities


def add(graph: nx.Graph, name: str, kind: str = "person", **data) -> str:
    key = name.casefold()
    graph.add_node(
        key,
        **{
            "name": name,
            "type": kind,
            "description": "",
            "weight": 1.0,
            "spellings": (name,),
            "aliases": (),
            "source_ids": (),
        }
        | data,
    )
    return key


def relate(graph: nx.Graph, a: str, b: str, *keywords: str, weight: float = 1.0, **data) -> None:
    graph.add_edge(
        a, b, keywords=keywords, weight=weight, description=data.pop("description", ""), source_ids=(), **data
    )


@pytest.fixture
def town() -> nx.Graph:
    """Two families that know each other by one friendship; a hub that all know; one stranger."""
    graph: nx.Graph = nx.Graph()
    for name in ("Ada", "Ben", "Cia", "Dov"):
        add(graph, name, source_ids=("c1",))
    for name in ("Uma", "Vic", "Wes", "Xan"):
        add(graph, name, source_ids=("c2",))
    add(graph, "Town", "location", source_ids=("c1", "c2"))
    add(graph, "Stranger", "starship")
    for family in (("ada", "ben", "cia", "dov"), ("uma", "vic", "wes", "xan")):
        for n, a in enumerate(family):
            for b in family[n + 1 :]:
                relate(graph, a, b, "family", weight=3.0)
            relate(graph, a, "town", "lives in")
    relate(graph, "dov", "uma", "friendship", weight=0.5, description="They met at the fair.")
    return graph


@pytest.fixture(scope="session")
def big() -> nx.Graph:
    made = nx.barabasi_albert_graph(3000, 3, seed=4)
    graph = nx.relabel_nodes(made, {n: f"entity {n}" for n in made})
    for key in graph:
        graph.nodes[key].update(
            name=key, type="concept", spellings=(key,), aliases=(), source_ids=(), weight=1.0
        )
    for a, b in graph.edges:
        graph.edges[a, b].update(weight=1.0, keywords=(), description="")
    return graph


Show = Callable[..., views.GraphView]


@pytest.fixture
def show() -> Show:
    """Make a view of a graph by the fields of its state."""

    def make(graph: nx.Graph, **fields) -> views.GraphView:
        by_number = indexed(graph)
        documents = {"c1": "doc-1", "c2": "doc-2"}
        known = views.Known(
            by_number=lambda: by_number,
            ranked=lambda rank: sorted(graph, key=lambda key: (-graph.degree(key), key)),
            communities=lambda: communities(graph, by_number),
            documents_of=lambda: {
                key: [documents[c] for c in data["source_ids"]] for key, data in graph.nodes(data=True)
            },
            names={"doc-1": "one.txt", "doc-2": "two.txt"},
            search=lambda text, limit: search_entities(graph, text, limit),
        )
        return views.view(graph, GraphViewState(**fields), known)

    return make
