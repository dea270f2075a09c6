"""A workspace as plain files, taken while it is in use, and put together again from them.

    workspace.db            the database, compact and consistent
    vectors/ROLE.npy        rows of float32, one a vector
    vectors/ROLE.jsonl      id, hash of the text and metadata of each
    files/ID, files/ID.gz   the files that documents came as
    prompts.toml            the person's own prompts, where there are some

The database is copied first and the vectors after it: what changes in between leaves vectors that do not
belong to their texts. The copy is therefore marked as not yet checked; opening it compares both.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

from lightrag_engine.language.prompts import FILE_NAME as PROMPTS
from lightrag_engine.storage.base import is_usable
from lightrag_engine.storage.vector_files import read_vectors, save_vectors
from lightrag_engine.storage.workspace import COLLECTIONS, DATABASE, Workspace

VECTORS = "vectors"
ORIGINALS = ("files",)
# What counts for one machine, or must not be handed on: servers that would get the documents, and keys.
MACHINE_SETTINGS = frozenset({"data_dir", "ollama_host", "openai_base_url", "openai_api_key"})

Progress = Callable[[str, int, int], None]
"""What is being done, how much of it is done, and how much it is."""


def save_snapshot(workspace: Workspace, folder: Path, on_progress: Progress) -> None:
    """Write the files of a workspace, which may be at work, into an empty folder."""
    _save_database(workspace.folder / DATABASE, folder / DATABASE, on_progress)
    _save_originals(workspace.folder, folder, on_progress)
    stores = workspace.recorded_collections()
    if stores:
        (folder / VECTORS).mkdir()
    total = sum(map(len, stores.values()))
    done = 0

    def count(number: int) -> None:
        nonlocal done
        done += number
        on_progress("Copying vectors", done, max(total, done))

    for role, store in stores.items():
        save_vectors(store, folder / VECTORS, role, count)


def _save_originals(source: Path, folder: Path, on_progress: Progress) -> None:
    names = [PROMPTS] if (source / PROMPTS).is_file() else []
    names += [
        str(Path(kind) / path.name)
        for kind in ORIGINALS
        if (source / kind).is_dir()
        for path in (source / kind).iterdir()
        if path.is_file()
    ]
    for number, name in enumerate(names, start=1):
        target = folder / name
        target.parent.mkdir(exist_ok=True)
        if not target.exists():
            # Its document was deleted meanwhile.
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(source / name, target)
        on_progress("Copying files", number, len(names))


def _save_database(source: Path, target: Path, on_progress: Progress) -> None:
    with (
        contextlib.closing(sqlite3.connect(source, timeout=30)) as live,
        contextlib.closing(sqlite3.connect(target, isolation_level=None)) as copy,
    ):
        live.backup(copy, pages=-1)
        copy.execute("PRAGMA journal_mode = DELETE")
    on_progress("Copying the database", 1, 1)


def forget_machine_settings(database: Path) -> None:
    """Take servers and keys out of the settings in a database, and the pages on which they stood."""
    with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as connection:
        rows = connection.execute(
            "SELECT value FROM kv WHERE namespace = 'about' AND key = 'settings'"
        ).fetchall()
        for (value,) in rows:
            saved = json.loads(value)
            if not isinstance(saved, dict):
                raise ValueError("the settings are not settings")
            kept = {name: v for name, v in saved.items() if name not in MACHINE_SETTINGS}
            connection.execute(
                "UPDATE kv SET value = ? WHERE namespace = 'about' AND key = 'settings'",
                [json.dumps(kept, ensure_ascii=False)],
            )
        connection.execute("VACUUM")


def restore_vectors(workspace: Workspace, on_progress: Progress) -> None:
    """Put the vectors of a snapshot, in whose folder the workspace is, into its collections.

    Raises
    ------
    ValueError
        When the files are damaged.
    """
    folder = workspace.folder / VECTORS
    stores = workspace.recorded_collections()
    if not stores:
        return
    dimensions = workspace.embedding_dimensions()
    done, total = 0, sum(_lines(folder / f"{role}.jsonl") for role in stores)
    for role, store in stores.items():
        for records, vectors in read_vectors(folder, role, dimensions):
            usable = [n for n, vector in enumerate(vectors) if is_usable(vector)]
            store.upsert([records[n] for n in usable], vectors[usable])
            done += len(records)
            on_progress("Writing vectors", done, total)
    shutil.rmtree(folder)


def _lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file)


def vector_files() -> set[str]:
    """Return the names of the vector files of a snapshot."""
    return {f"{VECTORS}/{role}.{kind}" for role in COLLECTIONS for kind in ("npy", "jsonl")}
