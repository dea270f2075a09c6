"""Whatever goes wrong around the engine: it says so, nothing is lost, and it goes on."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from conftest import MakeRag
from doubles import HashEmbedding, ScriptedLanguage

from lightrag_engine import (
    MODES,
    DocumentState,
    LightRAG,
    QueryParam,
    Settings,
    Upload,
    WorkspaceError,
    Workspaces,
)
from lightrag_engine.conversations import Turn
from lightrag_engine.embedding.base import Role, Vectors
from lightrag_engine.records import Chunk, Extraction, IndexEvent

TEXT = "Mara Quill met Tobias Renn in Port Ansel."
ROOT = Path(__file__).parent.parent


def wait_until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.02)


def test_a_workspace_may_be_closed_in_another_thread(make_rag: MakeRag) -> None:
    rag = make_rag()
    thread = threading.Thread(target=rag.close)
    thread.start()
    thread.join()
    make_rag().insert(TEXT)


def test_a_closed_workspace_says_so(make_rag: MakeRag) -> None:
    rag = make_rag()
    rag.insert(TEXT)
    rag.close()
    with pytest.raises(WorkspaceError, match="closed"):
        rag.query("Mara Quill?")


def test_whoever_waits_is_told_when_the_workspace_is_closed(make_rag: MakeRag) -> None:
    reading = threading.Event()

    class Stuck(ScriptedLanguage):
        async def extract(self, chunk: Chunk, title: str) -> Extraction:
            reading.set()
            await asyncio.sleep(60)
            raise AssertionError

    rag = make_rag(language=Stuck())
    told: list[BaseException] = []

    def insert() -> None:
        try:
            rag.insert(TEXT)
        except WorkspaceError as error:
            told.append(error)

    thread = threading.Thread(target=insert)
    thread.start()
    assert reading.wait(20)
    rag.close()
    thread.join(20)
    assert "closed before" in str(told[0])


def test_a_watcher_that_fails_stops_nothing(rag: LightRAG) -> None:
    def fail(event: IndexEvent) -> None:
        raise RuntimeError("watcher")

    (status,) = rag.insert_files([Upload("a.txt", TEXT.encode())], on_event=fail)
    assert status.state == DocumentState.DONE


def test_the_engine_called_from_its_own_thread_says_so_instead_of_waiting_for_itself(rag: LightRAG) -> None:
    errors: list[str] = []

    def call(event: IndexEvent) -> None:
        try:
            rag.submit_text("more")
        except RuntimeError as error:
            errors.append(str(error))

    rag.insert_files([Upload("a.txt", TEXT.encode())], on_event=call)
    assert "own thread" in errors[0]


def test_a_file_renamed_as_the_hint_says_is_read(rag: LightRAG) -> None:
    (failed,) = rag.insert_files([Upload("notes.pdf", TEXT.encode())])
    assert failed.state == DocumentState.FAILED
    (status,) = rag.insert_files([Upload("notes.txt", TEXT.encode())])
    assert (status.state, status.name) == (DocumentState.DONE, "notes.txt")
    assert len(rag.documents()) == 1


def test_a_document_with_problems_can_be_read_again(rag: LightRAG) -> None:
    (status,) = rag.insert_files([Upload("a.txt", TEXT.encode() + b" caf\xe9")])
    if status.state == DocumentState.DONE:
        rag._statuses.change(status.id, state=DocumentState.PROBLEMS)
    rag.retry_document(status.id)
    assert rag._statuses.get(status.id).state.active  # type: ignore[union-attr]


def test_lost_vectors_are_made_anew(make_rag: MakeRag) -> None:
    rag = make_rag()
    rag.insert(TEXT)
    folder = rag._workspace.folder
    before = {role: store.ids() for role, store in rag._workspace.vectors.items()}
    rag.close()
    shutil.rmtree(folder / "chroma")
    again = make_rag()
    wait_until(lambda: len(again._workspace.outbox) == 0)
    assert {role: store.ids() for role, store in again._workspace.vectors.items()} == before
    for mode in MODES:
        assert again.query("who met Mara Quill there?", QueryParam(mode=mode)).citations


@pytest.mark.parametrize("damage", [b"", None])
def test_a_lost_database_is_never_taken_for_an_empty_one(make_rag: MakeRag, damage: bytes | None) -> None:
    rag = make_rag()
    rag.insert(TEXT)
    path = rag._workspace.folder / "workspace.db"
    rag.close()
    path.unlink()
    if damage is not None:
        path.write_bytes(damage)
    with pytest.raises(WorkspaceError, match="missing or empty") as caught:
        make_rag()
    assert "backup" in caught.value.hint


def test_damaged_pages_of_the_database_and_damaged_vectors_are_named(make_rag: MakeRag) -> None:
    rag = make_rag()
    rag.insert([f"Guest{n} met Mara Quill." for n in range(30)])
    folder = rag._workspace.folder
    rag.close()
    for name in ("workspace.db", "chroma/chroma.sqlite3"):
        whole = (folder / name).read_bytes()
        (folder / name).write_bytes(whole[:100] + os.urandom(len(whole) - 100))
        with pytest.raises(WorkspaceError) as caught:
            make_rag()
        assert caught.value.hint
        (folder / name).write_bytes(whole)
    assert make_rag().counts().documents == 30


@pytest.mark.parametrize("whole", [True, False])
def test_a_folder_that_may_not_be_written_is_not_called_damaged(make_rag: MakeRag, whole: bool) -> None:
    """Where only new files were refused, a healthy database was to be replaced by a backup."""
    rag = make_rag()
    rag.insert(TEXT)
    folder = rag._workspace.folder
    rag.close()
    locked = [folder, *(folder.rglob("*") if whole else ())]
    modes = {path: path.stat().st_mode for path in locked}
    for path in reversed(locked):
        path.chmod(modes[path] & ~0o222)
    try:
        if os.access(folder, os.W_OK):
            pytest.skip("this user may write everywhere")
        with pytest.raises(WorkspaceError, match="cannot be written") as caught:
            make_rag()
        assert "permissions" in caught.value.hint
    finally:
        for path, mode in modes.items():
            path.chmod(mode)
    again = make_rag()
    assert again.check().sound
    assert again.query("Mara Quill?").citations


def test_a_full_disk_is_named_and_the_document_goes_on_when_there_is_room(make_rag: MakeRag) -> None:
    rag = make_rag()
    rag.insert(TEXT)
    writer = rag._workspace.database._writer
    (pages,) = writer.execute("PRAGMA page_count").fetchone()
    writer.execute(f"PRAGMA max_page_count = {pages}")  # SQLite then does as on a full disk
    large = " ".join(f"Guest{n} met {os.urandom(40).hex()}." for n in range(2000))
    (failed,) = rag.insert_files([Upload("large.txt", large.encode())])
    assert failed.state == DocumentState.FAILED
    assert "disk is full" in failed.error
    assert "Make room" in failed.hint
    assert rag.query("Mara Quill?").citations
    writer.execute("PRAGMA max_page_count = 1000000")
    rag.retry_document(failed.id)
    rag.wait_for_documents([failed.id])
    assert {status.state for status in rag.documents()} == {DocumentState.DONE}
    assert rag.check().sound


def test_a_folder_that_is_put_back_can_be_opened_again(make_rag: MakeRag, tmp_path: Path) -> None:
    rag = make_rag()
    rag.insert(TEXT)
    rag.close()
    folder = rag._workspace.folder
    shutil.copytree(folder, tmp_path / "backup")
    shutil.rmtree(folder)
    make_rag().insert("Something else.")
    again = make_rag("other")
    again.close()
    for opened in Workspaces(tmp_path).all():
        assert opened.name in {"test", "other"}


def test_an_unreadable_workspace_does_not_hide_the_others(make_rag: MakeRag, tmp_path: Path) -> None:
    make_rag("one").close()
    broken = make_rag("two")
    broken.close()
    (broken._workspace.folder / "name").write_bytes(b"\xff\xfe\xff")
    assert [info.name for info in Workspaces(tmp_path).all()] == ["one"]


def test_an_emptied_workspace_takes_another_embedding_model(make_rag: MakeRag) -> None:
    rag = make_rag()
    rag.delete_document(rag.insert(TEXT)[0])
    rag.close()
    again = make_rag(embedding=HashEmbedding("other", 16))
    again.insert(TEXT)
    assert again.query("Mara Quill?").citations


def test_only_the_document_whose_text_has_no_vector_has_a_problem(make_rag: MakeRag) -> None:
    class Choosy(HashEmbedding):
        async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
            rows = await super().embed(texts, role)
            for row, text in zip(rows, texts, strict=True):
                if "poison" in text:
                    row[:] = float("nan")
            return rows

    rag = make_rag(embedding=Choosy())
    good, bad = rag.insert_files([Upload("good.txt", TEXT.encode()), Upload("bad.txt", b"Some poison here.")])
    assert (good.state, bad.state) == (DocumentState.DONE, DocumentState.PROBLEMS)
    assert "texts could not be embedded" in bad.warnings[0]


def test_a_delete_that_is_overtaken_leaves_no_ghost(make_rag: MakeRag) -> None:
    rag = make_rag()
    ids = [rag.submit_text(f"Ghost{n} met Mara Quill.").id for n in range(6)]
    for id_ in ids[1:]:
        rag.delete_document(id_)
    rag.insert("Port Ansel.")
    assert {status.id for status in rag.documents()} >= {ids[0]}
    assert not {f"ghost{n}" for n in range(1, 6)} & set(rag.graph.nodes)
    assert len(list(rag._workspace.texts.keys())) == len(rag.documents())


def test_reading_an_answer_twice_does_not_double_it(rag: LightRAG) -> None:
    rag.insert(TEXT)
    stream = rag.stream("Mara Quill?")
    assert "".join(stream) == "".join(stream) == stream.answer.text


def test_a_question_that_cannot_be_encoded_is_asked_all_the_same(rag: LightRAG) -> None:
    rag.insert(TEXT)
    assert rag.query("Mara Quill \udc9a?").citations


ENDING = """
    import pathlib, sys, time
    sys.path.insert(0, sys.argv[2])
    from doubles import HashEmbedding, ScriptedLanguage
    from lightrag_engine import LightRAG, Settings

    class Slow(ScriptedLanguage):
        async def extract(self, chunk, title):
            time.sleep(0.1)
            return await super().extract(chunk, title)

    settings = Settings(data_dir=pathlib.Path(sys.argv[1]), chunk_token_size=8, chunk_overlap_token_size=0)
    rag = LightRAG("w", settings, language=Slow(), embedding=HashEmbedding())
    rag.submit_text("\\n\\n".join(f"Guest{n} met Mara Quill today." for n in range(40)), "a.txt")
    time.sleep(1)
"""


def test_a_program_that_ends_without_closing_leaves_its_documents_to_go_on(tmp_path: Path) -> None:
    script = textwrap.dedent(ENDING)
    subprocess.run(
        [sys.executable, "-c", script, str(tmp_path), str(ROOT / "tests")],
        check=True,
        timeout=120,
        capture_output=True,
    )
    settings = Settings(data_dir=tmp_path, chunk_token_size=8, chunk_overlap_token_size=0)
    with LightRAG("w", settings, language=ScriptedLanguage(), embedding=HashEmbedding()) as rag:
        (status,) = rag.documents()
        assert status.error == ""
        rag.insert("the end")
        assert {d.state for d in rag.documents()} == {DocumentState.DONE}
        assert len(rag.graph) == 41


def test_importing_the_engine_turns_the_telemetry_of_onnxruntime_off(tmp_path: Path) -> None:
    script = (
        "import lightrag_engine, onnxruntime, os, pathlib;"
        "print(os.environ['ORT_DISABLE_TELEMETRY'], list(pathlib.Path.home().rglob('*onnxruntime*')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stdout.split() == ["1", "[]"]


def test_on_a_full_disk_whatever_is_saved_says_what_to_do_and_nothing_is_lost(make_rag: MakeRag) -> None:
    """A turn, an edit or a vote ended in the error of the database itself, with no word on what to do."""
    rag = make_rag()
    rag.insert(TEXT)
    chat = rag.create_conversation("kept")
    rag.save_turn(chat.id, Turn("Who?", rag.query_param()))
    compared = rag.compare("Who met Tobias Renn?", ["naive", "mix"])
    writer = rag._workspace.database._writer
    (pages,) = writer.execute("PRAGMA page_count").fetchone()
    writer.execute(f"PRAGMA max_page_count = {pages}")  # SQLite then does as on a full disk
    long = os.urandom(200_000).hex()
    for save in (
        lambda: rag.save_turn(chat.id, Turn(long, rag.query_param())),
        lambda: rag.save_question_set("long", [long]),
        lambda: rag.describe_entity("mara quill", long),
        lambda: [rag.vote(compared, ["naive"], blind=True) for _ in range(2000)],
    ):
        with pytest.raises(WorkspaceError, match="the disk is full") as raised:
            save()
        assert "Make room" in raised.value.hint
    assert [turn.question for turn in rag.conversation(chat.id).turns] == ["Who?"]
    writer.execute("PRAGMA max_page_count = 1000000")
    assert rag.save_turn(chat.id, Turn("And who else?", rag.query_param())) == 1
    assert rag.check().sound


@pytest.mark.skipif(sys.platform == "win32", reason="there are no limits of a process")
def test_a_copy_for_which_there_is_no_room_is_refused_with_what_to_do(tmp_path: Path) -> None:
    """Neither a copy nor an archive on a disk that is full; an archive was called damaged."""
    script = """
        import resource, signal, sys
        from pathlib import Path
        from doubles import HashEmbedding, ScriptedLanguage
        from lightrag_engine import LightRAG, Settings, WorkspaceError, Workspaces

        folder = Path(sys.argv[1])
        models = {"language": ScriptedLanguage(), "embedding": HashEmbedding()}
        with LightRAG("w", Settings(data_dir=folder), **models) as rag:
            rag.insert("Mara Quill met Tobias Renn.")
        places = Workspaces(folder)
        archive = places.export("w", folder / "w.zip")
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, resource.RLIM_INFINITY))
        for work in (
            lambda: places.duplicate("w"),
            lambda: places.export("w", folder / "w.zip"),
            lambda: places.import_archive(archive),
        ):
            try:
                work()
            except WorkspaceError as error:
                assert "damaged" not in str(error), error
                assert "Make room" in error.hint, error.hint
            else:
                raise AssertionError
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        assert [info.name for info in places.all()] == ["w"]
        assert not list(folder.glob(".new-*"))
        assert places.import_archive(archive).documents == 1
    """
    environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}
    subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), str(tmp_path)], check=True, env=environment
    )
