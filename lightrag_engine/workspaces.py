"""The workspaces of a data folder: made, renamed, copied, removed, exported and imported."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from filelock import FileLock, Timeout

from lightrag_engine.errors import WorkspaceError
from lightrag_engine.foreign import check_contents
from lightrag_engine.storage.archive import Limits, unpack_archive, write_archive
from lightrag_engine.storage.naming import (
    check_free,
    find_folder,
    free_name,
    named_folders,
    names_locked,
    new_folder,
    shown_name,
    write_name,
)
from lightrag_engine.storage.seal import SEAL
from lightrag_engine.storage.snapshot import (
    ORIGINALS,
    Progress,
    forget_machine_settings,
    restore_vectors,
    save_snapshot,
)
from lightrag_engine.storage.sqlite import DiskError, disk_refuses
from lightrag_engine.storage.workspace import (
    DATABASE,
    LOCK_FILE,
    MARKER,
    Workspace,
    already_open,
    opened_here,
)

ARCHIVE_SUFFIX = ".lightrag.zip"
_STAGING, _REMOVED = ".new-", ".deleted-"


@dataclass(frozen=True, slots=True)
class WorkspaceInfo:
    """A workspace on disk. Sizes are in bytes, `changed` in seconds since the epoch.

    `documents` is None where the database cannot be read.
    """

    name: str
    folder: Path
    documents: int | None
    database: int
    vectors: int
    originals: int
    changed: float

    @property
    def size(self) -> int:
        """All its bytes."""
        return self.database + self.vectors + self.originals


def _no_progress(what: str, done: int, total: int) -> None:
    pass


class Workspaces:
    """The workspaces in a folder, which need not exist yet. Any thread may call any method.

    Names are compared without regard to case and Unicode form; a workspace that another program has open
    cannot be changed or copied. Where a method takes `on_progress`, it calls it with what is being done, how
    much of it is done, and how much it is.

    Raises
    ------
    WorkspaceError
        By every method: when there is no such workspace, it is open in another program, a name is taken, or
        the disk refuses. Nothing is changed then.

    Examples
    --------
    ``Workspaces(Settings().data_dir).duplicate("press", "press, autumn")``
    """

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir

    def all(self) -> list[WorkspaceInfo]:
        """Return all workspaces by name. One whose name cannot be read is left out."""
        found = (_info(folder, name) for folder, name in named_folders(self.data_dir).items())
        return sorted(found, key=lambda info: info.name.casefold())

    def find(self, name: str) -> WorkspaceInfo | None:
        """Return the workspace of a name, or None."""
        folder = find_folder(self.data_dir, name)
        return _info(folder, named_folders(self.data_dir).get(folder, shown_name(name))) if folder else None

    def get(self, name: str) -> WorkspaceInfo:
        """Return the workspace of a name."""
        info = self.find(name)
        if info is None:
            names = [info.name for info in self.all()]
            raise WorkspaceError(
                f"There is no workspace “{shown_name(name)}”.",
                hint=f"There are: {', '.join(names)}." if names else "Make one by indexing files into it.",
            )
        return info

    def create(self, name: str) -> WorkspaceInfo:
        """Make an empty workspace."""
        with names_locked(self.data_dir), _disk_errors(f"The workspace “{name}” cannot be made"):
            shown = check_free(self.data_dir, name)
            folder = new_folder(self.data_dir, shown)
            folder.mkdir()
            write_name(folder, shown)
        return self.get(shown)

    def rename(self, name: str, new_name: str) -> WorkspaceInfo:
        """Give a workspace another name; it may be open in this program."""
        with names_locked(self.data_dir), _disk_errors(f"The workspace “{name}” cannot be renamed"):
            info = self.get(name)
            shown = check_free(self.data_dir, new_name, besides=info.folder)
            opened = opened_here(info.folder)
            if opened is None:
                with _lock_of(info):
                    write_name(info.folder, shown)
            else:
                write_name(info.folder, shown)
                opened.name = shown
        return self.get(shown)

    def delete(self, name: str) -> None:
        """Remove a workspace with everything in it. It must be closed."""
        with names_locked(self.data_dir), _disk_errors(f"The workspace “{name}” cannot be deleted"):
            info = self.get(name)
            # Held for a moment only: nobody opens it while the names are locked.
            with _lock_of(info):
                pass
            removed = self.data_dir / f"{_REMOVED}{uuid.uuid4().hex}"
            info.folder.rename(removed)
        shutil.rmtree(removed, ignore_errors=True)

    def duplicate(self, name: str, new_name: str = "", on_progress: Progress = _no_progress) -> WorkspaceInfo:
        """Copy a workspace, which may be open in this program; without a name it is called ``name (2)``.

        No model is called: the vectors are copied.
        """
        info = self.get(name)
        if new_name:
            check_free(self.data_dir, new_name)
        with self._staging() as folder, _disk_errors(f"The workspace “{info.name}” cannot be copied"):
            with self._held(info) as workspace:
                save_snapshot(workspace, folder, on_progress)
            return self._settle(folder, new_name, info.name, on_progress)

    def export(self, name: str, path: Path, on_progress: Progress = _no_progress) -> Path:
        """Write a workspace, which may be open in this program, to one archive file; return its path.

        Everything is in it but addresses of model servers and their keys.
        """
        info = self.get(name)
        with self._staging() as folder, _disk_errors(f"The archive {path.name} cannot be written"):
            with self._held(info) as workspace:
                save_snapshot(workspace, folder, on_progress)
                used = workspace.about.get("embedding") or {"name": "", "dimensions": 0}
            forget_machine_settings(folder / DATABASE)
            write_archive(
                folder,
                path,
                name=info.name,
                documents=info.documents or 0,
                model=(str(used["name"]), int(used["dimensions"])),
                on_progress=on_progress,
            )
        return path

    def import_archive(
        self,
        archive: Path | BinaryIO,
        name: str = "",
        on_progress: Progress = _no_progress,
        limits: Limits | None = None,
    ) -> WorkspaceInfo:
        """Make a workspace of an archive; nothing is read or embedded again.

        It is called as in the archive, or ``name (2)`` where that is taken; a `name` given must be free. A
        file that is damaged, too large or no archive changes nothing.
        """
        if name:
            check_free(self.data_dir, name)
        with self._staging() as folder, _disk_errors("The archive cannot be imported"):
            manifest = unpack_archive(archive, folder, on_progress, limits)
            try:
                forget_machine_settings(folder / DATABASE)
                return self._settle(folder, name, manifest.name, on_progress, check=True)
            except (sqlite3.Error, EOFError, ValueError, KeyError, TypeError, AttributeError) as error:
                if disk_refuses(error):
                    raise
                raise WorkspaceError(
                    f"The archive cannot be imported: what is in it is damaged ({error}).",
                    hint="Export the workspace again, and import that file. Nothing was created.",
                ) from error

    def _settle(
        self, folder: Path, name: str, suggested: str, on_progress: Progress, *, check: bool = False
    ) -> WorkspaceInfo:
        """Make a workspace of a snapshot in a staging folder, and move it to its place."""
        workspace = Workspace.in_folder(folder, suggested)
        try:
            if check:
                check_contents(workspace)
                workspace.words.rebuild()
            restore_vectors(workspace, on_progress)
            # Opening it compares what was copied while others worked, or came from elsewhere.
            workspace.ended_uncleanly = True
        finally:
            workspace.close()
        with names_locked(self.data_dir):
            shown = check_free(self.data_dir, name) if name else free_name(self.data_dir, suggested)
            write_name(folder, shown)
            folder.rename(new_folder(self.data_dir, shown))
        return self.get(shown)

    @contextmanager
    def _held(self, info: WorkspaceInfo) -> Iterator[Workspace]:
        opened = opened_here(info.folder)
        if opened is not None:
            yield opened
            return
        with contextlib.closing(Workspace(self.data_dir, info.name)) as workspace:
            yield workspace

    @contextmanager
    def _staging(self) -> Iterator[Path]:
        """Give an empty folder for the time being; its lock says that it is in use, not left by a crash."""
        with names_locked(self.data_dir):
            self._sweep()
            folder = self.data_dir / f"{_STAGING}{uuid.uuid4().hex}"
            lock = FileLock(self.data_dir / f"{folder.name}.lock", thread_local=False)
            lock.acquire(timeout=0)
            folder.mkdir()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            lock.release()
            Path(lock.lock_file).unlink(missing_ok=True)

    def _sweep(self) -> None:
        for folder in self.data_dir.glob(f"{_REMOVED}*"):
            shutil.rmtree(folder, ignore_errors=True)
        for path in self.data_dir.glob(f"{_STAGING}*.lock"):
            with contextlib.suppress(Timeout), FileLock(path, timeout=0):
                shutil.rmtree(path.with_suffix(""), ignore_errors=True)
                path.unlink(missing_ok=True)


@contextmanager
def _lock_of(info: WorkspaceInfo) -> Iterator[None]:
    try:
        with FileLock(info.folder / LOCK_FILE, timeout=0, thread_local=False):
            yield
    except Timeout:
        raise already_open(info.name) from None


@contextmanager
def _disk_errors(what: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        if disk_refuses(error) and not isinstance(error, DiskError):
            raise DiskError(error) from error
        raise
    except OSError as error:
        raise WorkspaceError(
            f"{what}: {error.strerror or error}.",
            hint="Make room on the disk that holds the workspaces, or change the folder's permissions.",
        ) from error


def _info(folder: Path, name: str) -> WorkspaceInfo:
    parts = {"database": 0, "vectors": 0, "originals": 0}
    changed = 0.0
    for path in folder.rglob("*"):
        # A file may vanish between being listed and being measured, or belong to somebody else.
        with contextlib.suppress(OSError):
            stat = path.stat()
            if not path.is_file():
                continue
            first = path.relative_to(folder).parts[0]
            kind = "vectors" if first == "chroma" else "originals" if first in ORIGINALS else "database"
            parts[kind] += stat.st_size
            # What opening, closing and looking leave changes nothing.
            if path.name not in (LOCK_FILE, MARKER, SEAL, f"{DATABASE}-shm"):
                changed = max(changed, stat.st_mtime)
    return WorkspaceInfo(name, folder, _documents(folder / DATABASE), **parts, changed=changed)


def _documents(database: Path) -> int | None:
    if not database.exists():
        return 0
    # Without a log nobody has it open: then looking must not make one.
    closed = "" if database.with_name(f"{DATABASE}-wal").exists() else "&immutable=1"
    try:
        address = f"file:{quote(str(database.resolve()))}?mode=ro{closed}"
        with contextlib.closing(sqlite3.connect(address, uri=True, timeout=5)) as connection:
            rows = connection.execute("SELECT count(*) FROM kv WHERE namespace = 'documents'").fetchall()
            return int(rows[0][0])
    except sqlite3.Error:
        return None
