from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fpdf import FPDF

from lightrag_engine.documents import read
from lightrag_engine.documents.recognition import ocr_advice
from lightrag_engine.errors import DocumentError
from lightrag_engine.records import Document, PageStart
from lightrag_engine.settings import Settings

ReadFile = Callable[[str], Document]


def make_pdf(pages: Sequence[Sequence[str]], title: str = "", **encryption: str) -> bytes:
    pdf = FPDF()
    pdf.set_title(title)
    if encryption:
        pdf.set_encryption(**encryption)  # type: ignore[arg-type]
    pdf.set_font("Helvetica", size=12)
    for lines in pages:
        pdf.add_page()
        for line in lines:
            pdf.cell(0, 8, line, new_x="LMARGIN", new_y="NEXT")
    return bytes(pdf.output())


def test_text_page_by_page(read_file: ReadFile) -> None:
    document = read_file("pdf_plain.pdf")
    assert [page.number for page in document.pages] == [1, 2]
    assert document.text[document.pages[1].start :].startswith("Ferry rules\nMara Quill founded")
    assert document.title == "Ferry timetable"  # the title field says "untitled"
    assert document.media_type == "application/pdf"
    assert document.warnings == ()


def test_title_of_the_properties(settings: Settings) -> None:
    assert (
        read("a.pdf", make_pdf([["Some line", "More"]], title="A Ferry History"), settings).title
        == "A Ferry History"
    )


def test_some_pages_without_text(read_file: ReadFile) -> None:
    document = read_file("pdf_half_scanned.pdf")
    assert document.warnings == ("pages 2-3 of 3 have no text",)
    assert document.pages[1:] == (PageStart(2, len(document.text)), PageStart(3, len(document.text)))


def test_single_pages_without_text(settings: Settings) -> None:
    document = read("a.pdf", make_pdf([["One"], [], ["Three"], [], [], ["Six"], []]), settings)
    assert document.warnings == ("pages 2, 4-5, 7 of 7 have no text",)
    assert [document.text[page.start :][:3] for page in document.pages] == [
        "One",
        "Thr",
        "Thr",
        "Six",
        "Six",
        "Six",
        "",
    ]
    assert read("a.pdf", make_pdf([["One"], []]), settings).warnings == ("page 2 of 2 has no text",)


@pytest.mark.parametrize("name", ["pdf_scanned.pdf", "pdf_blank.pdf"])
def test_no_text_layer(read_file: ReadFile, name: str) -> None:
    with pytest.raises(DocumentError, match=rf"No text found in {name}: .* \(scanned\?\)") as raised:
        read_file(name)
    assert f"ocrmypdf {name} {name[:-4]}-ocr.pdf" in raised.value.hint


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("ocrmypdf", "OCRmyPDF is installed on this machine"),
        ("tesseract", "Tesseract is installed on this machine"),
        ("", "apt install ocrmypdf"),
    ],
)
def test_the_tool_for_scans_is_looked_for(
    tool: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if tool:
        (tmp_path / tool).write_text("#!/bin/sh\n")
        (tmp_path / tool).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    advice = ocr_advice("my scan.pdf")
    assert "ocrmypdf 'my scan.pdf' 'my scan-ocr.pdf'" in advice
    assert said in advice


def test_right_to_left_text_is_in_logical_order(read_file: ReadFile) -> None:
    assert "מארה קוויל בשנת 1911" in read_file("pdf_hebrew.pdf").text


def test_words_broken_at_line_ends(settings: Settings) -> None:
    data = make_pdf(
        [["The steamer Cor-", "morant left Port", "Ansel for the Quill-", "Renn wharf in 1950-", "1960."]]
    )
    text = read("a.pdf", data, settings).text
    assert "The steamer Cormorant left" in text
    assert "the Quill-Renn wharf" in text


def test_truncated(read_file: ReadFile) -> None:
    with pytest.raises(DocumentError, match=r"pdf_truncated\.pdf is incomplete"):
        read_file("pdf_truncated.pdf")


def test_damaged(settings: Settings) -> None:
    with pytest.raises(DocumentError, match=r"a\.pdf is damaged"):
        read("a.pdf", b"%PDF-1.4\nnothing of use\n%%EOF", settings)


def test_text_named_pdf(read_file: ReadFile) -> None:
    with pytest.raises(DocumentError, match="is not a PDF: it holds plain text") as raised:
        read_file("wrong_text_named.pdf")
    assert raised.value.hint == "Rename it to .txt."


def test_encrypted(settings: Settings) -> None:
    data = make_pdf([["secret"]], owner_password="owner", user_password="user")
    with pytest.raises(DocumentError, match=r"a\.pdf is protected with a password"):
        read("a.pdf", data, settings)


def test_encrypted_against_printing_only(settings: Settings) -> None:
    assert read("a.pdf", make_pdf([["readable"]], owner_password="owner"), settings).text == "readable"


def test_too_many_pages() -> None:
    with pytest.raises(DocumentError, match=r"a\.pdf has 3 pages; at most 2 are read"):
        read("a.pdf", make_pdf([["x"]] * 3), Settings(max_pages=2))


def test_many_threads(settings: Settings) -> None:
    files = [make_pdf([[f"File {number} page {page}"] for page in range(5)]) for number in range(16)]
    with ThreadPoolExecutor(8) as pool:
        documents = list(pool.map(lambda data: read("a.pdf", data, settings), files))
    assert [document.text.split("\n\n")[4] for document in documents] == [
        f"File {n} page 4" for n in range(16)
    ]
