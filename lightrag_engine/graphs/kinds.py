"""Entity types and ranks, read off a graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import networkx as nx

from lightrag_engine.records import UNKNOWN_TYPE, Entity


def type_of(data: Mapping[str, Any]) -> str:
    """Return the type of a node, `unknown` when it has none."""
    return data.get("type") or UNKNOWN_TYPE


def type_counts(graph: nx.Graph[str], keys: Iterable[str] | None = None) -> list[tuple[str, int]]:
    """Return the entity types with how many entities (of `keys`, if given) have them, most frequent first."""
    found = Counter(type_of(graph.nodes[key]) for key in (graph if keys is None else keys))
    return sorted(found.items(), key=lambda item: (-item[1], item[0]))


def best_connected(graph: nx.Graph[str], count: int) -> list[str]:
    """Return the keys of the `count` entities with the highest degree, ties by weight and then by key."""
    ranked = sorted(graph, key=lambda key: (-graph.degree(key), -graph.nodes[key].get("weight", 0.0), key))
    return ranked[:count]


def entity_at(graph: nx.Graph[str], key: str) -> Entity:
    """Return a node as an entity."""
    data = graph.nodes[key]
    return Entity(
        key=key,
        name=str(data.get("name", key)),
        type=type_of(data),
        description=str(data.get("description", "")),
        weight=float(data.get("weight", 0.0)),
        source_ids=tuple(data.get("source_ids", ())),
        spellings=tuple(data.get("spellings", ())),
        aliases=tuple(data.get("aliases", ())),
        left_out=int(data.get("left_out", 0)),
    )
