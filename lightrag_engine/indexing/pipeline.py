"""The life of a document: queued, reading, chunking, extracting, merging, embedding, done.

One worker takes documents in the order of their arrival; a second one pays the vectors that commits owe, so
that the next document is read while the vectors of the last one are made. Each step is persisted before
the next one begins, and whatever is found unfinished when a workspace is opened goes on by itself.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from lightrag_engine.documents import read
from lightrag_engine.embedding.base import EmbeddingModel
from lightrag_engine.errors import LightRAGError, ServerAwayError
from lightrag_engine.indexing.bounded import bounded
from lightrag_engine.indexing.chunking import chunk
from lightrag_engine.indexing.commit import commit_document
from lightrag_engine.indexing.statuses import Statuses
from lightrag_engine.indexing.vector_texts import owe_missing
from lightrag_engine.indexing.vectors import VectorPayer
from lightrag_engine.language.base import LanguageModel
from lightrag_engine.language.health import summarise_health
from lightrag_engine.loop import shutting_down
from lightrag_engine.names import content_id
from lightrag_engine.records import Chunk, Document, DocumentState, DocumentStatus, PageStart
from lightrag_engine.settings import Settings
from lightrag_engine.storage.extractions import Placement
from lightrag_engine.storage.workspace import Workspace

T = TypeVar("T")
logger = logging.getLogger(__name__)

# Vectors are paid when this many are owed or nothing else waits: what many documents share is then
# embedded once instead of once a document.
OWED_BEFORE_PAYING = 512


class Pipeline:
    """Indexes the documents of one workspace; lives in one event loop."""

    def __init__(
        self,
        workspace: Workspace,
        statuses: Statuses,
        language: LanguageModel,
        embedding: EmbeddingModel,
        settings: Settings,
    ) -> None:
        self._workspace = workspace
        self._statuses = statuses
        self._language = language
        self._settings = settings
        self._commit_lock = asyncio.Lock()
        self._queue: asyncio.Queue[str] = asyncio.Queue()
        self._current: dict[str, asyncio.Task[None]] = {}
        self._vectors = VectorPayer(workspace, statuses, embedding, settings)
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Start the workers and take up what an earlier run left unfinished."""
        self._tasks = [asyncio.create_task(self._work()), asyncio.create_task(self._vectors.run())]
        unfinished = [s for s in reversed(self._statuses.all()) if s.state.active]
        for status in unfinished:
            if status.state != DocumentState.EMBEDDING:
                self.enqueue(status.id)
        if not any(s.state.active or s.state == DocumentState.FAILED for s in self._statuses.all()):
            self._workspace.extractions.purge()
        if not len(self._workspace.outbox) and (lost := owe_missing(self._workspace)):
            logger.warning("%d vectors differed from the graph and are made anew", lost)
        if len(self._workspace.outbox) or any(s.state == DocumentState.EMBEDDING for s in unfinished):
            self._vectors.pay_soon()

    async def stop(self) -> None:
        """Stop at the next safe point; unfinished documents go on when the workspace is opened again."""
        tasks = [*self._tasks, *self._current.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        async with self._commit_lock:  # a commit that has begun is finished
            pass

    def enqueue(self, document_id: str) -> None:
        """Put a document at the end of the queue."""
        self._statuses.change(
            document_id, state=DocumentState.QUEUED, error="", hint="", steps=0, steps_done=0
        )
        self._queue.put_nowait(document_id)

    async def delete(self, document_id: str) -> None:
        """Take a document out of the graph, the chunks and the vectors; stops it when it is under way."""
        self._workspace.check_open()
        task = self._current.get(document_id)
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await self._commit(document_id, [])
        self._statuses.remove(document_id)
        (self._workspace.inbox / document_id).unlink(missing_ok=True)
        self._vectors.pay_soon()
        await self._vectors.settled()

    async def _work(self) -> None:
        while True:
            document_id = await self._queue.get()
            if self._statuses.get(document_id) is None:
                continue
            task = asyncio.create_task(self._index(document_id))
            self._current[document_id] = task
            await asyncio.wait([task])
            self._current.pop(document_id, None)
            if self._queue.empty() or len(self._workspace.outbox) >= OWED_BEFORE_PAYING:
                self._vectors.pay_soon()

    async def _index(self, document_id: str) -> None:
        try:
            document = await self._read(document_id)
            placements, verdicts, report = await self._extract(document)
            self._statuses.change(document_id, state=DocumentState.MERGING, steps=0, steps_done=0)
            await self._patiently(document_id, lambda: self._commit(document_id, placements))
            keys, pairs = self._workspace.extractions.keys_of(p.extraction_id for p in placements)
            self._statuses.change(
                document_id,
                state=DocumentState.EMBEDDING,
                entities=len(keys),
                relations=len(pairs),
                warnings=(*document.warnings, *verdicts),
                report=report,
                steps=len(self._workspace.outbox),
                steps_done=0,
            )
        except LightRAGError as error:
            self._fail(document_id, str(error), error.hint)
        except Exception as error:
            if shutting_down():
                raise  # the document goes on when the workspace is opened again
            logger.exception("indexing %s failed", document_id)
            reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            self._fail(
                document_id,
                f"An unexpected error stopped the indexing: {reason}.",
                "Try again; if it happens again, please report it with the file.",
            )

    async def _commit(self, document_id: str, placements: Sequence[Placement]) -> None:
        limit = self._settings.entity_summary_max_tokens
        # Shielded: a thread cannot be cancelled, and a later commit must not overtake this one.
        await asyncio.shield(
            commit_document(
                self._workspace, self._language, limit, document_id, placements, self._commit_lock
            )
        )

    def _fail(self, document_id: str, error: str, hint: str) -> None:
        self._statuses.change(document_id, state=DocumentState.FAILED, error=error, hint=hint)

    async def _read(self, document_id: str) -> Document:
        status = self._status(document_id)
        if (kept := self._workspace.texts.get(document_id)) is not None:
            return Document(**{**kept, "pages": tuple(PageStart(*page) for page in kept["pages"])})
        self._statuses.change(document_id, state=DocumentState.READING)
        path = self._workspace.inbox / document_id
        data = await asyncio.to_thread(path.read_bytes)
        document = await asyncio.to_thread(read, status.names[0], data, self._settings)
        self._status(document_id)  # ends here when it was deleted meanwhile
        with self._workspace.database.transaction():
            self._workspace.texts.put_many({document_id: _kept(document, document_id)})
            self._statuses.change(
                document_id,
                media_type=document.media_type,
                encoding=document.encoding,
                pages=len(document.pages),
                title=document.title,
                warnings=document.warnings,
            )
        path.unlink(missing_ok=True)
        return await self._read(document_id)

    async def _extract(self, document: Document) -> tuple[list[Placement], tuple[str, ...], str]:
        """Read every chunk; return them with what a person should know of it, and a report in numbers."""
        self._statuses.change(document.id, state=DocumentState.CHUNKING)
        size, overlap = self._settings.chunk_token_size, self._settings.chunk_overlap_token_size
        chunks = await asyncio.to_thread(chunk, document, size, overlap)
        placements = [Placement(c, self._extraction_id(c, document.title)) for c in chunks]
        store = self._workspace.extractions
        known = store.existing([p.extraction_id for p in placements])
        self._statuses.change(
            document.id,
            state=DocumentState.EXTRACTING,
            chunks=len(chunks),
            tokens=sum(c.tokens for c in chunks),
            steps=len(chunks),
            steps_done=0,
        )
        done = 0

        async def read_one(placement: Placement) -> None:
            nonlocal done
            if placement.extraction_id not in known:
                known.add(placement.extraction_id)  # the same text twice is read once
                extraction = await self._patiently(
                    document.id, lambda: self._language.extract(placement.chunk, document.title)
                )
                # Kept at once: an answered call is never paid for twice.
                await asyncio.to_thread(store.put, placement.extraction_id, extraction)
            done += 1
            self._statuses.change(document.id, steps_done=done)

        await bounded(read_one, placements, self._settings.server_parallel)
        health = summarise_health(store.health([p.extraction_id for p in placements]))
        return placements, health.verdicts, health.text

    async def _patiently(self, document_id: str, call: Callable[[], Awaitable[T]]) -> T:
        """Wait as long as the model's server is away, and tell so; everything else goes through."""
        while True:
            try:
                result = await call()
            except ServerAwayError as error:
                self._statuses.change(
                    document_id,
                    state=DocumentState.WAITING,
                    error=str(error),
                    hint=f"{error.hint} Indexing goes on by itself when it is back.",
                )
                await asyncio.sleep(self._settings.server_retry_seconds)
            else:
                if self._status(document_id).state == DocumentState.WAITING:
                    self._statuses.change(document_id, state=DocumentState.EXTRACTING, error="", hint="")
                return result

    def _extraction_id(self, chunk: Chunk, title: str) -> str:
        return content_id("extraction", self._language.fingerprint, title, chunk.id)

    def _status(self, document_id: str) -> DocumentStatus:
        status = self._statuses.get(document_id)
        if status is None:
            raise asyncio.CancelledError
        return status


def _kept(document: Document, document_id: str) -> dict[str, object]:
    return {
        "id": document_id,
        "name": document.name,
        "title": document.title,
        "media_type": document.media_type,
        "size": document.size,
        "text": document.text,
        "pages": [(page.number, page.start) for page in document.pages],
        "encoding": document.encoding,
        "warnings": list(document.warnings),
    }
