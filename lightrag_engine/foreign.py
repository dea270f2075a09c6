"""Looking at a workspace that came from elsewhere: whether every row holds what this program puts there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter

from lightrag_engine.conversations.store import turns_kept
from lightrag_engine.records import (
    DocumentReport,
    DocumentStatus,
    Entity,
    ExtractionHealth,
    Relation,
)
from lightrag_engine.storage.packing import unpacked
from lightrag_engine.storage.sqlite import Database
from lightrag_engine.storage.workspace import Workspace


@dataclass
class _Document:
    id: str
    name: str
    title: str
    media_type: str
    size: int
    text: str
    pages: list[tuple[int, int]]
    encoding: str
    warnings: list[str]


@dataclass
class _Work:
    is_fresh: bool
    since: float
    previous: DocumentStatus | None
    document: _Document | None


@dataclass
class _Edit:
    keys: list[str]
    text: str
    into: str = ""
    name: str = ""
    type: str = ""
    description: str = ""
    keywords: list[str] = field(default_factory=list)
    weight: float = 0.0
    ends: list[str] = field(default_factory=list)


@dataclass
class _Text:
    content: str
    tokens: int


@dataclass
class _Summary:
    text: str


@dataclass
class _Subjects:
    keys: list[str]
    pairs: list[tuple[str, str]]


@dataclass
class _Head:
    chunk_id: str
    content_keywords: list[str]
    problems: list[str]
    health: ExtractionHealth | None


@dataclass
class _Embedding:
    name: str
    dimensions: int


_KEPT: dict[str, TypeAdapter[Any]] = {
    "documents": TypeAdapter(DocumentStatus),
    "texts": TypeAdapter(_Document),
    "work": TypeAdapter(_Work),
    "reports": TypeAdapter(DocumentReport),
    "chunks": TypeAdapter(_Text),
    "summaries": TypeAdapter(_Summary),
    "extractions": TypeAdapter(_Head),
    "responses": TypeAdapter(dict[str, Any]),
}
_ABOUT: dict[str, TypeAdapter[Any]] = {
    "embedding": TypeAdapter(_Embedding),
    "settings": TypeAdapter(dict[str, Any]),
    "summaries owed": TypeAdapter(_Subjects),
    "summaries refused": TypeAdapter(_Subjects),
}
_ROWS: dict[str, TypeAdapter[Any]] = {
    "nodes": TypeAdapter(Entity),
    "edges": TypeAdapter(Relation),
    "edits": TypeAdapter(_Edit),
    "entity_records": TypeAdapter(tuple[str, str, str, str]),
    "relation_records": TypeAdapter(tuple[str, str, str, list[str], float, str]),
}


def check_contents(workspace: Workspace) -> None:
    """Make sure that every row can be read as what it should be.

    Raises
    ------
    ValueError
        When one cannot; pydantic's error says which field.
    """
    database = workspace.database
    for namespace, kind in _KEPT.items():
        _check(kind, _values(database, "SELECT value FROM kv WHERE namespace = ?", namespace))
    for key, kind in _ABOUT.items():
        _check(kind, _values(database, "SELECT value FROM kv WHERE namespace = 'about' AND key = ?", key))
    for table, kind in _ROWS.items():
        _check(kind, _values(database, f"SELECT value FROM {table}"))
    _check(turns_kept(), _values(database, "SELECT value FROM turns"))
    if database.read(
        "SELECT 1 FROM placements WHERE typeof(position) != 'integer' OR typeof(start) != 'integer' "
        "OR typeof(end) != 'integer' OR typeof(chunk_id) != 'text' OR typeof(extraction_id) != 'text' LIMIT 1"
    ):
        raise ValueError("a placement does not say where a chunk stands")
    if database.read(
        "SELECT 1 FROM conversations c LEFT JOIN turns t ON t.conversation_id = c.id "
        "WHERE typeof(c.id) != 'text' OR typeof(name) != 'text' OR typeof(question) NOT IN ('text', 'null') "
        "OR typeof(created_at) != 'real' OR typeof(changed_at) != 'real' "
        "OR typeof(position) NOT IN ('integer', 'null') LIMIT 1"
    ):
        raise ValueError("a conversation is none")


def _values(database: Database, sql: str, *parameters: str) -> Iterable[Any]:
    return (unpacked(value) for (value,) in database.read(sql, parameters))


def _check(kind: TypeAdapter[Any], values: Iterable[Any]) -> None:
    for value in values:
        kind.validate_json(value)
