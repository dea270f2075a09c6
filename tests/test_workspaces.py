"""Workspaces as things a person can manage: made, renamed, copied, removed, exported and imported."""

from __future__ import annotations

import subprocess
import sys
import threading
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import MakeRag
from doubles import HashEmbedding, ScriptedLanguage
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine import DocumentState, LightRAG, WorkspaceError, Workspaces
from lightrag_engine.storage.naming import find_folder, name_key

TEXT = "Mara Quill founded the Brindle Valley Ferry. Tobias Renn met Mara Quill in Port Ansel."
OTHER = "Ilse Vogt studied in Hamburg."
QUESTION = "Who founded the Brindle Valley Ferry?"


@pytest.fixture
def workspaces(tmp_path: Path) -> Workspaces:
    return Workspaces(tmp_path)


@pytest.fixture
def press(make_rag: MakeRag) -> LightRAG:
    """An open workspace with one document."""
    rag = make_rag("press")
    rag.insert(TEXT, ["ferry.txt"])
    return rag


def names(workspaces: Workspaces) -> list[str]:
    return [info.name for info in workspaces.all()]


def contents(rag: LightRAG) -> dict[str, object]:
    return {
        "documents": {d.id: (d.name, d.state, rag.document_text(d.id)) for d in rag.documents()},
        "nodes": dict(rag.graph.nodes(data=True)),
        "edges": {(a, b): edge for a, b, edge in rag.graph.edges(data=True)},
        "vectors": {role: store.text_hashes() for role, store in rag._workspace.vectors.items()},
    }


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith((".new-", ".deleted-")))


# Names


@given(st.text(min_size=1, max_size=40), st.text(min_size=1, max_size=40))
def test_names_are_the_same_whatever_their_case_and_form(a: str, b: str) -> None:
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert name_key(unicodedata.normalize(form, a)) == name_key(a)
    assert name_key(a.casefold()) == name_key(a)
    assert name_key(name_key(a)) == name_key(a)
    assert (name_key(a) == name_key(b)) == (name_key(b) == name_key(a))


def test_no_two_workspaces_have_the_same_name(workspaces: Workspaces) -> None:
    workspaces.create("Zoë Press")
    workspaces.create("archive")
    for same in ("zoe\u0308 press", "ZOË  PRESS", "Ｚoë press"):
        with pytest.raises(WorkspaceError, match="“Zoë Press” already") as caught:
            workspaces.create(same)
        assert "(2)" in caught.value.hint
        with pytest.raises(WorkspaceError, match="already"):
            workspaces.rename("archive", same)
        assert workspaces.get(same).name == "Zoë Press"
    with pytest.raises(WorkspaceError, match="needs a name"):
        workspaces.create(" \u200b ")
    assert names(workspaces) == ["archive", "Zoë Press"]


def test_one_that_is_not_there_is_named_with_those_that_are(workspaces: Workspaces) -> None:
    workspaces.create("press")
    with pytest.raises(WorkspaceError, match="no workspace “pres”") as caught:
        workspaces.get("pres")
    assert "press" in caught.value.hint


@pytest.mark.parametrize("new", ["知识库 <b>", "عربي", "👩‍🚀 & co", "n" * 300, "../evil", "PRESS"])
def test_a_renamed_workspace_is_found_by_its_new_name_only(
    workspaces: Workspaces, tmp_path: Path, new: str
) -> None:
    folder = workspaces.create("press").folder
    assert workspaces.rename("press", new).folder == folder
    assert names(workspaces) == [new]
    if name_key(new) != name_key("press"):
        assert workspaces.find("press") is None
        # The old name is free again, and leads to another folder.
        assert workspaces.create("press").folder != folder
    assert find_folder(tmp_path, new) == folder
    assert all(path.parent == tmp_path for path in (info.folder for info in workspaces.all()))


def test_renaming_an_open_workspace_leaves_it_at_work(press: LightRAG, workspaces: Workspaces) -> None:
    workspaces.rename("press", "知识库")
    assert press.name == "知识库"
    press.insert(OTHER)
    assert press.query(QUESTION).citations
    press.close()
    assert names(workspaces) == ["知识库"]
    assert workspaces.get("知识库").documents == 2


def test_a_lost_name_is_found_by_the_folder(
    press: LightRAG, make_rag: MakeRag, workspaces: Workspaces
) -> None:
    press.close()
    (workspaces.get("press").folder / "name").unlink()
    assert make_rag("press").counts().documents == 1
    assert names(workspaces) == ["press"]


# What is there


def test_the_list_tells_empty_ones_from_filled_ones_and_how_large_each_is(
    press: LightRAG, workspaces: Workspaces
) -> None:
    workspaces.create("empty")
    empty, filled = workspaces.all()
    assert (empty.documents, empty.size) == (0, empty.database)
    assert filled.documents == 1
    assert filled.database > 0
    assert filled.vectors > 0
    assert filled.size == filled.database + filled.vectors + filled.originals
    press.close()
    (filled.folder / "workspace.db").write_bytes(b"no database at all, but something of that length")
    assert workspaces.get("press").documents is None


def test_two_workspaces_share_nothing(make_rag: MakeRag, press: LightRAG) -> None:
    other = make_rag("other")
    other.insert(OTHER)
    before = contents(other)
    press.delete_document(press.documents()[0].id)
    press.insert("Bram Otto met Mara Quill.")
    press.change_settings({"top_k": 3})
    assert contents(other) == before
    assert other.settings.top_k != 3
    assert not set(other.graph) & set(press.graph)
    assert not other.query("Bram Otto?").context.source_rows or "Bram" not in str(other.query("Bram Otto?"))
    assert other._workspace.folder != press._workspace.folder


# Copies


def test_a_copy_of_an_open_workspace_is_equal_and_free(
    press: LightRAG, make_rag: MakeRag, workspaces: Workspaces, tmp_path: Path
) -> None:
    steps: list[str] = []
    info = workspaces.duplicate("press", on_progress=lambda what, done, total: steps.append(what))
    assert info.name == "press (2)"
    assert {"Copying the database", "Copying vectors", "Writing vectors"} <= set(steps)
    language, embedding = ScriptedLanguage(), HashEmbedding()
    copy = make_rag("press (2)", language, embedding)
    assert contents(copy) == contents(press)
    assert copy.opening_check is not None
    assert copy.opening_check.sound, copy.opening_check.problems
    assert (language.read, embedding.embedded) == ([], []), "nothing is read or embedded again"
    assert str(copy.query(QUESTION)) == str(press.query(QUESTION))
    copy.insert(OTHER)
    assert press.counts().documents == 1
    assert workspaces.duplicate("press (2)", "third").documents == 2
    assert leftovers(tmp_path) == []


def test_a_copy_taken_while_documents_are_read_goes_on_by_itself(
    make_rag: MakeRag, workspaces: Workspaces
) -> None:
    rag = make_rag("press", chunk_token_size=16, chunk_overlap_token_size=0)
    texts = [
        "\n\n".join(f"Guest{n} of {town} met Mara Quill." for n in range(8)) for town in ("Renn", "Vogt")
    ]
    for number, text in enumerate(texts):
        rag.submit_text(text, f"{number}.txt")
    copies = [workspaces.duplicate("press") for _ in range(3)]
    rag.insert(OTHER)
    rag.insert(texts)
    for info in copies:
        copy = make_rag(info.name, chunk_token_size=16, chunk_overlap_token_size=0)
        copy.insert(OTHER)
        copy.insert(texts)
        assert {d.state for d in copy.documents()} == {DocumentState.DONE}
        copy.check(repair=True)
        assert contents(copy)["nodes"] == contents(rag)["nodes"]
        assert copy.check().sound
        copy.close()


def test_keys_stay_in_a_copy_and_are_not_in_an_archive(
    press: LightRAG, workspaces: Workspaces, tmp_path: Path, make_rag: MakeRag
) -> None:
    secret = {"openai_api_key": "sk-very-secret", "openai_base_url": "http://10.1.2.3:8080/v1", "top_k": 7}
    press.change_settings(secret)
    workspaces.duplicate("press", "copy")
    assert make_rag("copy").saved_settings() == secret
    archive = workspaces.export("press", tmp_path / "press.zip")
    workspaces.import_archive(archive, "imported")
    assert make_rag("imported").saved_settings() == {"top_k": 7}
    database = (workspaces.get("imported").folder / "workspace.db").read_bytes()
    assert b"very-secret" not in database
    assert b"10.1.2.3" not in database


# Archives


def test_an_imported_workspace_gives_the_same_graph_and_answers_without_any_model_call(
    press: LightRAG, make_rag: MakeRag, tmp_path: Path, workspaces: Workspaces
) -> None:
    press.insert(OTHER)
    press.merge_entities(["tobias renn"], "mara quill")
    (press._workspace.folder / "prompts.toml").write_text("# mine\n", encoding="utf-8")
    path = workspaces.export("press", tmp_path / "press.lightrag.zip")
    elsewhere = Workspaces(tmp_path / "elsewhere")
    assert elsewhere.import_archive(path).name == "press"
    language, embedding = ScriptedLanguage(), HashEmbedding()
    again = make_rag("press", language, embedding, data_dir=tmp_path / "elsewhere")
    assert contents(again) == contents(press)
    assert again.edits() == press.edits()
    assert [again.document_file(d.id) for d in again.documents()] == [
        press.document_file(d.id) for d in press.documents()
    ]
    assert again.opening_check is not None
    assert again.opening_check.sound, again.opening_check.problems
    assert (language.read, language.summarised, embedding.embedded) == ([], [], [])
    for mode in ("naive", "local", "global", "hybrid", "mix"):
        param = press.query_param(mode=mode)
        assert str(again.query(QUESTION, param)) == str(press.query(QUESTION, param))
    assert (again._workspace.folder / "prompts.toml").read_text(encoding="utf-8") == "# mine\n"
    assert again.check().sound


def test_a_taken_name_gets_a_number_and_a_given_one_must_be_free(
    press: LightRAG, tmp_path: Path, workspaces: Workspaces
) -> None:
    path = workspaces.export("press", tmp_path / "press.zip")
    assert workspaces.import_archive(path).name == "press (2)"
    with path.open("rb") as file:
        assert workspaces.import_archive(file).name == "press (3)"
    with pytest.raises(WorkspaceError, match="already"):
        workspaces.import_archive(path, "PRESS")
    assert workspaces.import_archive(path, "新").name == "新"
    assert names(workspaces) == ["press", "press (2)", "press (3)", "新"]


def test_an_empty_workspace_can_be_exported_and_imported(workspaces: Workspaces, tmp_path: Path) -> None:
    workspaces.create("empty")
    info = workspaces.import_archive(workspaces.export("empty", tmp_path / "e.zip"))
    assert (info.name, info.documents) == ("empty (2)", 0)


def test_an_archive_that_cannot_be_written_leaves_nothing(
    press: LightRAG, workspaces: Workspaces, tmp_path: Path
) -> None:
    with pytest.raises(WorkspaceError, match="cannot be written"):
        workspaces.export("press", tmp_path / "missing" / "press.zip")
    assert leftovers(tmp_path) == []


def test_whoever_stops_an_export_leaves_nothing(
    press: LightRAG, workspaces: Workspaces, tmp_path: Path
) -> None:
    def stop(what: str, done: int, total: int) -> None:
        if what == "Packing":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        workspaces.export("press", tmp_path / "press.zip", on_progress=stop)
    assert leftovers(tmp_path) == []
    assert not list(tmp_path.glob("press.zip*"))


# Removal


def test_a_deleted_workspace_is_gone_with_everything_also_from_chromas_memory(
    press: LightRAG, workspaces: Workspaces, make_rag: MakeRag, tmp_path: Path
) -> None:
    """Chroma keeps a system by path: a folder made anew used to be served the old collections."""
    folder = press._workspace.folder
    press.close()
    workspaces.delete("PRESS")
    assert names(workspaces) == []
    assert not folder.exists()
    again = make_rag("press")
    assert again._workspace.folder == folder
    assert again.counts().entities == 0
    assert [len(store) for store in again._workspace.vectors.values()] == [0, 0, 0]
    assert not again.query(QUESTION).citations
    again.insert(OTHER)
    assert again.query("Where did Ilse Vogt study?").citations
    assert leftovers(tmp_path) == []


def test_a_damaged_workspace_can_be_renamed_and_deleted(press: LightRAG, workspaces: Workspaces) -> None:
    press.close()
    (workspaces.get("press").folder / "workspace.db").write_bytes(b"\0" * 5000)
    workspaces.rename("press", "broken")
    with pytest.raises(WorkspaceError):
        workspaces.duplicate("broken")
    workspaces.delete("broken")
    assert names(workspaces) == []


def test_what_a_crash_left_is_swept_away_and_what_is_in_use_is_not(
    press: LightRAG, workspaces: Workspaces, tmp_path: Path
) -> None:
    for name in (".deleted-1", ".new-1"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "workspace.db").touch()
    (tmp_path / ".new-1.lock").touch()
    with workspaces._staging() as busy:
        assert names(workspaces) == ["press"]
        workspaces.duplicate("press")
        assert leftovers(tmp_path) == sorted([busy.name, f"{busy.name}.lock"])
    assert leftovers(tmp_path) == []


# One program at a time


@contextmanager
def open_elsewhere(data_dir: Path, name: str) -> Iterator[None]:
    """Have another process keep a workspace open."""
    script = (
        "import sys, pathlib; from lightrag_engine.storage.workspace import Workspace;"
        "opened = Workspace(pathlib.Path(sys.argv[1]), sys.argv[2]); print('open', flush=True);"
        "sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(data_dir), name], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdin is not None
        assert other.stdout.readline().strip() == b"open"
        yield
        other.stdin.close()
        other.wait(timeout=60)


def test_what_another_process_has_open_is_neither_changed_nor_copied(
    press: LightRAG, make_rag: MakeRag, workspaces: Workspaces, tmp_path: Path
) -> None:
    before = contents(press)
    press.close()
    with open_elsewhere(tmp_path, "press"):
        for attempt in (
            lambda: make_rag("Press"),
            lambda: workspaces.rename("press", "mine"),
            lambda: workspaces.delete("press"),
            lambda: workspaces.duplicate("press"),
            lambda: workspaces.export("press", tmp_path / "press.zip"),
        ):
            with pytest.raises(WorkspaceError, match="open already") as caught:
                attempt()
            assert caught.value.hint
        assert workspaces.get("press").documents == 1
    assert not (tmp_path / "press.zip").exists()
    assert names(workspaces) == ["press"]
    assert contents(make_rag("press")) == before


def test_a_second_one_in_the_same_process_is_refused(
    press: LightRAG, make_rag: MakeRag, workspaces: Workspaces
) -> None:
    before = contents(press)
    with pytest.raises(WorkspaceError, match="open already"):
        make_rag("press")
    with pytest.raises(WorkspaceError, match="open already"):
        workspaces.delete("press")
    assert contents(press) == before
    press.insert(OTHER)
    assert press.check().sound


def test_many_threads_make_one_workspace_of_a_name(workspaces: Workspaces) -> None:
    made: list[str] = []

    def create() -> None:
        try:
            made.append(workspaces.create("press").name)
        except WorkspaceError as error:
            made.append(str(error))

    threads = [threading.Thread(target=create) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made.count("press") == 1
    assert names(workspaces) == ["press"]
