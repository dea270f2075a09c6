"""The title of a document: what its format says, else what its first line says, else its name."""

from __future__ import annotations

import re

from lightrag_engine.documents.clean import has_words, one_line
from lightrag_engine.documents.names import suffix_of

MAX_TITLE = 120
_MAX_LINE = 80
_HEAD = 10_000  # characters in which a heading is looked for
_FENCE = re.compile(r"^ {0,3}(```|~~~).*?^ {0,3}\1[`~]*[ \t]*$", re.MULTILINE | re.DOTALL)
_ATX = re.compile(r"^ {0,3}#{1,6}[ \t]+(\S[^\n]*)$", re.MULTILINE)
_SETEXT = re.compile(r"^(?=\S)([^\n]{1,120})\n(?:=+|-{3,})[ \t]*$", re.MULTILINE)
_SENTENCE_END = tuple(".!?,;:…。！？，；：、")
# What programs write into the title field when nobody filled it in.
_NO_TITLE = re.compile(
    r"untitled\W*\d*|unknown|none|title|(word |powerpoint )?(document|presentation|slide) ?\d*|microsoft .+"
    r"|.+\.(docx?|pptx?|pdf|tex|dvi|indd|html?|txt|rtf|odt|qxd|ps)|\W*",
    re.IGNORECASE,
)


def sensible_title(title: str) -> str:
    """Return a title from a file's properties, or "" when it is what a program put there."""
    title = one_line(title)
    return "" if _NO_TITLE.fullmatch(title) else shorten(title)


def markdown_title(text: str) -> str:
    """Return the first Markdown heading outside code blocks, "" when none is near the beginning."""
    text = _FENCE.sub("", text[:_HEAD])
    found = min(
        (match for match in (_ATX.search(text), _SETEXT.search(text)) if match),
        key=lambda match: match.start(),
        default=None,
    )
    return shorten(found[1].rstrip("# \t")) if found and has_words(found[1]) else ""


def first_line_title(text: str, *, blank_after: bool = True) -> str:
    """Return the first line when it looks like a title: short, no final period, set apart from what follows.

    Parameters
    ----------
    text : str
    blank_after : bool
        Whether a blank line must follow. Else (text of a PDF) the next line must not begin in lower case.
    """
    lines = text.lstrip().split("\n", 2)
    first = lines[0].strip()
    if not has_words(first) or len(first) > _MAX_LINE or first.endswith(_SENTENCE_END):
        return ""
    following = lines[1].strip() if len(lines) > 1 else ""
    set_apart = (not following) if blank_after else not following[:1].islower()
    return shorten(first) if len(lines) > 1 and set_apart else ""


def name_title(name: str) -> str:
    """Return a file's name without extension; ``_`` and ``-`` are spaces where it has no other.

    Examples
    --------
    >>> name_title("annual_report-2024.txt"), name_title("Jean-Pierre in St. Petersburg")
    ('annual report 2024', 'Jean-Pierre in St. Petersburg')
    """
    stem = name.removesuffix(suffix_of(name))
    spaced = stem if " " in stem.strip() else re.sub(r"[_\-]+", " ", stem)
    return shorten(spaced.strip(". ")) or name


def shorten(title: str) -> str:
    """Return the title on one line of at most `MAX_TITLE` characters."""
    title = one_line(title)
    return title if len(title) <= MAX_TITLE else title[: MAX_TITLE - 1].rstrip() + "…"
