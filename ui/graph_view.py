"""The part of the entity graph that is drawn: which entities, where, and as what.

Pure functions from the engine's graph to vis-network's nodes and edges; drawing is `graph_component`.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import networkx as nx
from pyvis.edge import Edge
from pyvis.network import Network

from lightrag_engine.records import UNKNOWN_TYPE
from ui import colors
from ui.format import number, shortened
from ui.graph_layout import Positions, spread

DEFAULT_SHOWN = 120
MOST_SHOWN = 1000
_NEIGHBOURS_ADDED = 30
_LABEL_LENGTH = 28


@dataclass(frozen=True, slots=True)
class View:
    """A drawing: vis-network's `nodes` and `edges`, the nodes' `keys`, a `digest` that changes with them."""

    keys: frozenset[str]
    nodes: list[dict[str, Any]]
    edges: list[dict[str, Any]]
    digest: str


def best_connected(graph: nx.Graph[str], count: int, types: Collection[str] = ()) -> list[str]:
    """Return the keys of the `count` entities with the highest degree, ties by weight and then by key.

    `types` restricts them; empty means every type.
    """
    allowed = (key for key, data in graph.nodes(data=True) if not types or type_of(data) in types)
    ranked = sorted(allowed, key=lambda key: (-graph.degree(key), -graph.nodes[key].get("weight", 0.0), key))
    return ranked[:count]


def shown_steps(total: int) -> list[int]:
    """Return how many entities can be shown: tens, and at the end all there are or `MOST_SHOWN`.

    Examples
    --------
    >>> shown_steps(34)
    [10, 20, 30, 34]
    """
    most = min(total, MOST_SHOWN)
    return [*range(10, most, 10), most]


def with_neighbourhood(graph: nx.Graph[str], keys: Iterable[str], focus: str | None) -> list[str]:
    """Return the keys plus, when `focus` is not among them, it and its best connected neighbours."""
    chosen = dict.fromkeys(keys)
    if focus is None or focus in chosen or focus not in graph:
        return list(chosen)
    neighbours = sorted(graph.neighbors(focus), key=lambda key: (-graph.degree(key), key))
    return list(chosen | dict.fromkeys([focus, *neighbours[:_NEIGHBOURS_ADDED]]))


def type_counts(graph: nx.Graph[str]) -> list[tuple[str, int]]:
    """Return the entity types with how many entities have them, most frequent first."""
    found = Counter(type_of(data) for _, data in graph.nodes(data=True))
    return sorted(found.items(), key=lambda item: (-item[1], item[0]))


def type_of(data: Mapping[str, Any]) -> str:
    """Return the type of a node, `unknown` when it has none."""
    return data.get("type") or UNKNOWN_TYPE


def view(graph: nx.Graph[str], keys: Iterable[str], positions: Positions) -> View:
    """Return the drawing of the given entities and all relations among them.

    pyvis builds the node and edge records; labels and tooltips are plain text.
    """
    shown = frozenset(keys)
    places = spread(shown, positions)
    net = Network()
    for key in sorted(shown):
        data = graph.nodes[key]
        degree = graph.degree(key)
        kind = type_of(data)
        name = str(data.get("name", key))
        x, y = places[key]
        net.add_node(
            key,
            label=shortened(name, _LABEL_LENGTH),
            title=f"{name}\n{kind} · degree {number(degree)}",
            group=kind,
            shape=colors.style_of(kind).shape,
            # The square root makes a dot's area, not its diameter, follow the degree.
            value=math.sqrt(degree),
            x=round(x, 1),
            y=round(y, 1),
        )
    # Filled directly: Network.add_edge compares each new edge with all before it.
    ends = sorted((min(a, b), max(a, b)) for a, b in graph.subgraph(shown).edges)
    net.edges = [_edge(graph, first, second) for first, second in ends]
    drawn = json.dumps([net.nodes, net.edges], ensure_ascii=False)
    digest = hashlib.blake2b(drawn.encode("utf-8", "replace"), digest_size=8).hexdigest()
    return View(shown, net.nodes, net.edges, digest)


def _edge(graph: nx.Graph[str], first: str, second: str) -> dict[str, Any]:
    data = graph.edges[first, second]
    names = [str(graph.nodes[key].get("name", key)) for key in (first, second)]
    about = shortened(", ".join(data.get("keywords", ())), 120)
    options: dict[str, Any] = Edge(
        first,
        second,
        id=edge_id(first, second),
        value=math.log1p(max(data.get("weight", 1.0), 0.0)),
        title=f"{' – '.join(names)}\n{about}",
    ).options
    return options


def edge_id(first: str, second: str) -> str:
    """Return the id of the relation of two entities in the drawing, whichever comes first."""
    return json.dumps(sorted((first, second)), ensure_ascii=False)


def shown_line(shown: int, total: int, types: Collection[str] = (), added: int = 0) -> str:
    """Return the sentence that says how much of the graph is drawn.

    Examples
    --------
    >>> shown_line(120, 3056)
    '120 of 3,056 entities, the best connected'
    >>> shown_line(12, 12)
    'All 12 entities'
    >>> shown_line(127, 3056, ("person",), added=7)
    '120 of 3,056 entities, the best connected of type person, and 7 around the one you chose'
    """
    picked = shown - added
    if shown >= total:
        return f"All {number(total)} entities" if total != 1 else "The only entity"
    kinds = f" of type {' or '.join(types)}" if types else ""
    more = f", and {number(added)} around the one you chose" if added else ""
    return f"{number(picked)} of {number(total)} entities, the best connected{kinds}{more}"
