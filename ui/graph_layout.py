"""Where entities are drawn: the same graph always gives the same picture."""

from __future__ import annotations

import math
import random
import threading
from collections.abc import Iterable, Mapping

import igraph
import networkx as nx
import numpy as np
from numpy.typing import NDArray

_ROOM = 60  # pixels at scale 1 for a node and its label
_LABEL_SHAPE = 1.4  # a label is wider than high
# Pushing costs the square of the places: many places are pushed less often.
_MOST_PUSHES = 30
_PUSHED_PLACES = 6000
_LAYOUT_LOCK = threading.Lock()

Positions = Mapping[str, tuple[float, float]]


def layout(graph: nx.Graph[str]) -> dict[str, tuple[float, float]]:
    """Return a place for every entity, in units of an edge: the same graph always gives the same places.

    Each connected part is drawn by Fruchterman and Reingold (1991) as igraph does it; the largest part is in
    the middle, the others stand around it in rings. Fast enough for the whole graph (1.3 s for 10,000
    entities), so an entity lies in the same direction in every view.
    """
    parts = sorted(
        (sorted(part) for part in nx.connected_components(graph)), key=lambda part: (-len(part), part)
    )
    places: dict[str, tuple[float, float]] = {}
    ring = _Ring()
    for part in parts:
        drawn = _part_layout(graph, part)
        x0, y0 = ring.place(max(math.hypot(x, y) for x, y in drawn) + 1)
        for key, (x, y) in zip(part, drawn, strict=True):
            places[key] = (x0 + x, y0 + y)
    return places


def _part_layout(graph: nx.Graph[str], keys: list[str]) -> list[tuple[float, float]]:
    """Return places around the origin for the nodes of a connected part, in units of an edge."""
    index = {key: i for i, key in enumerate(keys)}
    ends = sorted(tuple(sorted((index[a], index[b]))) for a, b in graph.subgraph(keys).edges)
    drawing = igraph.Graph(n=len(keys), edges=ends)
    placed = _force_directed(drawing)
    x0 = sum(x for x, _ in placed) / len(keys)
    y0 = sum(y for _, y in placed) / len(keys)
    return [(x - x0, y - y0) for x, y in placed]


def spread(keys: Iterable[str], positions: Positions) -> dict[str, tuple[float, float]]:
    """Return the places at which the given entities are drawn, in pixels.

    A force layout crowds the middle and has long arms. Here the direction from the middle stays, and the
    radius follows the rank by radius, so that every node has the same room on a disc. Those that then still
    overlap are pushed apart.
    """
    ranked = sorted(keys, key=lambda key: (math.hypot(*positions[key]), key))
    if not ranked:
        return {}
    places = np.array(
        [_at(math.atan2(*positions[key][::-1]), math.sqrt(rank) * _ROOM) for rank, key in enumerate(ranked)]
    )
    return {key: (float(x), float(y)) for key, (x, y) in zip(ranked, _apart(places), strict=True)}


def _apart(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Push places (n, 2) apart that are nearer than a node and its label need."""
    shape = np.array([_LABEL_SHAPE, 1.0])
    # Places that coincide have no direction to part in: a tiny step, another for each, gives them one.
    turn = np.arange(len(places)) * 2.4
    moved = places / shape + 1e-3 * np.column_stack((np.cos(turn), np.sin(turn)))
    for _ in range(min(_MOST_PUSHES, _PUSHED_PLACES // len(places) + 1)):
        between = moved[:, None] - moved[None]
        distance = np.hypot(between[..., 0], between[..., 1])
        np.fill_diagonal(distance, np.inf)
        overlap = np.clip(_ROOM * 0.75 - distance, 0.0, None)
        if overlap.max(initial=0.0) < 1.0:
            break
        moved = moved + 0.3 * (between * (overlap / distance)[..., None]).sum(axis=1)
    drawn: NDArray[np.float64] = moved * shape
    return drawn


def _at(angle: float, radius: float) -> tuple[float, float]:
    return radius * math.cos(angle), radius * math.sin(angle)


def _force_directed(drawing: igraph.Graph) -> list[tuple[float, float]]:
    # igraph draws its random numbers from one generator for the whole process: it is replaced by a fixed
    # one for the time of the layout, by one thread at a time.
    chance = random.Random(20)
    width = math.sqrt(drawing.vcount())
    start = [(chance.uniform(-width, width), chance.uniform(-width, width)) for _ in range(drawing.vcount())]
    with _LAYOUT_LOCK:
        igraph.set_random_number_generator(chance)
        try:
            placed = drawing.layout_fruchterman_reingold(
                seed=start, niter=500 if len(start) <= 3000 else 120, start_temp=width / 2
            )
        finally:
            igraph.set_random_number_generator(random)
    return [(x, y) for x, y in placed]


class _Ring:
    """Gives out room for circles: the first in the middle, the others in rings around it."""

    def __init__(self) -> None:
        self._inner = self._width = self._angle = 0.0

    def place(self, radius: float) -> tuple[float, float]:
        """Return the middle of a circle of this radius; circles must come largest first."""
        if not self._inner:
            self._inner = radius
            return 0.0, 0.0
        if not self._width:
            self._width = radius
        step = 2 * math.asin(min(radius / (self._inner + self._width), 1.0))
        if self._angle + step > 2 * math.pi:
            self._inner += 2 * self._width
            self._width, self._angle = radius, 0.0
            step = 2 * math.asin(min(radius / (self._inner + self._width), 1.0))
        middle, distance = self._angle + step / 2, self._inner + self._width
        self._angle += step
        return _at(middle, distance)
