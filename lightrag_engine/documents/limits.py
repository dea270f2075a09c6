"""How much of a file is read: a plain record, so that the process that reads needs no settings library."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Self

from lightrag_engine.errors import DocumentError

if TYPE_CHECKING:
    from lightrag_engine.settings import Settings


@dataclass(frozen=True, slots=True)
class Limits:
    """The settings of the same names, see `lightrag_engine.settings.Settings`."""

    max_file_bytes: int
    max_pages: int
    max_text_characters: int
    max_table_rows: int
    max_table_cells: int
    max_archive_files: int
    max_archive_bytes: int
    max_archive_ratio: int
    max_archive_depth: int

    @classmethod
    def of(cls, settings: Settings | Limits) -> Self:
        """Take the limits out of the settings."""
        return cls(**{field.name: getattr(settings, field.name) for field in fields(cls)})


def beyond(message: str, setting: str, instead: str) -> DocumentError:
    """Return the error of a file beyond a limit: `instead` says what else can be done than raising it."""
    return DocumentError(
        message, hint=f"{instead}, or raise the setting {setting} (LIGHTRAG_{setting.upper()})."
    )


def human_size(size: int) -> str:
    """Return a number of bytes as people read it.

    Examples
    --------
    >>> human_size(900), human_size(1536)
    ('900 bytes', '1.5 KB')
    """
    if size < 1024:
        return f"{size} bytes"
    power = min(3, (size.bit_length() - 1) // 10)
    return f"{size / 1024**power:,.1f} {' KMG'[power]}B"
