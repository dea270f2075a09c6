"""The one table of file endings: what is read, by which reader, and what to do about what is not.

The types that the page's file dialog takes, the messages and the command's folder search follow from it.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import cast

from lightrag_engine.documents.content import Content
from lightrag_engine.documents.limits import Limits
from lightrag_engine.documents.names import safe_name, suffix_of

Reader = Callable[[bytes, str, Limits], Content]
# Plain text and simple tables are read in steps that grow with the size alone: below this they need no
# process of their own.
_BOUNDED = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Format:
    """A file format; `safe_bytes` is the size up to which it can be read without a process of its own."""

    label: str
    media_type: str
    module: str
    function: str
    safe_bytes: int = 0

    @property
    def reader(self) -> Reader:
        """The function that reads it. Loaded on demand: some need libraries that take a second to import."""
        return cast(Reader, getattr(import_module(f"lightrag_engine.documents.{self.module}"), self.function))


_OPENXML = "application/vnd.openxmlformats-officedocument."
PLAIN = Format("plain text", "text/plain", "text", "read_text", _BOUNDED)
PDF = Format("PDF", "application/pdf", "pdf", "read_pdf")
_MARKDOWN = Format("Markdown", "text/markdown", "text", "read_text", _BOUNDED)
_HTML = Format("HTML", "text/html", "web", "read_html")
_EXCEL = Format("Excel", _OPENXML + "spreadsheetml.sheet", "workbook", "read_workbook")
_LINES = Format("JSON lines", "application/jsonl", "json_text", "read_json_lines")
FORMATS = {
    ".txt": PLAIN,
    ".text": PLAIN,
    ".log": PLAIN,
    ".md": _MARKDOWN,
    ".markdown": _MARKDOWN,
    ".pdf": PDF,
    ".docx": Format("Word", _OPENXML + "wordprocessingml.document", "word", "read_docx"),
    ".pptx": Format("PowerPoint", _OPENXML + "presentationml.presentation", "slides", "read_pptx"),
    ".xlsx": _EXCEL,
    ".xlsm": _EXCEL,
    ".epub": Format("EPUB", "application/epub+zip", "epub", "read_epub"),
    ".rtf": Format("RTF", "application/rtf", "rtf", "read_rtf"),
    ".html": _HTML,
    ".htm": _HTML,
    ".csv": Format("CSV table", "text/csv", "table", "read_table", _BOUNDED),
    ".tsv": Format("TSV table", "text/tab-separated-values", "table", "read_table", _BOUNDED),
    ".json": Format("JSON", "application/json", "json_text", "read_json"),
    ".jsonl": _LINES,
    ".ndjson": _LINES,
    ".eml": Format("e-mail", "message/rfc822", "mail", "read_mail"),
    ".zip": Format("ZIP archive", "application/zip", "archives", "read_archive"),
}
SUPPORTED: dict[str, str] = {suffix: format_.label for suffix, format_ in FORMATS.items()}

_LIBREOFFICE = (
    "Save it as {new} or PDF and add that. LibreOffice does it with: soffice --headless --convert-to "
)
_OFFICE = _LIBREOFFICE + "{new_bare} {file}"
_IMAGE = (
    "Text in pictures is not read. Make it a PDF with text recognition and add that: "
    "ocrmypdf --image-dpi 300 {file} {stem}.pdf"
)
_RECORDING = "Make a transcript as text and add that."
_REPACK = "Unpack it and add its files, or pack them as ZIP."
# What a format is, and what to do; {new} and {new_bare} come from the third column.
_CONVERT: dict[str, tuple[str, str, str]] = {
    **dict.fromkeys((".doc", ".dot"), ("old Word", _OFFICE, ".docx")),
    **dict.fromkeys((".docm", ".dotx"), ("Word macro or template", _OFFICE, ".docx")),
    **dict.fromkeys((".xls", ".xlsb"), ("old or binary Excel", _OFFICE, ".xlsx")),
    **dict.fromkeys((".ppt", ".pps", ".ppsx", ".pptm"), ("other PowerPoint", _OFFICE, ".pptx")),
    ".odt": ("OpenDocument text", _OFFICE, ".docx"),
    ".ods": ("OpenDocument spreadsheet", _OFFICE, ".xlsx"),
    ".odp": ("OpenDocument presentation", _OFFICE, ".pptx"),
    ".pages": ("Pages", "In Pages choose File, Export to, Word or PDF and add that.", ""),
    ".numbers": ("Numbers", "In Numbers choose File, Export to, Excel and add that.", ""),
    ".key": ("Keynote", "In Keynote choose File, Export to, PowerPoint or PDF and add that.", ""),
    ".msg": ("Outlook message", "Save it as .eml in a mail program and add that.", ""),
    **dict.fromkeys(
        (".mobi", ".azw", ".azw3", ".fb2"),
        ("e-book", "Convert it to EPUB with Calibre and add that: ebook-convert {file} {stem}.epub", ""),
    ),
    **dict.fromkeys(
        (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".gif", ".bmp", ".webp", ".heic"), ("image", _IMAGE, "")
    ),
    **dict.fromkeys((".mp3", ".wav", ".m4a", ".ogg", ".mp4", ".mov"), ("recording", _RECORDING, "")),
    **dict.fromkeys((".7z", ".rar", ".tar", ".gz", ".tgz", ".bz2", ".xz"), ("archive", _REPACK, "")),
}


def format_of_name(name: str) -> Format | None:
    """Return the format that a name's ending stands for; None for none and for unsupported ones."""
    return FORMATS.get(suffix_of(safe_name(name)).lower())


def kind_text(suffix: str) -> str:
    """Return what files with an unsupported ending are called, as in ".xls (old or binary Excel)"."""
    known = _CONVERT.get(suffix)
    return f"{suffix} ({known[0]})" if known else suffix


def advice(name: str, suffix: str) -> str:
    """Return what to do about a file whose ending is not supported, with the command where there is one."""
    if suffix not in _CONVERT:
        return f"Supported are {supported_text()}."
    _, text, new = _CONVERT[suffix]
    stem = name[: -len(suffix)] or "output"
    return text.format(new=new, new_bare=new.lstrip("."), file=shlex.quote(name), stem=shlex.quote(stem))


def supported_text() -> str:
    """Return all formats with their endings in a line: "PDF (.pdf), HTML (.html .htm), …"."""
    labels = dict.fromkeys(SUPPORTED.values())
    listed = ((label, " ".join(s for s, other in SUPPORTED.items() if other == label)) for label in labels)
    return ", ".join(f"{label} ({suffixes})" for label, suffixes in listed)
