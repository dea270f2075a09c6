"""Tables as CSV files that open safely in a spreadsheet."""

from __future__ import annotations

import pandas as pd

# A text cell that starts with one of these may be run as a formula (OWASP, "CSV Injection").
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def neutral(cell: str) -> str:
    """Return a text cell that no spreadsheet takes for a formula: an apostrophe in front where needed.

    Examples
    --------
    >>> neutral("=1+1"), neutral("Port Ansel")
    ("'=1+1", 'Port Ansel')
    """
    return f"'{cell}" if cell.startswith(_FORMULA_STARTS) else cell


def csv_bytes(table: pd.DataFrame) -> bytes:
    """Return a table as a CSV file: UTF-8 with a byte order mark (else Excel garbles Chinese), CRLF ends.

    Text cells and headers are neutralised; numeric columns stay numbers.
    """
    safe = table.copy()
    for column in safe.columns:
        if not pd.api.types.is_numeric_dtype(safe[column]):
            safe[column] = [neutral(str(cell)) for cell in safe[column]]
    safe.columns = pd.Index([neutral(str(column)) for column in safe.columns])
    return safe.to_csv(index=False, lineterminator="\r\n").encode("utf-8-sig")
