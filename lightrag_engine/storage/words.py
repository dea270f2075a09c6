"""The words of every chunk, in SQLite's full-text index: what is found by the words of a question.

Rows change inside the caller's transaction, so that the index always agrees with the chunks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lightrag_engine.storage.sqlite import Database

# Of bm25(): the id, the title, the content.
_WEIGHTS = "0.0, 1.0, 1.0"


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
        with self._database.transaction() as connection:
            self.delete_many(words)
            connection.executemany(
                "INSERT INTO words (rowid, chunk_id, title, content) VALUES (?, ?, ?, ?)",
                [(_row(id_), id_, " ".join(w.title), " ".join(w.content)) for id_, w in words.items()],
            )

    def delete_many(self, chunk_ids: Iterable[str]) -> None:
        """Remove chunks; one that is not there is no error."""
        with self._database.transaction() as connection:
            connection.executemany("DELETE FROM words WHERE rowid = ?", [(_row(id_),) for id_ in chunk_ids])

    def search(self, terms: Iterable[str], limit: int) -> list[str]:
        """Return the chunks that hold any of the terms, best first by BM25 (k1 1.2, b 0.75)."""
        wanted = " OR ".join(_quoted(term) for term in dict.fromkeys(terms))
        if not wanted:
            return []
        rows = self._database.read(
            f"SELECT chunk_id FROM words WHERE words MATCH ? ORDER BY bm25(words, {_WEIGHTS}), rowid LIMIT ?",
            [wanted, limit],
        )
        return [id_ for (id_,) in rows]

    def ids(self) -> set[str]:
        """Return all chunks."""
        return {id_ for (id_,) in self._database.read("SELECT chunk_id FROM words")}


def _quoted(term: str) -> str:
    """Return a term as a string of the query language, in which nothing is an operator."""
    return '"' + term.replace('"', '""').replace("\x00", " ") + '"'


def _row(chunk_id: str) -> int:
    """Return the row of a chunk, from a hash of its id: full-text rows are found by their number only."""
    return int.from_bytes(hashlib.blake2b(chunk_id.encode(), digest_size=8).digest()) >> 1
