"""The three storage roles. A larger deployment swaps a role, not the engine.

Default implementations: SQLite (key-value), Chroma (vectors), NetworkX over SQLite rows (graph). The
contract tests of each role run over every implementation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import networkx as nx
import numpy as np

from lightrag_engine.embedding.base import Vectors
from lightrag_engine.records import Entity, Relation

Value = Mapping[str, Any]
Metadata = Mapping[str, Any]


class KeyValueStore(Protocol):
    """A namespace of JSON objects by text key: documents, chunks, model responses, status."""

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the value of a key, or None. The value is a copy: changing it changes nothing here."""
        ...

    def get_many(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the values of those keys that exist."""
        ...

    def put_many(self, values: Mapping[str, Value]) -> None:
        """Write values, replacing those of keys that exist."""
        ...

    def delete_many(self, keys: Iterable[str]) -> None:
        """Remove keys; one that does not exist is no error."""
        ...

    def keys(self) -> Iterator[str]:
        """Return all keys, sorted."""
        ...

    def __len__(self) -> int: ...


@dataclass(frozen=True, slots=True)
class VectorRecord:
    """A vector with what it stands for. `metadata` values are text, numbers or booleans."""

    id: str
    text: str
    metadata: dict[str, str | int | float | bool]

    @property
    def text_hash(self) -> int:
        """48 bits of a hash of the text: what a store keeps in place of it, to tell a stale vector."""
        digest = hashlib.blake2b(self.text.encode("utf-8", "replace"), digest_size=6)
        return int.from_bytes(digest.digest(), "big")


@dataclass(frozen=True, slots=True)
class StoredVector:
    """What a store keeps beside a vector: `VectorRecord` with a hash in place of the text; -1: not known."""

    id: str
    text_hash: int
    metadata: dict[str, str | int | float | bool]


class VectorsLostError(Exception):
    """The vectors of a collection are damaged; their texts and the rest of the workspace need not be."""


def is_usable(vector: Vectors) -> bool:
    """Whether a vector has a direction: one of zeros stands for a text that cannot be embedded."""
    return bool(np.isfinite(vector).all() and vector.any())


@dataclass(frozen=True, slots=True)
class VectorHit:
    """A neighbour; `similarity` is the cosine, from -1 to 1."""

    id: str
    similarity: float


class VectorStore(Protocol):
    """One collection of vectors, searched by cosine similarity. Upserts and deletes are idempotent.

    The texts themselves are not kept: they are in the other stores.
    """

    def upsert(self, records: Sequence[VectorRecord | StoredVector], vectors: Vectors) -> None:
        """Write records with their vectors, shape ``(len(records), dimensions)``.

        Raises
        ------
        ValueError
            When the number of vectors is not that of the records: nothing is written then.
        """
        ...

    def delete(self, ids: Sequence[str]) -> None:
        """Remove ids; one that does not exist is no error."""
        ...

    def search(self, vector: Vectors, top_k: int, among: Collection[str] | None = None) -> list[VectorHit]:
        """Return the `top_k` nearest to a vector of shape ``(dimensions,)``, nearest first.

        `among`: only these ids count, some of which may not be there.
        """
        ...

    def everything(self) -> tuple[list[Metadata], Vectors]:
        """Return the metadata and the vector of every id, in its order: shape ``(len(self), dimensions)``."""
        ...

    def get(self, ids: Sequence[str]) -> tuple[list[StoredVector], Vectors]:
        """Return those of the ids that exist with their vectors, shape ``(found, dimensions)``.

        Raises
        ------
        VectorsLostError
            When they are listed, but their vectors cannot be read.
        """
        ...

    def clear(self) -> None:
        """Remove everything, also what cannot be read any more."""
        ...

    def ids(self) -> set[str]:
        """Return all ids."""
        ...

    def text_hashes(self) -> dict[str, int]:
        """Return `VectorRecord.text_hash` of every id; -1 where it is not known."""
        ...

    def __len__(self) -> int: ...


class GraphStore(Protocol):
    """Nodes and undirected edges, by folded names."""

    @property
    def graph(self) -> nx.Graph[str]:
        """The graph itself, for reading only."""
        ...

    def entity(self, key: str) -> Entity | None:
        """Return a node, or None."""
        ...

    def relation(self, a: str, b: str) -> Relation | None:
        """Return the edge between two keys in either order, or None."""
        ...

    def apply(self, change: GraphChange) -> None:
        """Make a change: deletes first, then upserts."""
        ...


@dataclass(frozen=True, slots=True)
class GraphChange:
    """What a commit does to the graph; removing a node removes its edges."""

    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()
    removed_entities: tuple[str, ...] = ()
    removed_relations: tuple[tuple[str, str], ...] = ()
