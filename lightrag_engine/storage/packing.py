"""Long texts compressed: chunks and documents take a third."""

from __future__ import annotations

import zlib

_COMPRESSED_FROM = 500  # characters
_MOST_UNPACKED = 2**30  # bytes; more than any document has


def packed(text: str) -> str | bytes:
    """Return a text as it is kept: compressed when it is long."""
    return text if len(text) < _COMPRESSED_FROM else zlib.compress(text.encode("utf-8", "surrogatepass"))


def unpacked(value: str | bytes) -> str:
    """Return the text of a value that may be compressed.

    Raises
    ------
    ValueError
        When it is damaged, or a bomb: compressed to next to nothing.
    """
    if isinstance(value, str):
        return value
    unpacking = zlib.decompressobj()
    try:
        plain = unpacking.decompress(value, _MOST_UNPACKED)
    except zlib.error as error:
        raise ValueError(f"a compressed value is damaged: {error}") from error
    if not unpacking.eof:
        raise ValueError("a compressed value is cut off or too large")
    return plain.decode("utf-8", "surrogatepass")
