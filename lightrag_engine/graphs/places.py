"""The kept map of a workspace: an entity's place is found once and stays; a person may put it elsewhere."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from typing import Any

import networkx as nx

from lightrag_engine.graphs.placing import Place, place_all
from lightrag_engine.storage.base import KeyValueStore

_FARTHEST = 1e6


class MapPlaces:
    """The places of all entities, in pixels, kept in a store. Safe to use from any thread.

    An entity that is deleted leaves its place behind: when it comes back it is where it was.
    """

    def __init__(self, store: KeyValueStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._places: dict[str, Place] | None = None
        self._pinned: set[str] = set()

    def of(self, graph: nx.Graph[str]) -> Mapping[str, Place]:
        """Return the place of every entity of a graph; those that had none get one, and no other moves."""
        with self._lock:
            places = self._read()
            new = place_all(graph, places)
            if new:
                self._store.put_many({key: {"x": x, "y": y} for key, (x, y) in new.items()})
                # A new mapping: whoever holds the old one sees it unchanged.
                self._places = places | new
            return self._places or {}

    def pin(self, key: str, x: float, y: float) -> bool:
        """Put an entity where a person wants it, for good; says whether that is a place at all."""
        if not (math.isfinite(x) and math.isfinite(y) and max(abs(x), abs(y)) <= _FARTHEST):
            return False
        with self._lock:
            places = self._read()
            value = {"x": round(x, 1), "y": round(y, 1), "pinned": True}
            self._store.put_many({key: value})
            self._places = places | {key: (value["x"], value["y"])}
            self._pinned = self._pinned | {key}
        return True

    def pinned(self) -> frozenset[str]:
        """Return the entities that a person has put somewhere."""
        with self._lock:
            self._read()
            return frozenset(self._pinned)

    def arrange_anew(self) -> None:
        """Forget every place but the pinned ones: the next map is made as if everything came at once."""
        with self._lock:
            places = self._read()
            self._store.delete_many([key for key in places if key not in self._pinned])
            self._places = {key: place for key, place in places.items() if key in self._pinned}

    def unpin(self, key: str) -> None:
        """Let the map decide again about an entity that a person has put somewhere."""
        with self._lock:
            self._read()
            self._release(self._pinned & {key})

    def unpin_all(self) -> None:
        """Let the map decide again about every entity that a person has put somewhere."""
        with self._lock:
            self._read()
            self._release(self._pinned)

    def _release(self, keys: set[str]) -> None:
        self._store.delete_many(keys)
        self._places = {key: place for key, place in self._read().items() if key not in keys}
        self._pinned = self._pinned - keys

    def _read(self) -> dict[str, Place]:
        if self._places is None:
            rows = self._store.get_many(list(self._store.keys()))
            self._places = {key: place for key, row in rows.items() if (place := _place(row))}
            self._pinned = {key for key, row in rows.items() if row.get("pinned")}
        return self._places


def _place(row: Mapping[str, Any]) -> Place | None:
    x, y = row.get("x"), row.get("y")
    return (float(x), float(y)) if isinstance(x, int | float) and isinstance(y, int | float) else None
