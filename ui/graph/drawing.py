"""What is sent to the browser to draw a view: names, types, degrees, places; details come on demand."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lightrag_engine.graphs import Colour, GraphExplorer, GraphView, GraphViewState, Scope
from lightrag_engine.graphs.indexed import Pair, pair_of
from lightrag_engine.graphs.kinds import type_of
from ui import colors
from ui.format import shortened

_NAME_LENGTH = 300
_MOST_ABOUT = 400  # relations whose keywords are sent along, for tooltips
_ABOUT_LENGTH = 60


@dataclass(frozen=True, slots=True)
class Drawing:
    """Nodes and edges as columns, the `styles` of their kinds, and a `digest` that changes with any of it.

    `fit` changes when the whole drawing should come into sight anew.
    """

    data: dict[str, Any]
    digest: str
    fit: str


def drawing(
    explorer: GraphExplorer, state: GraphViewState, view: GraphView, *, faint: Collection[str | Pair] = ()
) -> Drawing:
    """Return the drawing of a view; the `faint` entities and relations step back behind the others."""
    overview = state.scope is Scope.OVERVIEW
    data = _overview(explorer, view) if overview else _entities(explorer, state, view)
    if faint:
        nodes, edges = data["nodes"], data["edges"]
        ids = nodes["id"]
        nodes["faint"] = [int(key in faint) for key in ids]
        edges["faint"] = [
            int(pair_of(ids[a], ids[b]) in faint) for a, b in zip(edges["from"], edges["to"], strict=True)
        ]
    fit = state.picture.with_(expanded=(), colour=Colour.TYPE)
    return Drawing(data, _digest(data), _digest(repr(fit)))


def _entities(explorer: GraphExplorer, state: GraphViewState, view: GraphView) -> dict[str, Any]:
    graph = explorer.graph
    places = explorer.places(view, state.layout)
    keys = [key for key in view.keys if key in places]
    number = {key: n for n, key in enumerate(keys)}
    by_community = state.colour is Colour.COMMUNITY
    parts = explorer.communities().number if by_community else {}
    kinds = [community_kind(parts[key]) if by_community else type_of(graph.nodes[key]) for key in keys]
    shown = [graph.degree(key) - sum(other in number for other in graph.neighbors(key)) for key in keys]
    pairs = [pair for pair in view.pairs if pair[0] in number and pair[1] in number]
    edges: dict[str, Any] = {
        "from": [number[a] for a, _ in pairs],
        "to": [number[b] for _, b in pairs],
        "weight": [round(max(float(graph.edges[pair].get("weight", 1.0)), 0.0), 2) for pair in pairs],
    }
    if len(pairs) <= _MOST_ABOUT:
        words = [graph.edges[pair].get("keywords", ()) for pair in pairs]
        edges["about"] = [shortened(", ".join(about), _ABOUT_LENGTH) for about in words]
    names = [str(graph.nodes[key].get("name", key))[:_NAME_LENGTH] for key in keys]
    degrees = [int(graph.degree(key)) for key in keys]
    nodes = _nodes(keys, names, kinds, degrees, [places[key] for key in keys])
    nodes["nodes"]["more"] = shown
    if by_community:
        nodes["nodes"]["group"] = [parts[key] for key in keys]
    return {**nodes, "edges": edges}


def _overview(explorer: GraphExplorer, view: GraphView) -> dict[str, Any]:
    """Draw communities as nodes, each amid its members, joined where relations join their members."""
    found, whole, graph = explorer.communities(), explorer.map_places(), explorer.graph
    numbers = [found.number[key] for key in view.keys]
    groups = [found.groups[n] for n in numbers]
    place = {n: index for index, n in enumerate(numbers)}
    middles = []
    for group in groups:
        at = [whole[key] for key in group.members]
        middles.append((sum(x for x, _ in at) / len(at), sum(y for _, y in at) / len(at)))
    apart = _apart(middles)
    links = sorted((ends, count) for ends, count in found.between.items() if place.keys() >= set(ends))
    names = [str(graph.nodes[group.key].get("name", group.key)) for group in groups]
    kinds = [community_kind(n) for n in numbers]
    nodes = _nodes([g.key for g in groups], names, kinds, [len(g.members) for g in groups], apart)
    return {
        **nodes,
        "edges": {
            "from": [place[a] for (a, _), _ in links],
            "to": [place[b] for (_, b), _ in links],
            "weight": [count for _, count in links],
            "about": [f"{count:,} {'relation' if count == 1 else 'relations'}" for _, count in links],
        },
    }


def _apart(places: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Move places that are too near to each other apart, step by step; their directions stay."""
    if len(places) < 2:
        return places
    at = np.array(places)
    room = 0.7 * max(np.ptp(at[:, 0]), np.ptp(at[:, 1]), 300.0) / np.sqrt(len(at))
    turn = np.arange(len(at)) * 2.4
    at = at + 1e-3 * np.column_stack((np.cos(turn), np.sin(turn)))
    for _ in range(200):
        between = at[:, None] - at[None]
        distance = np.hypot(between[..., 0], between[..., 1])
        np.fill_diagonal(distance, np.inf)
        overlap = np.clip(room - distance, 0.0, None)
        if overlap.max() < 1:
            break
        at = at + 0.3 * (between * (overlap / distance)[..., None]).sum(axis=1)
    return [(float(x), float(y)) for x, y in at]


def _nodes(
    keys: list[str],
    names: list[str],
    kinds: list[str],
    degrees: list[int],
    places: list[tuple[float, float]],
) -> dict[str, Any]:
    types = sorted(set(kinds))
    number = {kind: n for n, kind in enumerate(types)}
    return {
        "nodes": {
            "id": keys,
            "name": names,
            "type": [number[kind] for kind in kinds],
            "degree": degrees,
            "x": [round(x, 1) for x, _ in places],
            "y": [round(y, 1) for _, y in places],
        },
        "types": types,
        "styles": {kind: style_data(style_for(kind)) for kind in types},
    }


def community_kind(number: int) -> str:
    """Return what a community is called in legends: numbers as people count.

    Examples
    --------
    >>> community_kind(0)
    'community 1'
    """
    return f"community {number + 1}"


def style_for(kind: str) -> colors.TypeStyle:
    """Return how a kind is drawn: an entity type, or a community by its number; beyond eleven grey."""
    word, _, number = kind.partition(" ")
    if word == "community" and number.isdigit():
        styles = list(colors.STYLES.values())
        place = int(number) - 1
        return styles[place] if place < len(styles) else colors.UNKNOWN
    return colors.style_of(kind)


def style_data(style: colors.TypeStyle) -> dict[str, str]:
    """Return a style as the browser wants it."""
    return {
        "fill": style.fill,
        "light": style.light_outline,
        "dark": style.dark_outline,
        "shape": style.shape,
    }


def _digest(value: Mapping[str, Any] | str) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
