"""A workspace: one folder that is always consistent."""

from __future__ import annotations

import atexit
import contextlib
import logging
import sqlite3
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self, cast

from chromadb.api.client import Client
from filelock import FileLock, Timeout

from lightrag_engine.embedding.base import EmbeddingModel
from lightrag_engine.errors import WorkspaceError
from lightrag_engine.names import content_id
from lightrag_engine.records import DocumentState
from lightrag_engine.storage.base import VectorStore
from lightrag_engine.storage.chroma import ChromaVectors, open_client
from lightrag_engine.storage.edits import EditLog
from lightrag_engine.storage.extractions import ExtractionStore
from lightrag_engine.storage.naming import (
    find_folder,
    names_locked,
    new_folder,
    read_name,
    shown_name,
    write_name,
)
from lightrag_engine.storage.networkx_graph import NetworkXGraph
from lightrag_engine.storage.originals import Originals
from lightrag_engine.storage.outbox import Outbox
from lightrag_engine.storage.seal import break_seal, seal
from lightrag_engine.storage.sqlite import (
    Database,
    DiskError,
    SqliteKeyValue,
    disk_refuses,
    may_not_write,
)
from lightrag_engine.storage.words import WordIndex

DATABASE = "workspace.db"
LOCK_FILE = "lock"
_DAMAGED = (
    f"Put a backup of {DATABASE} in its place, or move the folder {{folder}} away and index the documents "
    "again."
)
logger = logging.getLogger(__name__)
COLLECTIONS = ("entities", "relations", "chunks")
# Set while a workspace is open: found when it is opened, the last program did not end as it should.
MARKER = "open"
# A log that is still there was not closed with its database.
_SEALED = (DATABASE, f"{DATABASE}-wal", "chroma")
# In `about` while vectors of other models are being dropped.
_DROPPING = "dropping other vectors"
# What is open in this process, by folder: the file lock, and what Chroma keeps by path, count for a process.
_OPEN: weakref.WeakValueDictionary[Path, Workspace] = weakref.WeakValueDictionary()


def _collection(role: str, model: str, dimensions: int) -> str:
    return f"{role}-{content_id('m', model, str(dimensions))[2:14]}"


def opened_here(folder: Path) -> Workspace | None:
    """Return the workspace of a folder when this process has it open."""
    return _OPEN.get(folder.resolve())


class Workspace:
    """The open stores of one workspace, which is made when there is none of that name.

    `ended_uncleanly` says that whoever had it open before did not close it; `is_sealed` that the files were
    opened exactly as they had been closed.

    Raises
    ------
    WorkspaceError
        When the name is empty, another program has the workspace open, or its files are damaged.
    """

    def __init__(self, data_dir: Path, name: str) -> None:
        with names_locked(data_dir):
            folder = find_folder(data_dir, name) or new_folder(data_dir, name)
            self._take(folder, name)
        self._open_or_release()

    @classmethod
    def in_folder(cls, folder: Path, name: str = "") -> Self:
        """Open the workspace of a folder; `name` is for one that has none yet."""
        workspace = cls.__new__(cls)
        workspace._take(folder, name)
        workspace._open_or_release()
        return workspace

    def _take(self, folder: Path, name: str) -> None:
        self.folder = folder
        self.files = folder / "files"
        self.originals = Originals(self.files)
        self.unclaimed = folder / "unclaimed files"
        self.name = read_name(folder) or shown_name(name)
        try:
            self.files.mkdir(parents=True, exist_ok=True)
            self._lock = FileLock(folder / LOCK_FILE, thread_local=False)
            self._lock.acquire(timeout=0)
            if read_name(folder) is None:
                write_name(folder, self.name)
        except Timeout:
            raise already_open(self.name) from None
        except OSError as error:
            raise _not_writable(self.name, error.strerror or str(error)) from error

    def _open_or_release(self) -> None:
        try:
            self._take_over_inbox()
            self.ended_uncleanly = (self.folder / MARKER).exists()
            self.is_sealed = break_seal(self.folder, _SEALED) and not self.ended_uncleanly
            self._open()
            self._mark()
        except BaseException:
            if hasattr(self, "_chroma"):
                cast(Client, self._chroma).close()
            if hasattr(self, "database"):
                self.database.close()
            self._lock.release()
            raise
        _OPEN[self.folder.resolve()] = self
        atexit.register(self._unmark_when_idle)

    def _mark(self) -> None:
        try:
            (self.folder / MARKER).touch()
        except OSError as error:
            raise _not_writable(self.name, error.strerror or str(error)) from error

    def _take_over_inbox(self) -> None:
        """Move files that an earlier version had not read yet to where originals are kept now."""
        inbox = self.folder / "inbox"
        if inbox.is_dir():
            for file in inbox.iterdir():
                file.replace(self.files / file.name)
            inbox.rmdir()

    def _open(self) -> None:
        chroma, database = self.folder / "chroma", self.folder / DATABASE
        if (chroma / "chroma.sqlite3").exists() and not (database.exists() and database.stat().st_size):
            raise WorkspaceError(
                f"The file {DATABASE} of the workspace “{self.name}” is missing or empty.",
                hint=_DAMAGED.format(folder=self.folder.name),
            )
        try:
            self._open_database()
        except DiskError:
            raise
        except sqlite3.DatabaseError as error:
            if may_not_write(error):
                raise _not_writable(self.name, str(error)) from error
            if disk_refuses(error):
                raise DiskError(error) from error
            raise WorkspaceError(
                f"The file {DATABASE} of the workspace “{self.name}” is damaged: {error}.",
                hint=_DAMAGED.format(folder=self.folder.name),
            ) from error
        try:
            self._chroma = open_client(chroma, check=not self.is_sealed)
        except Exception as error:
            raise WorkspaceError(
                f"The vectors of the workspace “{self.name}” cannot be opened: {error}.",
                hint=f"Move the folder {chroma} away: the vectors are then made anew from the documents.",
            ) from error

    def _open_database(self) -> None:
        self.database = Database(self.folder / DATABASE)
        self.documents = SqliteKeyValue(self.database, "documents")
        self.texts = SqliteKeyValue(self.database, "texts", compress=True)
        self.work = SqliteKeyValue(self.database, "work")
        self.reports = SqliteKeyValue(self.database, "reports")
        self.chunks = SqliteKeyValue(self.database, "chunks", compress=True)
        self.responses = SqliteKeyValue(self.database, "responses", compress=True)
        self.summaries = SqliteKeyValue(self.database, "summaries")
        self.about = SqliteKeyValue(self.database, "about")
        self.places = SqliteKeyValue(self.database, "graph places")
        self.views = SqliteKeyValue(self.database, "graph views")
        self.votes = SqliteKeyValue(self.database, "votes")
        self.question_sets = SqliteKeyValue(self.database, "question_sets")
        self.runs = SqliteKeyValue(self.database, "runs")
        self.run_parts = SqliteKeyValue(self.database, "run_parts")
        self.extractions = ExtractionStore(self.database)
        self.edits = EditLog(self.database)
        self.graph = NetworkXGraph(self.database)
        self.words = WordIndex(self.database)
        self.outbox = Outbox(self.database)
        self.vectors: dict[str, VectorStore] = {}

    def embedding_in_use(self) -> str:
        """Return the name of the model that the vectors here were made with; empty when there are none."""
        used = self.about.get("embedding")
        return str(used["name"]) if used and len(self.documents) else ""

    def embedding_dimensions(self) -> int:
        """Return the dimensions of the vectors here; 0 when there are none."""
        used = self.about.get("embedding")
        return int(used["dimensions"]) if used else 0

    def bind_embedding(self, embedding: EmbeddingModel) -> None:
        """Open the vectors of a model and record it; raises what `check_embedding` does."""
        self.check_embedding(embedding)
        mine = {"name": embedding.name, "dimensions": embedding.dimensions}
        if self.about.get("embedding") != mine:
            self.outbox.clear()  # owed to collections of another model, of which nothing is left
        self.about.put_many({"embedding": mine})
        self.vectors = self.collections_of(embedding)
        if self.about.get(_DROPPING) is not None:
            self.drop_other_vectors(embedding)

    def check_embedding(self, embedding: EmbeddingModel) -> None:
        """Make sure that a model is the one the vectors were made with, or that there are none.

        Raises
        ------
        WorkspaceError
            When the vectors here were made with another model: they cannot be compared.
        """
        used = self.about.get("embedding")
        mine = {"name": embedding.name, "dimensions": embedding.dimensions}
        if used is not None and self.embedding_in_use() and used != mine:
            raise WorkspaceError(
                f"The workspace “{self.name}” was built with the embedding model {used['name']} "
                f"({used['dimensions']} dimensions), not with {embedding.name} ({embedding.dimensions}).",
                hint=f"Set LIGHTRAG_EMBEDDING_MODEL to {used['name']} or auto, or use a new workspace for "
                "the other model. Nothing was changed.",
            )

    def collections_of(self, embedding: EmbeddingModel) -> dict[str, VectorStore]:
        """Return the three collections of a model's vectors, made if need be."""
        return self._collections(embedding.name, embedding.dimensions)

    def recorded_collections(self) -> dict[str, VectorStore]:
        """Return the collections of the model that the vectors here were made with; none without one."""
        used = self.about.get("embedding")
        return self._collections(str(used["name"]), int(used["dimensions"])) if used else {}

    def _collections(self, model: str, dimensions: int) -> dict[str, VectorStore]:
        return {
            role: ChromaVectors(self._chroma, _collection(role, model, dimensions)) for role in COLLECTIONS
        }

    def switch_embedding(self, embedding: EmbeddingModel, settings: Mapping[str, Any]) -> None:
        """Use the vectors of another model, which must be complete, and drop those of any other.

        `settings` are those to be saved with it: at no moment do the two name different models.
        """
        mine = {"name": embedding.name, "dimensions": embedding.dimensions}
        with self.database.transaction():
            self.about.put_many({"embedding": mine, "settings": dict(settings), _DROPPING: {}})
            self.about.delete_many(["reembedding"])
            self.outbox.clear()
        self.vectors = self.collections_of(embedding)
        self.drop_other_vectors(embedding)

    def drop_other_vectors(self, embedding: EmbeddingModel) -> None:
        """Drop the vectors of all models but this one, and what is known of a run that made them.

        Where the program ends in the middle of it, the rest is dropped when the workspace is opened again.
        """
        with self.database.transaction():
            self.about.put_many({_DROPPING: {}})
            self.about.delete_many(["reembedding"])
        kept = {_collection(role, embedding.name, embedding.dimensions) for role in COLLECTIONS}
        for collection in self._chroma.list_collections():
            if collection.name not in kept:
                self._chroma.delete_collection(collection.name)
        self.about.delete_many([_DROPPING])

    def check_open(self) -> None:
        """Raise `WorkspaceError` when the workspace was closed."""
        self.database.check_open()

    def found_whole(self) -> None:
        """Note that the workspace was checked: closing it ends cleanly again."""
        self.ended_uncleanly = False

    def close(self) -> None:
        """Close all files; the workspace can then be opened elsewhere."""
        atexit.unregister(self._unmark_when_idle)
        _OPEN.pop(self.folder.resolve(), None)
        cast(Client, self._chroma).close()
        self.database.close()
        self._unmark()
        self._lock.release()

    def _unmark(self) -> None:
        # What was found unchecked and was not checked stays so.
        if not self.ended_uncleanly:
            # Without a seal all is looked at when it is opened.
            with contextlib.suppress(OSError):
                seal(self.folder, _SEALED)
            try:
                (self.folder / MARKER).unlink(missing_ok=True)
            except OSError as error:
                # It stays, and whoever opens the workspace next checks it first: nothing else is lost.
                logger.warning("the file %s of %s cannot be removed: %s", MARKER, self.name, error)

    def _unmark_when_idle(self) -> None:
        """Count a program that ends without closing as a clean end when nothing was under way."""
        with contextlib.suppress(sqlite3.Error, OSError, WorkspaceError):
            documents = self.documents.get_many(list(self.documents.keys())).values()
            active = any(DocumentState(document["state"]).active for document in documents)
            if not active and not len(self.outbox):
                self._unmark()


def _not_writable(name: str, reason: str) -> WorkspaceError:
    return WorkspaceError(
        f"The folder of the workspace “{name}” cannot be written: {reason}.",
        hint="Choose another folder with LIGHTRAG_DATA_DIR, or change its permissions.",
    )


def already_open(name: str) -> WorkspaceError:
    """Return the error for a workspace that somebody has open."""
    return WorkspaceError(
        f"The workspace “{name}” is open already, here or in another program.",
        hint="Close the app or the command that uses it, or choose another workspace.",
    )
