"""A graph of the engine as igraph wants it: nodes and edges by number."""

from __future__ import annotations

from dataclasses import dataclass

import igraph
import networkx as nx

Pair = tuple[str, str]


def pair_of(a: str, b: str) -> Pair:
    """Return the identity of the relation of two entities: both keys, sorted."""
    return (a, b) if a <= b else (b, a)


@dataclass(frozen=True, slots=True)
class Indexed:
    """`keys` by number, numbers by key, edges as sorted pairs with their weights, and the igraph graph."""

    keys: tuple[str, ...]
    number: dict[str, int]
    pairs: tuple[Pair, ...]
    weights: tuple[float, ...]
    graph: igraph.Graph


def indexed(graph: nx.Graph[str]) -> Indexed:
    """Return a graph by numbers; the order of nodes and edges is that of their keys, whatever theirs was."""
    keys = tuple(sorted(graph))
    number = {key: n for n, key in enumerate(keys)}
    edges = sorted(
        (pair_of(a, b), max(float(data.get("weight", 1.0)), 0.0)) for a, b, data in graph.edges(data=True)
    )
    pairs = tuple(pair for pair, _ in edges)
    drawn = igraph.Graph(n=len(keys), edges=[(number[a], number[b]) for a, b in pairs])
    return Indexed(keys, number, pairs, tuple(weight for _, weight in edges), drawn)
