"""The one gate for text that comes in from outside: after it, text can be stored, exported and compared.

What stays: everything a reader sees, full-width letters included, and the joiners that hold emoji and
Persian or Indic words together. What goes: characters that XML 1.0 forbids (a graph export would fail),
noncharacters, and invisible characters that make equal-looking names different or reorder the display.
"""

from __future__ import annotations

import re
import unicodedata

_LINE_BREAK = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
# Terminal colour codes: without their escape character they would leave "[31m" in the text.
_TERMINAL_CODE = re.compile("[\x1b\x9b]\\[?[0-9;]*m")
_SPACE = re.compile("[\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_REMOVED = re.compile(
    "["
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"  # control characters; tab and line feed stay
    "\xad\u200b\u2060\ufeff"  # soft hyphen, zero-width spaces, byte order mark
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional marks, embeddings, overrides, isolates
    "\U000e0000-\U000e007f"  # tags: an invisible copy of ASCII that only a model reads
    "\ufdd0-\ufdef"
    + "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000))
    + "]"
)


def clean(text: str) -> str:
    r"""Return text in NFC with ``\n`` line breaks, plain spaces and nothing invisible but joiners.

    Every Unicode space (no-break, ideographic, …) becomes a plain space. A surrogate pair becomes its
    character, a lone surrogate U+FFFD. The function is idempotent.

    Examples
    --------
    >>> clean("Mara\u00a0Quill\r\nZoe\u0308 \x1b[31mred\x1b[0m\x00")
    'Mara Quill\nZoë red'
    """
    if _SURROGATE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    text = _LINE_BREAK.sub("\n", text)
    text = _TERMINAL_CODE.sub("", text)
    text = _SPACE.sub(" ", text)
    text = _REMOVED.sub("", text)
    # Last, because a letter and its accent may have been kept apart by a character removed above.
    return unicodedata.normalize("NFC", text)


def one_line(text: str) -> str:
    """Return clean text with every run of white space as one space, none at the ends."""
    return " ".join(clean(text).split())


def has_words(text: str) -> bool:
    """Return whether the text holds at least one letter or digit of any script."""
    return any(map(str.isalnum, text))
