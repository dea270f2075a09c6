"""Global retrieval: from the relations nearest to the high-level keywords to their ends."""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx

from lightrag_engine.records import Reason
from lightrag_engine.retrieval.found import Found, Pair, sort_relations, unique


def global_(graph: nx.Graph[str], hits: Sequence[Pair]) -> Found:
    """Return the relations among `hits` by (rank, weight), their ends, and their chunks in that order."""
    wanted = {(min(pair), max(pair)) for pair in hits}
    pairs = sort_relations(graph, (pair for pair in wanted if graph.has_edge(*pair)))
    edges = [graph.edges[pair] for pair in pairs]
    brought: dict[str, tuple[str, ...]] = {}
    for edge in edges:
        source, target = (
            graph.nodes[edge[end]].get("name", edge[end]) for end in ("source_key", "target_key")
        )
        for chunk in edge["source_ids"]:
            brought.setdefault(chunk, (source, target))
    return Found(
        entities=unique(key for edge in edges for key in (edge["source_key"], edge["target_key"])),
        relations=pairs,
        chunks=tuple(brought),
        dangling=len(wanted) - len(pairs),
        why={
            chunk: (Reason("relation", place, names),)
            for place, (chunk, names) in enumerate(brought.items(), start=1)
        },
    )
