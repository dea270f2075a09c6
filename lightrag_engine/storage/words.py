"""The words of every chunk, in SQLite's full-text index: what is found by the words of a question.

Rows change inside the caller's transaction, so that the index always agrees with the chunks.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lightrag_engine.storage.packing import packed, unpacked
from lightrag_engine.storage.sqlite import Database, batches


@dataclass(frozen=True, slots=True)
class Words:
    """The terms of a chunk, and those of the titles of its documents, in order and with repeats."""

    title: Sequence[str]
    content: Sequence[str]


class WordIndex:
    """Chunks by the terms in them. What a term is (a stem, a pair of characters) is up to the caller."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put_many(self, words: Mapping[str, Words]) -> None:
        """Write the terms of chunks, replacing those of chunks that are there."""
        # Sorted they take less room, and their number is all that counts.
        lists = [
            (_row(i), i, " ".join(sorted(w.title)), " ".join(sorted(w.content))) for i, w in words.items()
        ]
        with self._database.transaction() as connection:
            self.delete_many(words)
            connection.executemany(
                "INSERT INTO word_lists VALUES (?, ?, ?, ?)",
                [(row, id_, title, packed(content)) for row, id_, title, content in lists],
            )
            connection.executemany(
                "INSERT INTO words (rowid, title, content) VALUES (?, ?, ?)",
                [(row, title, content) for row, _, title, content in lists],
            )

    def delete_many(self, chunk_ids: Iterable[str]) -> None:
        """Remove chunks; one that is not there is no error."""
        rows = [_row(id_) for id_ in chunk_ids]
        with self._database.transaction() as connection:
            for batch in batches(rows):
                condition = f"number IN ({','.join('?' * len(batch))})"
                kept = connection.execute(
                    f"SELECT number, title, content FROM word_lists WHERE {condition}", batch
                ).fetchall()
                # The index does not know what it was given: it has to be said again.
                connection.executemany(
                    "INSERT INTO words (words, rowid, title, content) VALUES ('delete', ?, ?, ?)",
                    [(row, title, unpacked(content)) for row, title, content in kept],
                )
                connection.execute(f"DELETE FROM word_lists WHERE {condition}", batch)

    def search(self, terms: Iterable[str], limit: int, among: Iterable[str] | None = None) -> list[str]:
        """Return the chunks (`among` these, if given) that hold any of the terms.

        Best first by BM25 (k1 1.2, b 0.75), how rare a term is being counted over all chunks.
        """
        wanted = " OR ".join(_quoted(term) for term in dict.fromkeys(terms))
        if not wanted:
            return []
        within = "" if among is None else "AND rowid IN (SELECT value FROM json_each(?))"
        rows = self._database.read(
            "SELECT chunk_id FROM (SELECT rowid, bm25(words) AS score FROM words "
            f"WHERE words MATCH ? {within} ORDER BY score, rowid LIMIT ?) AS best "
            "JOIN word_lists ON number = best.rowid ORDER BY score, number",
            [wanted, *([] if among is None else [json.dumps([_row(id_) for id_ in among])]), limit],
        )
        return [id_ for (id_,) in rows]

    def rebuild(self) -> None:
        """Make the index anew from the lists beside it: in a database from elsewhere they may not agree.

        Raises
        ------
        ValueError
            When a list is damaged.
        """
        with self._database.transaction() as connection:
            kept = connection.execute("SELECT chunk_id, title, content FROM word_lists").fetchall()
            connection.execute("INSERT INTO words (words) VALUES ('delete-all')")
            connection.execute("DELETE FROM word_lists")
            for batch in batches(kept):
                self.put_many({id_: Words(title.split(), unpacked(c).split()) for id_, title, c in batch})

    def ids(self) -> set[str]:
        """Return all chunks."""
        return {id_ for (id_,) in self._database.read("SELECT chunk_id FROM word_lists")}


def _quoted(term: str) -> str:
    """Return a term as a string of the query language, in which nothing is an operator."""
    return '"' + term.replace('"', '""').replace("\x00", " ") + '"'


def _row(chunk_id: str) -> int:
    """Return the row of a chunk, from a hash of its id: full-text rows are found by their number only."""
    return int.from_bytes(hashlib.blake2b(chunk_id.encode(), digest_size=8).digest()) >> 1
