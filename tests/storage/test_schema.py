"""Databases of every schema there was open with today's program; newer ones are refused."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from pathlib import Path

import pytest
from conftest import MakeRag

from lightrag_engine import DocumentState, WorkspaceError, Workspaces
from lightrag_engine.records import EntityRecord, Extraction, RelationRecord
from lightrag_engine.storage.extractions import ExtractionStore
from lightrag_engine.storage.schema import MIGRATIONS, PAGE_SIZE, check_foreign, migrate
from lightrag_engine.storage.sqlite import Database

OLD = Path(__file__).parents[1] / "data" / "schema_1" / "workspace.sql"


@pytest.fixture
def old_workspace(tmp_path: Path) -> Path:
    """A workspace as the first schema left it; its vectors are lost."""
    path = Workspaces(tmp_path).create("old").folder / "workspace.db"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(OLD.read_text(encoding="utf-8"))
    return path


def version(path: Path) -> int:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def test_a_workspace_of_the_first_schema_opens_with_todays(old_workspace: Path, make_rag: MakeRag) -> None:
    assert version(old_workspace) == 1
    rag = make_rag("old")
    assert {d.name: d.state for d in rag.documents()} == {
        "ferry.txt": DocumentState.DONE,
        "渡轮.txt": DocumentState.DONE,
    }
    assert set(rag.graph) == {"mara quill", "brindle valley ferry", "tobias renn", "heron", "port ansel"}
    assert rag.graph.edges["mara quill", "tobias renn"]["weight"] == 1.0
    rag.check(repair=True)  # waits for the vectors
    assert rag.query("Who founded the Brindle Valley Ferry?").citations
    # And it is as if it had been made today.
    fresh = make_rag("fresh")
    fresh.insert([rag.document_text(d.id) for d in rag.documents()])
    assert dict(fresh.graph.nodes(data=True)) == dict(rag.graph.nodes(data=True))
    assert rag.check().sound
    rag.close()
    assert version(old_workspace) == len(MIGRATIONS)
    with contextlib.closing(sqlite3.connect(old_workspace)) as connection:
        assert connection.execute("PRAGMA page_size").fetchone() == (PAGE_SIZE,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_the_steps_have_names_of_their_own() -> None:
    assert len({name for name, _ in MIGRATIONS}) == len(MIGRATIONS)


@pytest.mark.parametrize("start", range(1, len(MIGRATIONS) + 1))
def test_going_on_from_any_schema_gives_the_same_tables(tmp_path: Path, start: int) -> None:
    for name, stops in (("stepwise", (start, len(MIGRATIONS))), ("at once", (len(MIGRATIONS),))):
        with contextlib.closing(sqlite3.connect(tmp_path / name, isolation_level=None)) as connection:
            for stop in stops:
                migrate(connection, stop)
        check_foreign(tmp_path / name)


def test_a_newer_schema_is_refused_and_left_alone(old_workspace: Path, make_rag: MakeRag) -> None:
    with contextlib.closing(sqlite3.connect(old_workspace)) as connection:
        connection.execute("PRAGMA user_version = 999")
    with pytest.raises(WorkspaceError, match="schema version 999") as caught:
        make_rag("old")
    assert "Update the program" in caught.value.hint
    assert version(old_workspace) == 999


def test_records_with_named_fields_become_lists(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    before = [name for name, _ in MIGRATIONS].index("records without the names of their fields")
    entity = {"entity_name": 'Ada "A"', "entity_type": "person", "entity_description": "d", "source_id": "c1"}
    relation = {
        "src_id": "Bob",
        "tgt_id": "Ada",
        "description": "met, \n often",
        "keywords": ["k", "渡轮"],
        "weight": 2.5,
        "source_id": "c1",
        "rule": "verb",
    }
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, before)
        connection.execute("INSERT INTO placements VALUES ('doc', 0, 'c1', 'x', 0, 1, NULL, NULL)")
        connection.execute("INSERT INTO entity_records VALUES ('x', 0, 'ada', ?)", [json.dumps(entity)])
        connection.execute(
            "INSERT INTO relation_records VALUES ('x', 0, 'ada', 'bob', ?)",
            [json.dumps(relation, ensure_ascii=False)],
        )
    store = ExtractionStore(Database(path))
    expected = EntityRecord('Ada "A"', "person", "d", "c1")
    assert [placed.record for placed in store.entity_records("ada")] == [expected]
    (found,) = store.relation_records(("ada", "bob"))
    assert found.record == RelationRecord("Bob", "Ada", "met, \n often", ("k", "渡轮"), 2.5, "c1", "verb")
    store.put("y", Extraction("c1", (expected,), (found.record,)))
    rows = store._database.read(
        "SELECT value FROM entity_records UNION ALL SELECT value FROM relation_records"
    )
    assert len({json.dumps(json.loads(value)) for (value,) in rows}) == 2, "written as they were converted"
    store._database.close()
