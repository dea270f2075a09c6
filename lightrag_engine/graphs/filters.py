"""Which entities and relations pass the filters of a view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import networkx as nx

from lightrag_engine.graphs.state import GraphViewState
from lightrag_engine.names import fold_name
from lightrag_engine.records import UNKNOWN_TYPE


class Filter:
    """The filters of a view over a graph; `documents_of` gives the ids of the documents of each entity."""

    def __init__(
        self, graph: nx.Graph[str], state: GraphViewState, documents_of: Mapping[str, Sequence[str]]
    ) -> None:
        self._graph = graph
        self._types = frozenset(state.types)
        self._documents = frozenset(state.documents)
        self._documents_of = documents_of
        self._min_degree = state.min_degree
        self._min_weight = state.min_weight
        self._keyword = fold_name(state.keyword)
        self._text = fold_name(state.text)
        self.edges_matter = bool(state.min_weight or self._keyword)

    def entity(self, key: str, *, types: bool = True) -> bool:
        """Whether an entity passes, by itself and by having a relation that does; `types` may be left out."""
        data = self._graph.nodes[key]
        if types and self._types and (data.get("type") or UNKNOWN_TYPE) not in self._types:
            return False
        if self._graph.degree(key) < self._min_degree:
            return False
        if self._documents and self._documents.isdisjoint(self._documents_of.get(key, ())):
            return False
        if self._text and not _holds(self._text, key, data):
            return False
        return not self.edges_matter or any(self.relation(key, other) for other in self._graph.neighbors(key))

    def relation(self, a: str, b: str) -> bool:
        """Whether a relation passes."""
        data = self._graph.edges[a, b]
        if float(data.get("weight", 0.0)) < self._min_weight:
            return False
        if not self._keyword:
            return True
        said = (fold_name(word) for word in data.get("keywords", ()))
        return any(self._keyword in word for word in said) or self._keyword in _plain(data.get("description"))


def _holds(wanted: str, key: str, data: Mapping[str, object]) -> bool:
    if wanted in key or wanted in _plain(data.get("description")):
        return True
    spellings = data.get("spellings", ())
    return isinstance(spellings, tuple) and any(wanted in fold_name(name) for name in spellings)


def _plain(text: object) -> str:
    return " ".join(str(text or "").split()).casefold()
