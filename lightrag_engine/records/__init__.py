"""The frozen records that walk through the engine.

Indexing: bytes -> `Document` -> [`Chunk`] -> `Extraction` -> `Entity` / `Relation` -> storages.
Querying: str + `QueryParam` -> `Keywords` -> `Context` -> prompt -> `Answer`.
"""

from lightrag_engine.records.documents import (
    Chunk,
    Document,
    DocumentReport,
    DocumentState,
    DocumentStatus,
    FailedChunk,
    IndexEvent,
    NameConflict,
    PageStart,
    StorageUse,
)
from lightrag_engine.records.graph import (
    UNKNOWN_TYPE,
    Entity,
    EntityRecord,
    Extraction,
    ExtractionHealth,
    Relation,
    RelationRecord,
    fields_of,
)
from lightrag_engine.records.questions import (
    CRITERIA,
    MODES,
    Citation,
    EntityRow,
    Keywords,
    Message,
    QueryParam,
    Reason,
    RelationRow,
    Ruling,
    SourceText,
)

__all__ = [
    "CRITERIA",
    "MODES",
    "UNKNOWN_TYPE",
    "Chunk",
    "Citation",
    "Document",
    "DocumentReport",
    "DocumentState",
    "DocumentStatus",
    "Entity",
    "EntityRecord",
    "EntityRow",
    "Extraction",
    "ExtractionHealth",
    "FailedChunk",
    "IndexEvent",
    "Keywords",
    "Message",
    "NameConflict",
    "PageStart",
    "QueryParam",
    "Reason",
    "Relation",
    "RelationRecord",
    "RelationRow",
    "Ruling",
    "SourceText",
    "StorageUse",
    "fields_of",
]
