"""Retrieval in all modes: keywords to vectors to ranked rows to a context within its budgets."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lightrag_engine.embedding.base import EmbeddingModel, Vectors
from lightrag_engine.indexing.live import content_revision
from lightrag_engine.indexing.statuses import Statuses
from lightrag_engine.records import EntityRow, Keywords, QueryParam, RelationRow
from lightrag_engine.retrieval.budget import FoundTables, PagedRows, fit
from lightrag_engine.retrieval.context import Context
from lightrag_engine.retrieval.found import Found, Pair, combine
from lightrag_engine.retrieval.global_ import global_
from lightrag_engine.retrieval.latest import LatestPassageGraph
from lightrag_engine.retrieval.local import local
from lightrag_engine.retrieval.mix import DEPTH, NEAREST, by_words, mix
from lightrag_engine.retrieval.naive import naive
from lightrag_engine.retrieval.tables import entity_rows, relation_rows, source_rows
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
    passages: LatestPassageGraph

    def revision(self) -> str:
        """Return a hash of the documents in the index and the edits that count; see `LightRAG`."""
        return content_revision(self.workspace)

    async def retrieve(self, question: str, keywords: Keywords, param: QueryParam, available: int) -> Context:
        """Return the context of a question, cut to its budgets and to `available` tokens."""
        texts = {
            "question": question if param.mode in FLAT_MODES else "",
            "low": ", ".join(keywords.low_level) if param.mode in LOW_LEVEL_MODES else "",
            "high": ", ".join(keywords.high_level) if param.mode in HIGH_LEVEL_MODES else "",
        }
        asked = {name: text for name, text in texts.items() if text}
        vectors = dict(zip(asked, await self.embedding.embed(list(asked.values()), "query"), strict=True))
        return await asyncio.to_thread(self._retrieve, question, keywords, vectors, param, available)

    def _retrieve(
        self,
        question: str,
        keywords: Keywords,
        vectors: Mapping[str, Vectors],
        param: QueryParam,
        available: int,
    ) -> Context:
        parts: list[Found] = []
        notes: list[str] = []
        if "low" in vectors:
            parts.append(self._local(vectors["low"], param.top_k))
            if not parts[-1].entities and not len(self.workspace.vectors["entities"]):
                notes.append("There are no entities in this workspace, so local retrieval found nothing.")
        if "high" in vectors:
            parts.append(self._global(vectors["high"], param.top_k))
            if not parts[-1].relations and not len(self.workspace.vectors["relations"]):
                notes.append("There are no relations in this workspace, so global retrieval found nothing.")
        if "question" in vectors:
            parts.append(self._naive(vectors["question"], param.top_k))
        if param.mode == "mix":
            parts.insert(0, self._mix(question, keywords, vectors["question"], parts[-1]))
        return self._context(combine(*parts), param, available, notes)

    def _local(self, vector: Vectors, top_k: int) -> Found:
        hits = self.workspace.vectors["entities"].search(vector, top_k)
        with self.workspace.graph.reading() as graph:
            return local(graph, [hit.metadata["entity_name"] for hit in hits])

    def _global(self, vector: Vectors, top_k: int) -> Found:
        hits = self.workspace.vectors["relations"].search(vector, top_k)
        with self.workspace.graph.reading() as graph:
            return global_(graph, [(hit.metadata["src_id"], hit.metadata["tgt_id"]) for hit in hits])

    def _naive(self, vector: Vectors, top_k: int) -> Found:
        ids = [hit.id for hit in self.workspace.vectors["chunks"].search(vector, top_k)]
        return naive(ids, {row["chunk_id"] for row in self.workspace.extractions.placements_of(ids)})

    def _mix(self, question: str, keywords: Keywords, vector: Vectors, near: Found) -> Found:
        # Imported here: the built-in language takes a second, and only who reads or asks needs it.
        from lightrag_engine.language.builtin.matching import match_terms

        words = by_words(self.workspace.words.search(match_terms(question), DEPTH))
        return mix(
            self.passages.get(), with_names(question, keywords), near, words, self._local(vector, NEAREST)
        )

    def _context(self, found: Found, param: QueryParam, available: int, notes: Sequence[str]) -> Context:
        sources = PagedRows(
            found.chunks, lambda ids, n: source_rows(self.workspace, self.statuses, ids, found.why, n)
        )
        tables = FoundTables(
            param.mode,
            PagedRows(found.entities, self._entity_rows),
            PagedRows(found.relations, self._relation_rows),
            sources,
        )
        context = fit(tables, param, available)
        if dangling := found.dangling + sources.missing:
            notes = [
                *notes,
                f"{dangling} hits were skipped: what they point to is no longer in the workspace.",
            ]
        return replace(context, notes=(*notes, *context.notes))

    def _entity_rows(self, keys: Sequence[str], first: int) -> Sequence[EntityRow]:
        with self.workspace.graph.reading() as graph:
            return entity_rows(graph, [key for key in keys if key in graph], first)

    def _relation_rows(self, pairs: Sequence[Pair], first: int) -> Sequence[RelationRow]:
        with self.workspace.graph.reading() as graph:
            return relation_rows(graph, [pair for pair in pairs if graph.has_edge(*pair)], first)


def with_names(question: str, keywords: Keywords) -> str:
    """Return a question with the names to which it only refers, as a conversation gave them."""
    missing = [name for name in keywords.low_level if name.casefold() not in question.casefold()]
    return "\n".join([question, *missing])
