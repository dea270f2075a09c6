"""Questions to begin with, made of what the documents talk about most."""

from __future__ import annotations

import networkx as nx

from lightrag_engine.graphs.kinds import best_connected, type_of


def suggestions(graph: nx.Graph[str]) -> list[str]:
    """Return up to three questions about the best connected entities of the graph."""
    names = [(str(graph.nodes[key].get("name", key)), key) for key in best_connected(graph, 3)]
    if not names:
        return []
    (first, key), *others = names
    asked = [f"{'Who' if type_of(graph.nodes[key]) == 'person' else 'What'} is {first}?"]
    asked += [f"How are {first} and {name} related?" for name, _ in others[:1]]
    asked += [f"What do the documents say about {name}?" for name, _ in others[1:]]
    return asked
