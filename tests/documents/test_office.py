import io
import zipfile
from collections.abc import Callable

import docx
import pytest

from lightrag_engine.documents import read
from lightrag_engine.errors import DocumentError
from lightrag_engine.records import Document
from lightrag_engine.settings import Settings

ReadFile = Callable[[str], Document]


def make_docx(title: str = "", heading: str = "The Ferry", text: str = "Mara_Quill * founded it.") -> bytes:
    word = docx.Document()
    word.core_properties.title = title
    if heading:
        word.add_heading(heading, 1)
    word.add_paragraph(text).add_run(" Tobias Renn").bold = True
    word.add_paragraph("coal", style="List Bullet")
    table = word.add_table(2, 2)
    for row, cells in zip(table.rows, [("Port", "Fee"), ("Ansel", "4 crowns")], strict=True):
        for cell, value in zip(row.cells, cells, strict=True):
            cell.text = value
    target = io.BytesIO()
    word.save(target)
    return target.getvalue()


def test_word(settings: Settings) -> None:
    document = read("a.docx", make_docx(), settings)
    assert document.title == "The Ferry"
    assert document.text.startswith("# The Ferry\n\nMara_Quill * founded it. Tobias Renn\n\n* coal")
    assert "| Ansel | 4 crowns |" in document.text


@pytest.mark.parametrize(
    ("title", "heading", "expected"),
    [
        ("A History", "The Ferry", "A History"),
        ("Microsoft Word - a.doc", "The Ferry", "The Ferry"),
        ("", "", "my notes"),
    ],
)
def test_title(title: str, heading: str, expected: str, settings: Settings) -> None:
    assert read("my_notes.docx", make_docx(title, heading), settings).title == expected


def test_word_without_text(read_file: ReadFile) -> None:
    with pytest.raises(DocumentError, match=r"No text found in docx_empty\.docx"):
        read_file("docx_empty.docx")


def test_slides(read_file: ReadFile) -> None:
    document = read_file("pptx_table_notes.pptx")
    assert [
        text for text in ("4 crowns", "Bram Otto", "Ilse Vogt objects") if text not in document.text
    ] == []
    assert document.title == "Ferry plan"
    assert document.text[document.pages[1].start :].startswith("# Fees")


def test_password(settings: Settings) -> None:
    data = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600 + "EncryptedPackage".encode("utf-16-le")
    with pytest.raises(DocumentError, match=r"a\.docx is protected with a password"):
        read("a.docx", data, settings)


def test_old_format(settings: Settings) -> None:
    with pytest.raises(DocumentError, match=r"a\.docx is in the old binary Office format"):
        read("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600, settings)


@pytest.mark.parametrize("suffix", [".docx", ".pptx"])
def test_other_content(suffix: str, settings: Settings) -> None:
    with pytest.raises(DocumentError, match="it holds plain text") as raised:
        read("a" + suffix, b"just text", settings)
    assert raised.value.hint == "Rename it to .txt."
    with pytest.raises(DocumentError, match="it holds a ZIP archive"):
        read("a" + suffix, make_zip({"notes.txt": b"x"}), settings)


def test_slides_named_docx(read_file: ReadFile, settings: Settings) -> None:
    with pytest.raises(DocumentError, match="is not a PowerPoint presentation: it holds a Word document"):
        read("a.pptx", make_docx(), settings)


def test_truncated(settings: Settings) -> None:
    with pytest.raises(DocumentError, match=r"a\.docx is damaged: it cannot be read as a Word document"):
        read("a.docx", make_docx()[:-3000], settings)


@pytest.mark.parametrize("content", [b"<broken", b"<a/>", b""])
def test_damaged_inside(content: bytes, settings: Settings) -> None:
    with pytest.raises(DocumentError, match=r"a\.docx"):
        read("a.docx", make_zip({"word/document.xml": content, "[Content_Types].xml": b"<Types/>"}), settings)


def test_archive_that_unpacks_to_too_much() -> None:
    data = make_zip({"word/document.xml": b" " * 1_000_000})
    assert len(data) < 10_000
    with pytest.raises(DocumentError, match="would unpack to 1,000,000 bytes; at most 40,000 are read"):
        read("a.docx", data, Settings(max_file_bytes=10_000))


def test_entity_expansion_is_refused(settings: Settings) -> None:
    bomb = b'<!DOCTYPE a [<!ENTITY x "ha">]><cp:coreProperties xmlns:cp="x">&x;</cp:coreProperties>'
    source = zipfile.ZipFile(io.BytesIO(make_docx()))
    members = {name: source.read(name) for name in source.namelist()} | {"docProps/core.xml": bomb}
    assert read("a.docx", make_zip(members), settings).title == "The Ferry"


def make_zip(members: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return target.getvalue()
