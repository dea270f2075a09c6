"""A new version of a file in the place of the old one: all at once or not at all, nothing of the old left."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from conftest import MakeRag
from doubles import ScriptedLanguage
from holdings import everything
from made_files import make_zip

from lightrag_engine import DocumentError, DocumentState, LightRAG, ModelError, Upload
from lightrag_engine.records import Chunk, Extraction

SMALL: dict[str, Any] = {"chunk_token_size": 12, "chunk_overlap_token_size": 0}
OLD = "Annual report\n\nTobias Renn is chief engineer.\n\nThe ferry sails to Port Ansel."
NEW = "Annual report\n\nIlse Vogt is chief engineer.\n\nThe ferry sails to Port Ansel."


class Gated(ScriptedLanguage):
    """Waits before it reads what speaks of Ilse Vogt."""

    def __init__(self) -> None:
        super().__init__()
        self.is_open, self.reached = False, threading.Event()

    async def extract(self, chunk: Chunk, title: str) -> Extraction:
        while "Ilse Vogt" in chunk.content and not self.is_open:
            self.reached.set()
            await asyncio.sleep(0.01)
        return await super().extract(chunk, title)


def only(make_rag: MakeRag, *texts: str) -> dict[str, object]:
    rag = make_rag(f"only {len(texts)}", **SMALL)
    rag.insert(list(texts), [f"{n}.txt" for n in range(len(texts))])
    return everything(rag)


def named(rag: LightRAG) -> dict[str, str]:
    return {status.name: str(status.state) for status in rag.documents()}


def test_a_changed_file_leaves_nothing_of_the_old_one(make_rag: MakeRag) -> None:
    """A re-upload of a changed file used to leave the old facts in the graph."""
    language = ScriptedLanguage()
    rag = make_rag(language=language, **SMALL)
    rag.insert(OLD, ["report.txt"])
    before = list(language.read)
    (status,) = rag.insert_files([Upload("report.txt", NEW.encode())], same_name="replace")
    assert named(rag) == {"report.txt": "done"}
    assert len(list(rag._workspace.files.iterdir())) == 1
    assert "tobias renn" not in rag.graph
    assert everything(rag) == only(make_rag, NEW)
    assert not set(language.read[len(before) :]) & set(before), "what both have is not read again"
    report = rag.document_report(status.id)
    assert report.chunks_reused >= 1
    assert report.chunks_read == len(language.read) - len(before)


def test_until_the_new_one_is_merged_the_old_one_answers(make_rag: MakeRag) -> None:
    language = Gated()
    rag = make_rag(language=language, **SMALL)
    (old,) = rag.insert(OLD, ["report.txt"])
    before = everything(rag)
    status = rag.submit_text(NEW, "report.txt", same_name="replace")
    assert status.replaces == (old,)
    assert language.reached.wait(20)
    assert everything(rag)["graph"] == before["graph"]
    assert rag.query("Who is Tobias Renn?").citations
    rag.cancel_document(status.id)
    assert everything(rag) == before
    assert named(rag) == {"report.txt": "done"}
    language.is_open = True
    rag.insert(NEW, ["report.txt"], same_name="replace")
    assert everything(rag) == only(make_rag, NEW)
    assert named(rag) == {"report.txt": "done"}


def test_a_new_version_that_cannot_be_read_replaces_nothing(make_rag: MakeRag) -> None:
    def refuse(chunk: Chunk) -> Extraction:
        raise ModelError("no")

    rag = make_rag(language=ScriptedLanguage({"Ilse": refuse}))
    rag.insert(OLD, ["report.txt"])
    graph = everything(rag)["graph"]
    for data in (NEW.encode(), b""):
        (status,) = rag.insert_files([Upload("report.txt", data)], same_name="replace")
        assert status.state == DocumentState.FAILED
    assert everything(rag)["graph"] == graph
    assert named(rag)["report.txt"] == "done"


def test_opened_again_in_between_it_is_replaced_all_the_same(make_rag: MakeRag) -> None:
    language = Gated()
    rag = make_rag(language=language, **SMALL)
    rag.insert(OLD, ["report.txt"])
    status = rag.submit_text(NEW, "report.txt", same_name="replace")
    assert language.reached.wait(20)
    rag.close()
    rag = make_rag(**SMALL)
    rag.wait_for_documents([status.id])
    assert everything(rag) == only(make_rag, NEW)


@pytest.mark.parametrize("parallel", [1, 3])
def test_of_several_new_versions_the_last_one_stays(make_rag: MakeRag, parallel: int) -> None:
    rag = make_rag(documents_in_flight=parallel, **SMALL)
    rag.insert(OLD, ["report.txt"])
    submitted = [
        rag.submit_text(f"{NEW}\n\nVersion {n} by Ada Pell.", "report.txt", same_name="replace")
        for n in range(4)
    ]
    rag.wait_for_documents([status.id for status in submitted])
    assert named(rag) == {"report.txt": "done"}
    assert everything(rag) == only(make_rag, f"{NEW}\n\nVersion 3 by Ada Pell.")


def test_going_back_to_the_old_version_while_the_new_one_is_read(make_rag: MakeRag) -> None:
    language = Gated()
    rag = make_rag(language=language, **SMALL)
    (old,) = rag.insert(OLD, ["report.txt"])
    rag.submit_text(NEW, "report.txt", same_name="replace")
    assert language.reached.wait(20)
    rag.insert(OLD, ["report.txt"], same_name="replace")
    language.is_open = True
    rag.wait_for_documents([status.id for status in rag.documents()])
    assert [status.id for status in rag.documents()] == [old]
    assert everything(rag) == only(make_rag, OLD)


def test_a_document_with_another_name_only_gives_the_name_away(make_rag: MakeRag) -> None:
    rag = make_rag(**SMALL)
    for name in ("a.txt", "b.txt"):
        (old,) = rag.insert(OLD, [name])
    rag.insert(NEW, ["a.txt"], same_name="replace")
    assert named(rag) == {"a.txt": "done", "b.txt": "done"}
    assert next(s for s in rag.documents() if s.id == old).names == ("b.txt",)
    assert everything(rag) == only(make_rag, OLD, NEW)


def test_known_content_under_the_name_of_another_takes_its_place(make_rag: MakeRag) -> None:
    language = ScriptedLanguage()
    rag = make_rag(language=language, **SMALL)
    rag.insert([OLD, NEW], ["a.txt", "b.txt"])
    read = len(language.read)
    rag.insert(NEW, ["a.txt"], same_name="replace")
    (status,) = rag.documents()
    assert (status.name, status.names) == ("b.txt", ("b.txt", "a.txt"))
    assert len(language.read) == read
    assert everything(rag) == only(make_rag, NEW)


def test_kept_by_default_and_never_replaced_by_one_of_the_same_upload(rag: LightRAG) -> None:
    """Two folders may each hold a readme.md: neither is refused, and neither overwrites the other."""
    files = [Upload("readme.md", b"Ada Pell leads."), Upload("readme.md", b"Bram Otto leads.")]
    rag.insert_files(files, same_name="replace")
    assert set(named(rag)) == {"readme.md", "readme.md (2)"}
    rag.insert_files([files[0], Upload("readme.md", b"Cora Finn leads.")], same_name="replace")
    assert set(named(rag)) == {"readme.md", "readme.md (2)"}
    assert {"ada pell", "cora finn"} <= set(rag.graph)
    assert "bram otto" not in rag.graph


def test_files_that_meet_another_one_of_their_name_are_told(rag: LightRAG) -> None:
    rag.insert_files([Upload("a.txt", b"Ada Pell."), Upload("b.txt", b"Bram Otto.")])
    conflicts = rag.name_conflicts(
        [
            Upload("a.txt", b"Ada Pell."),
            Upload("../b.txt", b"Bram Otto left."),
            Upload("c.txt", b"Cora Finn."),
        ]
    )
    assert [(conflict.name, conflict.document.name) for conflict in conflicts] == [("b.txt", "b.txt")]
    assert conflicts[0].size == len(b"Bram Otto left.")


def test_files_inside_an_archive_meet_others_of_their_name_too(rag: LightRAG) -> None:
    rag.insert_files([Upload("a.txt", b"Ada Pell."), Upload("b.txt", b"Bram Otto.")])
    archive = Upload("new.zip", make_zip({"sub/a.txt": b"Ada Pell left.", "c.txt": b"Cora Finn."}))
    (conflict,) = rag.name_conflicts([archive, Upload("b.txt", b"Bram Otto left.")])[:1]
    assert (conflict.name, conflict.document.name) == ("a.txt", "a.txt")
    rag.wait_for_documents([s.id for s in rag.submit([archive], {conflict.document_id: "replace"})])
    assert set(named(rag)) == {"a.txt", "b.txt", "c.txt"}
    assert rag.document_file(conflict.document_id) == ("a.txt", b"Ada Pell left.")


def test_each_file_has_a_choice_of_its_own(rag: LightRAG) -> None:
    names = ("a.txt", "b.txt", "c.txt")
    rag.insert_files([Upload(name, f"Ada Pell wrote {name}.".encode()) for name in names])
    files = [Upload(name, f"Bram Otto wrote {name}.".encode()) for name in (*names, "d.txt")]
    ids = {conflict.name: conflict.document_id for conflict in rag.name_conflicts(files)}
    assert list(ids) == list(names)
    taken = rag.submit(files, {ids["a.txt"]: "replace", ids["b.txt"]: "leave out", ids["c.txt"]: "keep"})
    assert len(taken) == 3
    rag.wait_for_documents([status.id for status in taken])
    texts = {status.name: rag.document_text(status.id) for status in rag.documents()}
    assert texts == {
        "a.txt": "Bram Otto wrote a.txt.",
        "b.txt": "Ada Pell wrote b.txt.",
        "c.txt": "Ada Pell wrote c.txt.",
        "c.txt (2)": "Bram Otto wrote c.txt.",
        "d.txt": "Bram Otto wrote d.txt.",
    }


def test_a_document_is_replaced_under_all_its_names(make_rag: MakeRag) -> None:
    """By name alone the file would take the place of the other document that has the name."""
    rag = make_rag(**SMALL)
    rag.insert_files([Upload("a.txt", b"Ada Pell leads."), Upload("a.txt", b"Bram Otto leads.")])
    second = next(status for status in rag.documents() if status.name == "a.txt (2)")
    rag.insert_files([Upload("b.txt", b"Bram Otto leads.")])
    version = rag.replace_document(second.id, Upload("new.txt", b"Cora Finn leads."))
    rag.wait_for_documents([version.id])
    assert {s.name: s.names for s in rag.documents()} == {
        "a.txt": ("a.txt",),
        "a.txt (2)": ("a.txt", "b.txt"),
    }
    assert set(rag.graph) == {"ada pell", "cora finn"}


def test_a_document_is_not_replaced_by_itself_or_another_type(rag: LightRAG) -> None:
    (id_,) = rag.insert("Mara Quill.", ["a.txt"])
    with pytest.raises(DocumentError, match="nothing has changed"):
        rag.replace_document(id_, Upload("b.txt", b"Mara Quill."))
    with pytest.raises(DocumentError, match="its type is another one") as caught:
        rag.replace_document(id_, Upload("b.pdf", b"%PDF-1.4"))
    assert ".txt" in caught.value.hint
    assert named(rag) == {"a.txt": "done"}


def test_another_way_of_taking_a_name_is_refused(rag: LightRAG) -> None:
    with pytest.raises(ValueError, match="'keep' or 'replace'"):
        rag.insert("Mara Quill.", same_name="ask")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'ask'"):
        rag.submit([Upload("a.txt", b"Mara Quill.")], {"doc-1": "ask"})  # type: ignore[dict-item]
    assert named(rag) == {}


def test_deleting_the_old_one_meanwhile_leaves_the_new_one(make_rag: MakeRag) -> None:
    language = Gated()
    rag = make_rag(language=language, **SMALL)
    (old,) = rag.insert(OLD, ["report.txt"])
    status = rag.submit_text(NEW, "report.txt", same_name="replace")
    assert language.reached.wait(20)
    rag.delete_document(old)
    with pytest.raises(DocumentError):
        rag.document_file(old)
    language.is_open = True
    rag.wait_for_documents([status.id])
    assert everything(rag) == only(make_rag, NEW)
