"""Local retrieval: from the entities nearest to the low-level keywords to what hangs on them."""

from __future__ import annotations

from collections.abc import Sequence

from lightrag_engine.records import Reason
from lightrag_engine.retrieval.found import Found, unique
from lightrag_engine.retrieval.order import GraphOrder


def local(order: GraphOrder, hits: Sequence[str]) -> Found:
    """Return the entities among `hits` (nearest first), all edges at them, and their chunks.

    Chunks are ordered by the position of the first entity that brings them and, for one entity, by how many
    of its one-hop neighbours share the chunk, most first.
    """
    graph = order.graph
    entities = [key for key in unique(hits) if key in graph]
    brought: dict[str, str] = {}
    for key in entities:
        name = graph.nodes[key].get("name", key)
        for chunk in order.chunks_of(key):
            brought.setdefault(chunk, name)
    return Found(
        entities=tuple(entities),
        relations=order.edges_at(entities),
        chunks=tuple(brought),
        dangling=len(set(hits)) - len(entities),
        why={
            chunk: (Reason("entity", place, (name,)),)
            for place, (chunk, name) in enumerate(brought.items(), start=1)
        },
    )
