"""Word and PowerPoint files, as Markdown by markitdown, which works offline."""

from __future__ import annotations

import io
import re
import zipfile
from typing import TYPE_CHECKING
from xml.etree.ElementTree import ParseError

import defusedxml.ElementTree  # type: ignore[import-untyped]
from defusedxml.common import DefusedXmlException  # type: ignore[import-untyped]

from lightrag_engine.documents import sniffing
from lightrag_engine.documents.clean import clean
from lightrag_engine.documents.content import Content, join_pages
from lightrag_engine.documents.titles import markdown_title, sensible_title
from lightrag_engine.documents.web import PLAIN
from lightrag_engine.errors import DocumentError
from lightrag_engine.settings import Settings

if TYPE_CHECKING:
    from markitdown import DocumentConverter

WORD, SLIDES = "a Word document", "a PowerPoint presentation"
# An archive of some kilobytes can be made to unpack to gigabytes.
_MAX_GROWTH = 4
_SLIDE = re.compile(r"<!-- Slide number: \d+ -->\n?")
_PICTURE = re.compile(r"^!\[([^\]\n]*)\]\([^)\n]*\)$", re.MULTILINE)
_TITLE = "{http://purl.org/dc/elements/1.1/}title"


def read_docx(data: bytes, name: str, settings: Settings) -> Content:
    """Read a Word document: paragraphs, headings, lists, tables and footnotes, without page numbers.

    Raises
    ------
    DocumentError
        When it is not a Word document, damaged or encrypted.
    """
    _check(data, name, WORD, settings)
    from markitdown.converters import DocxConverter

    text = clean(_convert(DocxConverter, data, name, ".docx"))
    return Content(text, _core_title(data) or markdown_title(text))


def read_pptx(data: bytes, name: str, settings: Settings) -> Content:
    """Read a presentation, a page a slide: titles, text boxes (grouped ones too), tables, charts and notes.

    Of a picture its alternative text is kept.

    Raises
    ------
    DocumentError
        When it is not a presentation, damaged or encrypted.
    """
    _check(data, name, SLIDES, settings)
    from markitdown.converters import PptxConverter

    markdown = _convert(PptxConverter, data, name, ".pptx")
    slides = _SLIDE.split(markdown)[1:]
    text, starts = join_pages([clean(_PICTURE.sub(r"\1", slide)).strip() for slide in slides])
    return Content(text, _core_title(data) or markdown_title(text), pages=starts)


def _check(data: bytes, name: str, wanted: str, settings: Settings) -> None:
    kind = sniffing.kind_of(data)
    if kind == sniffing.OLD_OFFICE:
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise DocumentError(
                f"{name} is protected with a password.", hint="Save a copy without the password and add that."
            )
        raise DocumentError(
            f"{name} is in the old binary Office format.", hint="Save it as .docx, .pptx or PDF and add that."
        )
    if kind != wanted:
        if zipfile.is_zipfile(io.BytesIO(data)) or kind != sniffing.ZIP:
            hint = (
                "Rename it to .txt."
                if kind == sniffing.TEXT
                else "Give the file the extension of its format."
            )
            raise DocumentError(f"{name} is not {wanted}: it holds {kind}.", hint=hint)
        raise _damaged(name, wanted)
    limit = _MAX_GROWTH * settings.max_file_bytes
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
    except zipfile.BadZipFile as error:
        raise _damaged(name, wanted) from error
    if unpacked > limit:
        raise DocumentError(
            f"{name} would unpack to {unpacked:,} bytes; at most {limit:,} are read.",
            hint="Save it anew without large pictures, or raise the setting max_file_bytes.",
        )


def _convert(converter: type[DocumentConverter], data: bytes, name: str, suffix: str) -> str:
    from markitdown import StreamInfo

    try:
        result = converter().convert(io.BytesIO(data), StreamInfo(extension=suffix), **PLAIN)
    except Exception as error:
        # The parsers below raise whatever a damaged file makes them run into: KeyError, OSError, …
        raise _damaged(name, WORD if suffix == ".docx" else SLIDES) from error
    return str(result.markdown)


def _damaged(name: str, wanted: str) -> DocumentError:
    return DocumentError(
        f"{name} is damaged: it cannot be read as {wanted}.",
        hint="Open it in the program it was made with, save it anew and add that.",
    )


def _core_title(data: bytes) -> str:
    """Return the title of the document's properties, "" when there is none."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            root = defusedxml.ElementTree.fromstring(archive.read("docProps/core.xml"))
    except (KeyError, zipfile.BadZipFile, ParseError, DefusedXmlException):
        return ""  # the properties are optional; the text was already read
    return sensible_title(root.findtext(_TITLE, ""))
