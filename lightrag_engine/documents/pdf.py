"""PDF: the text layer, page by page, read with PDFium."""

from __future__ import annotations

import re
import threading
import unicodedata

import pypdfium2
import pypdfium2.raw

from lightrag_engine.documents import sniffing
from lightrag_engine.documents.clean import clean, has_words
from lightrag_engine.documents.content import Content, join_pages
from lightrag_engine.documents.limits import Limits, beyond
from lightrag_engine.documents.recognition import ocr_advice
from lightrag_engine.documents.titles import first_line_title, sensible_title
from lightrag_engine.errors import DocumentError

# PDFium is not thread safe, not even for two different documents: one lock for the process.
_PDFIUM = threading.Lock()
# PDFium gives U+FFFE for a hyphen that ends a line and leaves the line break out.
_LINE_END_HYPHEN = re.compile("\ufffe[\r\n]*")
_LIGATURES = str.maketrans(
    {chr(code): unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
)


def read_pdf(data: bytes, name: str, limits: Limits) -> Content:
    """Read the text of a PDF, in logical order, with the offset at which each page begins.

    A word broken at a line end is joined when it goes on in lower case; otherwise the hyphen stays.

    Raises
    ------
    DocumentError
        When the file is no PDF, damaged, encrypted, has too many pages or no text on any page.
    """
    kind = sniffing.kind_of(data)
    if kind != sniffing.PDF:
        hint = "Rename it to .txt." if kind == sniffing.TEXT else "Give the file the extension of its format."
        raise DocumentError(f"{name} is not a PDF: it holds {kind}.", hint=hint)
    title, raw_pages = _extract(data, name, limits.max_pages)
    pages = [_page_text(raw) for raw in raw_pages]
    without = [number for number, page in enumerate(pages, start=1) if not has_words(page)]
    if len(without) == len(pages):
        count = "its only page is" if len(pages) == 1 else f"all {len(pages)} pages are"
        raise DocumentError(
            f"No text found in {name}: {count} without a text layer (scanned?).",
            hint=ocr_advice(name),
        )
    text, starts = join_pages(pages)
    title = sensible_title(title) or first_line_title(text, blank_after=False)
    return Content(text, title, pages=starts, warnings=_missing_text(without, len(pages)))


def _extract(data: bytes, name: str, max_pages: int) -> tuple[str, list[str]]:
    with _PDFIUM:
        try:
            pdf = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            raise _unreadable(error, data, name) from error
        try:
            if len(pdf) > max_pages:
                raise beyond(
                    f"{name} has {len(pdf):,} pages; at most {max_pages:,} are read.",
                    "max_pages",
                    "Split the file",
                )
            return str(pdf.get_metadata_value("Title")), [_raw_text(pdf, index) for index in range(len(pdf))]
        finally:
            pdf.close()


def _raw_text(pdf: pypdfium2.PdfDocument, index: int) -> str:
    try:
        page = pdf[index]
    except pypdfium2.PdfiumError:
        return ""  # a damaged page is reported like one without text; the others are still read
    try:
        textpage = page.get_textpage()
        try:
            return str(textpage.get_text_range())
        finally:
            textpage.close()
    finally:
        page.close()


def _page_text(raw: str) -> str:
    def join(match: re.Match[str]) -> str:
        return "" if raw[match.end() : match.end() + 1].islower() else "-"

    return clean(_LINE_END_HYPHEN.sub(join, raw).translate(_LIGATURES)).strip()


def _unreadable(error: pypdfium2.PdfiumError, data: bytes, name: str) -> DocumentError:
    if error.err_code in (pypdfium2.raw.FPDF_ERR_PASSWORD, pypdfium2.raw.FPDF_ERR_SECURITY):
        return DocumentError(
            f"{name} is protected with a password.", hint="Save a copy without the password and add that."
        )
    if b"%%EOF" not in data[-2048:]:
        return DocumentError(
            f"{name} is incomplete: the end of the PDF is missing.", hint="Download or copy the file again."
        )
    return DocumentError(
        f"{name} is damaged: its PDF structure cannot be read.",
        hint="Open it in a PDF viewer and save or print it to a new PDF.",
    )


def _missing_text(without: list[int], total: int) -> tuple[str, ...]:
    """Return the warning "pages 2-3, 7 of 9 have no text", or nothing."""
    if not without:
        return ()
    ranges: list[list[int]] = []
    for number in without:
        if ranges and number == ranges[-1][-1] + 1:
            ranges[-1] = [ranges[-1][0], number]
        else:
            ranges.append([number])
    listed = ", ".join("-".join(map(str, bounds)) for bounds in ranges)
    if len(without) == 1:
        return (f"page {listed} of {total} has no text",)
    return (f"pages {listed} of {total} have no text",)
