"""The tables of a workspace, as ordered, named steps. Steps are only ever added, never changed."""

from __future__ import annotations

import sqlite3

from lightrag_engine.errors import WorkspaceError

MIGRATIONS: tuple[tuple[str, str], ...] = (
    (
        "first tables",
        """
        CREATE TABLE kv (
            namespace TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
            PRIMARY KEY (namespace, key)
        ) WITHOUT ROWID;

        -- Which chunk stands where in which live document, and how it was read.
        CREATE TABLE placements (
            document_id TEXT NOT NULL, position INTEGER NOT NULL, chunk_id TEXT NOT NULL,
            extraction_id TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,
            page_first INTEGER, page_last INTEGER,
            PRIMARY KEY (document_id, position)
        ) WITHOUT ROWID;
        CREATE INDEX placements_by_chunk ON placements (chunk_id);
        CREATE INDEX placements_by_extraction ON placements (extraction_id);

        -- Raw records of every extraction, findable by folded name; the graph is a fold over these.
        CREATE TABLE entity_records (
            extraction_id TEXT NOT NULL, number INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
            PRIMARY KEY (extraction_id, number)
        ) WITHOUT ROWID;
        CREATE INDEX entity_records_by_key ON entity_records (key);
        CREATE TABLE relation_records (
            extraction_id TEXT NOT NULL, number INTEGER NOT NULL,
            low_key TEXT NOT NULL, high_key TEXT NOT NULL, value TEXT NOT NULL,
            PRIMARY KEY (extraction_id, number)
        ) WITHOUT ROWID;
        CREATE INDEX relation_records_by_pair ON relation_records (low_key, high_key);
        CREATE INDEX relation_records_by_high_key ON relation_records (high_key);

        CREATE TABLE nodes (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE edges (
            low_key TEXT NOT NULL, high_key TEXT NOT NULL, value TEXT NOT NULL,
            PRIMARY KEY (low_key, high_key)
        ) WITHOUT ROWID;
        CREATE INDEX edges_by_high_key ON edges (high_key);

        -- Vector operations that a commit owes: a text is an upsert, NULL a delete.
        CREATE TABLE outbox (
            number INTEGER PRIMARY KEY AUTOINCREMENT, collection TEXT NOT NULL, id TEXT NOT NULL,
            text TEXT, metadata TEXT, vector BLOB,
            UNIQUE (collection, id)
        );
        """,
    ),
    (
        "edits of a person",
        """
        -- A log: rows are only added. The highest number in `undone` is the edit that was undone last.
        CREATE TABLE edits (
            id INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL,
            undone INTEGER
        );
        """,
    ),
    # Nothing changes in what is there, but an older program could not read long values written from now on.
    ("long values compressed", "SELECT 1"),
    (
        "words of the chunks",
        """
        CREATE VIRTUAL TABLE words USING fts5 (
            chunk_id UNINDEXED, title, content, tokenize = "unicode61 remove_diacritics 2"
        );
        """,
    ),
)


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a database to the newest schema, step by step, each in a transaction of its own.

    Raises
    ------
    WorkspaceError
        When the database was written by a newer version of this program.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(MIGRATIONS):
        raise WorkspaceError(
            f"The workspace has schema version {version}, this program knows {len(MIGRATIONS)}.",
            hint="Update the program: the workspace was written by a newer version.",
        )
    for number, (_, script) in enumerate(MIGRATIONS[version:], start=version + 1):
        connection.executescript(f"BEGIN IMMEDIATE; {script}; PRAGMA user_version = {number}; COMMIT;")
