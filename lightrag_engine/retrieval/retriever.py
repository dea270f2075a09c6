"""Retrieval in all modes: keywords to vectors to ranked rows to a context within its budgets."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import networkx as nx

from lightrag_engine.embedding.base import EmbeddingModel, Vectors
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
from lightrag_engine.retrieval.scope import (
    Scope,
    check_scope,
    entities_within,
    relations_within,
    scope_line,
)
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
        return self.passages.content_revision()

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

    def checked(self, param: QueryParam) -> QueryParam:
        """Return the parameters with their scope as the workspace writes it; raises as `check_scope` does."""
        return check_scope(self.workspace, self.statuses, param)

    def scope_line(self, param: QueryParam) -> str:
        """Return a sentence that says to what a question was restricted; empty when to nothing."""
        return scope_line(self.statuses, param)

    def _retrieve(
        self,
        question: str,
        keywords: Keywords,
        vectors: Mapping[str, Vectors],
        param: QueryParam,
        available: int,
    ) -> Context:
        within = _Within(self, self.passages.scope(param))
        parts: list[Found] = []
        notes: list[str] = []
        place = "this workspace" if within.scope is None else "the scope of the question"
        if "low" in vectors:
            parts.append(within.local(vectors["low"], param.top_k))
            if not parts[-1].entities and not within.has_entities:
                notes.append(f"There are no entities in {place}, so local retrieval found nothing.")
        if "high" in vectors:
            parts.append(within.global_(vectors["high"], param.top_k))
            if not parts[-1].relations and not within.has_relations:
                notes.append(f"There are no relations in {place}, so global retrieval found nothing.")
        if "question" in vectors:
            parts.append(within.naive(vectors["question"], param.top_k))
        if param.mode == "mix":
            parts.insert(0, within.mix(question, keywords, vectors["question"], parts[-1]))
        return within.context(combine(*parts), param, available, notes)


@dataclass(frozen=True, slots=True)
class _Within:
    """Retrieval of one question in a whole workspace, or in a scope of it."""

    retriever: Retriever
    scope: Scope | None

    @property
    def has_entities(self) -> bool:
        return bool(self.scope.graph if self.scope else len(self._workspace.vectors["entities"]))

    @property
    def has_relations(self) -> bool:
        if self.scope:
            return self.scope.graph.number_of_edges() > 0
        return len(self._workspace.vectors["relations"]) > 0

    def local(self, vector: Vectors, top_k: int) -> Found:
        among = self.scope.entity_vectors if self.scope else None
        hits = self._workspace.vectors["entities"].search(vector, top_k, among)
        with self.retriever.passages.order(self.scope) as order:
            return local(order, [order.entities.get(hit.id, hit.id) for hit in hits])

    def global_(self, vector: Vectors, top_k: int) -> Found:
        among = self.scope.relation_vectors if self.scope else None
        hits = self._workspace.vectors["relations"].search(vector, top_k, among)
        with self.retriever.passages.order(self.scope) as order:
            return global_(order.graph, [order.relations.get(hit.id, (hit.id, hit.id)) for hit in hits])

    def naive(self, vector: Vectors, top_k: int) -> Found:
        among = self.scope.chunks if self.scope else None
        ids = [hit.id for hit in self._workspace.vectors["chunks"].search(vector, top_k, among)]
        return naive(ids, {row["chunk_id"] for row in self._workspace.extractions.placements_of(ids)})

    def mix(self, question: str, keywords: Keywords, vector: Vectors, near: Found) -> Found:
        # Imported here: the built-in language takes a second, and only who reads or asks needs it.
        from lightrag_engine.language.builtin.matching import match_terms

        among = self.scope.chunks if self.scope else None
        words = by_words(self._workspace.words.search(match_terms(question), DEPTH, among))
        return mix(
            self.retriever.passages.get(self.scope),
            with_names(question, keywords),
            near,
            words,
            self.local(vector, NEAREST),
        )

    def context(self, found: Found, param: QueryParam, available: int, notes: Sequence[str]) -> Context:
        documents = self.scope.documents if self.scope else None
        statuses = self.retriever.statuses
        sources = PagedRows(
            found.chunks,
            lambda ids, first: source_rows(self._workspace, statuses, ids, found.why, first, documents),
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
        with self._graph() as graph:
            rows = entity_rows(graph, [key for key in keys if key in graph], first)
        if self.scope is None or not self.scope.by_document:
            return rows
        return entities_within(self._workspace, self.scope, rows)

    def _relation_rows(self, pairs: Sequence[Pair], first: int) -> Sequence[RelationRow]:
        with self._graph() as graph:
            rows = relation_rows(graph, [pair for pair in pairs if graph.has_edge(*pair)], first)
        if self.scope is None or not self.scope.by_document:
            return rows
        return relations_within(self._workspace, self.scope, rows)

    @property
    def _workspace(self) -> Workspace:
        return self.retriever.workspace

    @contextmanager
    def _graph(self) -> Iterator[nx.Graph[str]]:
        if self.scope is not None:
            yield self.scope.graph
        else:
            with self._workspace.graph.reading() as graph:
                yield graph


def with_names(question: str, keywords: Keywords) -> str:
    """Return a question with the names to which it only refers, as a conversation gave them."""
    missing = [name for name in keywords.low_level if name.casefold() not in question.casefold()]
    return "\n".join([question, *missing])
