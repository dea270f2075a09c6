"""Paying the summaries and vectors that commits owe, beside the reading of the next documents."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import Counter
from collections.abc import Iterable

from lightrag_engine.embedding.base import EmbeddingModel
from lightrag_engine.errors import LightRAGError, ServerAwayError
from lightrag_engine.indexing.chunk_reading import DISK_FULL_HINT
from lightrag_engine.indexing.statuses import Statuses
from lightrag_engine.indexing.summaries import SummaryPayer
from lightrag_engine.loop import shutting_down
from lightrag_engine.records import DocumentState, DocumentStatus
from lightrag_engine.settings import Settings
from lightrag_engine.storage.base import VectorRecord
from lightrag_engine.storage.sqlite import disk_is_full
from lightrag_engine.storage.workspace import Workspace

logger = logging.getLogger(__name__)

_ENOUGH = 512
_PATIENCE = 60.0  # seconds
# Changes of vectors wait longer, for each is made dozens of times otherwise.
_CHANGES_PATIENCE = 300.0
_MANY_CHANGES = 20_000  # their texts take some 20 MB


class VectorPayer:
    """Takes documents from *embedding* to *done*; what cannot be paid now stays owed.

    While more documents come, only new vectors and deletes are paid: a document is done when all that is new
    in it is found by meaning. Where its texts only add to what has a vector, that follows at the end of the
    queue, after five minutes, or when very many are owed.
    """

    def __init__(
        self,
        workspace: Workspace,
        statuses: Statuses,
        embedding: EmbeddingModel,
        summaries: SummaryPayer,
        settings: Settings,
    ) -> None:
        self._workspace = workspace
        self._statuses = statuses
        self._embedding = embedding
        self._summaries = summaries
        self._settings = settings
        self._owed = asyncio.Event()
        self._held = False
        self._timer: asyncio.TimerHandle | None = None
        self._rested = 0.0  # when paying may begin again, by the clock of the loop
        self._begun = self._ended = 0  # rounds of paying
        self._changes_too = False  # in the next round
        self._changes_due = 0.0  # by the clock of the loop
        self._awaited: set[str] = set()  # documents that are done, but for changes

    def hold(self, held: bool) -> None:
        """Embed nothing until told otherwise, from the next batch on; deletes are paid all the same."""
        self._held = held
        self.pay_soon()

    def _is_held(self) -> bool:
        return self._held

    def pay_soon(self) -> None:
        """Say that something is owed, and that nothing else will come now, or that somebody waits for it."""
        self._changes_too = True
        self._owed.set()

    def pay_in_time(self) -> None:
        """Say that something is owed to which more may come.

        What many documents share is then summarised, embedded and written once instead of once a document:
        when much is owed, and paying has rested thrice the time it took last, but not later than `_PATIENCE`.
        """
        loop = asyncio.get_running_loop()
        enough = self._workspace.outbox.urgent >= _ENOUGH
        self._pay_at(max(loop.time(), self._rested) if enough else loop.time() + _PATIENCE)

    def _pay_at(self, due: float) -> None:
        if self._timer is None or due < self._timer.when():
            self._cancel_timer()
            self._timer = asyncio.get_running_loop().call_at(due, self._owed.set)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    @property
    def owes(self) -> bool:
        """Whether a summary or a vector is owed."""
        return bool(len(self._summaries) or len(self._workspace.outbox))

    @property
    def unanswered(self) -> int:
        """How many summaries are missing because the model's server is away or it refused them."""
        return self._summaries.unanswered

    async def settled(self, seconds: float = 5.0) -> None:
        """Wait until what is owed now is paid, but no longer than this: it is never forgotten.

        For summaries of a model that does not answer it does not wait, nor for what belongs to paused
        documents.
        """
        outbox, round_ = self._workspace.outbox, self._summaries.began + 1
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not self._held and len(self._summaries) and self._summaries.ended < round_:
                    await asyncio.sleep(0.01)
                last, begun = outbox.last(), self._begun
                while self._ended <= begun and (
                    outbox.owes_deletes_until(last) if self._held else outbox.owes_until(last)
                ):
                    await asyncio.sleep(0.01)

    async def run(self) -> None:
        """Pay whenever something is owed, until cancelled."""
        loop = asyncio.get_running_loop()
        self._changes_due = loop.time() + _CHANGES_PATIENCE
        try:
            while True:
                await self._owed.wait()
                self._owed.clear()
                self._cancel_timer()
                began = time.monotonic()
                await self._pay_patiently()
                rest = min(_PATIENCE, 3 * (time.monotonic() - began))
                self._rested = loop.time() + rest
                if self._waiting():  # merged meanwhile
                    self._pay_at(self._rested)
                elif self._ended == self._begun and len(self._workspace.outbox):
                    self._pay_at(max(self._rested, self._changes_due))
        finally:
            self._cancel_timer()

    async def _pay_patiently(self) -> None:
        try:
            await self._pay()
        except ServerAwayError as error:
            hint = f"{error.hint} Indexing goes on by itself when it is back."
            for status in self._waiting():
                self._statuses.change(status.id, error=str(error), hint=hint)
            # Not asleep meanwhile: a delete is to be carried out at once.
            self._pay_at(asyncio.get_running_loop().time() + self._settings.server_retry_seconds)
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
        self._begun += 1
        number, outbox, loop = self._begun, self._workspace.outbox, asyncio.get_running_loop()
        is_late = loop.time() >= self._changes_due or len(outbox) - outbox.urgent >= _MANY_CHANGES
        changes_too, self._changes_too = self._changes_too or is_late, False
        try:
            await self._pay_all(changes_too)
        except BaseException:
            self._changes_too |= changes_too
            raise
        if changes_too or len(outbox) == outbox.urgent:
            self._changes_due = loop.time() + _CHANGES_PATIENCE
        self._ended = number

    async def _pay_all(self, changes_too: bool) -> None:
        if self._held:
            await self._workspace.outbox.pay(self._workspace.vectors, self._embedding, only_deletes=True)
            return
        waiting = [status.id for status in self._waiting()]
        owed = len(self._workspace.outbox) if changes_too else self._workspace.outbox.urgent
        total, paid = len(self._summaries) + owed, 0
        started = time.monotonic()

        def progress(count: int) -> None:
            nonlocal paid
            paid += count
            for id_ in waiting:
                status = self._statuses.get(id_)
                if status is not None and status.state == DocumentState.EMBEDDING:
                    # Only how far it is: that is told, and not written to the disk.
                    well = {"error": "", "hint": ""} if status.error else {}
                    self._statuses.change(id_, steps=max(total, paid), steps_done=paid, **well)

        unsummarised = await self._summaries.pay(progress, self._is_held)
        refused = await self._workspace.outbox.pay(
            self._workspace.vectors,
            self._embedding,
            on_progress=progress,
            only_urgent=not changes_too,
            is_held=self._is_held,
            rests=self._rests,
        )
        if self._is_held():
            return
        if paid:
            logger.info("wrote %d summaries and vectors in %.1f s", paid, time.monotonic() - started)
        if self._summaries.away is not None:
            raise self._summaries.away
        if self._changes_too:
            return  # nothing comes any more: they are done with the changes, which are paid now
        # Only those that waited at the start: the others' vectors may have come after the last look.
        owners = Counter(id_ for record in refused for id_ in self._documents_of(record))
        shortened = Counter(id_ for item in unsummarised for id_ in self._documents_with(item.source_ids))
        for id_ in waiting:
            self._finish(id_, owners[id_], shortened[id_])
        self._awaited.update(waiting)
        if changes_too:
            for id_ in self._awaited.difference(waiting):
                self._warn(id_, owners[id_])
            self._awaited.clear()
        if paid and not self._waiting():
            await asyncio.to_thread(self._workspace.database.checkpoint)

    def _rests(self, record: VectorRecord) -> bool:
        """Whether only paused documents want a record."""
        paused = {s.id for s in self._statuses.all() if s.state == DocumentState.PAUSED}
        return bool(paused) and bool(owners := self._documents_of(record)) and owners <= paused

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
        return self._documents_with(sources)

    def _documents_with(self, chunk_ids: Iterable[str]) -> set[str]:
        return {row["document_id"] for row in self._workspace.extractions.placements_of(chunk_ids)}

    def _finish(self, document_id: str, refused: int, shortened: int) -> None:
        status = self._statuses.get(document_id)
        if status is None or status.state != DocumentState.EMBEDDING:
            return  # deleted, and perhaps added again, meanwhile
        warnings = status.warnings
        if shortened:
            note = f"{shortened} long descriptions were shortened without the model: it gave no summary."
            warnings = (*warnings, note)
        if refused:
            warnings = (*warnings, _refusal(refused))
        state = DocumentState.PROBLEMS if warnings else DocumentState.DONE
        self._statuses.change(
            document_id, state=state, warnings=warnings, error="", hint="", steps=0, steps_done=0
        )

    def _warn(self, document_id: str, refused: int) -> None:
        """Say of a document that was done what of the changes could not be embedded."""
        status = self._statuses.get(document_id)
        if refused and status is not None and status.state in (DocumentState.DONE, DocumentState.PROBLEMS):
            warnings = (*status.warnings, _refusal(refused))
            self._statuses.change(document_id, state=DocumentState.PROBLEMS, warnings=warnings)

    def _fail(self, error: str, hint: str) -> None:
        for status in self._waiting():
            self._statuses.change(status.id, state=DocumentState.FAILED, error=error, hint=hint)


def _refusal(count: int) -> str:
    return f"{count} texts could not be embedded and are not found by meaning."
