"""Vectors in Chroma: three collections in one folder, cosine distance, no telemetry, no downloads."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Collection as Ids
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import cast

import chromadb
import numpy as np
from chromadb.api import ClientAPI
from chromadb.api.collection_configuration import CreateHNSWConfiguration
from chromadb.api.models.Collection import Collection
from chromadb.config import Settings as ChromaSettings
from chromadb.errors import ChromaError

from lightrag_engine.embedding.base import Vectors
from lightrag_engine.storage.base import (
    Metadata,
    StoredVector,
    VectorHit,
    VectorRecord,
    VectorsLostError,
    is_usable,
)

# Chroma keeps one system a path, and does not guard the moment in which it is made.
_OPENING = threading.Lock()
_MOST = 2**31 - 1  # results that Chroma can be asked for
_PAGE = 1000  # vectors read at once
_TRIES = 3  # where vectors are deleted meanwhile
_HASH = "text_hash"
# Changing a vector takes several times as long as adding one. With 12 neighbours in place of 16 and 60
# candidates in place of 100 it takes a third of that, and a wider search finds as many of the 60 nearest
# (98 % of 6,000 noisy vectors of 384 dimensions).
_INDEX: CreateHNSWConfiguration = {
    "space": "cosine",
    "max_neighbors": 12,
    "ef_construction": 60,
    "ef_search": 300,
}


def open_client(folder: Path, *, check: bool = True) -> ClientAPI:
    """Open the Chroma folder of a workspace; any number of threads may do so.

    With `check` every page of its database is looked at first.

    Raises
    ------
    sqlite3.DatabaseError
        When its database is damaged. Chroma must not see that: it would keep a broken system for the path.
    """
    database = folder / "chroma.sqlite3"
    if check and database.exists():
        with contextlib.closing(sqlite3.connect(database)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                raise sqlite3.DatabaseError("its pages are damaged")
    with _OPENING:
        return chromadb.PersistentClient(
            path=str(folder), settings=ChromaSettings(anonymized_telemetry=False)
        )


def _ordered(hits: Iterable[VectorHit]) -> list[VectorHit]:
    # Equal distances come in any order: the id decides, so that an answer can be repeated.
    return sorted(hits, key=lambda hit: (-round(hit.similarity, 6), hit.id))


class ChromaVectors:
    """A `VectorStore`: one Chroma collection.

    Texts are not given to Chroma: it would index every three letters of them, which takes five times the room
    of the text and a third of the time, for a search in texts that nobody makes.

    A row of zeros stands for a text without meaning (see `EmbeddingModel`): it is not stored, since it would
    be equally near to everything.
    """

    def __init__(self, client: ClientAPI, name: str) -> None:
        self._client = client
        self._name = name
        self._collection = self._open()
        self._batch = client.get_max_batch_size()

    def _open(self) -> Collection:
        # The distance of a collection cannot be changed later, and its default is squared L2.
        return self._client.get_or_create_collection(
            self._name,
            embedding_function=None,
            configuration={"hnsw": _INDEX},
        )

    def upsert(self, records: Sequence[VectorRecord | StoredVector], vectors: Vectors) -> None:
        if len(records) != len(vectors):
            raise ValueError(f"{len(records)} records, but {len(vectors)} vectors")
        # Chroma refuses an id that occurs twice in a call: the last one counts, as in two calls.
        last = {record.id: index for index, record in enumerate(records)}
        if not last:
            return
        usable = [is_usable(vector) for vector in vectors]
        self.delete([id_ for id_, index in last.items() if not usable[index]])
        kept = [index for index in last.values() if usable[index]]
        for start in range(0, len(kept), self._batch):
            part = kept[start : start + self._batch]
            self._collection.upsert(
                ids=[records[i].id for i in part],
                embeddings=vectors[part],
                metadatas=[{**records[i].metadata, _HASH: records[i].text_hash} for i in part],
            )

    def delete(self, ids: Sequence[str]) -> None:
        for start in range(0, len(ids), self._batch):
            self._collection.delete(ids=list(ids[start : start + self._batch]))

    def search(self, vector: Vectors, top_k: int, among: Ids[str] | None = None) -> list[VectorHit]:
        # Of a small collection fewer come. To count it first would take longer than the search.
        if top_k < 1 or not vector.any():
            return []
        if among is None:
            return _ordered(self._query(vector, top_k, None))
        # Chroma fails when it is asked among ids that it does not have.
        for _ in range(_TRIES - 1):
            with contextlib.suppress(ChromaError):
                return self._search_among(vector, top_k, among)
        return self._search_among(vector, top_k, among)

    def _search_among(self, vector: Vectors, top_k: int, among: Ids[str]) -> list[VectorHit]:
        known = sorted(self.ids().intersection(among))
        parts = (known[start : start + self._batch] for start in range(0, len(known), self._batch))
        return _ordered(hit for part in parts for hit in self._query(vector, top_k, part))[:top_k]

    def _query(self, vector: Vectors, top_k: int, among: list[str] | None) -> list[VectorHit]:
        found = self._collection.query(
            query_embeddings=vector[None, :],
            ids=among,
            n_results=min(top_k, _MOST),
            include=["distances"],  # to read metadata takes longer than the search
        )
        distances = found["distances"]
        assert distances is not None
        return [
            VectorHit(id_, 1.0 - float(distance))
            for id_, distance in zip(found["ids"][0], distances[0], strict=True)
        ]

    def everything(self) -> tuple[list[Metadata], Vectors]:
        metadatas: dict[str, Metadata] = {}
        vectors: dict[str, Vectors] = {}
        for start in range(0, len(self), _PAGE):
            page = self._collection.get(limit=_PAGE, offset=start, include=["embeddings", "metadatas"])
            assert page["embeddings"] is not None
            assert page["metadatas"] is not None
            metadatas |= {id_: dict(about) for id_, about in zip(page["ids"], page["metadatas"], strict=True)}
            vectors |= dict(zip(page["ids"], np.asarray(page["embeddings"], dtype=np.float32), strict=True))
        ids = sorted(vectors)
        matrix = np.stack([vectors[id_] for id_ in ids]) if ids else np.zeros((0, 0), dtype=np.float32)
        return [metadatas[id_] for id_ in ids], matrix

    def get(self, ids: Sequence[str]) -> tuple[list[StoredVector], Vectors]:
        records: list[StoredVector] = []
        vectors: list[Vectors] = []
        for start in range(0, len(ids), self._batch):
            try:
                found = self._collection.get(
                    ids=list(ids[start : start + self._batch]),
                    include=["embeddings", "metadatas"],
                )
            except ChromaError as error:
                raise VectorsLostError(str(error)) from error
            metadatas, rows = found["metadatas"], found["embeddings"]
            for id_, metadata in zip(found["ids"], metadatas or [], strict=True):
                # Written by `upsert`, so of the kinds that it takes.
                plain = cast(dict[str, str | int | float | bool], dict(metadata or {}))
                records.append(StoredVector(id_, int(plain.pop(_HASH, -1)), plain))
            if found["ids"]:
                vectors.append(np.asarray(rows, dtype=np.float32))
        return records, np.concatenate(vectors) if vectors else np.zeros((0, 0), dtype=np.float32)

    def clear(self) -> None:
        self._client.delete_collection(self._name)
        self._collection = self._open()

    def ids(self) -> set[str]:
        return set(self._collection.get(include=[])["ids"])

    def text_hashes(self) -> dict[str, int]:
        # By pages: Chroma binds a variable an id, and SQLite takes no more than 32,766 of them.
        hashes: dict[str, int] = {}
        for start in range(0, len(self), _PAGE):
            page = self._collection.get(limit=_PAGE, offset=start, include=["metadatas"])
            for id_, about in zip(page["ids"], page["metadatas"] or [], strict=True):
                hashes[id_] = int((about or {}).get(_HASH, -1))  # type: ignore[arg-type]
        return hashes

    def __len__(self) -> int:
        return self._collection.count()
