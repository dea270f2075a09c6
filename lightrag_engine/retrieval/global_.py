"""Global retrieval: from the relations nearest to the high-level keywords to their ends."""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx

from lightrag_engine.retrieval.found import Found, Pair, sort_relations, unique


def global_(graph: nx.Graph[str], hits: Sequence[Pair]) -> Found:
    """Return the relations among `hits` by (rank, weight), their ends, and their chunks in that order."""
    wanted = {(min(pair), max(pair)) for pair in hits}
    pairs = sort_relations(graph, (pair for pair in wanted if graph.has_edge(*pair)))
    edges = [graph.edges[pair] for pair in pairs]
    return Found(
        entities=unique(key for edge in edges for key in (edge["source_key"], edge["target_key"])),
        relations=pairs,
        chunks=unique(chunk for edge in edges for chunk in edge["source_ids"]),
        dangling=len(wanted) - len(pairs),
    )
