"""RTF: the text of the document, without pictures and formatting."""

from __future__ import annotations

import re

from lightrag_engine.documents import sniffing
from lightrag_engine.documents.clean import clean
from lightrag_engine.documents.content import Content
from lightrag_engine.documents.limits import Limits
from lightrag_engine.documents.titles import first_line_title, sensible_title
from lightrag_engine.errors import DocumentError

RTF = "an RTF document"
_TITLE = re.compile(r"\{\\info\b[^{}]{0,200}(?:\{[^{}]{0,500}\}[^{}]{0,50}){0,20}?\{\\title ([^{}]{1,500})\}")
_HEAD = 100_000
_BREAKS = re.compile(r"\n{3,}")


def read_rtf(data: bytes, name: str, limits: Limits) -> Content:
    """Read an RTF document; cells of a table row stand between bars.

    Raises
    ------
    DocumentError
        When the bytes are not RTF.
    """
    kind = sniffing.kind_of(data)
    if kind != RTF:
        hint = "Rename it to .txt." if kind == sniffing.TEXT else "Give the file the extension of its format."
        raise DocumentError(f"{name} is not RTF: it holds {kind}.", hint=hint)
    # RTF is ASCII with escapes; other bytes are characters of its code page, as escapes are.
    source = "".join(chr(byte) if byte < 128 else f"\\'{byte:02x}" for byte in data)
    text = _BREAKS.sub("\n\n", clean(_plain(source))).strip()
    found = _TITLE.search(source[:_HEAD])
    title = sensible_title(_plain("{\\rtf1 " + found[1] + "}")) if found else ""
    return Content(text, title or first_line_title(text, blank_after=False))


def _plain(source: str) -> str:
    from striprtf import striprtf

    return str(striprtf.rtf_to_text(source, errors="replace"))  # type: ignore[no-untyped-call]
