"""A table document: each row a chunk of its own with the records that the row states, nothing to be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lightrag_engine.documents.graph_table import MEDIA_TYPE, GraphTable, TableEntity
from lightrag_engine.documents.reading import document_id
from lightrag_engine.indexing.chunking import chunk_id
from lightrag_engine.language.tasks.entity_types import fit_type
from lightrag_engine.names import content_id
from lightrag_engine.records import (
    UNKNOWN_TYPE,
    Chunk,
    Document,
    EntityRecord,
    Extraction,
    RelationRecord,
)
from lightrag_engine.storage.extractions import Placement
from lightrag_engine.tokens import count


def table_document(table: GraphTable, name: str, data: bytes) -> Document:
    """Return a graph table as a document: a line a row."""
    return Document(
        id=document_id(data),
        name=name,
        title=name,
        media_type=MEDIA_TYPE,
        size=len(data),
        text="\n".join(table.lines()),
        encoding="utf-8",
        warnings=table.warnings,
    )


def is_table_document(document: Document) -> bool:
    """Return whether a document came as a graph table."""
    return document.media_type == MEDIA_TYPE


def placements(document: Document) -> list[Placement]:
    """Return the chunks of a table document, one a line of its text; a line that comes twice is one."""
    found: list[Placement] = []
    start = 0
    for number, line in enumerate(document.text.split("\n")):
        chunk = Chunk(
            id=chunk_id(line),
            content=line,
            tokens=count(line),
            chunk_order_index=number,
            full_doc_id=document.id,
            start=start,
            end=start + len(line),
        )
        found.append(Placement(chunk, _extraction_id(document.id, number)))
        start += len(line) + 1
    return found


def extractions(
    document: Document, table: GraphTable, types: Sequence[str]
) -> Iterator[tuple[str, Extraction]]:
    """Yield the extraction of every row with its id, as `placements` names them.

    A type that another program wrote is one of `types` where it stands for one ("GEO"), else it is kept.
    """
    for number, (line, row) in enumerate(zip(table.lines(), table.rows(), strict=True)):
        source = chunk_id(line)
        if isinstance(row, TableEntity):
            record = EntityRecord(row.name, _type(row.type, types), row.description, source, rule="table")
            extraction = Extraction(source, entities=(record,))
        else:
            relation = RelationRecord(
                row.source, row.target, row.description, row.keywords, row.weight, source, rule="table"
            )
            extraction = Extraction(source, relations=(relation,))
        yield _extraction_id(document.id, number), extraction


def _type(written: str, types: Sequence[str]) -> str:
    fitting = fit_type(written, types)
    return written if fitting == UNKNOWN_TYPE else fitting


def _extraction_id(document_id: str, number: int) -> str:
    return content_id("extraction", "graph table", document_id, str(number))
