"""Making all vectors anew with another model, beside those in use."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lightrag_engine.embedding.base import EmbeddingModel
from lightrag_engine.errors import ServerAwayError
from lightrag_engine.indexing.vector_texts import all_vectors
from lightrag_engine.storage.base import VectorRecord, VectorStore
from lightrag_engine.storage.sqlite import batches
from lightrag_engine.storage.workspace import Workspace

_BATCH = 64


@dataclass(frozen=True, slots=True)
class Reembedding:
    """How far re-embedding is, in texts.

    `error` says why it stopped, or while it is `running`, what it waits for. What stopped goes on when it is
    begun again.
    """

    model: str
    done: int = 0
    total: int = 0
    running: bool = True
    error: str = ""


async def reembed(
    workspace: Workspace,
    embedding: EmbeddingModel,
    settings: Mapping[str, Any],
    on_progress: Callable[[int, int, str], None],
    retry_seconds: float,
) -> None:
    """Write the vectors of `embedding` for every text, then use them in place of the old ones.

    The documents must not change meanwhile. What an earlier, interrupted run wrote is kept. The old vectors
    are in use until the new ones are complete; `settings` are saved with the switch. While the model's server
    is away it is asked again every `retry_seconds`. `on_progress` gets the texts done, all of them, and why
    it waits.
    """
    target = workspace.collections_of(embedding)
    wanted = await asyncio.to_thread(all_vectors, workspace)
    missing: list[tuple[VectorStore, VectorRecord]] = []
    for role, records in wanted.items():
        present = await asyncio.to_thread(target[role].text_hashes)
        target[role].delete(sorted(set(present) - {record.id for record in records}))
        missing += [
            (target[role], record) for record in records if present.get(record.id) != record.text_hash
        ]
    total = sum(map(len, wanted.values()))
    done = total - len(missing)
    on_progress(done, total, "")
    for batch in batches(missing, _BATCH):
        while True:
            try:
                vectors = await embedding.embed([record.text for _, record in batch], "passage")
                break
            except ServerAwayError as error:
                on_progress(done, total, f"{error} {error.hint} It goes on by itself when it is back.")
                await asyncio.sleep(retry_seconds)
        for store in {id(store): store for store, _ in batch}.values():
            rows = [number for number, (owner, _) in enumerate(batch) if owner is store]
            await asyncio.to_thread(store.upsert, [batch[n][1] for n in rows], vectors[rows])
        done += len(batch)
        on_progress(done, total, "")
    await asyncio.to_thread(workspace.switch_embedding, embedding, settings)
