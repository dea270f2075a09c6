"""Paying the vectors that commits owe, beside the reading of the next documents."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import Counter

from lightrag_engine.embedding.base import EmbeddingModel
from lightrag_engine.errors import LightRAGError, ServerAwayError
from lightrag_engine.indexing.chunk_reading import DISK_FULL_HINT
from lightrag_engine.indexing.statuses import Statuses
from lightrag_engine.loop import shutting_down
from lightrag_engine.records import DocumentState, DocumentStatus
from lightrag_engine.settings import Settings
from lightrag_engine.storage.base import VectorRecord
from lightrag_engine.storage.sqlite import disk_is_full
from lightrag_engine.storage.workspace import Workspace

logger = logging.getLogger(__name__)


class VectorPayer:
    """Takes documents from *embedding* to *done*; what cannot be paid now stays owed."""

    def __init__(
        self,
        workspace: Workspace,
        statuses: Statuses,
        embedding: EmbeddingModel,
        settings: Settings,
    ) -> None:
        self._workspace = workspace
        self._statuses = statuses
        self._embedding = embedding
        self._settings = settings
        self._owed = asyncio.Event()
        self._held = False

    def hold(self, held: bool) -> None:
        """Embed nothing until told otherwise, from the next batch on; deletes are paid all the same."""
        self._held = held
        self._owed.set()

    def _is_held(self) -> bool:
        return self._held

    def pay_soon(self) -> None:
        """Say that something is owed."""
        self._owed.set()

    async def settled(self, seconds: float = 5.0) -> None:
        """Wait until what is owed now is paid, but no longer than this: it is never forgotten."""
        outbox = self._workspace.outbox
        last = outbox.last()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while outbox.owes_deletes_until(last) if self._held else outbox.owes_until(last):
                    await asyncio.sleep(0.01)

    async def run(self) -> None:
        """Pay whenever something is owed, until cancelled."""
        while True:
            await self._owed.wait()
            self._owed.clear()
            try:
                await self._pay()
            except ServerAwayError as error:
                hint = f"{error.hint} Indexing goes on by itself when it is back."
                for status in self._waiting():
                    self._statuses.change(status.id, error=str(error), hint=hint)
                await asyncio.sleep(self._settings.server_retry_seconds)
                self._owed.set()
            except LightRAGError as error:
                self._fail(str(error), error.hint)
            except Exception as error:
                if shutting_down():
                    raise  # what is owed stays owed, and is paid when the workspace is opened again
                logger.exception("writing vectors failed")
                if disk_is_full(error):
                    reason, hint = f"the disk is full: {error}", DISK_FULL_HINT
                else:
                    reason = f"{type(error).__name__}: {error}"
                    hint = "Try again; nothing that was computed is lost."
                self._fail(f"The vectors could not be written: {reason}.", hint)

    def _waiting(self) -> list[DocumentStatus]:
        return [s for s in self._statuses.all() if s.state == DocumentState.EMBEDDING]

    async def _pay(self) -> None:
        if self._held:
            await self._workspace.outbox.pay(self._workspace.vectors, self._embedding, only_deletes=True)
            return
        waiting = [status.id for status in self._waiting()]
        total, paid = len(self._workspace.outbox), 0
        started = time.monotonic()

        def progress(count: int) -> None:
            nonlocal paid
            paid += count
            for id_ in {status.id for status in self._waiting()}.intersection(waiting):
                self._statuses.change(id_, steps=max(total, paid), steps_done=paid, error="", hint="")

        refused = await self._workspace.outbox.pay(
            self._workspace.vectors, self._embedding, on_progress=progress, is_held=self._is_held
        )
        if self._is_held():
            return
        if paid:
            logger.info("wrote %d vectors in %.1f s", paid, time.monotonic() - started)
        # Only those that waited at the start: the others' vectors may have come after the last look.
        owners = Counter(id_ for record in refused for id_ in self._documents_of(record))
        for id_ in waiting:
            self._finish(id_, owners[id_])
        if self._waiting():
            self._owed.set()
        elif paid:
            await asyncio.to_thread(self._workspace.database.checkpoint)

    def _documents_of(self, record: VectorRecord) -> set[str]:
        """Return the documents whose text a record stands for."""
        graph, about = self._workspace.graph, record.metadata
        if "chunk_id" in about:
            sources: tuple[str, ...] = (str(about["chunk_id"]),)
        elif "entity_name" in about:
            entity = graph.entity(str(about["entity_name"]))
            sources = entity.source_ids if entity else ()
        else:
            relation = graph.relation(str(about["src_id"]), str(about["tgt_id"]))
            sources = relation.source_ids if relation else ()
        return {row["document_id"] for row in self._workspace.extractions.placements_of(sources)}

    def _finish(self, document_id: str, refused: int) -> None:
        status = self._statuses.get(document_id)
        if status is None or status.state != DocumentState.EMBEDDING:
            return  # deleted, and perhaps added again, meanwhile
        warnings = status.warnings
        if refused:
            warnings = (*warnings, f"{refused} texts could not be embedded and are not found by meaning.")
        state = DocumentState.PROBLEMS if warnings else DocumentState.DONE
        self._statuses.change(
            document_id, state=state, warnings=warnings, error="", hint="", steps=0, steps_done=0
        )

    def _fail(self, error: str, hint: str) -> None:
        for status in self._waiting():
            self._statuses.change(status.id, state=DocumentState.FAILED, error=error, hint=hint)
