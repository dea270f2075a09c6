from collections.abc import Callable

import pytest
from made_files import changed_zip, make_docx, make_zip

from lightrag_engine.documents import read
from lightrag_engine.errors import DocumentError
from lightrag_engine.records import Document
from lightrag_engine.settings import Settings

ReadFile = Callable[[str], Document]

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'


def with_body(body: str, **parts: str) -> bytes:
    """Return a Word file with this body; `parts` such as footnotes="…" replace other parts."""
    document = f"<w:document {W} {MC}><w:body>{body}</w:body></w:document>"
    members = {f"word/{name}.xml": xml for name, xml in parts.items()}
    return changed_zip(make_docx(), {"word/document.xml": document, **members})


def paragraph(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def text_of(body: str, **parts: str) -> str:
    return read("a.docx", with_body(body, **parts), Settings()).text


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


def test_inserted_text_counts_and_deleted_text_does_not() -> None:
    runs = "<w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
    assert text_of(f"<w:p>{runs}<w:r><w:instrText>PAGE</w:instrText><w:t xml:space='preserve'> text</w:t>"
                   "</w:r></w:p>") == "new text"  # fmt: skip


def test_numbered_lists_count_by_level() -> None:
    numbering = (
        f'<w:numbering {W}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/>'
        '</w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>'
        '<w:num w:numId="7"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
    )
    items = [
        paragraph(text, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="7"/></w:numPr>')
        for text, level in [("one", 0), ("inner", 1), ("two", 0)]
    ]
    assert text_of("".join(items), numbering=numbering) == "1. one\n  * inner\n2. two"


def test_footnotes_follow_their_paragraph() -> None:
    notes = (
        f'<w:footnotes {W}><w:footnote w:id="2">{paragraph("Founded in 1911.")}</w:footnote></w:footnotes>'
    )
    body = '<w:p><w:r><w:t>The ferry</w:t><w:footnoteReference w:id="2"/></w:r></w:p>' + paragraph("Next")
    assert text_of(body, footnotes=notes) == "The ferry\n\nNote 1: Founded in 1911.\n\nNext"


def test_text_boxes_are_read_once() -> None:
    box = f"<w:txbxContent>{paragraph('in a box')}</w:txbxContent>"
    both = f"<mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback>"
    drawing = f"<mc:AlternateContent>{both}</mc:AlternateContent>"
    assert text_of(f"<w:p><w:r><w:t>Before</w:t>{drawing}</w:r></w:p>") == "Before\n\nin a box"


def test_content_controls_and_outline_levels() -> None:
    heading = paragraph("Plan", '<w:outlineLvl w:val="1"/>')
    assert text_of(f"<w:sdt><w:sdtPr/><w:sdtContent>{heading}</w:sdtContent></w:sdt>") == "## Plan"


def test_styles_that_are_based_on_each_other_in_a_circle() -> None:
    styles = "".join(
        f'<w:style w:styleId="{a}"><w:name w:val="{a}"/><w:basedOn w:val="{b}"/></w:style>'
        for a, b in [("A", "B"), ("B", "A")]
    )
    body = paragraph("text", '<w:pStyle w:val="A"/>')
    assert text_of(body, styles=f"<w:styles {W}>{styles}</w:styles>") == "text"


def test_a_long_document_is_read_in_linear_time(settings: Settings) -> None:
    """8 MB of XML took over a minute, in which no other document was read."""
    document = read("a.docx", with_body(paragraph("Mara Quill founded the ferry.") * 100_000), settings)
    assert document.text.count("Mara Quill founded the ferry.") == 100_000


def test_word_without_text(read_file: ReadFile) -> None:
    with pytest.raises(DocumentError, match=r"No text found in docx_empty\.docx"):
        read_file("docx_empty.docx")


def test_password(settings: Settings) -> None:
    data = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600 + "EncryptedPackage".encode("utf-16-le")
    with pytest.raises(DocumentError, match=r"a\.docx is protected with a password"):
        read("a.docx", data, settings)


def test_old_format(settings: Settings) -> None:
    with pytest.raises(DocumentError, match=r"a\.docx is in the old binary Office format"):
        read("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600, settings)


@pytest.mark.parametrize("suffix", [".docx", ".pptx", ".xlsx", ".epub"])
def test_other_content(suffix: str, settings: Settings) -> None:
    with pytest.raises(DocumentError, match="it holds plain text") as raised:
        read("a" + suffix, b"just text", settings)
    assert raised.value.hint == "Rename it to .txt."
    with pytest.raises(DocumentError, match="it holds a ZIP archive"):
        read("a" + suffix, make_zip({"notes.txt": b"x"}), settings)


def test_truncated(settings: Settings) -> None:
    with pytest.raises(DocumentError, match=r"a\.docx is damaged: it cannot be read as a Word document"):
        read("a.docx", make_docx()[:-3000], settings)


@pytest.mark.parametrize("content", [b"<broken", b"<a/>", b""])
def test_damaged_inside(content: bytes, settings: Settings) -> None:
    with pytest.raises(DocumentError, match=r"a\.docx is damaged"):
        read("a.docx", make_zip({"word/document.xml": content, "[Content_Types].xml": b"<Types/>"}), settings)


def test_archive_that_unpacks_to_too_much() -> None:
    data = make_zip({"word/document.xml": b" " * 1_000_000})
    assert len(data) < 10_000
    with pytest.raises(
        DocumentError, match=r"would unpack to 976\.6 KB; at most 39\.1 KB are read"
    ) as raised:
        read("a.docx", data, Settings(max_file_bytes=10_000))
    assert "max_file_bytes" in raised.value.hint


def test_entities_are_never_expanded(settings: Settings) -> None:
    bomb = '<!DOCTYPE a [<!ENTITY x "ha">]><cp:coreProperties xmlns:cp="x">&x;</cp:coreProperties>'
    assert (
        read("a.docx", changed_zip(make_docx(), {"docProps/core.xml": bomb}), settings).title == "The Ferry"
    )
    document = f'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><w:document {W}><w:body>' + (
        paragraph("Quill &x;") + "</w:body></w:document>"
    )
    text = read("a.docx", changed_zip(make_docx(), {"word/document.xml": document}), settings).text
    assert text.strip() == "Quill"
