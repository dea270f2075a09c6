"""Local retrieval: from the entities nearest to the low-level keywords to what hangs on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import networkx as nx

from lightrag_engine.records import Reason
from lightrag_engine.retrieval.found import Found, sort_relations, unique


def local(graph: nx.Graph[str], hits: Sequence[str]) -> Found:
    """Return the entities among `hits` (nearest first), all edges at them, and their chunks.

    Chunks are ordered by the position of the first entity that brings them and, for one entity, by how many
    of its one-hop neighbours share the chunk, most first.
    """
    entities = [key for key in unique(hits) if key in graph]
    brought: dict[str, str] = {}
    for key in entities:
        for chunk in _chunks_of(graph, key):
            brought.setdefault(chunk, graph.nodes[key].get("name", key))
    pairs = ((min(key, end), max(key, end)) for key in entities for end in graph[key])
    return Found(
        entities=tuple(entities),
        relations=sort_relations(graph, pairs),
        chunks=tuple(brought),
        dangling=len(set(hits)) - len(entities),
        why={
            chunk: (Reason("entity", place, (name,)),)
            for place, (chunk, name) in enumerate(brought.items(), start=1)
        },
    )


def _chunks_of(graph: nx.Graph[str], key: str) -> list[str]:
    own = graph.nodes[key]["source_ids"]
    shared = Counter(
        chunk for end in graph[key] for chunk in set(graph.nodes[end]["source_ids"]).intersection(own)
    )
    return sorted(own, key=lambda chunk: -shared[chunk])
