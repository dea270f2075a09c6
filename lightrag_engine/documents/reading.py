"""From a file's name and bytes to a `Document`: picks the reader, checks the limits, settles the title."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from lightrag_engine.documents import formats
from lightrag_engine.documents.clean import clean, has_words, one_line
from lightrag_engine.documents.formats import FORMATS, Format
from lightrag_engine.documents.limits import Limits, beyond, human_size
from lightrag_engine.documents.names import safe_name, suffix_of
from lightrag_engine.documents.sniffing import PDF, kind_of
from lightrag_engine.documents.titles import first_line_title, markdown_title, name_title
from lightrag_engine.errors import DocumentError
from lightrag_engine.records import Document

if TYPE_CHECKING:
    from lightrag_engine.settings import Settings

_PASTED_WORDS, _PASTED_LENGTH = 8, 60


def document_id(data: bytes) -> str:
    """Return ``doc-`` and 32 hex digits of the SHA-256 of the bytes: same file, same id."""
    return "doc-" + hashlib.sha256(data).hexdigest()[:32]


def read(name: str, data: bytes, settings: Settings | Limits) -> Document:
    """Read a file, here and now; `isolated.Reader` does it where it cannot take the program down.

    Parameters
    ----------
    name : str
        The file's name as given by the user; its extension picks the reader. A name without extension is
        read as PDF or plain text, whichever its bytes are.
    data : bytes
    settings : Settings or Limits
        The ``max_…`` settings bound what is read.

    Raises
    ------
    DocumentError
        When the file is beyond a limit, empty, of an unsupported or another format than its name says,
        damaged, encrypted, or holds no letter or digit. The message names the file, `hint` says what to do.

    Examples
    --------
    >>> from lightrag_engine.settings import Settings
    >>> read("notes.md", b"# Ferry\\n\\nIt sails at noon.", Settings()).title
    'Ferry'
    """
    name, limits = safe_name(name), Limits.of(settings)
    if len(data) > limits.max_file_bytes:
        size, most = human_size(len(data)), human_size(limits.max_file_bytes)
        raise beyond(
            f"{name} is too large: {size}, at most {most} are read.", "max_file_bytes", "Split the file"
        )
    format_ = format_of(name, data)
    if not data:
        raise DocumentError(
            f"{name} is empty (0 bytes).", hint="Check that the file was saved or copied fully."
        )
    try:
        content = format_.reader(data, name, limits)
    except (DocumentError, MemoryError):
        raise
    except Exception as error:
        # The parsers below raise whatever a damaged file makes them run into: KeyError, OSError, …
        if "allocation failed" in str(error):
            raise MemoryError from error  # libxml2's words for it
        raise DocumentError(
            f"{name} is damaged: it cannot be read as {format_.label}.",
            hint="Open it in the program it was made with, save it anew and add that.",
        ) from error
    if len(content.text) > limits.max_text_characters:
        raise beyond(
            f"{name} holds {len(content.text):,} characters of text; at most "
            f"{limits.max_text_characters:,} are read.",
            "max_text_characters",
            "Split the file",
        )
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
        size, most = human_size(len(data)), human_size(settings.max_file_bytes)
        raise beyond(f"{shown} is too long: {size}, at most {most} are read.", "max_file_bytes", "Paste less")
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


def format_of(name: str, data: bytes) -> Format:
    """Return the format of a file by its name; without an ending, by its bytes.

    Raises
    ------
    DocumentError
        When the ending is not supported; the hint says how to convert the file, where that is known.
    """
    suffix = suffix_of(name).lower()
    if not suffix:
        return formats.PDF if kind_of(data) == PDF else formats.PLAIN
    if suffix not in FORMATS:
        raise DocumentError(
            f"{name} cannot be read: {formats.kind_text(suffix)} files are not supported.",
            hint=formats.advice(name, suffix),
        )
    return FORMATS[suffix]


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
