"""Where entities lie on the map: a place each, found once; later ones are added without moving any.

The map is built like a country. First come the best connected entities, the towns, drawn by force
(Fruchterman and Reingold, 1991, as igraph does it) and spread over a disc. Then come the others, in rounds of
falling degree: each near those of its neighbours that have a place. Every place is a field of a grid of its
own, so nothing ever covers anything. A new document is only one more round: what has a place keeps it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Mapping

import igraph
import networkx as nx

from lightrag_engine.graphs.chance import fixed_chance
from lightrag_engine.names import content_id

FIELD = 60.0  # pixels at scale 1: room for an entity and a part of its name
_WIDTH = 1.2  # names are wider than high: so are the fields
_TOWNS = 150
_GROWTH = 3  # each round has up to this many times what has a place
_BLOCK = 4  # fields

Place = tuple[float, float]
Places = Mapping[str, Place]


def place_all(graph: nx.Graph[str], known: Places) -> dict[str, Place]:
    """Return places, in pixels around the origin, for the entities that have none in `known`.

    The same graph and the same known places always give the same new ones, whatever the order of nodes.
    """
    missing = [key for key in graph if key not in known]
    if not missing:
        return {}
    ranked = sorted(missing, key=lambda key: (-graph.degree(key), key))
    fields = _Fields(known.values())
    places = {key: known[key] for key in graph if key in known}
    new: dict[str, Place] = {}
    if not places:
        size = len(ranked)
        towns = ranked if size <= 2 * _TOWNS else ranked[:_TOWNS]
        # Towns leave room for what will lie around them.
        room = FIELD * max(1.0, 0.75 * math.sqrt(size / len(towns)))
        for key, wanted in _towns(graph, towns, room):
            new[key] = fields.take(wanted)
        ranked = ranked[len(towns) :]
    while ranked:
        count = max(_TOWNS, _GROWTH * (len(places) + len(new)))
        batch, ranked = ranked[:count], ranked[count:]
        for key, wanted in _villages(graph, batch, {**places, **new}):
            new[key] = fields.take(wanted)
    return new


def _towns(graph: nx.Graph[str], keys: list[str], room: float) -> list[tuple[str, Place]]:
    """Return where the best connected want to be: the directions of a force layout, evenly spread."""
    drawn = _parts_layout(graph, keys)
    ranked = sorted(keys, key=lambda key: (math.hypot(*drawn[key]), key))
    wanted = []
    for rank, key in enumerate(ranked):
        x, y = drawn[key]
        # A force layout crowds the middle: here the radius follows the rank, so that all have the same room.
        radius = 0.62 * math.sqrt(rank) * room
        angle = math.atan2(y, x)
        wanted.append((key, (_WIDTH * radius * math.cos(angle), radius * math.sin(angle))))
    return wanted


def _parts_layout(graph: nx.Graph[str], keys: list[str]) -> dict[str, Place]:
    """Draw each connected part by force: the largest in the middle, the others around it."""
    parts = sorted(
        (sorted(part) for part in nx.connected_components(graph.subgraph(keys))),
        key=lambda part: (-len(part), part),
    )
    drawn: dict[str, Place] = {}
    outer = 0.0
    for n, part in enumerate(parts):
        local = _force(graph, part)
        radius = max(math.hypot(x, y) for x, y in local)
        # The golden angle puts neighbours in the row far apart in direction.
        angle, distance = n * 2.39996, outer + radius + 1.0 if n else 0.0
        x0, y0 = distance * math.cos(angle), distance * math.sin(angle)
        drawn |= {key: (x0 + x, y0 + y) for key, (x, y) in zip(part, local, strict=True)}
        outer = max(outer, radius) if not n else outer + 0.3 * radius / math.sqrt(n)
    return drawn


def _force(graph: nx.Graph[str], keys: list[str]) -> list[Place]:
    number = {key: n for n, key in enumerate(keys)}
    edges = sorted(tuple(sorted((number[a], number[b]))) for a, b in graph.subgraph(keys).edges)
    drawing = igraph.Graph(n=len(keys), edges=edges)
    width = math.sqrt(len(keys))
    with fixed_chance() as chance:
        start = [(chance.uniform(-width, width), chance.uniform(-width, width)) for _ in keys]
        placed = drawing.layout_fruchterman_reingold(seed=start, niter=500, start_temp=width / 2)
    x0 = sum(x for x, _ in placed) / len(keys)
    y0 = sum(y for _, y in placed) / len(keys)
    return [(x - x0, y - y0) for x, y in placed]


def _villages(graph: nx.Graph[str], keys: list[str], places: Places) -> Iterator[tuple[str, Place]]:
    """Yield where the next ones want to be: amid their placed neighbours, those without at the rim."""
    inside = {key: places[key] for key in places}
    rim = max((math.hypot(x / _WIDTH, y) for x, y in inside.values()), default=0.0) + FIELD
    waiting = dict.fromkeys(keys)
    while waiting:
        # Those nearest to what is placed first: a chain grows from where it is tied.
        ready = [key for key in waiting if any(other in inside for other in graph.neighbors(key))]
        if not ready:
            first = next(iter(waiting))
            part = sorted(nx.node_connected_component(graph, first) & waiting.keys())
            angle = 2 * math.pi * _share(part[0])
            middle = (_WIDTH * rim * math.cos(angle), rim * math.sin(angle))
            inside[first] = middle
            del waiting[first]
            yield first, middle
            continue
        for key in ready:
            near = [(other, inside[other]) for other in graph.neighbors(key) if other in inside]
            # A neighbour with few relations says more about where this one belongs than a hub does.
            weights = [1 / math.sqrt(1 + graph.degree(other)) for other, _ in near]
            total = sum(weights)
            x = sum(w * place[0] for w, (_, place) in zip(weights, near, strict=True)) / total
            y = sum(w * place[1] for w, (_, place) in zip(weights, near, strict=True)) / total
            angle = 2 * math.pi * _share(key)
            step = 0.4 * FIELD * (1 + math.sqrt(max(graph.degree(other) for other, _ in near)))
            wanted = (x + _WIDTH * step * math.cos(angle), y + step * math.sin(angle))
            inside[key] = wanted
            del waiting[key]
            yield key, wanted


def _share(key: str) -> float:
    """Return a number from 0 to 1 that depends on nothing but the key."""
    return int(content_id("share", key)[6:14], 16) / 0xFFFFFFFF


class _Fields:
    """The grid of fields, of which each is given out once."""

    def __init__(self, taken: Iterable[Place]) -> None:
        self._taken = {self._field(place) for place in taken}
        self._reached: dict[tuple[int, int, int], int] = {}

    @staticmethod
    def _field(place: Place) -> tuple[int, int]:
        return round(place[0] / (FIELD * _WIDTH)), round(place[1] / FIELD)

    def take(self, wanted: Place) -> Place:
        """Return a free place near the wanted one, and take it: outwards, where all around it are taken."""
        column, row = self._field(wanted)
        field = self._free_around(column, row)
        if field is None:
            # From a crowded middle everything moves outwards; this way, the search is along one line.
            angle = math.atan2(wanted[1] / FIELD, wanted[0] / (FIELD * _WIDTH))
            way = (column // _BLOCK, row // _BLOCK, round(angle * 8 / math.pi))
            distance = max(self._reached.get(way, 0) - _BLOCK, 0)
            while field is None:
                distance += 1
                field = self._free_around(
                    column + round(distance * math.cos(angle)), row + round(distance * math.sin(angle))
                )
            self._reached[way] = distance
        self._taken.add(field)
        return _shaken(field)

    def _free_around(self, column: int, row: int) -> tuple[int, int] | None:
        for right, down in _AROUND:
            if (field := (column + right, row + down)) not in self._taken:
                return field
        return None


def _shaken(field: tuple[int, int]) -> Place:
    """Return a place inside a field, off its middle: rows and columns would look like a meaning."""
    chance = random.Random(field[0] * 1_000_003 + field[1])
    x = (field[0] + chance.uniform(-0.28, 0.28)) * FIELD * _WIDTH
    y = (field[1] + chance.uniform(-0.28, 0.28)) * FIELD
    return round(x, 1), round(y, 1)


_AROUND = sorted(
    ((x, y) for x in range(-2, 3) for y in range(-2, 3)), key=lambda f: (f[0] ** 2 + f[1] ** 2, f)
)
