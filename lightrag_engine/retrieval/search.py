"""Finding entities by what a person types."""

from __future__ import annotations

import networkx as nx

from lightrag_engine.names import fold_name


def search_entities(graph: nx.Graph[str], text: str, limit: int) -> list[str]:
    """Return the keys of entities that match a text, best first.

    Order: the whole name, then names that begin with the text, then names with a word that begins with
    it, then names that hold it anywhere; among equals the best connected. Other spellings and aliases count
    too.
    """
    wanted = fold_name(text)
    if not wanted:
        return []
    ranked = []
    for key, node in graph.nodes(data=True):
        names = {key, *node["aliases"], *(fold_name(spelling) for spelling in node["spellings"])}
        rank = min(_rank(name, wanted) for name in names)
        if rank < _NO_MATCH:
            ranked.append((rank, -int(graph.degree[key]), key))
    return [key for _, _, key in sorted(ranked)[:limit]]


_NO_MATCH = 4


def _rank(name: str, wanted: str) -> int:
    if name == wanted:
        return 0
    if name.startswith(wanted):
        return 1
    if f" {wanted}" in name:
        return 2
    return 3 if wanted in name else _NO_MATCH
