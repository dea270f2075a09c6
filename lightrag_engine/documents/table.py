"""CSV and TSV: each row as a line of "column: value" pairs, so that a row makes sense on its own."""

from __future__ import annotations

import csv
import io
from itertools import islice

from lightrag_engine.documents import sniffing
from lightrag_engine.documents.clean import clean, has_words
from lightrag_engine.documents.content import Content
from lightrag_engine.documents.text import decode
from lightrag_engine.errors import DocumentError
from lightrag_engine.settings import Settings

_DELIMITERS = ",;\t|"
_SNIFFED_ROWS = 50


def read_table(data: bytes, name: str, settings: Settings) -> Content:
    """Read a table; the delimiter (comma, semicolon, tab or bar) is the one that gives the most even rows.

    Cells stay as written: what a spreadsheet would run as a formula is made harmless where it is exported.

    Raises
    ------
    DocumentError
        When the bytes are not text.
    """
    kind = sniffing.kind_of(data)
    if kind != sniffing.TEXT:
        raise DocumentError(f"{name} is {kind}, not a CSV table.", hint="Save it as CSV and add that.")
    decoded = decode(data)
    text = clean(decoded.text)
    warnings = decoded.warnings
    try:
        text = _rows_text(text)
    except csv.Error:
        warnings += ("the rows could not be told apart (an unclosed quote?): read as plain text",)
    return Content(text, encoding=decoded.encoding, warnings=warnings)


def _rows_text(text: str) -> str:
    delimiter = _delimiter(text)
    rows = [
        [" ".join(cell.split()) for cell in row]
        for row in csv.reader(io.StringIO(text), delimiter=delimiter)
        if any(map(str.strip, row))
    ]
    if not rows:
        return ""
    head, *body = rows
    if not body or not _is_header(head):
        return "\n".join(" | ".join(filter(None, row)) for row in rows)
    lines = [" | ".join(head)]
    for row in body:
        named = zip(head, row, strict=False)
        pairs = [f"{column}: {value}" for column, value in named if value]
        lines.append("; ".join([*pairs, *filter(None, row[len(head) :])]))
    return "\n".join(lines)


def _delimiter(text: str) -> str:
    def evenness(delimiter: str) -> tuple[float, int]:
        rows = islice(csv.reader(io.StringIO(text), delimiter=delimiter), _SNIFFED_ROWS)
        widths = [len(row) for row in rows if row]
        usual = max(widths, key=widths.count, default=1)
        return (widths.count(usual) / len(widths) if usual > 1 else 0.0, usual)

    return max(_DELIMITERS, key=evenness)


def _is_header(row: list[str]) -> bool:
    """Return whether a first row names columns: filled, all different, and words rather than figures."""
    return len(set(row)) == len(row) and all(has_words(cell) and cell[0].isalpha() for cell in row)
