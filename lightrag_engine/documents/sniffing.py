"""What a file really is, by its first bytes: for messages about files that are named wrongly."""

from __future__ import annotations

PDF = "a PDF"
ZIP = "a ZIP archive"
OLD_OFFICE = "an old or password-protected Office file"
TEXT = "plain text"
BINARY = "binary data"

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"BM", "a bitmap image"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"RIFF", "an audio, video or WebP file"),
    (b"ID3", "an MP3 file"),
    (b"OggS", "an audio file"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"PK\x03\x04", ZIP),
    (b"PK\x05\x06", ZIP),
    (b"\xd0\xcf\x11\xe0", OLD_OFFICE),
    (b"SQLite format 3\x00", "a SQLite database"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"{\\rtf", "an RTF document"),
)
# Members that tell which Office format a ZIP archive is.
_OFFICE_MEMBERS = (
    (b"word/document.xml", "a Word document"),
    (b"ppt/presentation.xml", "a PowerPoint presentation"),
    (b"xl/workbook.xml", "an Excel workbook"),
    (b"META-INF/container.xml", "an EPUB book"),
    (b"opendocument", "an OpenDocument file"),
)
_SAMPLE = 64 * 1024
_MAX_CONTROL_SHARE = 0.05
# Text may hold these: tab, line breaks, form feed, backspace and the escape of terminal colours.
_CONTROL = bytes(set(range(32)) - {8, 9, 10, 11, 12, 13, 27})
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


def kind_of(data: bytes) -> str:
    """Return in words what the bytes are: "a PNG image", "a PDF", …, "plain text" or "binary data"."""
    if b"%PDF-" in data[:1024]:
        return PDF
    for magic, kind in _MAGIC:
        if data.startswith(magic) and (len(magic) > 2 or is_binary(data)):
            return _office_kind(data) if kind == ZIP else kind
    return BINARY if is_binary(data) else TEXT


def utf16_without_bom(data: bytes) -> str:
    """Return "utf-16-le" or "-be" when every other byte is mostly NUL, as in Latin text, else ""."""
    sample = data[:_SAMPLE]
    half = max(1, len(sample) // 2)
    even, odd = sample[0::2].count(0) / half, sample[1::2].count(0) / half
    if odd > 0.4 and even < 0.05:
        return "utf-16-le"
    if even > 0.4 and odd < 0.05:
        return "utf-16-be"
    return ""


def is_binary(data: bytes) -> bool:
    """Return whether the bytes cannot be text of any encoding: too many control characters."""
    if data.startswith(_BOMS) or utf16_without_bom(data):
        return False
    sample = data[:_SAMPLE]
    kept = len(sample.translate(None, delete=_CONTROL))
    return len(sample) - kept > max(2, len(sample) * _MAX_CONTROL_SHARE)


def _office_kind(data: bytes) -> str:
    # Member names stand uncompressed in the archive's directory, at its end.
    return next((kind for member, kind in _OFFICE_MEMBERS if member in data), ZIP)
