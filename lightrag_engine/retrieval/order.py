"""The orders of edges and chunks at the nodes of a graph, worked out once and not with every question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain

import networkx as nx
import numpy as np

from lightrag_engine.indexing.vector_texts import entity_vector_id, relation_vector_id
from lightrag_engine.retrieval.found import Pair


class GraphOrder:
    """What hangs on the nodes of one state of a graph, in the order in which retrieval wants it.

    Hubs have thousands of edges and chunks, and most questions find some hub. Must not be used once the graph
    has changed.
    """

    def __init__(self, graph: nx.Graph[str]) -> None:
        self.graph = graph
        at = self._at = dict(graph.adjacency())  # plain dictionaries
        keys = sorted(at)
        number = self._number = {key: place for place, key in enumerate(keys)}
        edges = [
            (number[key], number[end], float(edge["weight"]))
            for key in keys
            for end, edge in at[key].items()
            if key <= end
        ]
        low, high, weight = (np.array(column) for column in zip(*edges, strict=True)) if edges else _NOTHING
        degree = np.fromiter((len(at[key]) for key in keys), dtype=np.int64, count=len(keys))
        order = np.lexsort((high, low, -weight, -(degree[low] + degree[high])))
        low, high = low[order], high[order]
        self._pairs = [(keys[a], keys[b]) for a, b in zip(low.tolist(), high.tolist(), strict=True)]
        # The edges at node n, as places in that order, stand from starts[n] to starts[n + 1].
        ends = np.concatenate([low, high])
        self._places = np.argsort(ends, kind="stable") % max(1, len(order))
        self._starts = np.r_[0, np.cumsum(np.bincount(ends, minlength=len(keys)))]
        self._chunks: dict[str, Sequence[str]] = {}

    @cached_property
    def entities(self) -> Mapping[str, str]:
        """The keys of all entities by the ids of their vectors."""
        return {_entity_id(key): key for key in self._number}

    @cached_property
    def relations(self) -> Mapping[str, Pair]:
        """The pairs of all relations by the ids of their vectors."""
        return {_relation_id(pair): pair for pair in self._pairs}

    def edges_at(self, keys: Iterable[str]) -> tuple[Pair, ...]:
        """Return the pairs of all edges at some nodes, each once, in the order of `sort_relations`."""
        numbers = [self._number[key] for key in keys]
        parts = [self._places[self._starts[n] : self._starts[n + 1]] for n in numbers]
        places = np.unique(np.concatenate(parts)).tolist() if parts else []
        return tuple([self._pairs[place] for place in places])

    def chunks_of(self, key: str) -> Sequence[str]:
        """Return the chunks of a node by how many of its neighbours share them, most first."""
        if key not in self._chunks:
            nodes = self.graph.nodes
            own: Sequence[str] = nodes[key]["source_ids"]
            shared = dict.fromkeys(own, 0)
            for chunk in chain.from_iterable(nodes[end]["source_ids"] for end in self._at[key]):
                if chunk in shared:
                    shared[chunk] += 1
            self._chunks[key] = sorted(own, key=lambda chunk: -shared[chunk])
        return self._chunks[key]


# The ids are mostly the same at the next revision.
_entity_id = lru_cache(maxsize=100_000)(entity_vector_id)
_relation_id = lru_cache(maxsize=100_000)(relation_vector_id)
_NOTHING = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))
