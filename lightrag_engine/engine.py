"""The engine: one workspace, its documents, its graph, its answers. Orchestrates, holds no algorithm."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import networkx as nx

from lightrag_engine.answering import Answer
from lightrag_engine.conversing import Conversing
from lightrag_engine.editing import EditableWorkspace
from lightrag_engine.embedding.base import EmbeddingModel
from lightrag_engine.evaluating import Evaluating
from lightrag_engine.exporting import export_graph
from lightrag_engine.graphs import GraphExplorer
from lightrag_engine.graphs.questions import suggested_questions
from lightrag_engine.indexing.live import live_placements
from lightrag_engine.language.base import LanguageModel
from lightrag_engine.model_care import ModelCare
from lightrag_engine.records import (
    Chunk,
    DocumentStatus,
    Entity,
    QueryParam,
    SourceText,
    StorageUse,
)
from lightrag_engine.retrieval.search import search_entities
from lightrag_engine.retrieval.tables import source_rows
from lightrag_engine.settings import Settings
from lightrag_engine.storage.usage import storage_use
from lightrag_engine.streaming import AnswerStream


@dataclass(frozen=True, slots=True)
class Counts:
    """What a workspace holds."""

    documents: int
    chunks: int
    entities: int
    relations: int


class LightRAG(Evaluating, Conversing, EditableWorkspace, ModelCare):
    """A workspace with the models that read and answer.

    Every method may be called from any thread, its twin with ``a`` in front from any event loop; both run in
    the one loop of the engine.

    Parameters
    ----------
    workspace
        Its name; it is created when it does not exist.
    settings
        Defaults come from the ``LIGHTRAG_…`` variables.
    language, embedding
        Models of your own in place of those that the settings name.

    Raises
    ------
    LightRAGError
        When the settings, the workspace or a model cannot be used; the message says what to do.
    """

    def __init__(
        self,
        workspace: str = "default",
        settings: Settings | None = None,
        *,
        language: LanguageModel | None = None,
        embedding: EmbeddingModel | None = None,
    ) -> None:
        super().__init__(workspace, settings, language, embedding)

    # What is in the workspace

    def counts(self) -> Counts:
        """Return how much the workspace holds."""
        graph = self.graph
        return Counts(
            documents=len(self._statuses.all()),
            chunks=len(self._workspace.chunks),
            entities=graph.number_of_nodes(),
            relations=graph.number_of_edges(),
        )

    def storage_use(self) -> StorageUse:
        """Return what the workspace takes on disk, by part; this reads all of its database."""
        return storage_use(self._workspace)

    def documents(self) -> list[DocumentStatus]:
        """Return the status of every document, newest first."""
        return self._statuses.all()

    def document_text(self, document_id: str) -> str:
        """Return the text of a document; empty when there is none (yet)."""
        kept = self._workspace.texts.get(document_id)
        return str(kept["text"]) if kept else ""

    def document_chunks(self, document_id: str) -> list[Chunk]:
        """Return the chunks of a document in order."""
        return [placement.chunk for placement in live_placements(self._workspace, document_id)]

    @property
    def graph(self) -> nx.Graph[str]:
        """The graph, frozen; node ids are folded names, attributes the fields of `Entity` and `Relation`."""
        return self._workspace.graph.graph

    @property
    def explorer(self) -> GraphExplorer:
        """Views of the graph, places on its map, communities, paths and analysis."""
        return self._explorer

    @property
    def revision(self) -> int:
        """A number that changes whenever the graph does, as long as the workspace is open."""
        return self._workspace.graph.revision

    def content_revision(self) -> str:
        """Return a hash of the documents in the index and the edits that count.

        It lasts: an answer whose `Answer.revision` is another one rests on other documents than those of now.
        """
        return self._querying.retriever.revision()

    def entity(self, key: str) -> Entity | None:
        """Return an entity by its folded name, or by one that it had before an edit."""
        return self._workspace.graph.entity(self._workspace.edits.identity.resolve(key))

    def entities_of_chunk(self, chunk_id: str) -> list[Entity]:
        """Return the entities that a chunk speaks of, sorted by key."""
        rows = self._workspace.extractions.placements_of([chunk_id])
        keys, _ = self._workspace.extractions.keys_of(row["extraction_id"] for row in rows)
        return [entity for key in sorted(keys) if (entity := self.entity(key)) is not None]

    def search_entities(self, text: str, limit: int = 20) -> list[Entity]:
        """Return the entities whose name or other spelling matches, best first."""
        return [e for key in search_entities(self.graph, text, limit) if (e := self.entity(key)) is not None]

    def passages(self, source_ids: Sequence[str]) -> list[SourceText]:
        """Return the chunks with these ids, each with its document and page."""
        return list(source_rows(self._workspace, self._statuses, source_ids))

    # Questions

    def suggested_questions(self, count: int = 4) -> tuple[str, ...]:
        """Return questions to begin with, made of the graph; see `graphs.questions.suggested_questions`."""
        explorer = self.explorer
        return suggested_questions(explorer.graph, explorer.communities(), count)

    async def aquery(self, text: str, param: QueryParam | None = None) -> Answer:
        """Answer a question.

        With ``QueryParam(stream=True)`` what comes back at once is an `AnswerStream` instead, to be iterated
        for the text as it comes. A type checker cannot see that: typed programs call `stream`.

        Raises
        ------
        QueryError
            When the question is empty or too long.
        """
        if param is not None and param.stream:
            return cast(Answer, self.stream(text, param))
        return await self._loop.await_(self._query(text, param))

    def query(self, text: str, param: QueryParam | None = None) -> Answer:
        """See `aquery`."""
        if param is not None and param.stream:
            return cast(Answer, self.stream(text, param))
        return self._loop.run(self._query(text, param))

    async def astream(self, text: str, param: QueryParam | None = None) -> AsyncIterator[str]:
        """Yield the text of an answer as it comes."""
        async for piece in self.stream(text, param):
            yield piece

    def stream(
        self,
        text: str,
        param: QueryParam | None = None,
        while_waiting: Callable[[], None] | None = None,
    ) -> AnswerStream:
        """Return an answer whose text can be read as it comes; see `AnswerStream`."""
        param = param or self.query_param()
        return AnswerStream(self._loop, self._querying, text, param, self._query_done, while_waiting)

    async def _query(self, text: str, param: QueryParam | None) -> Answer:
        stream = self.stream(text, param)
        async for _ in stream.pieces():
            pass
        return stream.answer

    # Exports

    def export(self, path: Path) -> tuple[Path, ...]:
        """Write the graph; the file's ending says how: ``.graphml``, ``.gexf``, ``.json`` or ``.csv``.

        See `lightrag_engine.exporting.export_graph`.
        """
        return export_graph(self.graph, path)
