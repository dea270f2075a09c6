"""Reading the chunks of documents with the language model: bounded, patient, and no call paid twice."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar
from weakref import WeakValueDictionary

from lightrag_engine.errors import LightRAGError, ServerAwayError
from lightrag_engine.indexing.bounded import Turns, bounded, to_the_end
from lightrag_engine.indexing.statuses import Statuses
from lightrag_engine.language.base import LanguageModel
from lightrag_engine.loop import shutting_down
from lightrag_engine.records import DocumentState, Extraction
from lightrag_engine.settings import Settings
from lightrag_engine.storage.extractions import ExtractionStore, Placement
from lightrag_engine.storage.sqlite import disk_is_full

T = TypeVar("T")
logger = logging.getLogger(__name__)

# When so many chunks of a document failed for one reason and none was read, the others get one try each:
# a model that is gone is not waited for a thousand times.
_TRIES_ARE_VAIN = 3
DISK_FULL_HINT = "Make room where the workspaces are kept, then try again; nothing that was kept is lost."


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a chunk could not be read, and what to do about it."""

    reason: str
    hint: str
    kind: str

    @classmethod
    def of(cls, error: Exception) -> Failure:
        """Return what a person should know of an error; `kind` is the same for the same reason."""
        name = type(error).__name__
        if isinstance(error, LightRAGError):
            return cls(str(error), error.hint, f"{name}: {error.hint}")
        if disk_is_full(error):
            return cls(f"The disk is full: {error}.", DISK_FULL_HINT, name)
        reason = f"{name}: {error}" if str(error) else name
        return cls(
            f"An unexpected error stopped the reading: {reason}.",
            "Try again; if it happens again, please report it with the file.",
            name,
        )


class ChunkReader:
    """Reads chunks; documents share `server_parallel` turns, and the one that came first is first."""

    def __init__(
        self, store: ExtractionStore, statuses: Statuses, language: LanguageModel, settings: Settings
    ) -> None:
        self._store = store
        self._statuses = statuses
        self._language = language
        self._settings = settings
        self._turns = Turns(settings.server_parallel)
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def read(
        self, document_id: str, title: str, placements: Sequence[Placement], rank: int
    ) -> list[Failure]:
        """Read those chunks whose extraction is not there yet; return what went wrong with the others.

        Each extraction, and each failure, is kept as soon as it is known. `rank` is the place of the document
        in the order of arrival.
        """
        times = Counter(p.extraction_id for p in placements)
        unique = {p.extraction_id: p for p in placements}
        known = await asyncio.to_thread(self._store.existing, list(unique))
        missing = [p for id_, p in unique.items() if id_ not in known]
        failures: list[Failure] = []
        done = sum(times[id_] for id_ in known)
        read = len(known)
        self._statuses.change(
            document_id, state=DocumentState.EXTRACTING, steps=len(placements), steps_done=done
        )

        async def read_one(placement: Placement) -> None:
            nonlocal done, read
            vain = not read and len(failures) >= _TRIES_ARE_VAIN and len({f.kind for f in failures}) == 1
            failure = await self._read_one(document_id, title, placement, rank, once=vain)
            if failure is None:
                read += 1
            else:
                failures.append(failure)
            done += times[placement.extraction_id]
            self._statuses.change(document_id, steps_done=done)

        await bounded(read_one, missing, self._settings.server_parallel)
        return failures

    async def _read_one(
        self, document_id: str, title: str, placement: Placement, rank: int, once: bool
    ) -> Failure | None:
        id_, chunk = placement.extraction_id, placement.chunk

        async def extract() -> Extraction:
            async with self._turns.turn(rank):
                return await self._language.extract(chunk, title)

        # Another document under way may hold the same chunk: it is read once.
        lock = self._locks.setdefault(id_, asyncio.Lock())
        async with lock:
            if await asyncio.to_thread(self._store.existing, [id_]):
                return None
            for attempt in range(1 if once else self._settings.chunk_retries + 1):
                if attempt:
                    await asyncio.sleep(self._settings.chunk_retry_seconds * 2 ** (attempt - 1))
                try:
                    extraction = await self.patiently(document_id, extract, DocumentState.EXTRACTING)
                except Exception as error:
                    if shutting_down():
                        raise  # the document goes on when the workspace is opened again
                    failure = Failure.of(error)
                    logger.warning(
                        "chunk %d of %s could not be read: %s",
                        chunk.chunk_order_index + 1,
                        document_id,
                        failure.reason,
                        exc_info=not isinstance(error, LightRAGError),
                    )
                else:
                    # Kept at once: an answered call is never paid for twice.
                    await self._keep(self._store.put, id_, extraction, document_id)
                    return None
            await self._keep(self._store.put_failure, id_, chunk.id, failure.reason, document_id)
            return failure

    async def _keep(self, put: Callable[..., None], *values: object) -> None:
        if await to_the_end(asyncio.to_thread(put, *values)):
            raise asyncio.CancelledError

    async def patiently(self, document_id: str, call: Callable[[], Awaitable[T]], state: DocumentState) -> T:
        """Wait as long as the model's server is away, and tell so; everything else goes through.

        `state` is what the document is in otherwise.
        """
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
                status = self._statuses.get(document_id)
                if status is not None and status.state == DocumentState.WAITING:
                    self._statuses.change(document_id, state=state, error="", hint="")
                return result
