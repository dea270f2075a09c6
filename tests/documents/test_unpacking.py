"""Archives and e-mails handed to the engine."""

from __future__ import annotations

from pathlib import Path

from conftest import MakeRag
from made_files import make_mail, make_zip

from lightrag_engine import DocumentState, LightRAG, Upload

TEXT = "Mara Quill met Tobias Renn in Port Ansel."


def test_the_documents_of_an_archive_take_its_place(rag: LightRAG, tmp_path: Path) -> None:
    path = tmp_path / "bundle.zip"
    path.write_bytes(make_zip({"a.txt": TEXT, "sub/b.md": "Ilse Vogt left Low Harrow.", "c.exe": b"MZ"}))
    statuses = rag.insert_files(
        [path, tmp_path / "missing.txt", Upload("last.txt", b"Bram Otto met Ada Pell.")]
    )
    assert [(s.name, s.state) for s in statuses] == [
        ("a.txt", DocumentState.DONE),
        ("b.md", DocumentState.DONE),
        ("bundle.zip", DocumentState.PROBLEMS),
        (str(tmp_path / "missing.txt"), DocumentState.FAILED),
        ("last.txt", DocumentState.DONE),
    ]
    assert statuses[2].warnings == ("1 file is not read. c.exe: .exe files are not supported.",)
    # What no document belongs to is told, not kept.
    assert {s.name for s in rag.documents()} == {"a.txt", "b.md", "last.txt"}
    assert len(rag.insert_files([path])) == 3
    assert len(rag.documents()) == 3


def test_many_left_out_are_counted(rag: LightRAG) -> None:
    data = make_zip({"a.txt": TEXT} | {f"{n}.exe": b"x" for n in range(30)})
    left_out = rag.insert_files([Upload("a.zip", data)])[1]
    assert left_out.warnings[0].startswith("30 files are not read. 0.exe: ")
    assert left_out.warnings[0].endswith("; and 10 more.")


def test_an_archive_that_cannot_be_opened_stands_among_the_documents(rag: LightRAG) -> None:
    (status,) = rag.insert_files([Upload("bad.zip", b"nope")])
    assert status.state == DocumentState.FAILED
    assert status.error == "bad.zip is damaged, or no ZIP archive."
    assert [s.name for s in rag.documents()] == ["bad.zip"]


def test_a_mail_and_its_attachments(rag: LightRAG) -> None:
    mail = make_mail(attachments={"notes.txt": TEXT.encode(), "photo.png": b"x"})
    statuses = rag.insert_files([Upload("m.eml", mail)])
    assert [s.name for s in statuses] == ["m.eml", "notes.txt"]
    assert "attachments that are not read: photo.png" in statuses[0].warnings
    assert "Attachments: notes.txt, photo.png" in rag.document_text(statuses[0].id)


def test_limits_are_those_of_the_settings(make_rag: MakeRag) -> None:
    rag = make_rag(max_archive_files=1, read_timeout_seconds=60)
    (status,) = rag.insert_files([Upload("a.zip", make_zip({"a.txt": TEXT, "b.txt": TEXT}))])
    assert status.error == "a.zip holds 2 files; at most 1 are taken."
    assert "LIGHTRAG_MAX_ARCHIVE_FILES" in status.hint


def test_a_bad_file_does_not_stop_the_others(make_rag: MakeRag) -> None:
    rag = make_rag(read_timeout_seconds=3)
    slow = b"<p>" + b"<b>x</b>" * 1_500_000
    statuses = rag.insert_files([Upload("slow.html", slow), Upload("page.html", f"<p>{TEXT}</p>".encode())])
    assert [s.state for s in statuses] == [DocumentState.FAILED, DocumentState.DONE]
    assert statuses[0].error == "slow.html took longer than 3 s to be read."


def test_deleting_a_document_ends_its_reading(rag: LightRAG) -> None:
    (status,) = rag.submit([Upload("slow.html", b"<p>" + b"<b>x</b>" * 1_500_000)])
    rag.delete_document(status.id)
    assert rag.documents() == []
    assert rag.insert_files([Upload("page.html", f"<p>{TEXT}</p>".encode())])[0].state == DocumentState.DONE
