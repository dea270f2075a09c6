"""Local retrieval: from the entities nearest to the low-level keywords to what hangs on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import networkx as nx

from lightrag_engine.records import Reason
from lightrag_engine.retrieval.found import Found, sort_edges, unique


def local(graph: nx.Graph[str], hits: Sequence[str]) -> Found:
    """Return the entities among `hits` (nearest first), all edges at them, and their chunks.

    Chunks are ordered by the position of the first entity that brings them and, for one entity, by how many
    of its one-hop neighbours share the chunk, most first.
    """
    entities = [key for key in unique(hits) if key in graph]
    neighbours = dict(graph.adjacency())  # plain dictionaries: hubs have thousands
    brought: dict[str, str] = {}
    for key in entities:
        for chunk in _chunks_of(graph, key, neighbours[key]):
            brought.setdefault(chunk, graph.nodes[key].get("name", key))
    edges = {
        (key, end) if key <= end else (end, key): edge
        for key in entities
        for end, edge in neighbours[key].items()
    }
    return Found(
        entities=tuple(entities),
        relations=sort_edges(graph, edges),
        chunks=tuple(brought),
        dangling=len(set(hits)) - len(entities),
        why={
            chunk: (Reason("entity", place, (name,)),)
            for place, (chunk, name) in enumerate(brought.items(), start=1)
        },
    )


def _chunks_of(graph: nx.Graph[str], key: str, neighbours: Iterable[str]) -> list[str]:
    own = graph.nodes[key]["source_ids"]
    shared = dict.fromkeys(own, 0)
    for end in neighbours:
        for chunk in graph.nodes[end]["source_ids"]:
            if chunk in shared:
                shared[chunk] += 1
    return sorted(own, key=lambda chunk: -shared[chunk])
