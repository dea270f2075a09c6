"""The graph: a NetworkX graph in memory, always equal to its rows in SQLite."""

from __future__ import annotations

import gc
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from operator import itemgetter
from typing import Any

import networkx as nx
import orjson

from lightrag_engine.records import Entity, Relation, fields_of
from lightrag_engine.storage.base import GraphChange
from lightrag_engine.storage.sqlite import Database

_ENTITY, _RELATION = (frozenset(f.name for f in fields(record)) for record in (Entity, Relation))


class NetworkXGraph:
    """A `GraphStore`. Node ids are folded names; node and edge attributes are the fields of the records.

    Rows change inside the caller's transaction; the graph in memory follows when that is committed, so a
    rolled back change never shows.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.RLock()
        self._graph: nx.Graph[str] = nx.Graph()
        self._snapshot: nx.Graph[str] | None = None
        self.revision = 0
        self._load()

    def _load(self) -> None:
        # Attributes straight from the rows: with a record in between it takes five times as long.
        graph, reading = self._graph, _Reading()
        nodes = self._database.read("SELECT value FROM nodes ORDER BY key")
        edges = self._database.read("SELECT value FROM edges ORDER BY low_key, high_key")
        with _no_collection():
            entities = (reading.entity(value) for (value,) in nodes)
            graph.add_nodes_from((fields.pop("key"), fields) for fields in entities)
            relations = (reading.relation(value) for (value,) in edges)
            ends = ((fields["source_key"], fields["target_key"], fields) for fields in relations)
            # An edge to nowhere is damage: the check of the workspace finds that it is not here.
            graph.add_edges_from(edge for edge in ends if edge[0] in graph and edge[1] in graph)

    @property
    def graph(self) -> nx.Graph[str]:
        """A frozen copy that later changes do not touch; made once a revision.

        Nodes and edges are in the order of their keys, whatever the order in which documents came.
        """
        with self._lock:
            if self._snapshot is None:
                copy: nx.Graph[str] = nx.Graph()
                copy.add_nodes_from(sorted(self._graph.nodes(data=True), key=itemgetter(0)))
                edges = ((min(a, b), max(a, b), edge) for a, b, edge in self._graph.edges(data=True))
                copy.add_edges_from(sorted(edges, key=itemgetter(0, 1)))
                self._snapshot = nx.freeze(copy)
            return self._snapshot

    @contextmanager
    def reading(self) -> Iterator[nx.Graph[str]]:
        """Hold the graph still while a block reads it; keep the block short."""
        with self._lock:
            yield self._graph

    def entity(self, key: str) -> Entity | None:
        with self._lock:
            return Entity(key=key, **self._graph.nodes[key]) if key in self._graph else None

    def relation(self, a: str, b: str) -> Relation | None:
        with self._lock:
            return Relation(**self._graph.edges[a, b]) if self._graph.has_edge(a, b) else None

    def pairs_at(self, key: str) -> set[tuple[str, str]]:
        """Return the sorted pairs of all edges at a node; none when there is no such node."""
        with self._lock:
            ends = list(self._graph[key]) if key in self._graph else []
            return {(min(key, end), max(key, end)) for end in ends}

    def apply(self, change: GraphChange) -> None:
        with self._database.transaction() as connection:
            gone = [(key,) for key in change.removed_entities]
            connection.executemany("DELETE FROM nodes WHERE key = ?", gone)
            connection.executemany("DELETE FROM edges WHERE low_key = ?1 OR high_key = ?1", gone)
            connection.executemany(
                "DELETE FROM edges WHERE low_key = ? AND high_key = ?",
                [tuple(sorted(pair)) for pair in change.removed_relations],
            )
            connection.executemany(
                "INSERT OR REPLACE INTO nodes VALUES (?, ?)", [(e.key, _json(e)) for e in change.entities]
            )
            connection.executemany(
                "INSERT OR REPLACE INTO edges VALUES (?, ?, ?)",
                [(*r.pair, _json(r)) for r in change.relations],
            )
            self._database.after_commit(lambda: self._apply_in_memory(change))

    def _apply_in_memory(self, change: GraphChange) -> None:
        with self._lock:
            self._graph.remove_nodes_from(change.removed_entities)
            self._graph.remove_edges_from(change.removed_relations)
            for entity in change.entities:
                self._add_entity(entity)
            for relation in change.relations:
                self._add_relation(relation)
            self._snapshot = None
            self.revision += 1

    def _add_entity(self, entity: Entity) -> None:
        attributes = fields_of(entity)
        self._graph.add_node(attributes.pop("key"), **attributes)

    def _add_relation(self, relation: Relation) -> None:
        self._graph.add_edge(relation.source_key, relation.target_key, **fields_of(relation))


def _json(record: Entity | Relation) -> str:
    return json.dumps(fields_of(record), ensure_ascii=False)


class _Reading:
    """Reads rows as the fields of records; equal ids of chunks become one object."""

    def __init__(self) -> None:
        self._ids: dict[str, str] = {}

    def entity(self, value: str) -> dict[str, Any]:
        """Return the fields of an `Entity`."""
        return self._fields(value, Entity, _ENTITY, ("spellings", "aliases", "edited"))

    def relation(self, value: str) -> dict[str, Any]:
        """Return the fields of a `Relation`."""
        return self._fields(value, Relation, _RELATION, ("keywords", "edited"))

    def _fields(
        self, value: str, record: type[Entity | Relation], names: frozenset[str], lists: tuple[str, ...]
    ) -> dict[str, Any]:
        try:
            found: dict[str, Any] = orjson.loads(value)
        except ValueError:
            found = json.loads(value)  # with an infinite weight, which JSON does not have
        if found.keys() != names:
            # Written by an older version of this program; whatever is missing or too much shows.
            found = fields_of(record(**found))
        ids = found["source_ids"]
        found["source_ids"] = tuple(map(self._ids.setdefault, ids, ids))
        for name in lists:
            found[name] = tuple(found[name])
        return found


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep the collector from looking, again and again, for garbage among what is just being made."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
