"""The tables of a workspace, as ordered, named steps. Steps are only ever added, never changed."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from lightrag_engine.errors import WorkspaceError
from lightrag_engine.storage.packing import packed, unpacked

# Bytes. A compressed chunk takes 2,600: a third of each page of 4,096 stayed empty.
PAGE_SIZE = 16_384

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
    (
        "conversations",
        """
        CREATE TABLE conversations (
            id TEXT PRIMARY KEY, name TEXT NOT NULL, created_at REAL NOT NULL, changed_at REAL NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE turns (
            conversation_id TEXT NOT NULL, position INTEGER NOT NULL, question TEXT NOT NULL,
            value BLOB NOT NULL,
            PRIMARY KEY (conversation_id, position)
        );
        """,
    ),
    (
        "words only in their index",
        """
        -- The index keeps no text, so the terms by which rows are taken out of it again stand beside it.
        CREATE TABLE word_lists (
            number INTEGER PRIMARY KEY, chunk_id TEXT NOT NULL, title BLOB NOT NULL, content BLOB NOT NULL
        );
        CREATE INDEX word_lists_by_chunk ON word_lists (chunk_id);
        INSERT INTO word_lists SELECT rowid, chunk_id, title, packed(content) FROM words;
        DROP TABLE words;
        CREATE VIRTUAL TABLE words USING fts5 (
            title, content, content = '', tokenize = "unicode61 remove_diacritics 2"
        );
        INSERT INTO words (rowid, title, content) SELECT number, title, unpacked(content) FROM word_lists;
        """,
    ),
    (
        "records without the names of their fields",
        """
        -- Lists in the order of the fields; whose chunk it is, the placement of the extraction says.
        UPDATE entity_records SET value = json_array(
            json_extract(value, '$.entity_name'), json_extract(value, '$.entity_type'),
            json_extract(value, '$.entity_description'), coalesce(json_extract(value, '$.rule'), '')
        );
        UPDATE relation_records SET value = json_array(
            json_extract(value, '$.src_id'), json_extract(value, '$.tgt_id'),
            json_extract(value, '$.description'), json_extract(value, '$.keywords'),
            json_extract(value, '$.weight'), coalesce(json_extract(value, '$.rule'), '')
        );
        """,
    ),
    (
        "changes of vectors apart",
        """
        -- 1: the collection has a vector for an earlier text of this id, so there is no hurry.
        ALTER TABLE outbox ADD COLUMN is_change INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX outbox_urgent ON outbox (number) WHERE is_change = 0;
        """,
    ),
)


def migrate(connection: sqlite3.Connection, to: int = len(MIGRATIONS)) -> None:
    """Bring a database to a schema, the newest by default, each step in a transaction of its own.

    Raises
    ------
    WorkspaceError
        When the database was written by a newer version of this program.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    check_version_known(version)
    for function in (packed, unpacked):
        connection.create_function(function.__name__, 1, function, deterministic=True)
    for number, (_, script) in enumerate(MIGRATIONS[version:to], start=version + 1):
        connection.executescript(f"BEGIN IMMEDIATE; {script}; PRAGMA user_version = {number}; COMMIT;")
    if 0 < version < to:
        _pack(connection)


def _pack(connection: sqlite3.Connection) -> None:
    """Give back the room that steps left behind, in pages of today's size."""
    (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    # Where there is no room for a copy, the old one serves on.
    with contextlib.suppress(sqlite3.OperationalError):
        connection.execute("PRAGMA journal_mode = DELETE")  # a log fixes the size of pages
        connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
        connection.execute("VACUUM")
    connection.execute(f"PRAGMA journal_mode = {mode}")


def check_version_known(version: int) -> None:
    """Raise `WorkspaceError` when a schema version is one of a newer program."""
    if version > len(MIGRATIONS):
        raise WorkspaceError(
            f"The workspace has schema version {version}, this program knows {len(MIGRATIONS)}.",
            hint="Update the program: the workspace was written by a newer version.",
        )


def check_foreign(path: Path) -> None:
    """Make sure that a database that came from outside is whole and has these tables, and nothing else.

    Triggers, views and further indexes would be run by whatever opens it.

    Raises
    ------
    WorkspaceError
        When it was written by a newer version of this program.
    sqlite3.DatabaseError
        When it is damaged, or not of this program.
    """
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA trusted_schema = OFF")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        check_version_known(version)
        with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as model:
            migrate(model, version)
            if version < 1 or _objects(connection) != _objects(model):
                raise sqlite3.DatabaseError("it has other tables than those of a workspace")
        problems = connection.execute("PRAGMA quick_check(1)").fetchall()
        if problems != [("ok",)]:
            raise sqlite3.DatabaseError(problems[0][0])


def _objects(connection: sqlite3.Connection) -> set[tuple[str, ...]]:
    # SQLite keeps tables of its own, such as statistics, under this prefix.
    return set(
        connection.execute(
            "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        ).fetchall()
    )
