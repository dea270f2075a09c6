"""Making all vectors anew with another model, beside those in use."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from lightrag_engine.embedding.base import EmbeddingModel
from lightrag_engine.indexing.vector_texts import all_vectors
from lightrag_engine.storage.base import VectorRecord, VectorStore
from lightrag_engine.storage.sqlite import batches
from lightrag_engine.storage.workspace import Workspace

_BATCH = 64


@dataclass(frozen=True, slots=True)
class Reembedding:
    """How far re-embedding is, in texts. `error` says why it stopped; it goes on when begun again."""

    model: str
    done: int = 0
    total: int = 0
    running: bool = True
    error: str = ""


async def reembed(
    workspace: Workspace, embedding: EmbeddingModel, on_progress: Callable[[int, int], None]
) -> None:
    """Write the vectors of `embedding` for every text, then use them in place of the old ones.

    The documents must not change meanwhile. What an earlier, interrupted run wrote is kept. The old vectors
    are in use until the new ones are complete. `on_progress` gets the texts done and all of them.
    """
    target = workspace.collections_of(embedding)
    wanted = await asyncio.to_thread(all_vectors, workspace)
    missing: list[tuple[VectorStore, VectorRecord]] = []
    for role, records in wanted.items():
        present = await asyncio.to_thread(target[role].texts)
        target[role].delete(sorted(set(present) - {record.id for record in records}))
        missing += [(target[role], record) for record in records if present.get(record.id) != record.text]
    total = sum(map(len, wanted.values()))
    done = total - len(missing)
    on_progress(done, total)
    for batch in batches(missing, _BATCH):
        vectors = await embedding.embed([record.text for _, record in batch], "passage")
        for store in {id(store): store for store, _ in batch}.values():
            rows = [number for number, (owner, _) in enumerate(batch) if owner is store]
            await asyncio.to_thread(store.upsert, [batch[n][1] for n in rows], vectors[rows])
        done += len(batch)
        on_progress(done, total)
    await asyncio.to_thread(workspace.switch_embedding, embedding)
