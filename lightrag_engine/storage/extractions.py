"""The raw extractions of all chunks, and where the chunks stand: what the graph is folded from."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from lightrag_engine.names import fold_name
from lightrag_engine.records import (
    Chunk,
    EntityRecord,
    Extraction,
    ExtractionHealth,
    RelationRecord,
    fields_of,
)
from lightrag_engine.storage.sqlite import Database, SqliteKeyValue

_WEIGHT = 4  # its place in the row of a relation's record

Record = TypeVar("Record", EntityRecord, RelationRecord)


@dataclass(frozen=True, slots=True)
class Placed(Generic[Record]):
    """A record of a live chunk with where the chunk stands: `document_id`, `position` give its order.

    The first of a sample tells of the live records that are `left_out` of it, and of their weight.
    """

    document_id: str
    position: int
    record: Record
    left_out: int = 0
    weight_left_out: float = 0.0


@dataclass(frozen=True, slots=True)
class Placement:
    """A chunk in a document and the extraction by which it was read."""

    chunk: Chunk
    extraction_id: str


class ExtractionStore:
    """Extractions by id, their records by folded name, and the placements that make them live.

    An extraction is written as soon as it is made and stays without effect until a document places it.

    Of a name, or a pair, that many chunks speak of, no more than `sample_size` live records are read: those
    that come first by the ids of their extractions. These are hashes, so this is a random sample, it does not
    depend on the order in which documents came, and a new document changes it the more rarely the more there
    are already. That bounds what a commit costs.

    With `documents`, only records of chunks that stand in one of these are read.
    """

    def __init__(
        self, database: Database, sample_size: int = 60, documents: AbstractSet[str] | None = None
    ) -> None:
        self.sample_size = sample_size
        self._database = database
        self._heads = SqliteKeyValue(database, "extractions")
        self._within = "" if documents is None else f"document_id IN ({', '.join(map(_literal, documents))})"

    def within(self, documents: AbstractSet[str]) -> ExtractionStore:
        """Return the same store as far as it is of these documents."""
        return ExtractionStore(self._database, self.sample_size, documents)

    def chunks_by_name(self) -> tuple[dict[str, list[str]], dict[tuple[str, str], list[str]]]:
        """Return the chunks with records of each folded name and of each pair.

        All of them, not a sample, in the order in which they stand.
        """
        names: dict[str, dict[str, None]] = {}
        pairs: dict[tuple[str, str], dict[str, None]] = {}
        where = f"WHERE p.{self._within}" if self._within else ""
        sql = "SELECT {}, p.chunk_id FROM placements AS p JOIN {} USING (extraction_id) {} ORDER BY {}"
        order = "p.document_id, p.position"
        for name, chunk in self._database.read(sql.format("key", "entity_records", where, order)):
            names.setdefault(name, {})[chunk] = None
        for low, high, chunk in self._database.read(
            sql.format("low_key, high_key", "relation_records", where, order)
        ):
            pairs.setdefault((low, high), {})[chunk] = None
        return {k: list(v) for k, v in names.items()}, {k: list(v) for k, v in pairs.items()}

    def put(self, extraction_id: str, extraction: Extraction, document_id: str = "") -> None:
        """Keep an extraction that was made for a document.

        Records without a usable name, and self-loops, are left out.
        """
        entities = [(fold_name(r.entity_name), r) for r in extraction.entities]
        relations = [(sorted((fold_name(r.src_id), fold_name(r.tgt_id))), r) for r in extraction.relations]
        head = {
            "chunk_id": extraction.chunk_id,
            "content_keywords": extraction.content_keywords,
            "problems": extraction.problems,
            "health": asdict(extraction.health) if extraction.health else None,
            "document_id": document_id,
            "at": time.time(),
        }
        with self._database.transaction() as connection:
            for table in ("entity_records", "relation_records"):
                connection.execute(f"DELETE FROM {table} WHERE extraction_id = ?", [extraction_id])
            connection.executemany(
                "INSERT INTO entity_records VALUES (?, ?, ?, ?)",
                [(extraction_id, n, key, _dump(r)) for n, (key, r) in enumerate(entities) if key],
            )
            connection.executemany(
                "INSERT INTO relation_records VALUES (?, ?, ?, ?, ?)",
                [
                    (extraction_id, n, low, high, _dump(r))
                    for n, ((low, high), r) in enumerate(relations)
                    if low and low != high
                ],
            )
            self._heads.put_many({extraction_id: head})

    def put_failure(self, extraction_id: str, chunk_id: str, reason: str, document_id: str = "") -> None:
        """Keep that a chunk could not be read, and why. What was read of it before stays in its place."""
        head = {
            "chunk_id": chunk_id,
            "content_keywords": (),
            "problems": (reason,),
            "health": None,
            "error": reason,
            "document_id": document_id,
            "at": time.time(),
        }
        with self._database.transaction():
            if not self.existing([extraction_id]):
                self._heads.put_many({extraction_id: head})

    def existing(self, extraction_ids: Sequence[str]) -> set[str]:
        """Return those ids whose extraction is kept; one without a usable reply counts as not made."""
        heads = self._heads.get_many(extraction_ids)
        return {id_ for id_, head in heads.items() if not _failure(head)}

    def recorded(self, extraction_ids: Sequence[str]) -> set[str]:
        """Return those ids of which something is kept, be it a failure."""
        return set(self._heads.get_many(extraction_ids))

    def failures(self, extraction_ids: Sequence[str]) -> dict[str, str]:
        """Return those ids whose chunk could not be read, each with the reason."""
        heads = self._heads.get_many(extraction_ids)
        return {id_: reason for id_, head in heads.items() if (reason := _failure(head))}

    def made_for(self, document_id: str, extraction_ids: Sequence[str], since: float) -> list[str]:
        """Return those ids, each once, whose chunk was read for a document since a time (of the epoch)."""
        heads = self._heads.get_many(list(dict.fromkeys(extraction_ids)))
        return [
            id_
            for id_, head in heads.items()
            if head.get("document_id") == document_id and head.get("at", 0.0) >= since and not _failure(head)
        ]

    def health(self, extraction_ids: Sequence[str]) -> list[ExtractionHealth]:
        """Return the numbers of those extractions that have some: of chunks that a chat model read."""
        heads = self._heads.get_many(extraction_ids)
        found = [heads[id_]["health"] for id_ in extraction_ids if id_ in heads]
        return [
            ExtractionHealth(**{**numbers, "repairs": tuple((kind, n) for kind, n in numbers["repairs"])})
            for numbers in found
            if numbers
        ]

    def place(self, document_id: str, placements: Sequence[Placement]) -> None:
        """Make a document's chunks live, in place of those it had."""
        with self._database.transaction() as connection:
            self._unplace(connection, document_id, {p.extraction_id for p in placements})
            connection.executemany(
                "INSERT INTO placements VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (document_id, n, c.id, p.extraction_id, c.start, c.end, c.page_first, c.page_last)
                    for n, p in enumerate(placements)
                    for c in (p.chunk,)
                ],
            )

    def remove(self, document_id: str) -> None:
        """Take a document's chunks out, and the extractions that no document uses any more."""
        with self._database.transaction() as connection:
            self._unplace(connection, document_id)

    def _unplace(
        self, connection: sqlite3.Connection, document_id: str, kept: AbstractSet[str] = frozenset()
    ) -> None:
        ids = {
            id_
            for (id_,) in connection.execute(
                "SELECT DISTINCT extraction_id FROM placements AS mine WHERE document_id = ?1 "
                "AND NOT EXISTS (SELECT 1 FROM placements AS other "
                "WHERE other.extraction_id = mine.extraction_id AND other.document_id != ?1)",
                [document_id],
            )
        }
        connection.execute("DELETE FROM placements WHERE document_id = ?", [document_id])
        self._drop(connection, ids - kept)

    def _drop(self, connection: sqlite3.Connection, extraction_ids: AbstractSet[str]) -> None:
        for table in ("entity_records", "relation_records"):
            connection.executemany(
                f"DELETE FROM {table} WHERE extraction_id = ?", [(id_,) for id_ in extraction_ids]
            )
        self._heads.delete_many(extraction_ids)

    def discard(self, document_id: str) -> None:
        """Remove what was read for a document and is used by none: it was stopped before it was merged."""
        with self._database.transaction() as connection:
            rows = connection.execute(
                "SELECT key FROM kv WHERE namespace = 'extractions' "
                "AND json_extract(value, '$.document_id') = ? "
                "AND NOT EXISTS (SELECT 1 FROM placements WHERE extraction_id = key)",
                [document_id],
            )
            self._drop(connection, {id_ for (id_,) in rows})

    def remove_all(self, document_ids: Iterable[str]) -> None:
        """Do what `remove` does for several documents, in one transaction."""
        with self._database.transaction():
            for document_id in document_ids:
                self.remove(document_id)

    def unused(self) -> set[str]:
        """Return the extractions that no document uses, also those of which only a part is left."""
        rows = self._database.read(
            "SELECT extraction_id FROM entity_records UNION SELECT extraction_id FROM relation_records"
        )
        live = {id_ for (id_,) in self._database.read("SELECT extraction_id FROM placements")}
        return {id_ for (id_,) in rows}.union(self._heads.keys()) - live

    def purge(self, parts: bool = False) -> None:
        """Remove extractions that no document uses: of documents deleted before they were committed.

        With `parts` also those of which only a part is left, for which all records are looked through.
        """
        with self._database.transaction() as connection:
            live = {id_ for (id_,) in connection.execute("SELECT extraction_id FROM placements")}
            self._drop(connection, self.unused() if parts else set(self._heads.keys()) - live)

    def placements(self, document_id: str) -> list[dict[str, Any]]:
        """Return a document's placements in order, as rows of the table."""
        return self._placements("document_id IN (?)", [document_id])

    def placements_of(self, chunk_ids: Iterable[str]) -> list[dict[str, Any]]:
        """Return every place where these chunks stand, as rows of the table."""
        ids = list(dict.fromkeys(chunk_ids))
        found = self._placements("chunk_id IN (?)", ids)
        order = {id_: number for number, id_ in enumerate(ids)}
        return sorted(found, key=lambda row: (order[row["chunk_id"]], row["document_id"], row["position"]))

    def documents_of_chunks(self) -> list[tuple[str, str]]:
        """Return every live chunk with every document in which it stands."""
        return self._database.read("SELECT DISTINCT chunk_id, document_id FROM placements")

    def documents_by_key(self) -> dict[str, set[str]]:
        """Return the ids of the documents that speak of each folded name, ends of relations included."""
        found: dict[str, set[str]] = {}
        for table, column in (
            ("entity_records", "key"),
            ("relation_records", "low_key"),
            ("relation_records", "high_key"),
        ):
            rows = self._database.read(
                f"SELECT DISTINCT r.{column}, p.document_id FROM {table} AS r JOIN placements AS p "
                "USING (extraction_id)"
            )
            for key, document_id in rows:
                found.setdefault(key, set()).add(document_id)
        return found

    def _placements(self, condition: str, keys: Sequence[str]) -> list[dict[str, Any]]:
        names = (
            "document_id",
            "position",
            "chunk_id",
            "extraction_id",
            "start",
            "end",
            "page_first",
            "page_last",
        )
        rows = self._database.read_in(
            f"SELECT {', '.join(names)} FROM placements WHERE {condition} ORDER BY document_id, position",
            keys,
        )
        return [dict(zip(names, row, strict=True)) for row in rows]

    def keys_of(self, extraction_ids: Iterable[str]) -> tuple[set[str], set[tuple[str, str]]]:
        """Return the folded names (ends of relations included) and the pairs that extractions speak of."""
        ids = list(dict.fromkeys(extraction_ids))
        pairs = {
            (low, high)
            for low, high in self._database.read_in(
                "SELECT DISTINCT low_key, high_key FROM relation_records WHERE extraction_id IN (?)", ids
            )
        }
        keys = {
            key
            for (key,) in self._database.read_in(
                "SELECT DISTINCT key FROM entity_records WHERE extraction_id IN (?)", ids
            )
        }
        return keys.union(*pairs), pairs

    def live_keys(self) -> tuple[set[str], set[tuple[str, str]]]:
        """Return what `keys_of` does for all extractions that a document uses."""
        rows = self._database.read("SELECT DISTINCT extraction_id FROM placements")
        return self.keys_of(id_ for (id_,) in rows)

    def entity_records(self, key: str) -> list[Placed[EntityRecord]]:
        """Return a sample of the live records of a folded name, in the order in which they stand."""
        rows, count, _ = self._sample("entity_records", ["r.key = ?1"], [key])
        return [
            Placed(id_, position, _entity_record(value, chunk_id), 0 if number else count)
            for number, (id_, position, chunk_id, value) in enumerate(rows)
        ]

    def relation_records(self, pair: tuple[str, str]) -> list[Placed[RelationRecord]]:
        """Return a sample of the live records of a sorted pair, in the order in which they stand."""
        return self._relation_records(["r.low_key = ?1 AND r.high_key = ?2"], pair)

    def relation_records_at(self, key: str) -> list[Placed[RelationRecord]]:
        """Return a sample of the live records of all pairs with this name at one end, in order."""
        return self._relation_records(["r.low_key = ?1", "r.high_key = ?1"], [key])

    def pairs_at(self, keys: Iterable[str]) -> set[tuple[str, str]]:
        """Return the sorted pairs with one of these names at an end of which a live chunk speaks."""
        listed = list(keys)
        return {
            (low, high)
            for end in ("low_key", "high_key")
            for low, high in self._database.read_in(
                "SELECT DISTINCT r.low_key, r.high_key FROM relation_records AS r JOIN placements AS p "
                f"USING (extraction_id) WHERE r.{end} IN (?)",
                listed,
            )
        }

    def _relation_records(
        self, conditions: Sequence[str], parameters: Sequence[str]
    ) -> list[Placed[RelationRecord]]:
        rows, count, weight = self._sample("relation_records", conditions, parameters)
        return [
            Placed(
                id_, position, _relation_record(value, chunk_id), *((0, 0.0) if number else (count, weight))
            )
            for number, (id_, position, chunk_id, value) in enumerate(rows)
        ]

    def _sample(
        self, table: str, conditions: Sequence[str], parameters: Sequence[str]
    ) -> tuple[list[tuple[str, int, str, str]], int, float]:
        """Return the first live records of any condition (document, position, chunk, value), in order.

        Also returns how many records are left out, and the sum of their weights.
        """
        within, here = (f" AND {at}.{self._within}" if self._within else "" for at in "qp")
        live = f"EXISTS (SELECT 1 FROM placements AS q WHERE q.extraction_id = r.extraction_id{within})"
        size = self.sample_size
        # The indices end in (extraction_id, number): the first records are found without reading the others.
        parts = " UNION ALL ".join(
            f"SELECT * FROM (SELECT extraction_id, number FROM {table} AS r WHERE {condition} AND {live} "
            f"ORDER BY extraction_id, number LIMIT {size})"
            for condition in conditions
        )
        sampled = f"(SELECT extraction_id, number FROM ({parts}) ORDER BY extraction_id, number LIMIT {size})"
        rows = self._database.read(
            "SELECT p.document_id, p.position, p.chunk_id, r.value, r.extraction_id, r.number "
            f"FROM {sampled} AS s CROSS JOIN {table} AS r USING (extraction_id, number) "
            f"JOIN placements AS p ON p.extraction_id = s.extraction_id{here} "
            "ORDER BY p.document_id, p.position, r.number",
            parameters,
        )
        found = {row[4:]: row[3] for row in rows}
        count, weight = 0, 0.0
        if len(found) == size:
            weights = f"total(json_extract(r.value, '$[{_WEIGHT}]'))" if table == "relation_records" else "0"
            ((every, heavy),) = self._database.read(
                f"SELECT count(*), {weights} FROM {table} AS r WHERE ({' OR '.join(conditions)}) AND {live}",
                parameters,
            )
            if (count := every - size) and table == "relation_records":
                weight = heavy - sum(json.loads(value)[_WEIGHT] for value in found.values())
        return [row[:4] for row in rows], count, round(weight, 6)


def _literal(text: str) -> str:
    """Return a text as a literal of SQL."""
    return "'" + text.replace("'", "''").replace("\x00", "") + "'"


def _failure(head: Mapping[str, Any]) -> str:
    """Return why a chunk could not be read; empty when it was."""
    if "error" in head:
        return str(head["error"])
    if (head["health"] or {}).get("failed"):
        return str(next(iter(head["problems"]), "The model gave no usable answer."))
    return ""


# Every commit reads the samples of the same hubs again.
@lru_cache(maxsize=20_000)
def _entity_record(value: str, chunk_id: str) -> EntityRecord:
    """Return a record from its row."""
    name, type_, description, rule = json.loads(value)
    return EntityRecord(name, type_, description, chunk_id, rule)


@lru_cache(maxsize=20_000)
def _relation_record(value: str, chunk_id: str) -> RelationRecord:
    """Return a record from its row."""
    source, target, description, keywords, weight, rule = json.loads(value)
    return RelationRecord(source, target, description, tuple(keywords), weight, chunk_id, rule)


def _dump(record: EntityRecord | RelationRecord) -> str:
    # As a list, without the chunk: names of fields and ids of chunks took half of the room.
    fields = [value for name, value in fields_of(record).items() if name != "source_id"]
    return json.dumps(fields, ensure_ascii=False)
