"""What a person wants to see of the graph, as a value: scope, filters, layout, what is chosen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from lightrag_engine.graphs.indexed import Pair

FEWEST_SHOWN, DEFAULT_SHOWN, MOST_SHOWN = 10, 120, 1000
MOST_HOPS, MOST_PATHS = 3, 10


class Scope(StrEnum):
    """Which part of the graph is looked at."""

    TOP = "top"
    AROUND = "around"
    DOCUMENTS = "documents"
    EVIDENCE = "evidence"
    COMMUNITY = "community"
    OVERVIEW = "communities"
    PATHS = "paths"
    SEARCH = "search"


class Rank(StrEnum):
    """What "the best" means where not all can be shown."""

    DEGREE = "degree"
    PAGERANK = "pagerank"


class Layout(StrEnum):
    """How the entities are arranged."""

    MAP = "map"
    RADIAL = "radial"
    LAYERS = "layers"
    CIRCLE = "circle"


class Colour(StrEnum):
    """What the colours stand for."""

    TYPE = "type"
    COMMUNITY = "community"


@dataclass(frozen=True, slots=True)
class GraphViewState:
    """A view of the graph.

    Which fields count depends on `scope`: `focus` and `hops` for AROUND, `focus` as the two ends and
    `paths` for PATHS, `documents` for DOCUMENTS (everywhere else it is a filter), `nodes` and `pairs` for
    EVIDENCE, `community` (any member's key) for COMMUNITY, `find` for SEARCH. The filters `types`,
    `documents`, `min_degree`, `min_weight`, `keyword` and `text` combine and hold in every scope.
    `expanded` are entities whose neighbours were asked for besides, once for each time. `chosen`
    are the selected entities, `edge` the selected relation. `shown` bounds how many entities are drawn.
    """

    scope: Scope = Scope.TOP
    rank: Rank = Rank.DEGREE
    shown: int = DEFAULT_SHOWN
    focus: tuple[str, ...] = ()
    hops: int = 1
    paths: int = 3
    documents: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    pairs: tuple[Pair, ...] = ()
    community: str = ""
    find: str = ""
    types: tuple[str, ...] = ()
    min_degree: int = 0
    min_weight: float = 0.0
    keyword: str = ""
    text: str = ""
    expanded: tuple[str, ...] = ()
    layout: Layout = Layout.MAP
    colour: Colour = Colour.TYPE
    chosen: tuple[str, ...] = ()
    edge: Pair | None = None

    def with_(self, **fields: Any) -> GraphViewState:
        """Return a copy with other values in some fields."""
        return replace(self, **fields)

    @property
    def picture(self) -> GraphViewState:
        """The view without what is selected in it: two views with the same picture look the same."""
        return replace(self, chosen=(), edge=None)

    @property
    def filtered(self) -> bool:
        """Whether any filter is set."""
        documents = self.documents and self.scope is not Scope.DOCUMENTS
        return bool(
            self.types or documents or self.min_degree or self.min_weight or self.keyword or self.text
        )

    def without_filters(self) -> GraphViewState:
        """Return a copy in which every filter is off."""
        documents = self.documents if self.scope is Scope.DOCUMENTS else ()
        return replace(self, types=(), documents=documents, min_degree=0, min_weight=0.0, keyword="", text="")
