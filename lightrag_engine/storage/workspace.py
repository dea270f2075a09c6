"""A workspace: one folder that is always consistent."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from lightrag_engine.embedding.base import EmbeddingModel
from lightrag_engine.errors import WorkspaceError
from lightrag_engine.names import content_id
from lightrag_engine.storage.base import VectorStore
from lightrag_engine.storage.chroma import ChromaVectors, open_client
from lightrag_engine.storage.extractions import ExtractionStore
from lightrag_engine.storage.networkx_graph import NetworkXGraph
from lightrag_engine.storage.outbox import Outbox
from lightrag_engine.storage.sqlite import Database, SqliteKeyValue

DATABASE = "workspace.db"
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
    return " ".join(unicodedata.normalize("NFC", name).split())


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
        name_file = path.parent / "name"
        if name_file.exists():
            size = sum(file.stat().st_size for file in path.parent.rglob("*") if file.is_file())
            found.append(WorkspaceInfo(name_file.read_text(encoding="utf-8"), path.parent, size))
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
        self.inbox = self.folder / "inbox"
        try:
            self.inbox.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WorkspaceError(
                f"The folder {data_dir} cannot be written: {error.strerror or error}.",
                hint="Choose another folder with LIGHTRAG_DATA_DIR, or change its permissions.",
            ) from error
        self._lock = FileLock(self.folder / "lock")
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise WorkspaceError(
                f"The workspace “{self.name}” is open in another program.",
                hint="Close the app or the command that uses it, or choose another workspace.",
            ) from None
        try:
            self._open()
        except BaseException:
            self._lock.release()
            raise

    def _open(self) -> None:
        self.database = Database(self.folder / DATABASE)
        self.documents = SqliteKeyValue(self.database, "documents")
        self.texts = SqliteKeyValue(self.database, "texts")
        self.chunks = SqliteKeyValue(self.database, "chunks")
        self.responses = SqliteKeyValue(self.database, "responses")
        self.about = SqliteKeyValue(self.database, "about")
        self.extractions = ExtractionStore(self.database)
        self.graph = NetworkXGraph(self.database)
        self.outbox = Outbox(self.database)
        self._chroma = open_client(self.folder / "chroma")
        self.vectors: dict[str, VectorStore] = {}
        (self.folder / "name").write_text(self.name, encoding="utf-8")

    def embedding_in_use(self) -> str:
        """Return the name of the model that the vectors here were made with; empty when there are none."""
        used = self.about.get("embedding")
        filled = len(self.documents) or len(self.outbox)
        return str(used["name"]) if used and filled else ""

    def bind_embedding(self, embedding: EmbeddingModel) -> None:
        """Open the vectors of a model and record it; raises what `check_embedding` does."""
        self.check_embedding(embedding)
        self.about.put_many({"embedding": {"name": embedding.name, "dimensions": embedding.dimensions}})
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

    def switch_embedding(self, embedding: EmbeddingModel) -> None:
        """Use the vectors of another model, which must be complete, and drop those of any other."""
        mine = {"name": embedding.name, "dimensions": embedding.dimensions}
        with self.database.transaction():
            self.about.put_many({"embedding": mine})
            self.outbox.clear()
        self.vectors = self.collections_of(embedding)
        kept = {_collection(role, embedding) for role in COLLECTIONS}
        for collection in self._chroma.list_collections():
            if collection.name not in kept:
                self._chroma.delete_collection(collection.name)

    def close(self) -> None:
        """Close all files; the workspace can then be opened elsewhere."""
        self.database.close()
        self._lock.release()
