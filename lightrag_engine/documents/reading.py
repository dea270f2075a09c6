"""From a file's name and bytes to a `Document`: picks the reader, checks the limits, settles the title."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from lightrag_engine.documents.clean import clean, has_words, one_line
from lightrag_engine.documents.content import Content
from lightrag_engine.documents.names import safe_name, suffix_of
from lightrag_engine.documents.office import read_docx, read_pptx
from lightrag_engine.documents.pdf import read_pdf
from lightrag_engine.documents.sniffing import PDF, kind_of
from lightrag_engine.documents.table import read_table
from lightrag_engine.documents.text import read_text
from lightrag_engine.documents.titles import first_line_title, markdown_title, name_title
from lightrag_engine.documents.web import read_html
from lightrag_engine.errors import DocumentError
from lightrag_engine.records import Document
from lightrag_engine.settings import Settings

Reader = Callable[[bytes, str, Settings], Content]


@dataclass(frozen=True, slots=True)
class _Format:
    label: str
    media_type: str
    reader: Reader


_PLAIN = _Format("plain text", "text/plain", read_text)
_MARKDOWN = _Format("Markdown", "text/markdown", read_text)
_PDF = _Format("PDF", "application/pdf", read_pdf)
_HTML = _Format("HTML", "text/html", read_html)
_OPENXML = "application/vnd.openxmlformats-officedocument."
_FORMATS = {
    ".txt": _PLAIN,
    ".text": _PLAIN,
    ".log": _PLAIN,
    ".md": _MARKDOWN,
    ".markdown": _MARKDOWN,
    ".pdf": _PDF,
    ".docx": _Format("Word", _OPENXML + "wordprocessingml.document", read_docx),
    ".pptx": _Format("PowerPoint", _OPENXML + "presentationml.presentation", read_pptx),
    ".html": _HTML,
    ".htm": _HTML,
    ".csv": _Format("CSV table", "text/csv", read_table),
    ".tsv": _Format("TSV table", "text/tab-separated-values", read_table),
}
SUPPORTED: dict[str, str] = {suffix: format_.label for suffix, format_ in _FORMATS.items()}
_PASTED_WORDS, _PASTED_LENGTH = 8, 60


def document_id(data: bytes) -> str:
    """Return ``doc-`` and 32 hex digits of the SHA-256 of the bytes: same file, same id."""
    return "doc-" + hashlib.sha256(data).hexdigest()[:32]


def read(name: str, data: bytes, settings: Settings) -> Document:
    """Read a file.

    Parameters
    ----------
    name : str
        The file's name as given by the user; its extension picks the reader. A name without extension is
        read as PDF or plain text, whichever its bytes are.
    data : bytes
    settings : Settings
        `max_file_bytes` and `max_pages` bound what is read.

    Raises
    ------
    DocumentError
        When the file is too large, empty, of an unsupported or another format than its name says, damaged,
        encrypted, or holds no letter or digit. The message names the file, `hint` says what to do.

    Examples
    --------
    >>> read("notes.md", b"# Ferry\\n\\nIt sails at noon.", Settings()).title
    'Ferry'
    """
    name = safe_name(name)
    if len(data) > settings.max_file_bytes:
        raise DocumentError(
            f"{name} is too large: {_human_size(len(data))}, at most {_human_size(settings.max_file_bytes)} "
            "are read.",
            hint="Split the file, or raise the setting max_file_bytes (LIGHTRAG_MAX_FILE_BYTES).",
        )
    format_ = _format_of(name, data)
    if not data:
        raise DocumentError(
            f"{name} is empty (0 bytes).", hint="Check that the file was saved or copied fully."
        )
    content = format_.reader(data, name, settings)
    _check_words(content.text, name)
    return Document(
        id=document_id(data),
        name=name,
        title=content.title or name_title(name),
        media_type=format_.media_type,
        size=len(data),
        text=content.text,
        pages=content.pages,
        encoding=content.encoding,
        warnings=content.warnings,
    )


def from_text(text: str, name: str = "", *, settings: Settings) -> Document:
    """Make a document of pasted text. Without a name its title or first words become the name.

    The id is that of a UTF-8 file with the same text.

    Raises
    ------
    DocumentError
        When the text is too long (as UTF-8 bytes) or holds no letter or digit.
    """
    # A lone surrogate cannot be encoded; as U+FFFD it can.
    data = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
    shown = safe_name(name) if name.strip() else "The pasted text"
    if len(data) > settings.max_file_bytes:
        raise DocumentError(
            f"{shown} is too long: {_human_size(len(data))}, at most {_human_size(settings.max_file_bytes)} "
            "are read.",
            hint="Paste less, or raise the setting max_file_bytes (LIGHTRAG_MAX_FILE_BYTES).",
        )
    text = clean(text)
    _check_words(text, shown)
    title = markdown_title(text) or first_line_title(text)
    if not name.strip():
        shown = safe_name(title or _first_words(text))
    return Document(
        id=document_id(data),
        name=shown,
        title=title or name_title(shown),
        media_type="text/plain",
        size=len(data),
        text=text,
        encoding="utf-8",
    )


def _format_of(name: str, data: bytes) -> _Format:
    suffix = suffix_of(name).lower()
    if not suffix:
        return _PDF if kind_of(data) == PDF else _PLAIN
    if suffix not in _FORMATS:
        raise DocumentError(
            f"{name} cannot be read: {suffix} files are not supported.",
            hint="Supported are "
            + ", ".join(f"{label} ({suffixes})" for label, suffixes in _by_label())
            + ".",
        )
    return _FORMATS[suffix]


def _by_label() -> list[tuple[str, str]]:
    labels = dict.fromkeys(SUPPORTED.values())
    return [(label, " ".join(s for s, other in SUPPORTED.items() if other == label)) for label in labels]


def _check_words(text: str, name: str) -> None:
    if has_words(text):
        return
    reason = "only punctuation and symbols" if text.strip() else "only white space"
    raise DocumentError(
        f"No text found in {name}: it holds {reason}.", hint="A document needs at least one letter or digit."
    )


def _first_words(text: str) -> str:
    words = one_line(" ".join(text.split(maxsplit=_PASTED_WORDS)[:_PASTED_WORDS]))
    return words if len(words) <= _PASTED_LENGTH else words[: _PASTED_LENGTH - 1].rstrip() + "…"


def _human_size(size: int) -> str:
    if size < 1024:
        return f"{size} bytes"
    power = min(3, (size.bit_length() - 1) // 10)
    return f"{size / 1024**power:,.1f} {' KMG'[power]}B"
