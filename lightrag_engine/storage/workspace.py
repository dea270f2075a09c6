"""A workspace: one folder that is always consistent."""

from __future__ import annotations

import contextlib
import re
import sqlite3
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from chromadb.api.client import Client
from filelock import FileLock, Timeout

from lightrag_engine.documents.clean import one_line
from lightrag_engine.embedding.base import EmbeddingModel
from lightrag_engine.errors import WorkspaceError
from lightrag_engine.names import content_id
from lightrag_engine.storage.base import VectorStore
from lightrag_engine.storage.chroma import ChromaVectors, open_client
from lightrag_engine.storage.edits import EditLog
from lightrag_engine.storage.extractions import ExtractionStore
from lightrag_engine.storage.networkx_graph import NetworkXGraph
from lightrag_engine.storage.outbox import Outbox
from lightrag_engine.storage.sqlite import Database, SqliteKeyValue

DATABASE = "workspace.db"
_DAMAGED = (
    f"Put a backup of {DATABASE} in its place, or move the folder {{folder}} away and index the documents "
    "again."
)
COLLECTIONS = ("entities", "relations", "chunks")
_SLUG_LENGTH = 40


def folder_name(name: str) -> str:
    """Return the folder of a workspace: a readable part and a hash, valid everywhere and never shared.

    Examples
    --------
    >>> folder_name("My base")
    'my-base-31ba5fba'
    """
    slug = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", slug).strip("-")[:_SLUG_LENGTH].strip("-")
    return f"{slug or 'workspace'}-{content_id('w', _normal(name))[2:10]}"


def _collection(role: str, embedding: EmbeddingModel) -> str:
    return f"{role}-{content_id('m', embedding.name, str(embedding.dimensions))[2:14]}"


def _normal(name: str) -> str:
    return one_line(name)


@dataclass(frozen=True, slots=True)
class WorkspaceInfo:
    """A workspace on disk: its shown name, its folder and its size in bytes."""

    name: str
    folder: Path
    size: int


def list_workspaces(data_dir: Path) -> list[WorkspaceInfo]:
    """Return the workspaces in a data folder, by name. A folder that cannot be read is left out."""
    found = []
    for path in sorted(data_dir.glob(f"*/{DATABASE}")):
        # A file may vanish between being listed and being measured, or belong to somebody else.
        with contextlib.suppress(OSError, UnicodeDecodeError):
            name = (path.parent / "name").read_text(encoding="utf-8")
            size = sum(file.stat().st_size for file in path.parent.rglob("*") if file.is_file())
            found.append(WorkspaceInfo(name, path.parent, size))
    return sorted(found, key=lambda info: info.name.casefold())


class Workspace:
    """The open stores of one workspace.

    Raises
    ------
    WorkspaceError
        When the name is empty, another program has the workspace open, or its files are damaged.
    """

    def __init__(self, data_dir: Path, name: str) -> None:
        self.name = _normal(name)
        if not self.name:
            raise WorkspaceError("A workspace needs a name.", hint="Type at least one letter or digit.")
        self.folder = data_dir / folder_name(self.name)
        self.files = self.folder / "files"
        try:
            self.files.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WorkspaceError(
                f"The folder {data_dir} cannot be written: {error.strerror or error}.",
                hint="Choose another folder with LIGHTRAG_DATA_DIR, or change its permissions.",
            ) from error
        self._lock = FileLock(self.folder / "lock", thread_local=False)
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise WorkspaceError(
                f"The workspace “{self.name}” is open already, here or in another program.",
                hint="Close the app or the command that uses it, or choose another workspace.",
            ) from None
        except OSError as error:
            raise WorkspaceError(
                f"The folder of the workspace “{self.name}” cannot be written: {error.strerror or error}.",
                hint="Choose another folder with LIGHTRAG_DATA_DIR, or change its permissions.",
            ) from error
        try:
            self._take_over_inbox()
            self._open()
        except BaseException:
            self._lock.release()
            raise

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
        except sqlite3.DatabaseError as error:
            self.database.close()
            raise WorkspaceError(
                f"The file {DATABASE} of the workspace “{self.name}” is damaged: {error}.",
                hint=_DAMAGED.format(folder=self.folder.name),
            ) from error
        try:
            self._chroma = open_client(chroma)
        except Exception as error:
            self.database.close()
            raise WorkspaceError(
                f"The vectors of the workspace “{self.name}” cannot be opened: {error}.",
                hint=f"Move the folder {chroma} away: the vectors are then made anew from the documents.",
            ) from error

    def _open_database(self) -> None:
        self.database = Database(self.folder / DATABASE)
        self.documents = SqliteKeyValue(self.database, "documents")
        self.texts = SqliteKeyValue(self.database, "texts")
        self.work = SqliteKeyValue(self.database, "work")
        self.reports = SqliteKeyValue(self.database, "reports")
        self.chunks = SqliteKeyValue(self.database, "chunks")
        self.responses = SqliteKeyValue(self.database, "responses")
        self.about = SqliteKeyValue(self.database, "about")
        self.places = SqliteKeyValue(self.database, "graph places")
        self.views = SqliteKeyValue(self.database, "graph views")
        self.extractions = ExtractionStore(self.database)
        self.edits = EditLog(self.database)
        self.graph = NetworkXGraph(self.database)
        self.outbox = Outbox(self.database)
        self.vectors: dict[str, VectorStore] = {}
        (self.folder / "name").write_text(self.name, encoding="utf-8")

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
        return {role: ChromaVectors(self._chroma, _collection(role, embedding)) for role in COLLECTIONS}

    def switch_embedding(self, embedding: EmbeddingModel, settings: Mapping[str, Any]) -> None:
        """Use the vectors of another model, which must be complete, and drop those of any other.

        `settings` are those to be saved with it: at no moment do the two name different models.
        """
        mine = {"name": embedding.name, "dimensions": embedding.dimensions}
        with self.database.transaction():
            self.about.put_many({"embedding": mine, "settings": dict(settings)})
            self.about.delete_many(["reembedding"])
            self.outbox.clear()
        self.vectors = self.collections_of(embedding)
        self.drop_other_vectors(embedding)

    def drop_other_vectors(self, embedding: EmbeddingModel) -> None:
        """Drop the vectors of all models but this one, and what is known of a run that made them."""
        self.about.delete_many(["reembedding"])
        kept = {_collection(role, embedding) for role in COLLECTIONS}
        for collection in self._chroma.list_collections():
            if collection.name not in kept:
                self._chroma.delete_collection(collection.name)

    def check_open(self) -> None:
        """Raise `WorkspaceError` when the workspace was closed."""
        self.database.check_open()

    def close(self) -> None:
        """Close all files; the workspace can then be opened elsewhere."""
        cast(Client, self._chroma).close()
        self.database.close()
        self._lock.release()
