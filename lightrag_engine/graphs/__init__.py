"""Looking around in the graph: views and filters, paths, communities, analysis, places. Knows no screen."""

from lightrag_engine.graphs.communities import Communities, Community
from lightrag_engine.graphs.explorer import GraphExplorer
from lightrag_engine.graphs.params import PARAMS, from_params, to_params
from lightrag_engine.graphs.paths import Path
from lightrag_engine.graphs.state import (
    DEFAULT_SHOWN,
    FEWEST_SHOWN,
    MOST_HOPS,
    MOST_PATHS,
    MOST_SHOWN,
    Colour,
    GraphViewState,
    Layout,
    Rank,
    Scope,
)
from lightrag_engine.graphs.views import EXPANDED, GraphView

__all__ = [
    "DEFAULT_SHOWN",
    "EXPANDED",
    "FEWEST_SHOWN",
    "MOST_HOPS",
    "MOST_PATHS",
    "MOST_SHOWN",
    "PARAMS",
    "Colour",
    "Communities",
    "Community",
    "GraphExplorer",
    "GraphView",
    "GraphViewState",
    "Layout",
    "Path",
    "Rank",
    "Scope",
    "from_params",
    "to_params",
]
