"""What a workspace takes on disk, by part."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from lightrag_engine.records import StorageUse
from lightrag_engine.storage.sqlite import Database
from lightrag_engine.storage.workspace import DATABASE, Workspace

_NAMESPACES = {
    "texts": ("texts", "chunks", "work"),
    "graph": ("extractions", "graph places", "graph views"),
    "cache": ("responses",),
}
# Tables and their columns that hold what takes room; those of `words` are the search index of the chunks.
_TABLES: dict[str, dict[str, tuple[str, ...]]] = {
    "texts": {"words_data": ("block",), "word_lists": ("chunk_id", "title", "content")},
    "graph": {
        "nodes": ("key", "value"),
        "edges": ("low_key", "high_key", "value"),
        "entity_records": ("extraction_id", "key", "value"),
        "relation_records": ("extraction_id", "low_key", "high_key", "value"),
        "placements": ("document_id", "chunk_id", "extraction_id"),
        "edits": ("value",),
    },
    "vectors": {"outbox": ("id", "text", "metadata", "vector")},
}


def storage_use(workspace: Workspace) -> StorageUse:
    """Measure a workspace, which may be at work: reads all of its database once."""
    database, folder = workspace.database, workspace.folder
    rows = database.read("SELECT namespace, sum(length(CAST(value AS BLOB))) FROM kv GROUP BY namespace")
    kept = {str(namespace): int(size) for namespace, size in rows}
    parts = {part: sum(kept.get(name, 0) for name in names) for part, names in _NAMESPACES.items()}
    for part, tables in _TABLES.items():
        parts[part] = parts.get(part, 0) + sum(_held(database, *table) for table in tables.items())
    in_database = sum(parts.values())
    originals = _size(path for place in (workspace.files, workspace.unclaimed) for path in place.glob("*"))
    vectors = _size((folder / "chroma").rglob("*"))
    files = _size(path for path in folder.glob(f"{DATABASE}*"))
    parts["vectors"] += vectors
    rest = _size(path for path in folder.glob("*") if not path.name.startswith(DATABASE))
    return StorageUse(**parts, originals=originals, other=max(0, files - in_database) + rest)


def _held(database: Database, table: str, columns: tuple[str, ...]) -> int:
    lengths = " + ".join(f"ifnull(length(CAST({column} AS BLOB)), 0)" for column in columns)
    return int(database.read(f"SELECT ifnull(sum({lengths}), 0) FROM {table}")[0][0])


def _size(paths: Iterable[Path]) -> int:
    total = 0
    for path in paths:
        with suppress(OSError):  # gone meanwhile
            total += path.stat().st_size if path.is_file() else 0
    return total
