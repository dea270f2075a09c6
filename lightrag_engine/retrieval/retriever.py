"""Retrieval in all modes: keywords to vectors to ranked rows to a context within its budgets."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from lightrag_engine.embedding.base import EmbeddingModel
from lightrag_engine.indexing.statuses import Statuses
from lightrag_engine.records import Keywords, QueryParam
from lightrag_engine.retrieval.budget import fit
from lightrag_engine.retrieval.context import Context
from lightrag_engine.retrieval.found import Found, combine
from lightrag_engine.retrieval.global_ import global_
from lightrag_engine.retrieval.local import local
from lightrag_engine.retrieval.naive import naive
from lightrag_engine.retrieval.tables import entity_rows, relation_rows, source_rows
from lightrag_engine.storage.base import VectorHit
from lightrag_engine.storage.workspace import Workspace

LOW_LEVEL_MODES = frozenset({"local", "hybrid", "mix"})
HIGH_LEVEL_MODES = frozenset({"global", "hybrid", "mix"})
FLAT_MODES = frozenset({"naive", "mix"})


@dataclass(frozen=True, slots=True)
class Retriever:
    """Finds what a question needs in one workspace."""

    workspace: Workspace
    statuses: Statuses
    embedding: EmbeddingModel

    async def retrieve(self, question: str, keywords: Keywords, param: QueryParam, available: int) -> Context:
        """Return the context of a question, cut to its budgets and to `available` tokens."""
        parts: list[Found] = []
        notes: list[str] = []
        if param.mode in LOW_LEVEL_MODES and keywords.low_level:
            hits = await self._search("entities", ", ".join(keywords.low_level), param.top_k)
            if not hits:
                notes.append("There are no entities in this workspace, so local retrieval found nothing.")
            with self.workspace.graph.reading() as graph:
                parts.append(local(graph, [hit.metadata["entity_name"] for hit in hits]))
        if param.mode in HIGH_LEVEL_MODES and keywords.high_level:
            hits = await self._search("relations", ", ".join(keywords.high_level), param.top_k)
            if not hits:
                notes.append("There are no relations in this workspace, so global retrieval found nothing.")
            with self.workspace.graph.reading() as graph:
                parts.append(global_(graph, [(h.metadata["src_id"], h.metadata["tgt_id"]) for h in hits]))
        if param.mode in FLAT_MODES:
            hits = await self._search("chunks", question, param.top_k)
            ids = [hit.id for hit in hits]
            parts.append(naive(ids, self.workspace.chunks.get_many(ids)))
        found = combine(*parts)
        return await asyncio.to_thread(self._context, found, param, available, notes)

    async def _search(self, collection: str, text: str, top_k: int) -> list[VectorHit]:
        vectors = await self.embedding.embed([text], "query")
        return await asyncio.to_thread(self.workspace.vectors[collection].search, vectors[0], top_k)

    def _context(self, found: Found, param: QueryParam, available: int, notes: Sequence[str]) -> Context:
        with self.workspace.graph.reading() as graph:
            entities = entity_rows(graph, [key for key in found.entities if key in graph])
            relations = relation_rows(graph, [pair for pair in found.relations if graph.has_edge(*pair)])
        sources = source_rows(self.workspace, self.statuses, found.chunks)
        dangling = found.dangling + len(found.chunks) - len(sources)
        if dangling:
            notes = [
                *notes,
                f"{dangling} hits were skipped: what they point to is no longer in the workspace.",
            ]
        context = Context(param.mode, entities, relations, sources, notes=tuple(notes))
        return fit(context, param, available)
