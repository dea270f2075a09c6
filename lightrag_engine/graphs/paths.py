"""How two entities are connected: shortest paths, common neighbours."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import networkx as nx

from lightrag_engine.graphs.indexed import Indexed, Pair, pair_of

_DETOUR = 2  # steps by which a path may be longer than the shortest
_HUB_COST = 0.01  # of a step: among paths of the same length those past rarer entities come first


@dataclass(frozen=True, slots=True)
class Path:
    """A way from one entity to another: the keys it passes, ends included."""

    keys: tuple[str, ...]

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The relations it follows, each as its sorted pair."""
        return tuple(pair_of(a, b) for a, b in zip(self.keys, self.keys[1:], strict=False))

    def __len__(self) -> int:
        """Return the number of steps."""
        return len(self.keys) - 1


def shortest_paths(by_number: Indexed, source: str, target: str, count: int) -> list[Path]:
    """Return up to `count` paths without loops, shortest first (Yen, 1971, as igraph does it).

    Length is the number of steps. Among equals, those come first that pass entities with few relations: that
    two people are both related to "London" says little. A path more than two steps longer than the shortest
    is left out. None when an end is unknown, both are the same, or nothing connects them.
    """
    number = by_number.number
    if source == target or source not in number or target not in number or count < 1:
        return []
    degrees = by_number.graph.degree()
    most = math.log1p(max(degrees, default=1))
    costs = [
        1 + _HUB_COST * (math.log1p(degrees[number[a]]) + math.log1p(degrees[number[b]])) / (2 * most)
        for a, b in by_number.pairs
    ]
    if math.isinf(by_number.graph.distances(number[source], number[target])[0][0]):
        return []
    found = by_number.graph.get_k_shortest_paths(number[source], number[target], k=count, weights=costs)
    paths = [Path(tuple(by_number.keys[n] for n in path)) for path in found]
    return [path for path in paths if len(path) <= len(paths[0]) + _DETOUR]


def common_neighbours(graph: nx.Graph[str], keys: Iterable[str]) -> list[str]:
    """Return the entities that are related to every one of the given ones, rarest first.

    What few others are related to says most (Adamic and Adar, 2003).
    """
    known = [key for key in dict.fromkeys(keys) if key in graph]
    if len(known) < 2:
        return []
    shared = set.intersection(*(set(graph.neighbors(key)) for key in known)) - set(known)
    return sorted(shared, key=lambda key: (graph.degree(key), key))
