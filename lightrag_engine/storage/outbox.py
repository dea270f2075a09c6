"""The vector outbox: what a commit owes to the vector collections, paid after it and never forgotten.

Rows are written in the transaction of the commit that causes them. They are paid in three steps, each of
which can be repeated after a crash: embed (the vectors are kept in the rows, so that no text is embedded
twice when the vector store fails), upsert or delete, strike off.

The text of a hub changes with nearly every document. Where a vector of an earlier text is there already, it
is nearly as good until then, and the operation is a mere change: it can wait, and be made once for many.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from lightrag_engine.embedding.base import EmbeddingModel, Vectors
from lightrag_engine.names import content_id
from lightrag_engine.storage.base import VectorRecord, VectorStore, is_usable
from lightrag_engine.storage.sqlite import Database, SqliteKeyValue, batches

_WRITE_LIMIT = 120.0  # seconds for a write
_EMBEDDED_AT_ONCE = 64
# A vector of its own costs Chroma twice what it costs among a thousand.
_WRITTEN_AT_ONCE = 1024


@dataclass(frozen=True, slots=True)
class _Owed:
    number: int
    collection: str
    id: str
    text: str | None
    metadata: str | None
    vector: bytes | None


class Outbox:
    """The vector operations of one workspace that are still owed."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._refused = SqliteKeyValue(database, "refused")

    def __len__(self) -> int:
        return int(self._database.read("SELECT count(*) FROM outbox")[0][0])

    @property
    def urgent(self) -> int:
        """How many operations are no mere changes: new vectors and deletes."""
        return int(self._database.read("SELECT count(*) FROM outbox WHERE is_change = 0")[0][0])

    def last(self) -> int:
        """Return the number of the newest operation; 0 when nothing is owed."""
        return int(self._database.read("SELECT coalesce(max(number), 0) FROM outbox")[0][0])

    def owes_until(self, number: int) -> bool:
        """Whether an operation up to this number is still owed."""
        return bool(self._database.read("SELECT 1 FROM outbox WHERE number <= ? LIMIT 1", [number]))

    def owes_deletes_until(self, number: int) -> bool:
        """Whether a delete up to this number is still owed."""
        condition = "number <= ? AND text IS NULL"
        return bool(self._database.read(f"SELECT 1 FROM outbox WHERE {condition} LIMIT 1", [number]))

    def owe_upserts(self, collection: str, records: Iterable[VectorRecord], *, changes: bool = False) -> None:
        """Note that these records are to be embedded and written; replaces what was owed for their ids.

        With `changes` there were such records before. Where their vectors are still owed, they stay urgent.
        """
        urgent = "SELECT 1 FROM outbox WHERE collection = ?1 AND id = ?2 AND is_change = 0"
        with self._database.transaction() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO outbox (collection, id, text, metadata, is_change) "
                f"VALUES (?1, ?2, ?3, ?4, ?5 AND NOT EXISTS ({urgent}))",
                [(collection, r.id, r.text, json.dumps(r.metadata), changes) for r in records],
            )

    def owe_deletes(self, collection: str, ids: Iterable[str]) -> None:
        """Note that these ids are to be removed; replaces what was owed for them."""
        with self._database.transaction() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO outbox (collection, id) VALUES (?, ?)", [(collection, i) for i in ids]
            )

    def clear(self) -> None:
        """Forget everything owed: what should be there has been written another way."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM outbox")
            self._refused.delete_many(self._refused.keys())

    def owed(self, collection: str) -> dict[str, int | None]:
        """Return the hashes of the texts that are owed by id; None stands for a delete."""
        rows = self._database.read("SELECT id, text FROM outbox WHERE collection = ?", [collection])
        return {id_: None if text is None else VectorRecord(id_, text, {}).text_hash for id_, text in rows}

    def foreign(self, collections: Iterable[str]) -> list[str]:
        """Return the ids of what is owed to other collections than these."""
        known = set(collections)
        rows = self._database.read("SELECT collection, id FROM outbox")
        return [id_ for collection, id_ in rows if collection not in known]

    def drop_foreign(self, collections: Iterable[str]) -> None:
        """Forget what is owed to other collections than these: there are none."""
        names = list(collections)
        with self._database.transaction() as connection:
            connection.execute(
                f"DELETE FROM outbox WHERE collection NOT IN ({','.join('?' * len(names))})", names
            )

    def refused_counts(self) -> dict[str, int]:
        """Return how many texts of each collection were tried and cannot be embedded."""
        return Counter(key.partition(":")[0] for key in self._refused.keys())  # noqa: SIM118 - no mapping

    def refused(self, collection: str, records: Iterable[VectorRecord]) -> set[str]:
        """Return the ids of those records whose text was tried and cannot be embedded."""
        keys = {f"{collection}:{record.id}": record for record in records}
        kept = self._refused.get_many(list(keys))
        return {keys[key].id for key, value in kept.items() if value["text"] == _digest(keys[key].text)}

    async def pay(
        self,
        stores: Mapping[str, VectorStore],
        embedding: EmbeddingModel,
        batch_size: int = _EMBEDDED_AT_ONCE,
        on_progress: Callable[[int], None] = lambda paid: None,
        only_deletes: bool = False,
        only_urgent: bool = False,
        is_held: Callable[[], bool] = lambda: False,
        rests: Callable[[VectorRecord], bool] = lambda record: False,
    ) -> list[VectorRecord]:
        """Pay what is owed at this moment; return the texts that could not be embedded.

        `batch_size` texts are embedded at once and kept; they are written together with many others. With
        `only_deletes` no text is embedded and no upsert paid, with `only_urgent` no mere change; `is_held`
        stops it between two batches. Records that rest when their batch comes stay owed.
        `on_progress` is called after each batch with the number of operations in it.
        """
        refused: list[VectorRecord] = []
        last, at = self.last(), 0
        while (only_deletes or not is_held()) and (
            owing := self._next(_WRITTEN_AT_ONCE, at, last, only_deletes, only_urgent)
        ):
            batch: list[_Owed] = []
            vectors: dict[int, Vectors] = {}
            for part in batches(owing, batch_size):
                if batch and not only_deletes and is_held():
                    break
                at = part[-1].number
                due = [o for o in part if o.text is None or not rests(_record(o))]
                vectors |= await self._vectors([owed for owed in due if owed.text is not None], embedding)
                batch += due
                on_progress(len(due))
            failed = [o for o in batch if o.number in vectors and not is_usable(vectors[o.number])]
            refused += [_record(owed) for owed in failed]
            for name, store in stores.items():
                upserts = [o for o in batch if o.collection == name and o.text is not None]
                rows = [vectors[o.number] for o in upserts]
                gone = [o.id for o in batch if o.collection == name and o.text is None]
                # In a thread and with an end: on a full disk Chroma may never come back. (Not wait_for,
                # which may swallow a cancellation.)
                async with asyncio.timeout(_WRITE_LIMIT):
                    await asyncio.to_thread(_write, store, upserts, rows, gone)
            with self._database.transaction() as connection:
                # An operation that was replaced meanwhile has a new number and stays.
                connection.executemany("DELETE FROM outbox WHERE number = ?", [(o.number,) for o in batch])
                self._refused.delete_many(f"{o.collection}:{o.id}" for o in batch)
                self._refused.put_many(
                    {f"{o.collection}:{o.id}": {"text": _digest(o.text or "")} for o in failed}
                )
        return refused

    def _next(self, size: int, after: int, last: int, only_deletes: bool, only_urgent: bool) -> list[_Owed]:
        columns = "number, collection, id, text, metadata, vector"
        condition = "number > ? AND number <= ?"
        condition += " AND text IS NULL" if only_deletes else ""
        condition += " AND is_change = 0" if only_urgent else ""
        return [
            _Owed(*row)
            for row in self._database.read(
                f"SELECT {columns} FROM outbox WHERE {condition} ORDER BY number LIMIT ?", [after, last, size]
            )
        ]

    async def _vectors(self, batch: list[_Owed], embedding: EmbeddingModel) -> dict[int, Vectors]:
        known = {o.number: np.frombuffer(o.vector, dtype=np.float32) for o in batch if o.vector is not None}
        missing = [o for o in batch if o.vector is None]
        if missing:
            fresh = await embedding.embed([o.text or "" for o in missing], "passage")
            if len(fresh) != len(missing):
                raise ValueError(f"{embedding.name} gave {len(fresh)} vectors for {len(missing)} texts")
            with self._database.transaction() as connection:
                connection.executemany(
                    "UPDATE outbox SET vector = ? WHERE number = ?",
                    [
                        (vector.astype(np.float32).tobytes(), o.number)
                        for o, vector in zip(missing, fresh, strict=True)
                    ],
                )
            known |= {o.number: vector for o, vector in zip(missing, fresh, strict=True)}
        return known


def _write(store: VectorStore, upserts: list[_Owed], rows: list[Vectors], gone: list[str]) -> None:
    if upserts:
        store.upsert([_record(owed) for owed in upserts], np.stack(rows))
    store.delete(gone)


def _digest(text: str) -> str:
    return content_id("t", text)


def _record(owed: _Owed) -> VectorRecord:
    return VectorRecord(owed.id, owed.text or "", json.loads(owed.metadata or "{}"))
