"""Cells that open safely in a spreadsheet."""

from __future__ import annotations

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
