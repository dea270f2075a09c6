"""The engine: one workspace, its documents, its graph, its answers. Orchestrates, holds no algorithm."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import networkx as nx

from lightrag_engine.answering import Answer
from lightrag_engine.documents import document_id, safe_name
from lightrag_engine.embedding.base import EmbeddingModel
from lightrag_engine.errors import DocumentError
from lightrag_engine.exporting import export_graph
from lightrag_engine.language.base import LanguageModel
from lightrag_engine.opened import OpenWorkspace
from lightrag_engine.records import (
    Chunk,
    DocumentState,
    DocumentStatus,
    Entity,
    IndexEvent,
    QueryParam,
    SourceText,
)
from lightrag_engine.retrieval.search import search_entities
from lightrag_engine.retrieval.tables import source_rows
from lightrag_engine.settings import Settings
from lightrag_engine.streaming import AnswerStream
from lightrag_engine.uploads import Upload, sample_files


@dataclass(frozen=True, slots=True)
class Counts:
    """What a workspace holds."""

    documents: int
    chunks: int
    entities: int
    relations: int


logger = logging.getLogger(__name__)


class LightRAG(OpenWorkspace):
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

    def documents(self) -> list[DocumentStatus]:
        """Return the status of every document, newest first."""
        return self._statuses.all()

    def document_text(self, document_id: str) -> str:
        """Return the text of a document; empty when there is none (yet)."""
        kept = self._workspace.texts.get(document_id)
        return str(kept["text"]) if kept else ""

    def document_chunks(self, document_id: str) -> list[Chunk]:
        """Return the chunks of a document in order."""
        rows = self._workspace.extractions.placements(document_id)
        values = self._workspace.chunks.get_many([row["chunk_id"] for row in rows])
        return [
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
            )
            for row in rows
            if row["chunk_id"] in values
        ]

    @property
    def graph(self) -> nx.Graph[str]:
        """The graph, frozen; node ids are folded names, attributes the fields of `Entity` and `Relation`."""
        return self._workspace.graph.graph

    @property
    def revision(self) -> int:
        """A number that changes whenever the graph does."""
        return self._workspace.graph.revision

    def entity(self, key: str) -> Entity | None:
        """Return an entity by its folded name."""
        return self._workspace.graph.entity(key)

    def search_entities(self, text: str, limit: int = 20) -> list[Entity]:
        """Return the entities whose name or other spelling matches, best first."""
        return [e for key in search_entities(self.graph, text, limit) if (e := self.entity(key)) is not None]

    def passages(self, source_ids: Sequence[str]) -> list[SourceText]:
        """Return the chunks with these ids, each with its document and page."""
        return list(source_rows(self._workspace, self._statuses, source_ids))

    # Documents in and out

    def submit(self, files: Sequence[Upload]) -> list[DocumentStatus]:
        """Put files into the queue and return at once; the same content is never indexed twice."""
        return self._loop.run(self._submit(files))

    def submit_text(self, text: str, name: str = "") -> DocumentStatus:
        """Put a text into the queue and return at once."""
        return self.submit([Upload.from_text(text, name)])[0]

    async def ainsert(self, texts: str | Sequence[str], names: Sequence[str] = ()) -> list[str]:
        """Index one text or several and wait; return the document ids. A text may be given a name.

        Raises
        ------
        DocumentError
            When a text cannot be used; the others are indexed all the same.
        """
        listed = [texts] if isinstance(texts, str) else list(texts)
        named = [*names, *[""] * (len(listed) - len(names))]
        uploads = [Upload.from_text(text, name) for text, name in zip(listed, named, strict=True)]
        statuses = await self._loop.await_(self._insert(uploads, None))
        for status in statuses:
            if status.state == DocumentState.FAILED:
                raise DocumentError(status.error, hint=status.hint)
        return [status.id for status in statuses]

    def insert(self, texts: str | Sequence[str], names: Sequence[str] = ()) -> list[str]:
        """See `ainsert`."""
        return self._loop.run(self.ainsert(texts, names))

    async def ainsert_files(
        self, files: Sequence[Path | Upload], on_event: Callable[[IndexEvent], None] | None = None
    ) -> list[DocumentStatus]:
        """Index files and wait; return the status of each. One that fails does not touch the others.

        `on_event` is called, in the engine's thread, with every step of these documents.
        """
        taken: list[Upload | DocumentStatus] = []
        for file in files:
            try:
                taken.append(file if isinstance(file, Upload) else Upload.from_path(file))
            except DocumentError as error:
                taken.append(_unreadable(str(file), error))
        uploads = [item for item in taken if isinstance(item, Upload)]
        done = iter(await self._loop.await_(self._insert(uploads, on_event)))
        return [next(done) if isinstance(item, Upload) else item for item in taken]

    def insert_files(
        self, files: Sequence[Path | Upload], on_event: Callable[[IndexEvent], None] | None = None
    ) -> list[DocumentStatus]:
        """See `ainsert_files`."""
        return self._loop.run(self.ainsert_files(files, on_event))

    async def adelete_document(self, document_id: str) -> None:
        """Take a document out of everything, as if it had never been added."""
        await self._loop.await_(self._pipeline.delete(document_id))

    def delete_document(self, document_id: str) -> None:
        """See `adelete_document`."""
        self._loop.run(self.adelete_document(document_id))

    def retry_document(self, document_id: str) -> None:
        """Put a document that failed, or has problems, into the queue again; what was read well is kept."""
        self._loop.run(self._retry(document_id))

    def load_samples(self) -> list[DocumentStatus]:
        """Put the sample documents into the queue and return at once."""
        return self.submit([Upload.from_path(path) for path in sample_files()])

    async def _insert(
        self, uploads: Sequence[Upload], on_event: Callable[[IndexEvent], None] | None
    ) -> list[DocumentStatus]:
        end = self._statuses.watch(on_event) if on_event else None
        try:
            submitted = await self._submit(uploads)
            await self._statuses.wait_for([status.id for status in submitted])
        finally:
            if end:
                end()
        return [self._statuses.get(status.id) or status for status in submitted]

    async def _submit(self, files: Sequence[Upload]) -> list[DocumentStatus]:
        self._workspace.check_open()
        return [self._submit_one(file) for file in files]

    def _submit_one(self, file: Upload) -> DocumentStatus:
        id_, name = document_id(file.data), safe_name(file.name)
        known = self._statuses.get(id_)
        if known is not None and known.state != DocumentState.FAILED:
            return self._statuses.put(replace(known, names=tuple(dict.fromkeys([*known.names, name]))))
        if known is not None:
            # The new name leads: a wrong ending may have been the fault.
            names = tuple(dict.fromkeys([name, *known.names]))
            shown = known.name if known.names[0] == name else self._statuses.free_name(name)
            return self._take_in(replace(known, name=shown, names=names), file)
        now = time.time()
        status = DocumentStatus(
            id=id_,
            name=self._statuses.free_name(name),
            names=(name,),
            media_type="",
            size=len(file.data),
            state=DocumentState.QUEUED,
            added_at=now,
            updated_at=now,
            state_since=now,
        )
        return self._take_in(status, file)

    def _take_in(self, status: DocumentStatus, file: Upload) -> DocumentStatus:
        path = self._workspace.inbox / status.id
        try:
            # The file is on disk before the row that promises it.
            path.write_bytes(file.data)
            self._statuses.put(status)
        except (OSError, sqlite3.Error) as error:
            path.unlink(missing_ok=True)
            problem = DocumentError(
                f"{status.name} cannot be saved: {error}.",
                hint="Make room on the disk that holds the workspace, then add the file again.",
            )
            return _unreadable(status.name, problem)
        self._pipeline.enqueue(status.id)
        return self._statuses.get(status.id) or status

    async def _retry(self, document_id: str) -> None:
        status = self._statuses.get(document_id)
        if status is not None and status.state in (DocumentState.FAILED, DocumentState.PROBLEMS):
            self._pipeline.enqueue(document_id)

    # Questions

    def query_param(self, **fields: Any) -> QueryParam:
        """Return how a question is answered by the settings of this workspace; `fields` come before them.

        Examples
        --------
        ``rag.query("Who …?", rag.query_param(mode="local"))``
        """
        names = ("top_k", *(name for name in Settings.model_fields if name.startswith("max_token_for_")))
        return QueryParam(**{name: getattr(self.settings, name) for name in names} | fields)

    async def aquery(self, text: str, param: QueryParam | None = None) -> Answer:
        """Answer a question.

        Raises
        ------
        QueryError
            When the question is empty or too long.
        """
        return await self._loop.await_(self._query(text, param))

    def query(self, text: str, param: QueryParam | None = None) -> Answer:
        """See `aquery`."""
        return self._loop.run(self._query(text, param))

    async def astream(self, text: str, param: QueryParam | None = None) -> AsyncIterator[str]:
        """Yield the text of an answer as it comes."""
        async for piece in self._loop.relay(self.stream(text, param).pieces()):
            yield piece

    def stream(self, text: str, param: QueryParam | None = None) -> AnswerStream:
        """Return an answer whose text can be read as it comes."""
        return AnswerStream(self._loop, self._querying, text, param or self.query_param(), self._query_done)

    async def _query(self, text: str, param: QueryParam | None) -> Answer:
        stream = self.stream(text, param)
        async for _ in stream.pieces():
            pass
        return stream.answer

    async def _query_done(self) -> None:
        """Flush what a query changed (model responses) from the write-ahead log into the database."""
        try:
            await asyncio.to_thread(self._workspace.database.checkpoint)
        except sqlite3.Error:
            # The answer is there; what could not be moved stays in the log of the database.
            logger.exception("the database could not be flushed")

    # Exports

    def export(self, path: Path) -> tuple[Path, ...]:
        """Write the graph; the file's ending says how: ``.graphml``, ``.gexf``, ``.json`` or ``.csv``.

        See `lightrag_engine.exporting.export_graph`.
        """
        return export_graph(self.graph, path)


def _unreadable(name: str, error: DocumentError) -> DocumentStatus:
    return DocumentStatus(
        id="",
        name=name,
        names=(name,),
        media_type="",
        size=0,
        state=DocumentState.FAILED,
        error=str(error),
        hint=error.hint,
    )
