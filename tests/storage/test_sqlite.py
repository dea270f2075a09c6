from __future__ import annotations

import json
import sqlite3
import threading
import zlib
from pathlib import Path

import pytest

from lightrag_engine.errors import WorkspaceError
from lightrag_engine.storage.packing import unpacked
from lightrag_engine.storage.schema import MIGRATIONS
from lightrag_engine.storage.sqlite import Database, SqliteKeyValue, check_version


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "test.db")


def test_a_transaction_that_fails_changes_nothing(database: Database) -> None:
    store = SqliteKeyValue(database, "n")
    seen: list[str] = []

    def fail_half_way() -> None:
        with database.transaction():
            store.put_many({"a": {}})
            database.after_commit(lambda: seen.append("committed"))
            raise RuntimeError("half-way")

    with pytest.raises(RuntimeError, match="half-way"):
        fail_half_way()
    assert store.get("a") is None
    assert seen == []
    database.close()


def test_an_inner_transaction_joins_the_outer_one(database: Database) -> None:
    store = SqliteKeyValue(database, "n")
    seen: list[int] = []
    with database.transaction():
        store.put_many({"a": {}})
        database.after_commit(lambda: seen.append(len(store)))
        with database.transaction():
            store.put_many({"b": {}})
        assert seen == []
        assert len(store) == 2, "the writing thread sees its own rows"
    assert seen == [2]
    database.close()


def test_other_threads_read_the_last_committed_state(database: Database) -> None:
    store = SqliteKeyValue(database, "n")
    counted: list[int] = []
    with database.transaction():
        store.put_many({"a": {}})
        thread = threading.Thread(target=lambda: counted.append(len(store)))
        thread.start()
        thread.join()
    assert counted == [0]
    assert len(store) == 1
    database.close()


def test_writes_of_many_threads_all_arrive(database: Database) -> None:
    store = SqliteKeyValue(database, "n")
    threads = [
        threading.Thread(target=lambda n=n: [store.put_many({f"{n}-{i}": {}}) for i in range(20)])
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store) == 160
    database.close()


def test_a_damaged_file_is_named_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "workspace.db"
    path.write_bytes(b"this is not a database, it is much too long for an empty one" * 50)
    before = path.read_bytes()
    with pytest.raises(WorkspaceError, match=r"workspace\.db") as caught:
        Database(path)
    assert "backup" in caught.value.hint
    assert path.read_bytes() == before


def test_an_old_sqlite_is_refused_with_the_needed_version() -> None:
    with pytest.raises(WorkspaceError, match=r"3\.34\.1 is too old.*3\.35\.0"):
        check_version((3, 34, 1))


def test_a_database_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    Database(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    with pytest.raises(WorkspaceError, match="schema version") as caught:
        Database(path)
    assert "Update" in caught.value.hint


def test_migrations_run_once(tmp_path: Path) -> None:
    for _ in range(2):
        database = Database(tmp_path / "w.db")
        assert database.read("PRAGMA user_version") == [(len(MIGRATIONS),)]
        database.close()


def test_long_values_are_compressed_and_older_plain_ones_still_read(database: Database) -> None:
    store = SqliteKeyValue(database, "n", compress=True)
    long = {"text": "雲嶺 and a sentence that comes again. " * 200}
    store.put_many({"long": long, "short": {"a": 1}})
    with database.transaction() as connection:
        connection.execute("INSERT INTO kv VALUES ('n', 'old', ?)", [json.dumps(long)])
    assert store.get_many(["long", "short", "old"]) == {"long": long, "short": {"a": 1}, "old": long}
    ((size,),) = database.read("SELECT length(value) FROM kv WHERE key = 'long'")
    assert size < 500


def test_damaged_and_explosive_values_are_refused() -> None:
    long = zlib.compress(b'"' + b"a" * 1000 + b'"')
    assert unpacked(long) == '"' + "a" * 1000 + '"'
    for value in (b"no zlib", long[:-3]):
        with pytest.raises(ValueError, match="compressed value"):
            unpacked(value)


def test_every_transaction_that_is_committed_is_counted_and_no_other(database: Database) -> None:
    store = SqliteKeyValue(database, "n")
    before = database.commits
    store.put_many({"a": {}})
    with database.transaction():
        store.put_many({"b": {}})
        store.put_many({"c": {}})
        assert database.commits == before + 1

    def fail_half_way() -> None:
        with database.transaction():
            store.put_many({"d": {}})
            raise RuntimeError("half-way")

    with pytest.raises(RuntimeError, match="half-way"):
        fail_half_way()
    assert database.commits == before + 2
    database.close()
