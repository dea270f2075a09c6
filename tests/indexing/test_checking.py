"""The self-check finds every kind of damage, says what it is, and puts it right without losing a document."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from conftest import MakeRag
from doubles import HashEmbedding, ScriptedLanguage

from lightrag_engine import DocumentState, LightRAG, ProblemKind, Settings, Upload, WorkspaceError
from lightrag_engine.embedding.base import Role, Vectors
from lightrag_engine.storage.base import VectorRecord
from lightrag_engine.storage.workspace import MARKER

TEXTS = {
    "ferry.txt": "Mara Quill founded the Brindle Valley Ferry. Tobias Renn met Mara Quill.",
    "north.txt": "Ilse Vogt studied in Hamburg. Ilse Vogt met Mara Quill in Port Ansel.",
}
CHILD = Path(__file__).parent.parent / "crash_child.py"


@pytest.fixture
def press(make_rag: MakeRag) -> LightRAG:
    rag = make_rag("press", chunk_token_size=16, chunk_overlap_token_size=0)
    rag.insert_files([Upload(name, text.encode()) for name, text in TEXTS.items()])
    return rag


def contents(rag: LightRAG) -> dict[str, object]:
    return {
        "documents": {d.id: (d.names[0], d.state) for d in rag.documents()},
        "chunks": {d.id: [c.content for c in rag.document_chunks(d.id)] for d in rag.documents()},
        "nodes": dict(rag.graph.nodes(data=True)),
        "edges": {(a, b): edge for a, b, edge in rag.graph.edges(data=True)},
        "vectors": {role: store.text_hashes() for role, store in rag._workspace.vectors.items()},
    }


def run_sql(rag: LightRAG, *statements: str) -> None:
    """Damage the rows behind the program's back."""
    with contextlib.closing(sqlite3.connect(rag._workspace.database.path)) as connection, connection:
        for statement in statements:
            assert connection.execute(statement).rowcount != 0, f"nothing happened: {statement}"


def forget_vectors(rag: LightRAG) -> None:
    for store in rag._workspace.vectors.values():
        store.delete(sorted(store.ids())[:1])


def turn_vectors(rag: LightRAG) -> None:
    store = rag._workspace.vectors["entities"]
    records, vectors = store.get(sorted(store.ids())[:2])
    store.upsert([VectorRecord(r.id, "an older text", r.metadata) for r in records], vectors)


def add_vectors(rag: LightRAG) -> None:
    row = np.zeros((1, 64), dtype=np.float32)
    row[0, 0] = 1
    for store in rag._workspace.vectors.values():
        store.upsert([VectorRecord("ghost", "ghost", {"a": "b"})], row)


def forget_in_memory(rag: LightRAG) -> None:
    rag._workspace.graph._graph.remove_node("mara quill")
    rag._workspace.graph._snapshot = None


DAMAGE: dict[str, tuple[Callable[[LightRAG], None], set[ProblemKind]]] = {
    "missing vectors": (forget_vectors, {ProblemKind.VECTORS_MISSING}),
    "stale vectors": (turn_vectors, {ProblemKind.VECTORS_STALE}),
    "stray vectors": (add_vectors, {ProblemKind.VECTORS_STRAY}),
    "a node row": (
        lambda rag: run_sql(rag, "DELETE FROM nodes WHERE key = 'mara quill'"),
        {ProblemKind.ENTITY},
    ),
    "an edge row": (
        lambda rag: run_sql(rag, "DELETE FROM edges WHERE low_key = 'ilse vogt'"),
        {ProblemKind.RELATION},
    ),
    "a changed node": (
        lambda rag: run_sql(
            rag, "UPDATE nodes SET value = json_set(value, '$.description', 'lie') WHERE key = 'hamburg'"
        ),
        {ProblemKind.ENTITY},
    ),
    "a node of nothing": (
        lambda rag: run_sql(
            rag, "INSERT INTO nodes SELECT 'ghost', json_set(value, '$.key', 'ghost') FROM nodes LIMIT 1"
        ),
        {ProblemKind.ENTITY},
    ),
    "the graph in memory": (forget_in_memory, {ProblemKind.ENTITY, ProblemKind.RELATION}),
    "a text": (
        lambda rag: run_sql(rag, "DELETE FROM kv WHERE namespace = 'texts'"),
        {ProblemKind.LOST_TEXT},
    ),
    "a chunk": (
        lambda rag: run_sql(rag, "DELETE FROM kv WHERE namespace = 'chunks'"),
        {ProblemKind.LOST_CHUNK},
    ),
    "chunks of nothing": (
        lambda rag: run_sql(
            rag, "INSERT INTO kv VALUES ('chunks', 'chunk-ghost', '{\"content\": \"ghost\", \"tokens\": 1}')"
        ),
        {ProblemKind.STRAY_CHUNK},
    ),
    "readings of nothing": (
        lambda rag: run_sql(
            rag, "INSERT INTO entity_records SELECT 'ghost', number, key, value FROM entity_records LIMIT 1"
        ),
        {ProblemKind.STRAY_READING},
    ),
    "places of nothing": (
        lambda rag: run_sql(
            rag,
            "INSERT INTO placements SELECT 'doc-ghost', position, 'chunk-ghost', extraction_id, start, end, "
            "page_first, page_last FROM placements LIMIT 1",
        ),
        {ProblemKind.STRAY_PLACE},
    ),
    "notes on nothing": (
        lambda rag: run_sql(rag, "INSERT INTO kv VALUES ('work', 'doc-g', '{}'), ('reports', 'doc-g', '{}')"),
        {ProblemKind.STRAY_ROW},
    ),
    "files of nothing": (
        lambda rag: [
            (rag._workspace.files / name).write_bytes(b"Mara") for name in ("doc-ghost", "doc-g.part")
        ],
        {ProblemKind.STRAY_FILE},
    ),
    "debts of nothing": (
        lambda rag: run_sql(rag, "INSERT INTO outbox (collection, id) VALUES ('ghosts', 'ghost')"),
        {ProblemKind.STRAY_OWED},
    ),
}


def test_nothing_is_wrong_with_a_workspace_in_use(press: LightRAG) -> None:
    report = press.check()
    assert report.sound
    assert report.repaired
    assert dict(report.checked) == {
        "documents": 2,
        "chunks": len(press._workspace.chunks),
        "entities": len(press.graph),
        "relations": press.graph.number_of_edges(),
        "vectors": sum(len(store) for store in press._workspace.vectors.values()),
    }


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_found_named_and_put_right(press: LightRAG, name: str) -> None:
    damage, kinds = DAMAGE[name]
    before = contents(press)
    damage(press)
    report = press.check()
    assert kinds <= {problem.kind for problem in report.problems}
    assert not report.repaired
    for problem in report.problems:
        assert problem.count
        assert problem.examples
        assert "not repaired" in str(problem)
    # Looking changed nothing.
    assert {(p.kind, p.count) for p in press.check().problems} == {(p.kind, p.count) for p in report.problems}
    repaired = press.check(repair=True)
    assert repaired.repaired
    assert kinds <= {problem.kind for problem in repaired.problems}
    assert press.check().sound, press.check().problems
    assert contents(press) == before


def test_original_files_of_no_document_are_put_aside_and_kept(press: LightRAG) -> None:
    """They stayed for ever, and nobody was told; where a database is lost they are all there is."""
    files = press._workspace.files
    kept = {path.name: path.read_bytes() for path in files.iterdir()}
    (files / "doc-ghost").write_bytes(b"a lost document")
    (files / "doc-half.part").write_bytes(b"a lo")
    (problem,) = press.check(repair=True).problems
    assert (problem.kind, problem.count) == (ProblemKind.STRAY_FILE, 2)
    assert problem.action == "put into the folder unclaimed files"
    assert {path.name: path.read_bytes() for path in files.iterdir()} == kept
    aside = press._workspace.folder / "unclaimed files"
    assert {path.name: path.read_bytes() for path in aside.iterdir()} == {"doc-ghost": b"a lost document"}


def test_a_document_that_waits_keeps_its_file_and_its_notes(press: LightRAG) -> None:
    press.pause_queue()
    press.submit_text("Somebody waits.", "waits.txt")
    assert press.check(repair=True).sound


def test_what_a_person_edited_is_part_of_what_should_be_there(press: LightRAG) -> None:
    press.merge_entities(["tobias renn"], "mara quill")
    press.rename_entity("port ansel", "Port Anselm")
    press.describe_entity("hamburg", "A city on the Elbe.")
    press.add_entity("Low Harrow", "location", "A village.")
    press.delete_entity("ilse vogt")
    before = press.check(repair=True)
    assert before.sound, before.problems
    kept = contents(press)
    run_sql(press, "DELETE FROM nodes", "DELETE FROM edges")
    assert press.check(repair=True).repaired
    assert press.check().sound
    assert contents(press) == kept


def test_documents_that_left_the_list_come_back(press: LightRAG, make_rag: MakeRag) -> None:
    before = contents(press)
    press.close()
    run_sql(press, "DELETE FROM kv WHERE namespace = 'documents'")
    rag = make_rag("press", chunk_token_size=16, chunk_overlap_token_size=0)
    assert rag.documents() == []
    language = rag._models.language
    assert ProblemKind.LOST_DOCUMENT in {problem.kind for problem in rag.check(repair=True).problems}
    rag.insert("Something else.")  # comes after those in the queue
    rag.delete_document(rag.documents()[0].id)
    assert contents(rag) == before
    assert isinstance(language, ScriptedLanguage)
    assert len(language.read) == 1, "what was read is kept"


def test_a_reading_that_is_lost_is_made_again(press: LightRAG) -> None:
    before = contents(press)
    run_sql(press, "DELETE FROM kv WHERE namespace = 'extractions'", "DELETE FROM entity_records")
    report = press.check(repair=True)
    assert ProblemKind.LOST_READING in {problem.kind for problem in report.problems}
    press.insert("Something else.")
    press.delete_document(press.documents()[0].id)
    assert contents(press) == before
    assert press.check().sound


def test_a_document_is_read_again_from_its_file_when_nothing_else_is_left(press: LightRAG) -> None:
    before = contents(press)
    run_sql(press, "DELETE FROM kv WHERE namespace IN ('texts', 'chunks')")
    assert press.check(repair=True).repaired
    press.wait_for_documents([d.id for d in press.documents()])
    press.check(repair=True)  # waits for the vectors
    assert contents(press) == before
    assert press.check().sound


def test_a_document_of_which_too_little_is_left_is_reported_and_kept(press: LightRAG) -> None:
    for file in press._workspace.files.iterdir():
        file.unlink()
    run_sql(press, "DELETE FROM kv WHERE namespace IN ('texts', 'chunks')")
    report = press.check(repair=True)
    assert not report.repaired
    assert {p.kind for p in report.problems if not p.repaired} == {ProblemKind.LOST_TEXT}
    assert len(press.documents()) == 2


def test_a_text_that_no_model_can_embed_is_no_fault(make_rag: MakeRag) -> None:
    """It was taken for a lost vector, and tried again whenever the workspace was opened."""

    class Choosy(HashEmbedding):
        async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
            rows = await super().embed(texts, role)
            rows[["poison" in text for text in texts]] = 0
            return rows

    rag = make_rag(embedding=Choosy())
    rag.insert_files([Upload("bad.txt", b"Some poison here. Mara Quill met Tobias Renn.")])
    assert rag.check().sound
    rag.close()
    embedding = Choosy()
    again = make_rag(embedding=embedding)
    assert again.opening_check is None
    assert embedding.embedded == []
    again.delete_document(again.documents()[0].id)
    assert again.check().sound


def test_summaries_that_are_there_are_not_written_again(make_rag: MakeRag) -> None:
    language = ScriptedLanguage()
    rag = make_rag(language=language, entity_summary_max_tokens=20)
    rag.insert([f"Mara Quill met Guest{n} of the long winding road number {n}." for n in range(6)])
    written = list(language.summarised)
    assert written
    run_sql(rag, "UPDATE nodes SET value = json_set(value, '$.weight', 99) WHERE key = 'guest1'")
    assert [problem.kind for problem in rag.check(repair=True).problems] == [ProblemKind.ENTITY]
    assert language.summarised == written
    assert rag.check().sound


def test_vectors_whose_index_is_lost_are_made_anew(make_rag: MakeRag) -> None:
    """Chroma still lists them then, and finds next to nothing without saying so."""
    # Fewer than Chroma's threshold are not in the index yet.
    rag = make_rag("press", chunk_token_size=50_000)
    rag.insert(" ".join(f"Guest{n} came." for n in range(1100)))
    before = contents(rag)
    rag.close()
    for path in (rag._workspace.folder / "chroma").iterdir():
        if path.is_dir():
            shutil.rmtree(path)
    again = make_rag("press", chunk_token_size=50_000)
    assert {problem.kind for problem in again.check().problems} == {
        ProblemKind.VECTORS_DAMAGED,
        ProblemKind.VECTORS_MISSING,
    }
    assert again.check(repair=True).repaired
    assert again.check().sound
    assert contents(again) == before
    assert again.query("Guest7?", again.query_param(mode="local")).context.entity_rows


def test_a_damaged_index_of_the_database_is_made_anew(press: LightRAG) -> None:
    press.close()
    path = press._workspace.database.path
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'entity_records_by_key'"
        ).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    data = bytearray(path.read_bytes())
    start = (page - 1) * size
    # An empty leaf of an index: readable, and without a row.
    data[start : start + size] = bytes([10, 0, 0, 0, 0, size >> 8 & 255, size & 255, 0]) + bytes(size - 8)
    path.write_bytes(data)
    settings = Settings(data_dir=path.parent.parent, chunk_token_size=16, chunk_overlap_token_size=0)
    with LightRAG("press", settings, language=ScriptedLanguage(), embedding=HashEmbedding()) as rag:
        found = rag.check()
        assert ProblemKind.DATABASE in {problem.kind for problem in found.problems}
        assert rag.check(repair=True).repaired
        assert rag.check().sound


def test_indexing_goes_on_beside_a_check(make_rag: MakeRag) -> None:
    rag = make_rag(chunk_token_size=16, chunk_overlap_token_size=0)
    ids = [rag.submit_text(f"Guest{n} met Mara Quill. Port Ansel {n}.").id for n in range(12)]
    while any(d.state.active for d in rag.documents()):
        assert rag.check().sound, rag.check().problems
    assert {d.id for d in rag.documents()} == set(ids)
    assert rag.check(repair=True).sound


def test_a_closed_workspace_cannot_be_checked(press: LightRAG) -> None:
    press.close()
    with pytest.raises(WorkspaceError, match="closed"):
        press.check()


def test_the_check_has_an_asynchronous_twin(press: LightRAG) -> None:
    async def twice() -> None:
        assert not (await press.acheck()).sound
        assert (await press.acheck(repair=True)).repaired
        assert (await press.acheck()).sound

    forget_vectors(press)
    asyncio.run(twice())


# On opening


def test_a_clean_end_needs_no_check(press: LightRAG, make_rag: MakeRag) -> None:
    marker = press._workspace.folder / MARKER
    assert marker.exists()
    press.close()
    assert not marker.exists()
    assert make_rag("press").opening_check is None


def test_an_unclean_end_is_checked_and_put_right_on_opening(press: LightRAG, make_rag: MakeRag) -> None:
    before = contents(press)
    forget_vectors(press)
    turn_vectors(press)
    press.close()
    run_sql(press, "UPDATE nodes SET value = json_set(value, '$.name', 'LIE') WHERE key = 'hamburg'")
    (press._workspace.folder / MARKER).touch()
    rag = make_rag("press", chunk_token_size=16, chunk_overlap_token_size=0)
    assert rag.opening_check is not None
    assert rag.opening_check.repaired
    assert {ProblemKind.VECTORS_MISSING, ProblemKind.VECTORS_STALE, ProblemKind.ENTITY} <= {
        problem.kind for problem in rag.opening_check.problems
    }
    rag.check(repair=True)
    assert contents(rag) == before
    rag.close()
    assert make_rag("press", chunk_token_size=16, chunk_overlap_token_size=0).opening_check is None


def test_vectors_that_are_lost_are_noticed_after_a_clean_end(press: LightRAG, make_rag: MakeRag) -> None:
    before = contents(press)
    press.close()
    shutil.rmtree(press._workspace.folder / "chroma")
    rag = make_rag("press", chunk_token_size=16, chunk_overlap_token_size=0)
    assert rag.opening_check is not None
    assert {problem.kind for problem in rag.opening_check.problems} == {ProblemKind.VECTORS_MISSING}
    rag.check(repair=True)
    rag.insert("wait for it")
    rag.delete_document(rag.documents()[0].id)
    assert contents(rag) == before


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_a_killed_program_leaves_the_mark_and_one_that_ends_idle_does_not(tmp_path: Path) -> None:
    def child(*more: str) -> list[str]:
        return [sys.executable, "-c", IDLE, str(tmp_path), *more]

    subprocess.run(child(), cwd=CHILD.parent, check=True, timeout=120)
    (folder,) = [path for path in tmp_path.iterdir() if path.is_dir()]
    assert not (folder / MARKER).exists()
    with subprocess.Popen(child("wait"), cwd=CHILD.parent, stdout=subprocess.PIPE) as killed:
        assert killed.stdout is not None
        assert killed.stdout.readline().strip() == b"idle"
        os.kill(killed.pid, signal.SIGKILL)
    assert (folder / MARKER).exists()
    with LightRAG(
        "w", Settings(data_dir=tmp_path), language=ScriptedLanguage(), embedding=HashEmbedding()
    ) as rag:
        assert rag.opening_check is not None
        assert rag.opening_check.sound
        assert {d.state for d in rag.documents()} == {DocumentState.DONE}


IDLE = """
import pathlib, sys, time
from doubles import HashEmbedding, ScriptedLanguage
from lightrag_engine import LightRAG, Settings
rag = LightRAG("w", Settings(data_dir=pathlib.Path(sys.argv[1])), language=ScriptedLanguage(),
               embedding=HashEmbedding())
rag.insert("Mara Quill met Tobias Renn.")
if len(sys.argv) > 2:
    print("idle", flush=True)
    time.sleep(100)
"""
