"""The life of a document: queued, reading, chunking, extracting, merging, embedding, done.

Documents are taken in the order of their arrival, a few at a time; vectors that commits owe are paid beside
it. Each step is persisted before the next one begins, and whatever is found unfinished when a workspace is
opened goes on by itself. Until the one transaction that merges a document nothing shows of it, so it can be
stopped at any moment: what was in the graph before stays there.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from lightrag_engine.check_report import CheckReport
from lightrag_engine.embedding.base import EmbeddingModel
from lightrag_engine.errors import LightRAGError
from lightrag_engine.identity.edits import Edit
from lightrag_engine.indexing.checking import Check
from lightrag_engine.indexing.chunk_reading import Failure
from lightrag_engine.indexing.chunk_words import index_missing_words
from lightrag_engine.indexing.commit import ExtractionsMissingError, commit_documents
from lightrag_engine.indexing.editing import Change, commit_edit
from lightrag_engine.indexing.queue import Queue
from lightrag_engine.indexing.replacing import without_names
from lightrag_engine.indexing.stages import Stages
from lightrag_engine.indexing.statuses import Statuses
from lightrag_engine.indexing.summaries import SummaryPayer
from lightrag_engine.indexing.vectors import VectorPayer
from lightrag_engine.indexing.work import Work, begin
from lightrag_engine.language.base import LanguageModel
from lightrag_engine.loop import shutting_down
from lightrag_engine.records import Document, DocumentState, DocumentStatus
from lightrag_engine.settings import Settings
from lightrag_engine.storage.extractions import Placement
from lightrag_engine.storage.workspace import Workspace

logger = logging.getLogger(__name__)

# How long an edit waits for its vectors, seconds: a person looks on. What is owed longer is paid later.
_EDIT_PATIENCE = 2.0
_QUEUE = "queue"
_UNFINISHED = (DocumentState.FAILED, DocumentState.PAUSED)


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
        self._stages = Stages(workspace, statuses, language, settings, self._commit_lock)
        summaries = SummaryPayer(workspace, language, settings.entity_summary_max_tokens, self._commit_lock)
        self._vectors = VectorPayer(workspace, statuses, embedding, summaries, settings)
        self._queue = Queue(self._index, self._after, settings.documents_in_flight)
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Start the workers and take up what an earlier run left unfinished."""
        self._hold(bool((self._workspace.about.get(_QUEUE) or {}).get("paused")))
        self._tasks = [asyncio.create_task(self._queue.run()), asyncio.create_task(self._vectors.run())]
        unfinished = [s for s in reversed(self._statuses.all()) if s.state.active]
        for status in unfinished:
            # The time in which nothing was open does not count.
            self._statuses.put(replace(status, state_since=time.time()))
            if status.state.stoppable:
                self.enqueue(status.id)
        if not any(s.state.active or s.state in _UNFINISHED for s in self._statuses.all()):
            self._workspace.extractions.purge()
        if added := index_missing_words(self._workspace):
            logger.info("indexed the words of %d chunks", added)
        if self._vectors.owes or any(s.state == DocumentState.EMBEDDING for s in unfinished):
            self._vectors.pay_soon()

    async def stop(self) -> None:
        """Stop at the next safe point; unfinished documents go on when the workspace is opened again."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._queue.stop_all()
        await self._stages.close()
        async with self._commit_lock:  # a commit that has begun is finished
            pass

    async def check(self, *, repair: bool) -> CheckReport:
        """Compare everything with everything; with `repair` put right what can be.

        Documents that must be read again go into the queue, vectors that are missing are owed: both are taken
        up by `start` when the workers do not run yet.
        """
        limit = self._settings.entity_summary_max_tokens
        check = Check(self._workspace, self._statuses, limit)
        async with self._commit_lock:
            report = await check.run(repair=repair)
        if repair:
            for document_id, is_fresh in check.read_again.items():
                self.enqueue(document_id, is_fresh)
            self._workspace.found_whole()
            self._vectors.pay_soon()
        for problem in report.problems:
            logger.warning("the workspace %s had %s", self._workspace.name, problem)
        return report

    async def settled(self, seconds: float) -> None:
        """Wait until the vectors that are owed now are written, but no longer than this."""
        await self._vectors.settled(seconds)

    # What a person can do

    def enqueue(self, document_id: str, is_fresh: bool = False, asks_again: bool = False) -> None:
        """Put a document at the end of the queue; `is_fresh` reads all of it again, from its file.

        `asks_again`: the model is asked about every chunk, also where its reading is known.
        """
        status = self._statuses.get(document_id)
        if status is None:
            return
        with self._workspace.database.transaction():
            begin(self._workspace, status, is_fresh, asks_again)
            times: dict[str, Any] = {"seconds": 0.0, "stage_seconds": ()} if is_fresh else {}
            self._statuses.change(
                document_id, state=DocumentState.QUEUED, error="", hint="", steps=0, steps_done=0, **times
            )
        self._queue.add(document_id)

    async def delete(self, document_id: str) -> int:
        """Take a document out of the graph, the chunks and the vectors; stops it when it is under way.

        Returns how many descriptions are shortened without the language model, which does not answer.
        """
        await self._queue.remove(document_id)
        try:
            await commit_documents(
                self._workspace,
                self._settings.entity_summary_max_tokens,
                {document_id: []},
                self._commit_lock,
            )
        except BaseException:
            self._take_up(document_id)
            raise
        self._forget(document_id)
        self._vectors.pay_soon()
        await self._vectors.settled()
        return self._vectors.unanswered

    async def edit(self, change: Change) -> Edit:
        """Carry out a person's edit between the commits of documents; return it."""
        self._workspace.check_open()
        limit = self._settings.entity_summary_max_tokens
        edit = await commit_edit(self._workspace, limit, change, self._commit_lock)
        self._vectors.pay_soon()
        await self._vectors.settled(_EDIT_PATIENCE)
        return edit

    async def pause(self, document_id: str) -> None:
        """Stop the work on a document and keep what was read, and embedded, of it.

        Of one that is merged the vectors that are missing stay owed; the batch under way is finished.
        """
        await self._queue.remove(document_id)
        status = self._statuses.get(document_id)
        if status is not None and status.state.active:
            self._statuses.change(
                document_id, state=DocumentState.PAUSED, error="", hint="", steps=0, steps_done=0
            )

    def resume(self, document_id: str) -> None:
        """Let a paused document go on where it was."""
        if not self._is_merged(document_id):
            self.enqueue(document_id)
            return
        self._statuses.change(document_id, state=DocumentState.EMBEDDING, error="", hint="")
        self._vectors.pay_soon()

    def _is_merged(self, document_id: str) -> bool:
        """Whether all that was asked for of a document is in the graph, though perhaps not embedded."""
        is_in = bool(self._workspace.extractions.placements(document_id))
        return is_in and Work.of(self._workspace, document_id) is None

    async def read_again(self, document_id: str, asks_again: bool) -> None:
        """Read all of a document again, from its file; what is in the graph stays until that is merged."""
        await self._queue.remove(document_id)
        self.enqueue(document_id, is_fresh=True, asks_again=asks_again)

    async def cancel(self, document_id: str) -> bool:
        """Stop the work on a document and leave all as it was; return whether that was possible.

        A new document is taken out, also when it is merged already and only its vectors are missing. One
        that took the place of what was there before cannot be cancelled then, nor can one that is done.
        """
        await self._queue.remove(document_id)
        status = self._statuses.get(document_id)
        if status is None:
            return True  # deleted meanwhile
        if not (status.state.active or status.state == DocumentState.PAUSED):
            return False
        if status.state == DocumentState.EMBEDDING or self._is_merged(document_id):
            if status.first_time:
                await self.delete(document_id)
            return status.first_time
        work = Work.of(self._workspace, document_id)
        with self._workspace.database.transaction():
            self._workspace.extractions.discard(document_id)
            self._workspace.work.delete_many([document_id])
            if work is not None and work.previous is not None:
                self._statuses.put(_restored(work.previous, status, self._statuses.all()))
            elif work is not None and work.was_listed:
                self._statuses.put(_cancelled(status))
            else:
                self._statuses.remove(document_id)
        if self._statuses.get(document_id) is None:
            self._forget(document_id)
        return True

    @property
    def is_paused(self) -> bool:
        """Whether the queue is paused."""
        return self._queue.held

    async def pause_all(self) -> None:
        """Stop all work, until `resume_all`, also when the workspace is closed meanwhile."""
        self._workspace.about.put_many({_QUEUE: {"paused": True}})
        self._hold(True)
        for document_id in await self._queue.stop_all():
            self._take_up(document_id)

    def resume_all(self) -> None:
        """Let the work go on."""
        self._workspace.about.delete_many([_QUEUE])
        self._hold(False)

    def _hold(self, held: bool) -> None:
        self._statuses.held = held
        self._vectors.hold(held)
        self._queue.hold(held)

    def _take_up(self, document_id: str) -> None:
        """Queue a document again whose work was stopped."""
        status = self._statuses.get(document_id)
        if status is not None and status.state.stoppable:
            self.enqueue(document_id)

    def _forget(self, document_id: str) -> None:
        self._statuses.remove(document_id)
        self._workspace.originals.remove(document_id)

    # The way of a document

    def _after(self) -> None:
        if self._queue.is_idle:
            self._vectors.pay_soon()
        else:
            self._vectors.pay_in_time()

    async def _index(self, document_id: str) -> None:
        try:
            status = self._statuses.get(document_id)
            if status is None:
                return  # deleted meanwhile
            work = begin(self._workspace, status, is_fresh=False)
            document, placements = await self._stages.chunks(document_id, work)
            while True:
                await self._stages.extract(document, placements, work, self._queue.rank(document_id))
                try:
                    await self._merge(document, placements, work)
                except ExtractionsMissingError:
                    continue  # another document was deleted that had read the same chunk
                return
        except Exception as error:
            if shutting_down():
                raise  # the document goes on when the workspace is opened again
            if not isinstance(error, LightRAGError):
                logger.exception("indexing %s failed", document_id)
            failure = Failure.of(error)
            self._fail(document_id, failure.reason, failure.hint)

    def _fail(self, document_id: str, error: str, hint: str) -> None:
        """Say why a document could not be indexed; one that is in the graph already stays as it was."""
        status, work = self._statuses.get(document_id), Work.of(self._workspace, document_id)
        if status is None:
            return
        try:
            if work is not None and work.previous is not None:
                kept = _restored(work.previous, status, self._statuses.all())
                error = f"It could not be read again, so it stays as it was: {error}"
                with self._workspace.database.transaction():
                    self._workspace.work.delete_many([document_id])
                    self._statuses.put(replace(kept, state=DocumentState.PROBLEMS, error=error, hint=hint))
                return
        except sqlite3.Error:
            logger.exception("the state of %s could not be restored", status.name)
        self._statuses.change(
            document_id, state=DocumentState.FAILED, error=error, hint=hint, steps=0, steps_done=0
        )

    async def _merge(self, document: Document, placements: Sequence[Placement], work: Work) -> None:
        """Put a document into the graph, in place of its older versions, in one transaction."""
        status = self._statuses.change(document.id, state=DocumentState.MERGING, steps=0, steps_done=0)
        if status is None:
            return  # deleted meanwhile
        left = without_names(status, self._statuses.all())
        gone = [old.id for old in left if not old.names]
        renamed = [
            old
            if old.name in old.names
            else replace(old, name=self._statuses.free_name(old.names[0], but=(old.id, *gone)))
            for old in left
            if old.names
        ]
        if status.replaces and status.name != status.names[0]:
            # The name of the version before is free now.
            free = [old.name for old in left if not old.names]
            name = next((n for n in free if n in status.names), free[0] if free else status.names[0])
            name = self._statuses.free_name(name, but=(document.id, *(old.id for old in left)))
            status = replace(status, name=name)
        try:
            for id_ in gone:
                await self._queue.remove(id_)
            merged = await self._stages.merge(document, placements, work, status, gone, renamed)
        except BaseException:
            for id_ in gone:
                self._take_up(id_)
            raise
        for id_ in gone:
            self._forget(id_)
        for old in renamed:
            self._statuses.change(old.id, name=old.name, names=old.names)
        self._statuses.change(
            document.id,
            **merged,
            name=status.name,
            error="",
            hint="",
            steps=self._workspace.outbox.urgent,
            steps_done=0,
        )


def _cancelled(status: DocumentStatus) -> DocumentStatus:
    """Return the status of a document that had failed before: nothing is kept of it but its file."""
    fresh = DocumentStatus(
        status.id,
        status.name,
        status.names,
        "",
        status.size,
        DocumentState.CANCELLED,
        added_at=status.added_at,
    )
    now = time.time()
    return replace(fresh, replaces=status.replaces, updated_at=now, state_since=now)


def _restored(
    previous: DocumentStatus, present: DocumentStatus, statuses: Iterable[DocumentStatus]
) -> DocumentStatus:
    """Return a status as it was before the work that ended without a result.

    Names that came meanwhile stay, but for that of a document which it was to replace and does not.
    """
    claimed = {name for status in statuses if status.id in present.replaces for name in status.names}
    names = tuple(name for name in present.names if name not in claimed) or present.names
    state = DocumentState.DONE if previous.state.active else previous.state
    now = time.time()
    return replace(previous, state=state, names=names, replaces=(), updated_at=now, state_since=now)
