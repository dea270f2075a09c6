"""Other ways to draw a view than the map: around its focus, by hops, by type.

They depend on what is shown, so unlike on the map an entity has another place in another view. All are
pixels around the origin, the same for the same view.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence

import networkx as nx

from lightrag_engine.graphs.placing import FIELD, Place
from lightrag_engine.records import UNKNOWN_TYPE

_RING = 2.6 * FIELD


def hops_from(graph: nx.Graph[str], focus: Iterable[str]) -> dict[str, int]:
    """Return how many steps each entity within reach is away from the nearest of `focus`."""
    hops = {key: 0 for key in focus if key in graph}
    queue = deque(hops)
    while queue:
        key = queue.popleft()
        for other in graph.neighbors(key):
            if other not in hops:
                hops[other] = hops[key] + 1
                queue.append(other)
    return hops


def radial(graph: nx.Graph[str], focus: Sequence[str]) -> dict[str, Place]:
    """Draw rings around the focus, one a hop; neighbours lie in the direction of what they hang on."""
    layers = _layers(graph, focus)
    places: dict[str, Place] = {}
    angles: dict[str, float] = {}
    radius = 0.0
    for depth, layer in enumerate(layers):
        if depth == 0 and len(layer) == 1:
            places[layer[0]], angles[layer[0]] = (0.0, 0.0), 0.0
            continue
        ordered = sorted(layer, key=lambda key: (_towards(graph, key, angles), key))
        radius = max(radius + _RING, len(ordered) * FIELD / (2 * math.pi))
        for n, key in enumerate(ordered):
            angle = 2 * math.pi * n / len(ordered) - math.pi / 2
            angles[key] = angle
            places[key] = (round(1.2 * radius * math.cos(angle), 1), round(radius * math.sin(angle), 1))
    return places


def layered(graph: nx.Graph[str], focus: Sequence[str]) -> dict[str, Place]:
    """Draw columns from left to right, one a hop from the focus; long ones are folded into several."""
    places: dict[str, Place] = {}
    heights: dict[str, float] = {}
    column = 0
    for layer in _layers(graph, focus):
        ordered = sorted(layer, key=lambda key: (_towards(graph, key, heights), key))
        most = max(12, math.ceil(math.sqrt(2 * len(ordered))))
        columns = math.ceil(len(ordered) / most)
        rows = math.ceil(len(ordered) / columns)
        for n, key in enumerate(ordered):
            row, fold = divmod(n, columns)
            y = (row - (rows - 1) / 2) * FIELD * 1.15
            heights[key] = y
            places[key] = (round((column + fold) * 3.4 * FIELD, 1), round(y, 1))
        column += columns
    return places


def circular(graph: nx.Graph[str], ranks: Mapping[str, int] | None = None) -> dict[str, Place]:
    """Draw one circle, entities of a type next to each other; within a type the best connected first."""
    order = ranks or {}
    kinds: dict[str, list[str]] = {}
    for key, data in graph.nodes(data=True):
        kinds.setdefault(data.get("type") or UNKNOWN_TYPE, []).append(key)
    ordered = [
        key
        for kind in sorted(kinds, key=lambda kind: (-len(kinds[kind]), kind))
        for key in sorted(kinds[kind], key=lambda key: (order.get(key, 0), -graph.degree(key), key))
    ]
    radius = max(2 * FIELD, len(ordered) * FIELD * 0.8 / (2 * math.pi))
    return {
        key: (
            round(1.2 * radius * math.cos(2 * math.pi * n / len(ordered) - math.pi / 2), 1),
            round(radius * math.sin(2 * math.pi * n / len(ordered) - math.pi / 2), 1),
        )
        for n, key in enumerate(ordered)
    }


def _layers(graph: nx.Graph[str], focus: Sequence[str]) -> list[list[str]]:
    """Return the entities by hop; without a focus the best connected one is it; the unreachable come last."""
    known = [key for key in focus if key in graph]
    if not known and len(graph):
        known = [min(graph, key=lambda key: (-graph.degree(key), key))]
    hops = hops_from(graph, known)
    layers: list[list[str]] = [[] for _ in range(max(hops.values(), default=-1) + 1)]
    for key, depth in hops.items():
        layers[depth].append(key)
    if apart := sorted(set(graph) - hops.keys()):
        layers.append(apart)
    return layers


def _towards(graph: nx.Graph[str], key: str, placed: Mapping[str, float]) -> float:
    near = [placed[other] for other in graph.neighbors(key) if other in placed]
    return sum(near) / len(near) if near else 0.0
