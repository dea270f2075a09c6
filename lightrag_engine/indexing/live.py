"""What is in the graph: the chunks of a document, and the state of all of it by a hash."""

from __future__ import annotations

import hashlib

from lightrag_engine.records import Chunk
from lightrag_engine.storage.extractions import Placement
from lightrag_engine.storage.workspace import Workspace


def content_revision(workspace: Workspace) -> str:
    """Return a hash of what the graph is a fold over: which chunk was read how, and the edits that count."""
    digest = hashlib.blake2b(digest_size=8)
    for sql in (
        "SELECT document_id, position, extraction_id FROM placements ORDER BY document_id, position",
        "SELECT id FROM edits WHERE undone IS NULL ORDER BY id",
    ):
        for row in workspace.database.read(sql):
            digest.update(repr(row).encode())
    return digest.hexdigest()


def live_placements(workspace: Workspace, document_id: str) -> list[Placement]:
    """Return a document's chunks in order, each with the extraction by which it was read."""
    rows = workspace.extractions.placements(document_id)
    values = workspace.chunks.get_many([row["chunk_id"] for row in rows])
    return [
        Placement(
            Chunk(
                id=row["chunk_id"],
                content=values[row["chunk_id"]]["content"],
                tokens=values[row["chunk_id"]]["tokens"],
                chunk_order_index=row["position"],
                full_doc_id=document_id,
                start=row["start"],
                end=row["end"],
                page_first=row["page_first"],
                page_last=row["page_last"],
            ),
            row["extraction_id"],
        )
        for row in rows
        if row["chunk_id"] in values
    ]
