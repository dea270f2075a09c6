import hashlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from made_files import epub_members, make_docx, make_mail, make_xlsx, make_zip

from lightrag_engine.documents import SUPPORTED, document_id, from_text, read
from lightrag_engine.errors import DocumentError
from lightrag_engine.records import Document
from lightrag_engine.settings import Settings

ReadFile = Callable[[str], Document]
FILES = Path(__file__).parents[1] / "data" / "documents"


def test_document(settings: Settings) -> None:
    data = "# 云岭 Ferry\r\n\r\nMara Quill.".encode()
    document = read("up/loads\\report_1.MD", data, settings)
    assert document == Document(
        id="doc-" + hashlib.sha256(data).hexdigest()[:32],
        name="report_1.MD",
        title="云岭 Ferry",
        media_type="text/markdown",
        size=len(data),
        text="# 云岭 Ferry\n\nMara Quill.",
        encoding="utf-8",
    )


def test_same_name_other_content_is_another_document(settings: Settings) -> None:
    north = read("readme.md", b"North depot: manager Ada Pell stores coal in shed 4.", settings)
    south = read("readme.md", b"South depot: manager Bram Otto stores rope in shed 9.", settings)
    assert north.name == south.name
    assert north.id != south.id == document_id(b"South depot: manager Bram Otto stores rope in shed 9.")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("empty.txt", r"empty\.txt is empty \(0 bytes\)"),
        ("whitespace_only.txt", "only white space"),
        ("punct_only.md", "only punctuation and symbols"),
        ("one_char.txt", "only punctuation and symbols"),
    ],
)
def test_nothing_to_read(read_file: ReadFile, name: str, reason: str) -> None:
    with pytest.raises(DocumentError, match=reason) as raised:
        read_file(name)
    assert name in str(raised.value)
    assert raised.value.hint


def test_one_letter_is_a_document(settings: Settings) -> None:
    assert read("x.txt", b"x", settings).text == "x"


def test_too_large() -> None:
    with pytest.raises(DocumentError, match=r"a\.txt is too large: 3\.0 KB, at most 1\.5 KB are read"):
        read("a.txt", b"x" * 3072, Settings(max_file_bytes=1536))
    with pytest.raises(DocumentError, match="11 bytes, at most 10 bytes"):
        read("a.txt", b"x" * 11, Settings(max_file_bytes=10))


@pytest.mark.parametrize("name", ["a.exe", "b.xyz"])
def test_unsupported(name: str, settings: Settings) -> None:
    with pytest.raises(DocumentError, match=name) as raised:
        read(name, b"text", settings)
    assert "PDF (.pdf)" in raised.value.hint
    assert "HTML (.html .htm)" in raised.value.hint


@pytest.mark.parametrize("name", ["README", "", "Notes on St. Petersburg"])
def test_no_extension_is_read_as_text(name: str, settings: Settings) -> None:
    assert read(name, b"Mara Quill", settings).media_type == "text/plain"


MAGIC = [b"", b"%PDF-1.7\n", b"PK\x03\x04", b"{\\rtf1 ", b"From: x\n\n", b'{"a": [', b"\xd0\xcf\x11\xe0"]
WHOLE = {
    ".docx": make_docx(),
    ".xlsx": make_xlsx({"S": [["Port", "Fee"], ["Ansel", 4.5]]}, {"B2": "0.00"}),
    ".pptx": (FILES / "pptx_table_notes.pptx").read_bytes(),
    ".pdf": (FILES / "pdf_plain.pdf").read_bytes(),
    ".epub": make_zip(epub_members({"1.xhtml": "<p>Mara</p>"}, ["1.xhtml"], "<a href='text/1.xhtml'>I</a>")),
    ".eml": make_mail(attachments={"a.txt": b"x"}, html="<p>x</p>"),
    ".zip": make_zip({"a.txt": "Mara", "b.zip": make_zip({"c.txt": "x"})}),
    ".rtf": rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}\f0 Mara\par Caf\'e9 \u20113? Quill\par}",
    ".json": b'{"a": [{"b": 1.5, "c": [null, true]}], "d": "text"}',
    ".html": b"<html><head><title>a</title></head><body><table><tr><td>x</td></tr></table></body></html>",
}


def read_or_refused(name: str, data: bytes) -> None:
    """Read; whatever the bytes are, there is a text, or a refusal that names the file and what to do."""
    refusal = None
    try:
        text = read(name, data, Settings()).text
    except DocumentError as error:
        refusal, text = error, ""
    assert text.strip() or (refusal and name in str(refusal) and refusal.hint)
    text.encode("utf-8")


@given(st.sampled_from(sorted(SUPPORTED)), st.binary(max_size=300), st.sampled_from(MAGIC))
def test_any_bytes_are_read_or_refused(suffix: str, data: bytes, magic: bytes) -> None:
    read_or_refused("a" + suffix, magic + data)


@pytest.mark.parametrize("suffix", sorted(WHOLE))
@given(st.data())
@hypothesis_settings(max_examples=30)
def test_damaged_files_are_read_or_refused(suffix: str, data: st.DataObject) -> None:
    content = bytearray(WHOLE[suffix])
    places = data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=8))
    for place in places:
        content[place] = data.draw(st.integers(0, 255))
    read_or_refused("a" + suffix, bytes(content[: data.draw(st.sampled_from([None, places[0]]))]))


def test_pasted_text(settings: Settings) -> None:
    document = from_text(
        "Mara Quill founded the ferry in 1911 and sold it to Tobias Renn.", settings=settings
    )
    assert document.name == document.title == "Mara Quill founded the ferry in 1911 and"
    assert document.id == document_id(b"Mara Quill founded the ferry in 1911 and sold it to Tobias Renn.")


def test_pasted_text_with_heading_or_name(settings: Settings) -> None:
    assert from_text("# The Ferry\n\ntext", settings=settings).name == "The Ferry"
    named = from_text("# The Ferry\n\ntext", "my/notes.txt", settings=settings)
    assert (named.name, named.title) == ("notes.txt", "The Ferry")


def test_pasted_surrogate(settings: Settings) -> None:
    document = from_text("Ferry \udc9a log", settings=settings)
    assert document.text == "Ferry \ufffd log"
    document.name.encode()


@pytest.mark.parametrize("text", ["", " \n", "---"])
def test_pasted_nothing(text: str, settings: Settings) -> None:
    with pytest.raises(DocumentError, match="No text found in The pasted text"):
        from_text(text, settings=settings)


def test_pasted_too_much() -> None:
    with pytest.raises(DocumentError, match="too long"):
        from_text("云" * 10, settings=Settings(max_file_bytes=20))


def test_the_program_loads_no_parsers() -> None:
    """They are for the process that reads."""
    code = "import sys, lightrag_engine; print({'lxml', 'pptx', 'openpyxl', 'pypdfium2'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("old report.doc", "soffice --headless --convert-to docx 'old report.doc'"),
        ("a.xls", "Save it as .xlsx or PDF"),
        ("a.PPT", "--convert-to pptx a.PPT"),
        ("scan.jpeg", "ocrmypdf --image-dpi 300 scan.jpeg scan.pdf"),
        ("a.mobi", "ebook-convert a.mobi a.epub"),
        ("a.rar", "as ZIP"),
        ("a.msg", ".eml"),
    ],
)
def test_what_to_do_about_other_formats(name: str, advice: str, settings: Settings) -> None:
    with pytest.raises(DocumentError, match=name) as raised:
        read(name, b"x", settings)
    assert advice in raised.value.hint


def test_too_much_text() -> None:
    with pytest.raises(
        DocumentError, match=r"a\.txt holds 11 characters of text; at most 10 are read"
    ) as raised:
        read("a.txt", b"Mara Quill!", Settings(max_text_characters=10))
    assert "LIGHTRAG_MAX_TEXT_CHARACTERS" in raised.value.hint
