"""The document table: one persisted status a document, and whoever watches it change."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, fields, replace
from typing import Any

from lightrag_engine.errors import WorkspaceError
from lightrag_engine.records import DocumentState, DocumentStatus, IndexEvent
from lightrag_engine.storage.base import KeyValueStore

logger = logging.getLogger(__name__)
Watcher = Callable[[IndexEvent], None]


class Statuses:
    """Reads, writes and announces `DocumentStatus` rows. Safe to use from any thread."""

    def __init__(self, store: KeyValueStore) -> None:
        self._store = store
        self._lock = threading.RLock()
        self._watchers: list[Watcher] = []
        self._closed = False
        self.held = False  # whether the queue is paused: nothing is worth waiting for then
        self._rows = {key: status_of(value) for key, value in store.get_many(list(store.keys())).items()}

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """Call `watcher` with every change from now on; returns what ends that."""
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher)

    def get(self, document_id: str) -> DocumentStatus | None:
        """Return the status of a document, or None."""
        return self._rows.get(document_id)

    def all(self) -> list[DocumentStatus]:
        """Return all statuses, newest first."""
        with self._lock:
            return sorted(self._rows.values(), key=lambda s: (-s.added_at, s.name))

    def put(self, status: DocumentStatus) -> DocumentStatus:
        """Write a status and tell the watchers."""
        with self._lock:
            self._store.put_many({status.id: asdict(status)})
            self._rows[status.id] = status
        self._announce(status)
        return status

    def _announce(self, status: DocumentStatus) -> None:
        for watcher in list(self._watchers):
            try:
                watcher(IndexEvent(status))
            except Exception:
                # Whoever only watches must not stop the work.
                logger.exception("a watcher of the documents failed")

    def close(self) -> None:
        """End all waiting: nobody works on the documents any more."""
        self._closed = True

    def change(self, document_id: str, **fields: Any) -> DocumentStatus | None:
        """Change fields of a status; time of work in the state before is added up. None when it was deleted.

        How far a state is, is only told: it is counted anew when the workspace is opened again.
        """
        with self._lock:
            old = self._rows.get(document_id)
            if old is None:
                return None
            now = time.time()
            new = replace(old, updated_at=now, **fields)
            if new.state != old.state:
                new = replace(_with_time(new, old, now), state_since=now)
            try:
                if not fields.keys() <= {"steps", "steps_done"}:
                    return self.put(new)
            except sqlite3.Error:
                # A full disk: what is under way is told from memory, and taken up again when it is opened.
                logger.exception("the state of %s could not be saved", new.name)
            self._rows[document_id] = new
        self._announce(new)
        return new

    def remove(self, document_id: str) -> None:
        """Forget a document."""
        with self._lock:
            self._store.delete_many([document_id])
            self._rows.pop(document_id, None)

    async def wait_for(self, document_ids: Sequence[str]) -> None:
        """Wait until none of these documents is under way any more, or the queue is paused."""
        loop, changed = asyncio.get_running_loop(), asyncio.Event()

        def tell(event: IndexEvent) -> None:
            loop.call_soon_threadsafe(changed.set)

        end = self.watch(tell)
        try:
            while not self.held and any(
                (status := self.get(id_)) and status.state.active for id_ in document_ids
            ):
                if self._closed:
                    raise WorkspaceError(
                        "The workspace was closed before the documents were done.",
                        hint="Open it again: they go on by themselves.",
                    )
                changed.clear()
                # A document that is deleted makes no event: look again after a second.
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(1.0):
                        await changed.wait()
        finally:
            end()

    def free_name(self, name: str, but: Collection[str] = ()) -> str:
        """Return `name`, or the first of ``name (2)``, ``name (3)`` … that no document has, `but` some."""
        used = {status.name for status in self._rows.values() if status.id not in but}
        number, candidate = 2, name
        while candidate in used:
            candidate, number = f"{name} ({number})", number + 1
        return candidate


def _with_time(new: DocumentStatus, old: DocumentStatus, now: float) -> DocumentStatus:
    """Return a status with the time that was spent in the state before it; only work counts."""
    if not old.state.working:
        return new
    spent = max(0.0, now - old.state_since)
    stages = dict(new.stage_seconds)
    stages[old.state] = stages.get(old.state, 0.0) + spent
    return replace(new, seconds=new.seconds + spent, stage_seconds=tuple(stages.items()))


def status_of(value: dict[str, Any]) -> DocumentStatus:
    """Return a status from its row."""
    known = {field.name for field in fields(DocumentStatus)}
    # A row may be of a version of this program that kept more, or less.
    values: dict[str, Any] = {
        name: tuple(v) if isinstance(v, list) else v for name, v in value.items() if name in known
    }
    values["state"] = DocumentState(value["state"])
    values["stage_seconds"] = tuple((state, seconds) for state, seconds in value.get("stage_seconds", ()))
    return DocumentStatus(**values)
