"""SQLite: one database a workspace, one writer, any number of reading threads."""

from __future__ import annotations

import errno
import json
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lightrag_engine.errors import WorkspaceError
from lightrag_engine.storage.base import Value
from lightrag_engine.storage.packing import packed, unpacked
from lightrag_engine.storage.schema import PAGE_SIZE, migrate

MINIMUM_VERSION = (3, 35, 0)  # RETURNING, and what Chroma asks for
_PRIMARY = 0xFF  # of an extended error code, the part that says what kind it is
_BATCH = 500  # well under the limit of 999 variables of older builds


def check_version(version: tuple[int, ...] = sqlite3.sqlite_version_info) -> None:
    """Raise `WorkspaceError` when the SQLite library of this Python is too old."""
    if version < MINIMUM_VERSION:
        found, needed = (".".join(map(str, v)) for v in (version, MINIMUM_VERSION))
        raise WorkspaceError(
            f"SQLite {found} is too old: version {needed} or newer is needed.",
            hint="Use a newer Python (its installer brings a new SQLite), or update the system's SQLite.",
        )


def may_not_write(error: BaseException) -> bool:
    """Whether SQLite was refused the file or its folder by the system: nothing in it is damaged."""
    codes = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN)
    return getattr(error, "sqlite_errorcode", 0) & _PRIMARY in codes


def disk_is_full(error: BaseException) -> bool:
    """Whether an error of SQLite or of the system says that there is no room for what was to be written."""
    if isinstance(error, OSError):
        return error.errno in (errno.ENOSPC, errno.EDQUOT)
    return getattr(error, "sqlite_errorcode", 0) & _PRIMARY == sqlite3.SQLITE_FULL


class DiskError(WorkspaceError, sqlite3.OperationalError):
    """The disk is full or refuses a write. What was to be written is not there, and nothing else is lost.

    To the engine it is the error of SQLite that it was, to a person one that says what to do.
    """

    def __init__(self, error: sqlite3.Error) -> None:
        what = "the disk is full" if disk_is_full(error) else "the disk refuses"
        super().__init__(
            f"Nothing could be saved: {what} ({error}).",
            hint="Make room where the workspaces are kept, then try again; nothing that was kept is lost.",
        )
        self.sqlite_errorcode = error.sqlite_errorcode


def disk_refuses(error: BaseException) -> bool:
    """Whether SQLite could not write for want of room, or because the disk gave an error."""
    return disk_is_full(error) or getattr(error, "sqlite_errorcode", 0) & _PRIMARY == sqlite3.SQLITE_IOERR


def batches(items: Iterable[Any], size: int = _BATCH) -> Iterator[list[Any]]:
    """Cut a sequence into lists of at most `size`."""
    batch: list[Any] = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


class Database:
    """A database file in WAL mode.

    Writes happen inside `transaction()`, one at a time, all or nothing. Reads outside a transaction use a
    connection of the calling thread and see the last committed state; reads of the thread that is inside a
    transaction see its own writes. What was read is up to date as long as `commits` stays the same.
    """

    def __init__(self, path: Path) -> None:
        check_version()
        self.path = path
        self._lock = threading.RLock()
        self._owner: int | None = None
        self._closed = False
        self._readers = threading.local()
        self._open: list[sqlite3.Connection] = []
        self._after_commit: list[Callable[[], None]] = []
        self.commits = 0
        self._writer = self._connect()
        try:
            self._writer.execute(f"PRAGMA page_size = {PAGE_SIZE}")  # of a file that is made now
            self._writer.execute("PRAGMA journal_mode = WAL")
            migrate(self._writer)
        except BaseException:
            self.close()
            raise

    def _connect(self) -> sqlite3.Connection:
        self.check_open()
        connection = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False, timeout=30)
        try:
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("SELECT count(*) FROM sqlite_master")
        except sqlite3.DatabaseError as error:
            connection.close()
            if may_not_write(error):
                raise
            if disk_refuses(error):
                raise DiskError(error) from error
            raise WorkspaceError(
                f"The file {self.path.name} of the workspace cannot be opened: {error}.",
                hint=f"It may be damaged: put a backup of {self.path.name} in its place, or move the "
                "workspace folder away and index the documents again.",
            ) from error
        self._open.append(connection)
        return connection

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Run a block as one transaction; an inner block joins the outer one.

        Raises
        ------
        DiskError
            When there is no room for it, or the disk refuses.
        """
        with self._lock:
            self.check_open()
            if self._owner is not None:
                yield self._writer
                return
            self._writer.execute("BEGIN IMMEDIATE")
            self._owner = threading.get_ident()
            self._after_commit.clear()
            try:
                yield self._writer
                self._writer.execute("COMMIT")
                self.commits += 1
            except BaseException as error:
                # SQLite itself rolls back when the disk is full.
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                if isinstance(error, sqlite3.Error) and disk_refuses(error):
                    raise DiskError(error) from error
                raise
            finally:
                self._owner = None
            for action in self._after_commit:
                action()

    def after_commit(self, action: Callable[[], None]) -> None:
        """Run `action` once the transaction under way is committed; not at all when it is rolled back."""
        self._after_commit.append(action)

    def read(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a SELECT."""
        if self._owner == threading.get_ident():
            return self._writer.execute(sql, parameters).fetchall()
        reader = getattr(self._readers, "connection", None)
        if reader is None or self._closed:
            reader = self._readers.connection = self._connect()
        return reader.execute(sql, parameters).fetchall()

    def read_in(self, sql: str, keys: Iterable[str]) -> list[tuple[Any, ...]]:
        """Return all rows of a SELECT that holds ``IN (?)``, for any number of keys."""
        rows: list[tuple[Any, ...]] = []
        for batch in batches(keys):
            rows += self.read(sql.replace("IN (?)", f"IN ({','.join('?' * len(batch))})"), batch)
        return rows

    def check_open(self) -> None:
        """Raise `WorkspaceError` when the database was closed."""
        if self._closed:
            raise WorkspaceError("The workspace is closed.", hint="Open it again.")

    def checkpoint(self) -> None:
        """Move what the write-ahead log holds into the database file, as far as nobody reads it.

        A log of which nothing is left gives its room back.
        """
        with self._lock:
            if not self._closed:
                _, pages, moved = self._writer.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
                if pages == moved > 0:
                    self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close every connection."""
        with self._lock:
            self._closed = True
            for connection in self._open:
                connection.close()
            self._open.clear()


class SqliteKeyValue:
    """A `KeyValueStore` as rows of the table ``kv``; takes part in the database's transactions.

    A value is JSON. With `compress` a long one is compressed (zlib), which makes a third of a text, but keeps
    SQL from looking into it.
    """

    def __init__(self, database: Database, namespace: str, *, compress: bool = False) -> None:
        self._database = database
        self._namespace = namespace
        self._pack = packed if compress else str

    def get(self, key: str) -> dict[str, Any] | None:
        return self.get_many([key]).get(key)

    def get_many(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        rows = [
            row
            for batch in batches(keys)
            for row in self._database.read(
                f"SELECT key, value FROM kv WHERE namespace = ? AND key IN ({','.join('?' * len(batch))})",
                [self._namespace, *batch],
            )
        ]
        return {key: json.loads(unpacked(value)) for key, value in rows}

    def put_many(self, values: Mapping[str, Value]) -> None:
        rows = [
            (self._namespace, key, self._pack(json.dumps(value, ensure_ascii=False)))
            for key, value in values.items()
        ]
        with self._database.transaction() as connection:
            connection.executemany("INSERT OR REPLACE INTO kv VALUES (?, ?, ?)", rows)

    def delete_many(self, keys: Iterable[str]) -> None:
        with self._database.transaction() as connection:
            connection.executemany(
                "DELETE FROM kv WHERE namespace = ? AND key = ?", [(self._namespace, key) for key in keys]
            )

    def keys(self) -> Iterator[str]:
        rows = self._database.read("SELECT key FROM kv WHERE namespace = ? ORDER BY key", [self._namespace])
        return (key for (key,) in rows)

    def __len__(self) -> int:
        return int(
            self._database.read("SELECT count(*) FROM kv WHERE namespace = ?", [self._namespace])[0][0]
        )
