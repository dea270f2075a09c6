"""CSV and TSV: each row as a line of "column: value" pairs, so that a row makes sense on its own."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from lightrag_engine.documents import sniffing
from lightrag_engine.documents.clean import clean, has_words
from lightrag_engine.documents.content import Content
from lightrag_engine.documents.limits import Limits, beyond
from lightrag_engine.documents.text import decode
from lightrag_engine.errors import DocumentError

_DELIMITERS = ",;\t|"
_SNIFFED_ROWS = 50


def read_table(data: bytes, name: str, limits: Limits) -> Content:
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
        reader = csv.reader(io.StringIO(text), delimiter=delimiter_of(text))
        text = rows_text(Bounds(name, limits).within(reader))
    except csv.Error:
        warnings += ("the rows could not be told apart (an unclosed quote?): read as plain text",)
    return Content(text, encoding=decoded.encoding, warnings=warnings)


class Bounds:
    """Counts the rows and filled cells of a file, of all its sheets together."""

    def __init__(self, name: str, limits: Limits) -> None:
        self._name, self._limits = name, limits
        self._rows = self._cells = 0

    def within(self, rows: Iterable[list[str]]) -> Iterator[list[str]]:
        """Pass on the rows that hold something, with single spaces in their cells.

        Raises
        ------
        DocumentError
            When there are more than the limits allow.
        """
        for row in rows:
            row = [" ".join(cell.split()) for cell in row]
            if not any(row):
                continue
            self._rows += 1
            self._cells += len(row) - row.count("")
            self._check(self._rows, self._limits.max_table_rows, "rows", "max_table_rows")
            self._check(self._cells, self._limits.max_table_cells, "filled cells", "max_table_cells")
            yield row

    def _check(self, count: int, most: int, what: str, setting: str) -> None:
        if count > most:
            raise beyond(f"{self._name} has more than {most:,} {what}.", setting, "Split the table")


def rows_text(rows: Iterable[list[str]]) -> str:
    """Return rows as lines: under a header row as "column: value" pairs, else with bars between the cells."""
    rest = iter(rows)
    head = next(rest, None)
    if head is None:
        return ""
    second = next(rest, None)
    if second is None or not _is_header(head):
        plain = chain([head], [second] if second else [], rest)
        return "\n".join(" | ".join(filter(None, row)) for row in plain)
    return "\n".join(chain([" | ".join(head)], (record_line(head, row) for row in chain([second], rest))))


def record_line(columns: list[str], row: list[str]) -> str:
    """Return a row as "column: value; column: value", without empty cells."""
    named = (f"{column}: {cell}" for column, cell in zip(columns, row, strict=False) if cell)
    return "; ".join([*named, *filter(None, row[len(columns) :])])


def delimiter_of(text: str) -> str:
    """Return the delimiter that gives the most even rows: comma, semicolon, tab or bar."""

    def evenness(delimiter: str) -> tuple[float, int]:
        rows = islice(csv.reader(io.StringIO(text), delimiter=delimiter), _SNIFFED_ROWS)
        widths = [len(row) for row in rows if row]
        usual = max(widths, key=widths.count, default=1)
        return (widths.count(usual) / len(widths) if usual > 1 else 0.0, usual)

    return max(_DELIMITERS, key=evenness)


def _is_header(row: list[str]) -> bool:
    """Return whether a first row names columns: filled, all different, and words rather than figures."""
    return len(set(row)) == len(row) and all(has_words(cell) and cell[0].isalpha() for cell in row)
