"""Committing documents: placements, graph, chunks and owed vectors change in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from lightrag_engine.indexing.bounded import to_the_end
from lightrag_engine.indexing.chunk_words import index_words
from lightrag_engine.indexing.refolding import refold
from lightrag_engine.indexing.vector_texts import chunk_vector
from lightrag_engine.storage.extractions import Placement
from lightrag_engine.storage.workspace import Workspace

Placed = Mapping[str, Sequence[Placement]]


class ExtractionsMissingError(Exception):
    """Chunks lost their extraction since they were read: its only document was deleted. Read them again."""


async def commit_documents(
    workspace: Workspace,
    max_summary_tokens: int,
    documents: Placed,
    lock: asyncio.Lock,
    *,
    also: Callable[[], None] = lambda: None,
) -> None:
    """Make these the live chunks of documents (none: remove it from graph, chunks and vectors), all at once.

    Only what the old and the new chunks speak of is folded again. `lock` keeps commits one at a time. `also`
    is done in the same transaction. Vectors and summaries are owed afterwards. A cancellation stops it before
    the transaction or not at all.

    Raises
    ------
    ExtractionsMissingError
        When a chunk is neither read nor recorded as failed. Nothing is changed then.
    """
    async with lock:
        await to_the_end(asyncio.to_thread(_commit, workspace, max_summary_tokens, documents, also))


def _commit(
    workspace: Workspace, max_summary_tokens: int, documents: Placed, also: Callable[[], None]
) -> None:
    store, identity = workspace.extractions, workspace.edits.identity
    with workspace.database.transaction():
        placements = [placement for placed in documents.values() for placement in placed]
        if any(placed and workspace.documents.get(id_) is None for id_, placed in documents.items()):
            return  # deleted meanwhile
        if {p.extraction_id for p in placements} - store.recorded([p.extraction_id for p in placements]):
            raise ExtractionsMissingError
        before = [row for document_id in documents for row in store.placements(document_id)]
        touched = {row["extraction_id"] for row in before} | {p.extraction_id for p in placements}
        keys, pairs = store.keys_of(touched)
        # First those that stay: what a new version shares with the old one is kept.
        for document_id, placed in sorted(documents.items(), key=lambda item: not item[1]):
            if placed:
                store.place(document_id, placed)
                continue
            store.remove(document_id)
            if workspace.work.get(document_id) is not None:
                store.discard(document_id)  # what was read of it and never merged
            for values in (workspace.texts, workspace.documents, workspace.work, workspace.reports):
                values.delete_many([document_id])
        entities = {identity.resolve(key) for key in keys}
        refold(workspace, identity, entities, identity.pairs(pairs), max_summary_tokens)
        _change_chunks(workspace, placements, {row["chunk_id"] for row in before})
        also()


def _change_chunks(workspace: Workspace, placements: Sequence[Placement], before: set[str]) -> None:
    chunks = {p.chunk.id: p.chunk for p in placements}
    known = workspace.chunks.get_many(list(chunks))
    new = [chunk for id_, chunk in chunks.items() if id_ not in known]
    still_used = {row["chunk_id"] for row in workspace.extractions.placements_of(before)}
    gone = sorted(before - still_used)
    workspace.chunks.put_many({c.id: {"content": c.content, "tokens": c.tokens} for c in new})
    workspace.chunks.delete_many(gone)
    workspace.outbox.owe_upserts("chunks", [chunk_vector(chunk.id, chunk.content) for chunk in new])
    workspace.outbox.owe_deletes("chunks", gone)
    # Also those that were there: a chunk is found by the titles of all its documents.
    index_words(workspace, sorted(before.union(chunks)))
