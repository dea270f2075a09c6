"""Looking around in the graph of a workspace: views, places, communities, analysis, paths.

What is derived from a state of the graph is made when it is first asked for, shared by all who look, and
dropped when the graph changes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import networkx as nx
import pandas as pd

from lightrag_engine.graphs import analysis, arrangements, paths, views
from lightrag_engine.graphs.communities import Communities, communities, links_between
from lightrag_engine.graphs.indexed import Indexed, indexed
from lightrag_engine.graphs.places import MapPlaces
from lightrag_engine.graphs.placing import Place
from lightrag_engine.graphs.saved_views import SavedViews
from lightrag_engine.graphs.state import GraphViewState, Layout, Rank
from lightrag_engine.graphs.views import GraphView
from lightrag_engine.indexing.statuses import Statuses
from lightrag_engine.retrieval.search import search_entities
from lightrag_engine.storage.workspace import Workspace

T = TypeVar("T")
_VIEWS_KEPT = 32


class GraphExplorer:
    """Reads the graph of one workspace; safe to use from any thread. `saved` are the views kept by name."""

    def __init__(self, workspace: Workspace, statuses: Statuses) -> None:
        self._workspace = workspace
        self._statuses = statuses
        self._places = MapPlaces(workspace.places)
        self.saved = SavedViews(workspace.views)
        self._lock = threading.RLock()
        self._of: nx.Graph[str] | None = None
        self._made: dict[Any, Any] = {}

    @property
    def graph(self) -> nx.Graph[str]:
        """The graph as it is now, frozen."""
        return self._workspace.graph.graph

    def view(self, state: GraphViewState) -> GraphView:
        """Return what a state shows."""
        graph = self.graph
        key = ("view", state, tuple(sorted(self._names().items())))
        with self._lock:
            made = self._current(graph)
            if key not in made:
                kept = [other for other in made if other[0] == "view"]
                for old in kept[: len(kept) - _VIEWS_KEPT + 1]:
                    del made[old]
                made[key] = views.view(graph, state, self._known(graph))
            found: GraphView = made[key]
            return found

    def shown_graph(self, view: GraphView) -> nx.Graph[str]:
        """Return just what a view shows, as a graph of its own."""
        graph = self.graph
        drawn: nx.Graph[str] = nx.Graph()
        drawn.add_nodes_from((key, graph.nodes[key]) for key in view.keys if key in graph)
        drawn.add_edges_from((*pair, graph.edges[pair]) for pair in view.pairs if graph.has_edge(*pair))
        return drawn

    def places(self, view: GraphView, layout: Layout) -> Mapping[str, Place]:
        """Return where the entities of a view are drawn, in pixels around the origin.

        On the map that does not depend on the view: the same entity is always at the same place.
        """
        match layout:
            case Layout.MAP:
                whole = self.map_places()
                return {key: whole[key] for key in view.keys if key in whole}
            case Layout.RADIAL:
                return arrangements.radial(self.shown_graph(view), view.focus)
            case Layout.LAYERS:
                return arrangements.layered(self.shown_graph(view), view.focus)
            case Layout.CIRCLE:
                return arrangements.circular(self.shown_graph(view))

    def map_places(self) -> Mapping[str, Place]:
        """Return the place of every entity on the map; those of new entities are found now and kept."""
        return self._once("places", self._places.of)

    def pin(self, key: str, x: float, y: float) -> bool:
        """Put an entity somewhere on the map, for good; False when there is no such entity or place."""
        if key not in self.graph or not self._places.pin(key, x, y):
            return False
        self._forget("places")
        return True

    def pinned(self) -> frozenset[str]:
        """Return the entities that a person has put somewhere."""
        return self._places.pinned()

    def unpin(self, key: str) -> None:
        """Give one pinned entity back to the map."""
        self._places.unpin(key)
        self._forget("places")

    def unpin_all(self) -> None:
        """Give every pinned entity back to the map."""
        self._places.unpin_all()
        self._forget("places")

    def arrange_anew(self) -> None:
        """Make the map anew, as if all documents had come at once; pinned entities stay."""
        self._places.arrange_anew()
        self._forget("places")

    def communities(self) -> Communities:
        """Return the communities of the graph."""
        return self._once("communities", lambda graph: communities(graph, self._indexed()))

    def community_links(self, first: int, second: int) -> list[tuple[str, str]]:
        """Return the relations that join two communities, given by their numbers; heaviest first."""
        return links_between(self.graph, self.communities(), first, second)

    def common_neighbours(self, keys: Sequence[str]) -> list[str]:
        """Return the entities that are related to every one of the given ones, rarest first."""
        return paths.common_neighbours(self.graph, keys)

    def neighbours(self, key: str, state: GraphViewState) -> list[str]:
        """Return the neighbours of an entity that pass the filters of a view, best connected first."""
        documents_of = self.documents_of() if state.documents else {}
        return views.neighbours(self.graph, key, state, documents_of)

    def summary(self) -> analysis.Summary:
        """Return the graph in numbers."""
        return self._once("summary", lambda g: analysis.summary(g, self._indexed(), self.communities()))

    def centrality(self) -> pd.DataFrame:
        """Return a row an entity with its centralities; see `analysis.centrality_table`."""
        return self._once(
            "centrality",
            lambda graph: analysis.centrality_table(
                graph, self._indexed(), self.communities(), self._pagerank()
            ),
        )

    def betweenness_is_sampled(self) -> bool:
        """Whether the betweenness in `centrality` is an estimate."""
        return analysis.betweenness_is_sampled(self._indexed())

    def surprising(self) -> pd.DataFrame:
        """Return the least expected relations between communities."""
        return self._once("surprising", lambda g: analysis.surprising_relations(g, self.communities()))

    def types_by_document(self) -> pd.DataFrame:
        """Return how many entities of each type each document names."""
        return analysis.types_by_document(self.graph, self.documents_of(), self._names())

    def documents_of(self) -> Mapping[str, Sequence[str]]:
        """Return the ids of the documents that name each entity, in the order in which they were added."""
        return self._once("documents", self._find_documents)

    def _find_documents(self, graph: nx.Graph[str]) -> dict[str, tuple[str, ...]]:
        added = {status.id: n for n, status in enumerate(reversed(self._statuses.all()))}
        found: dict[str, set[str]] = {}
        # The passages of a node may be a sample: the records say it all. What was merged counts together.
        resolve = self._workspace.edits.identity.resolve
        for key, ids in self._workspace.extractions.documents_by_key().items():
            found.setdefault(resolve(key), set()).update(ids)
        return {
            key: tuple(sorted(found.get(key, ()), key=lambda id_: (added.get(id_, len(added)), id_)))
            for key in graph
        }

    def _names(self) -> dict[str, str]:
        return {status.id: status.name for status in self._statuses.all()}

    def _known(self, graph: nx.Graph[str]) -> views.Known:
        return views.Known(
            by_number=self._indexed,
            ranked=self._ranked,
            communities=self.communities,
            documents_of=self.documents_of,
            names=self._names(),
            search=lambda text, limit: search_entities(graph, text, limit),
        )

    def _ranked(self, rank: Rank) -> Sequence[str]:
        return self._once(("ranked", rank), lambda graph: self._rank(graph, rank))

    def _rank(self, graph: nx.Graph[str], rank: Rank) -> list[str]:
        scores = self._pagerank() if rank is Rank.PAGERANK else {}
        return sorted(
            graph,
            key=lambda key: (
                -scores.get(key, 0.0),
                -graph.degree(key),
                -graph.nodes[key].get("weight", 0.0),
                key,
            ),
        )

    def _indexed(self) -> Indexed:
        return self._once("indexed", indexed)

    def _pagerank(self) -> dict[str, float]:
        return self._once("pagerank", lambda _: analysis.pagerank(self._indexed()))

    def _once(self, name: Any, make: Callable[[nx.Graph[str]], T]) -> T:
        with self._lock:
            graph = self.graph
            made = self._current(graph)
            if name not in made:
                made[name] = make(graph)
            found: T = made[name]
            return found

    def _forget(self, name: str) -> None:
        with self._lock:
            self._made.pop(name, None)

    def _current(self, graph: nx.Graph[str]) -> dict[Any, Any]:
        if self._of is not graph:
            self._of, self._made = graph, {}
        return self._made
