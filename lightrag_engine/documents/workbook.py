"""Excel files: each sheet as a table, cells as a person sees them."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import Any

from lightrag_engine.documents.cell_text import cell_text
from lightrag_engine.documents.clean import clean, one_line
from lightrag_engine.documents.content import Content
from lightrag_engine.documents.limits import Limits
from lightrag_engine.documents.packages import core_title, open_package
from lightrag_engine.documents.table import Bounds, rows_text

WORKBOOK = "an Excel workbook"
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
# A cell with a formula and no value. An empty text (t="str") is a value.
_UNCALCULATED = re.compile(
    rb"<c\b([^>]*)>\s*<f\b(?:[^>]*/>|[^>]*>[^<]*</f>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>"
)
_PIECE = 1024 * 1024


def read_workbook(data: bytes, name: str, limits: Limits) -> Content:
    """Read a workbook: each sheet under its name, rows as the CSV reader gives them.

    Of a formula its result as last calculated is read. Dates are written year-month-day, numbers with the
    decimals, percent and currency signs of their format. Hidden sheets are read and said.

    Raises
    ------
    DocumentError
        When it is not a workbook, damaged, encrypted, or has too many rows or cells.
    """
    with open_package(data, name, WORKBOOK, limits) as archive:
        title = core_title(archive)
        uncalculated = _uncalculated(archive)
    from openpyxl import load_workbook

    with warnings.catch_warnings(), ExitStack() as opened:
        # It warns of what it does not keep when it saves: styles, extensions, validation.
        warnings.simplefilter("ignore")
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
        opened.callback(book.close)
        bounds = Bounds(name, limits)
        sheets = [(sheet, clean(sheet_text(bounds.within(_rows(sheet))))) for sheet in book.worksheets]
    filled = [(one_line(sheet.title), sheet.sheet_state, text) for sheet, text in sheets if text]
    notes: tuple[str, ...] = ()
    if hidden := [title for title, state, _ in filled if state != "visible"]:
        notes += (f"hidden sheets are read too: {', '.join(hidden)}",)
    if uncalculated:
        formulas = "1 formula has" if uncalculated == 1 else f"{uncalculated:,} formulas have"
        notes += (f"{formulas} no stored result: open and save the file in a spreadsheet program",)
    text = "\n\n".join(f"## {title}\n\n{text}" for title, _, text in filled)
    return Content(text, title, warnings=notes)


def sheet_text(rows: Iterable[list[str]]) -> str:
    """Return the text of a sheet; its table may begin anywhere, below lines that hold a single cell."""
    kept = list(rows)
    first = next((n for n, row in enumerate(kept) if len(row) - row.count("") > 1), len(kept))
    above = ["".join(row) for row in kept[:first]]
    table = kept[first:]
    left = min((next(n for n, cell in enumerate(row) if cell) for row in table), default=0)
    return "\n".join([*above, rows_text(_without_end(row[left:]) for row in table)]).strip("\n")


def _without_end(row: list[str]) -> list[str]:
    while row and not row[-1]:
        row = row[:-1]
    return row


def _rows(sheet: Any) -> Iterator[list[str]]:
    # The size that a file states may be far off; without it rows end where they end.
    sheet.reset_dimensions()
    for row in sheet.iter_rows():
        yield [cell_text(cell.value, cell.number_format) if cell.value is not None else "" for cell in row]


def _uncalculated(archive: zipfile.ZipFile) -> int:
    """Return the number of formulas without a stored result: no spreadsheet program calculated them."""
    count = 0
    for path in filter(_SHEET.fullmatch, archive.namelist()):
        rest = b""
        with archive.open(path) as part:
            while piece := part.read(_PIECE):
                # Cut where a cell begins: none is seen in halves.
                piece = rest + piece
                cut = max(piece.rfind(b"<c "), 0)
                count += _count(piece[:cut])
                rest = piece[cut:]
        count += _count(rest)
    return count


def _count(xml: bytes) -> int:
    return sum(b't="str"' not in match[1] for match in _UNCALCULATED.finditer(xml))
