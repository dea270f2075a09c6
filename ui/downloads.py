"""Tables as CSV files that open safely in a spreadsheet."""

from __future__ import annotations

import pandas as pd

from lightrag_engine.spreadsheet import neutral


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
